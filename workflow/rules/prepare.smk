# Programs, models, expected results and stores.


rule build_shims:
    input:
        "java-shims/pom.xml",
        sorted(map(str, Path("java-shims").glob("*/pom.xml"))),
        sorted(map(str, Path("java-shims").glob("*/src/main/**/*.*"))),
    output:
        BUILT,
    log:
        "logs/build_shims.log",
    conda:
        "../../environment.yml"
    threads: ALL_CORES
    message:
        "Building the Java programs"
    shell:
        "mvn -B -ntp -T 1C -f java-shims/pom.xml package -DskipTests > {log:q} 2>&1"


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
        lambda wildcards: PROJECT.tool(wildcards.tool).jar,
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


# What executor `docker` starts. The images themselves are the daemons': no machine may be measured
# meanwhile.
rule image:
    input:
        lambda wildcards: PROJECT.tool(wildcards.tool).jar,
        "docker/Dockerfile",
        "docker/base.sh",
        "docker/healthy",
    output:
        touch("data/stores/images/{tool}.ready"),
    log:
        "logs/image/{tool}.log",
    conda:
        "../../environment.yml"
    resources:
        **{f"host_{n}": 1 for n, _ in enumerate(ELSEWHERE)},
        host=1,
    params:
        # a machine that comes later has no images yet
        machines=[f"{context} {MAIN.base_on(context)}" for context in MAIN.contexts],
    message:
        "Making the image of {wildcards.tool}"
    shell:
        "modelstress images {wildcards.tool:q} > {log:q} 2>&1"
