# Models, expected results and stores of the workload kind `queries`.


include: "queries_files.smk"


rule model:
    input:
        models_jar("data/stores/models/{model}.bin"),
    output:
        "data/stores/models/{model}.bin",
    log:
        "logs/model/{model}.log",
    conda:
        "../../environment.yml"
    message:
        "Generating model {wildcards.model}"
    shell:
        "modelstress model build {wildcards.model:q} > {log:q} 2>&1"


# A model that brings its metamodel, in one file or many.
rule model_folder:
    input:
        models_jar("data/stores/models/{model}/model.json"),
        made_of,
    output:
        "data/stores/models/{model}/model.json",
    log:
        "logs/model/{model}.log",
    conda:
        "../../environment.yml"
    message:
        "Making model {wildcards.model}"
    shell:
        "modelstress model build {wildcards.model:q} > {log:q} 2>&1"


rule oracle:
    input:
        models_jar("data/stores/oracle/{model}.json"),
        model_file,
        texts_of,
    output:
        "data/stores/oracle/{model}.json",
    log:
        "logs/oracle/{model}.log",
    conda:
        "../../environment.yml"
    message:
        "Computing the expected results on {wildcards.model}"
    shell:
        "modelstress oracle {wildcards.model:q} > {log:q} 2>&1"


# The flag, not the store, is Snakemake's: the store is replaced only when contents changed.
rule store:
    input:
        lambda wildcards: program_of(PROJECT.tool(wildcards.tool)),
        model_file,
        declarations_of,
    output:
        touch("data/stores/{tool}/{backend}/{model}{declared}.ready"),
    log:
        "logs/store/{tool}/{backend}/{model}{declared}.log",
    conda:
        "../../environment.yml"
    resources:
        host=1,
    params:
        attributes=lambda wildcards: wildcards.declared.removeprefix("+") or "none",
    message:
        "Loading {wildcards.model}{wildcards.declared} into {wildcards.tool} on {wildcards.backend}"
    shell:
        "modelstress load --tool {wildcards.tool:q} --backend {wildcards.backend:q}"
        " --model {wildcards.model:q} --attributes {params.attributes:q} > {log:q} 2>&1"
