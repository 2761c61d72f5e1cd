# Stores of the workload kind `operations`: tools populate them from the parameters of datasets.


# A cell's store is named by what it is loaded from; any of the cells that share it will do.
rule dataset:
    input:
        lambda wildcards: program_of(PROJECT.tool(wildcards.tool)),
    output:
        touch("data/stores/{tool}/{dataset}-{digest}.ready"),
    log:
        "logs/store/{tool}/{dataset}-{digest}.log",
    wildcard_constraints:
        dataset="[A-Za-z0-9_.-]+",
    conda:
        "../../environment.yml"
    resources:
        host=1,
    params:
        cell=lambda wildcards, output: stored_in(output[0]),
    message:
        "Loading {wildcards.dataset} into {wildcards.tool}"
    shell:
        "modelstress load {params.cell.id:q} --study {params.cell.study:q}"
        " --profile {params.cell.profile:q} > {log:q} 2>&1"
