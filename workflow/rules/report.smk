# The notebooks and the report.


rule notebook:
    input:
        f"{DATA}/derived/{{study}}/{PROFILE}/datapackage.json",
        notebook="notebooks/measurements.ipynb",
    output:
        tables=report(
            directory("results/{study}/tables"),
            patterns=["{name}.html"],
            category="tables",
            caption="../report/tables.rst",
        ),
        figures=report(
            directory("results/{study}/figures"),
            patterns=["{name}.png"],
            category="figures",
            caption="../report/figures.rst",
        ),
    # a log and not an output: the executed notebook must stay when it fails
    log:
        notebook="results/{study}/notebooks/measurements.ipynb",
        messages="logs/notebook/{study}.log",
    conda:
        "../../environment.yml"
    resources:
        kernels=1,
    params:
        profile=PROFILE,
        data=str(PROJECT.root / DATA),
        results=str(PROJECT.root / "results"),
    message:
        "Executing the notebook of {wildcards.study}"
    shell:
        "papermill -k python3 {input.notebook} {log.notebook} --no-progress-bar"
        " -p study {wildcards.study} -p profile {params.profile}"
        " -p data_dir {params.data:q} -p results_dir {params.results:q} > {log.messages} 2>&1"


# Only where the profile names another one whose cells are captured beside its own.
if ANATOMY:

    rule anatomy:
        input:
            f"{DATA}/derived/{{study}}/{ANATOMY}/datapackage.json",
            notebook="notebooks/protocol-anatomy.ipynb",
        output:
            results=report(
                directory("results/{study}/anatomy"),
                patterns=["{name}.html", "{name}.png"],
                category="anatomy",
                caption="../report/anatomy.rst",
            ),
        log:
            notebook="results/{study}/notebooks/protocol-anatomy.ipynb",
            messages="logs/anatomy/{study}.log",
        conda:
            "../../environment.yml"
        resources:
            kernels=1,
        params:
            profile=ANATOMY,
            data=str(PROJECT.root / DATA),
            results=str(PROJECT.root / "results"),
        message:
            "Executing the notebook on the protocols of {wildcards.study}"
        shell:
            "papermill -k python3 {input.notebook} {log.notebook} --no-progress-bar"
            " -p study {wildcards.study} -p profile {params.profile}"
            " -p data_dir {params.data:q} -p results_dir {params.results:q} > {log.messages} 2>&1"


rule report:
    input:
        [folder for study in STUDIES for folder in results_of(study)],
    output:
        "results/report.html",
    log:
        "logs/report.log",
    conda:
        "../../environment.yml"
    params:
        profile=PROFILE,
        data=str(PROJECT.root / DATA),
        studies=lambda wildcards: " ".join(f"--study {study}" for study in STUDIES),
    message:
        "Writing results/report.html"
    shell:
        "modelstress report {params.studies} --profile {params.profile}"
        " --data-dir {params.data:q} > {log} 2>&1"
