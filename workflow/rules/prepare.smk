# Programs, and images of them.


# What Maven makes. A tool's program may be any file, such as a script: Snakemake deletes outputs
# before it makes them again, and nobody could make that one.
BUILT = [jar for jar in JARS if jar.startswith("java-shims/") and "/target/" in jar]


if BUILT:

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


# Programs in C++, generated from the models of their benchmarks.
GENERATED = [jar for jar in JARS if jar.startswith("orb/target/")]


if GENERATED:

    rule build_orb:
        input:
            "orb/Makefile",
            sorted(map(str, Path("orb").glob("harness/*.*"))),
            sorted(map(str, Path("orb").glob("corba/*.*"))),
            sorted(map(str, Path("orb").glob("models/*.yaml"))),
            sorted(map(str, Path("orb").glob("benchmark_generator/**/*.*"))),
        output:
            GENERATED,
        log:
            "logs/build_orb.log",
        conda:
            "../../environment.yml"
        threads: ALL_CORES
        message:
            "Building the programs in C++"
        shell:
            "make -j {threads:q} -C orb PYTHON=python > {log:q} 2>&1"


# What executor `docker` starts. The images themselves are the daemons': no machine may be measured
# meanwhile.
rule image:
    input:
        lambda wildcards: program_of(PROJECT.tool(wildcards.tool)),
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
