# Instead of measuring: the samples and the configuration of an archive, for which nothing has to
# be built, loaded or started.


rule unpack:
    input:
        MAIN.archive,
    output:
        touch(f"{Path(DATA).parent}.unpacked"),
    log:
        "logs/unpack.log",
    conda:
        "../../environment.yml"
    params:
        folder=str(Path(DATA).parent),
    message:
        "Unpacking {input}"
    shell:
        "modelstress unpack {input:q} --to {params.folder:q} > {log:q} 2>&1"


# The archive brings its derived tables; they are made anew from the samples all the same.
rule derive:
    input:
        f"{Path(DATA).parent}.unpacked",
    output:
        f"{DATA}/derived/{{study}}/{{profile}}/datapackage.json",
    log:
        "logs/derive/{study}/{profile}.log",
    conda:
        "../../environment.yml"
    params:
        data=str(PROJECT.root / DATA),
    message:
        "Deriving tables of {wildcards.study}, profile {wildcards.profile}"
    shell:
        "modelstress derive --study {wildcards.study:q} --profile {wildcards.profile:q}"
        " --data-dir {params.data:q} > {log:q} 2>&1"
