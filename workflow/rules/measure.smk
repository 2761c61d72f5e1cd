# One start of the servers, with one cell or those that share it, alone on its machines: it takes this one's cores and the resource
# `host` (limited in workflow/profiles/default), or a resource of each other machine's own, and, in
# the package, the machines' locks. The samples themselves are not outputs: Snakemake deletes outputs, and what was measured is never deleted.


rule cell:
    input:
        needed,
    output:
        touch("data/raw/{study}/{profile}/{tool}/{cell}/i{number}.done"),
    log:
        "logs/cell/{study}/{profile}/{tool}/{cell}/i{number}.log",
    # the plan's order: blocks of invocations, randomised inside each
    priority: priority_of
    conda:
        "../../environment.yml"
    threads: cores_of
    resources:
        **{f"host_{n}": taken(machine) for n, machine in enumerate(ELSEWHERE)},
        host=lambda wildcards: int("" in machines_of(wildcards)),
    message:
        "Measuring {wildcards.cell}, invocation {wildcards.number}"
    shell:
        "modelstress run {wildcards.cell:q} --invocation {wildcards.number:q}"
        " --study {wildcards.study:q} --profile {wildcards.profile:q} --log {log:q}"


# Several invocations of the plan by one job: what a job costs would be more than what they take.
rule batch:
    input:
        batch_needed,
    output:
        touch("data/plan/{study}/{profile}/{first}-{last}.{digest}.done"),
    log:
        "logs/batch/{study}/{profile}/{first}-{last}.{digest}.log",
    priority: lambda wildcards: 1_000_000 - int(wildcards.first)
    conda:
        "../../environment.yml"
    threads: ALL_CORES
    resources:
        **{
            f"host_{n}": lambda wildcards, machine=machine: int(
                machine in batch_machines(wildcards)
            )
            for n, machine in enumerate(ELSEWHERE)
        },
        host=lambda wildcards: int("" in batch_machines(wildcards)),
    message:
        "Measuring positions {wildcards.first} to {wildcards.last} of {wildcards.profile}"
    shell:
        "modelstress run --positions {wildcards.first:q}-{wildcards.last:q}"
        " --study {wildcards.study:q} --profile {wildcards.profile:q} --log {log:q}"


rule derive:
    input:
        lambda wildcards: done_flags(wildcards.study, wildcards.profile),
        lambda wildcards: measured(wildcards.study, wildcards.profile),
        # not ancient: what changes here makes cells stale, which every table must say
        JARS,
        lambda wildcards: contents(wildcards.study, wildcards.profile),
    output:
        "data/derived/{study}/{profile}/datapackage.json",
    log:
        "logs/derive/{study}/{profile}.log",
    conda:
        "../../environment.yml"
    message:
        "Deriving tables of {wildcards.study}, profile {wildcards.profile}"
    shell:
        "modelstress derive --study {wildcards.study:q} --profile {wildcards.profile:q} > {log:q} 2>&1"
