# The report with all tables and figures, and the notebooks.


# All tables and figures, each drawn once, and the page that shows them.
rule report:
    input:
        derived_tables(),
    output:
        "results/report.html",
        [
            report(
                f"results/{study}/report.html",
                category=study,
                labels={"number": "Report", "subject": "Everything on one page"},
                caption="../report/page.rst",
            )
            for study in STUDIES
        ],
        [f"results/{study}/front.md" for study in STUDIES],
        [f"results/{study}/summary.csv" for study in STUDIES],
        [f"results/{study}/claims.json" for study in STUDIES],
        [f"results/{study}/claims.csv" for study in STUDIES],
        [
            report(
                directory(f"results/{study}/tables"),
                patterns=["{name}.html"],
                category=study,
                subcategory="Tables",
                labels=labelled(study, "tables", "html"),
                caption="../report/tables.rst",
            )
            for study in STUDIES
        ],
        [
            report(
                directory(f"results/{study}/figures"),
                patterns=["{name}.png"],
                category=study,
                subcategory="Figures",
                labels=labelled(study, "figures", "png"),
                caption="../report/figures.rst",
            )
            for study in STUDIES
        ],
    log:
        "logs/report.log",
    # what takes longest begins first
    priority: 10
    conda:
        "../../environment.yml"
    params:
        profile=PROFILE,
        data=str(PROJECT.root / DATA),
        studies=[word for study in STUDIES for word in ("--study", study)],
    message:
        "Writing results/report.html, tables and figures"
    shell:
        "modelstress report {params.studies:q} --profile {params.profile:q}"
        " --data-dir {params.data:q} > {log:q} 2>&1"


# The notebooks only show: they write no file.
rule notebook:
    input:
        lambda wildcards: derived_tables(wildcards.study),
        notebook="notebooks/{name}.ipynb",
    output:
        touch("logs/notebook/{study}/{name}.done"),
    # a log and not an output: the executed notebook must stay when it fails
    log:
        notebook="results/{study}/notebooks/{name}.ipynb",
        messages="logs/notebook/{study}/{name}.log",
    conda:
        "../../environment.yml"
    resources:
        kernels=1,
    params:
        profile=PROFILE,
        data=str(PROJECT.root / DATA),
        results=str(PROJECT.root / "results"),
    message:
        "Executing notebook {wildcards.name} of {wildcards.study}"
    shell:
        "papermill -k python3 {input.notebook:q} {log.notebook:q} --no-progress-bar"
        " -p study {wildcards.study:q} -p profile {params.profile:q}"
        " -p data_dir {params.data:q} -p results_dir {params.results:q} > {log.messages:q} 2>&1"


# All in one process: starting it takes longer than a page.
for study in STUDIES:

    rule:
        name:
            f"pages_{study.replace('-', '_')}"
        input:
            [f"logs/notebook/{study}/{name}.done" for name in notebooks_of(study)],
        output:
            [f"results/{study}/notebooks/{name}.html" for name in notebooks_of(study)],
        log:
            f"logs/notebook/{study}/pages.log",
        conda:
            "../../environment.yml"
        params:
            notebooks=[
                f"results/{study}/notebooks/{n}.ipynb" for n in notebooks_of(study)
            ],
            config=PAGES,
        message:
            f"Writing the notebooks of {study} as pages"
        shell:
            "jupyter nbconvert --to html --config {params.config:q} {params.notebooks:q}"
            " > {log:q} 2>&1"


# Only where the profile names another one whose cells are captured beside its own.
if ANATOMIES:

    rule anatomy:
        input:
            lambda wildcards: f"{DATA}/derived/{wildcards.study}/{ANATOMIES[wildcards.study]}/datapackage.json",
            notebook="notebooks/protocol-anatomy.ipynb",
        output:
            results=report(
                directory("results/{study}/anatomy"),
                patterns=["{name}.html", "{name}.png"],
                category="Anatomy of a query",
                labels={"number": "{name}"},
                caption="../report/anatomy.rst",
            ),
            page="results/{study}/notebooks/protocol-anatomy.html",
        log:
            notebook="results/{study}/notebooks/protocol-anatomy.ipynb",
            messages="logs/anatomy/{study}.log",
        conda:
            "../../environment.yml"
        resources:
            kernels=1,
        params:
            profile=lambda wildcards: ANATOMIES[wildcards.study],
            data=str(PROJECT.root / DATA),
            results=str(PROJECT.root / "results"),
            config=PAGES,
        message:
            "Executing the notebook on the protocols of {wildcards.study}"
        shell:
            "papermill -k python3 {input.notebook:q} {log.notebook:q} --no-progress-bar"
            " -p study {wildcards.study:q} -p profile {params.profile:q}"
            " -p data_dir {params.data:q} -p results_dir {params.results:q} > {log.messages:q} 2>&1"
            " && jupyter nbconvert --to html --config {params.config:q} {log.notebook:q}"
            " >> {log.messages:q} 2>&1"
