# What the rules share: the plan of every chosen study.

import hashlib
import json
import socket
from functools import cache

from snakemake.exceptions import WorkflowError

from modelstress.config import base
from modelstress.config.environment import EXECUTOR
from modelstress.config.packages import how_to_get
from modelstress.config.tool import MainConfig
from modelstress.design import plan as plans
from modelstress.design.kinds import kind_named
from modelstress.design.plan_file import make_plan, read_plan, write_plan
from modelstress.measure import provisioning
from modelstress.samples.archive import KEY, read_package

MAIN = base.parse(MainConfig, config, "config/config.yaml")
# all commands below shall plan for the same executor, also that of --config
if MAIN.executor != PROJECT.main.executor:
    os.environ[EXECUTOR] = MAIN.executor
# what the archive says of itself, where everything is made from one instead of being measured
ARCHIVED = (
    read_package(PROJECT.root / MAIN.archive)[KEY] if MAIN.source == "archive" else None
)
DATA = f"data/archive/{Path(MAIN.archive).stem}/data" if ARCHIVED else "data"
STUDIES = [ARCHIVED["study"]] if ARCHIVED else MAIN.studies
PROFILE = ARCHIVED["profile"] if ARCHIVED else MAIN.profile


def anatomy_of(study):
    """The profile whose cells are captured beside those of PROFILE, measured after them."""
    if ARCHIVED:
        return ARCHIVED["captured"]
    captured = PROJECT.anatomy_of(PROFILE, study)
    return captured.profile if captured else None


# of the studies that have one
ANATOMIES = {study: name for study in STUDIES if (name := anatomy_of(study))}
MEASURED = [*((study, PROFILE) for study in STUDIES), *ANATOMIES.items()]
# how notebooks become pages
PAGES = str(PROJECT.root / "workflow" / "nbconvert.py")


def plan_of(study, profile):
    """The plan of a study's profile: its file's, written where there is none of today's."""
    known = read_plan(PROJECT, study, profile)
    if known is None:
        known = make_plan(PROJECT, study, profile)
        write_plan(PROJECT, known)
    return known


# nothing is measured for an archive: it needs neither programs nor stores
PLANS = {
    (study, profile): plan_of(study, profile).runs
    for study, profile in ([] if ARCHIVED else MEASURED)
}
RUNS = {
    (study, profile, run.cell.id, run.invocation): run
    for (study, profile), plan in PLANS.items()
    for run in plan
}
# in the order of the plans, one profile after the other
ORDER = {key: number for number, key in enumerate(RUNS)}
# each cell once, however many invocations it has
CELLS = list(
    {
        (run.cell.study, run.cell.profile, run.cell.id): run.cell
        for plan in PLANS.values()
        for run in plan
    }.values()
)
# a cluster's jobs have the cores of their nodes
ALL_CORES = workflow.cores or 1
ELSEWHERE = sorted(
    {machine for cell in CELLS for machine in provisioning.machines_of(PROJECT, cell)}
    - {""}
)
for _number, _ in enumerate(ELSEWHERE):
    workflow.register_resource(f"host_{_number}", 1)
# kinds of workload: what cells need is made by rules/<kind>.smk, which adds to these
KINDS = sorted({cell.workload for cell in CELLS})


def input_path(file):
    """A file of the project by its place there; one of an installed package by its whole path."""
    inside = file.is_relative_to(PROJECT.root) and file == PROJECT.root / PROJECT.place(
        file
    )
    return PROJECT.place(file) if inside else str(file)


def program_of(tool):
    """The tool's program, a jar or something else."""
    program = PROJECT.jar(tool)
    built_here = (PROJECT.root / "java-shims/pom.xml").is_file()
    if tool.jar.startswith("java-shims/") and not built_here and not program.is_file():
        raise WorkflowError(f"{tool.jar} is not there; {how_to_get(tool.tool)}")
    return input_path(program)


JARS = sorted({program_of(cell.tool) for cell in CELLS})
# kind to a function from cells to the files that they need beside their stores
NEEDED_BY = {}


def cells(study):
    """All cells of a study, under whatever profile."""
    return [cell for cell in CELLS if cell.study == study]


@cache
def prepared(study):
    """What all cells of a study wait for; the same for each of its thousands of jobs.

    Flags of stores and oracles, and programs that are built, which stores depend on by themselves.

    Every cell waits for all of them: a tool whose store is ready would otherwise run ahead of the
    plan's order.
    """
    folders = {store_of(cell) for cell in cells(study)} - {None}
    stores = {f"{folder.relative_to(PROJECT.root)}.ready" for folder in folders}
    contained = {
        c.tool.tool for c in cells(study) if provisioning.executor_of(c) == "docker"
    }
    images = {f"data/stores/images/{tool}.ready" for tool in contained}
    others = {
        file
        for find in NEEDED_BY.values()
        for cell in cells(study)
        for file in find(cell)
    }
    programs = {
        program_of(cell.tool)
        for cell in cells(study)
        if store_of(cell) is None and "/target/" in cell.tool.jar
    }
    return sorted(stores | images | others | programs)


def stored_in(flag):
    """A cell whose store has this flag."""
    folder = PROJECT.root / flag.removesuffix(".ready")
    return next(cell for cell in CELLS if store_of(cell) == folder)


def store_of(cell):
    """The store that a cell needs, if any."""
    return kind_named(cell.workload).store(PROJECT, cell)


def needed(wildcards):
    """What an invocation waits for; nothing once it is measured, for it never is again.

    `ancient(...)` would say that as well, but Snakemake does not look at what lies behind ancient
    files that are made anew: a tool that has changed loaded its store, and no table said "stale".
    """
    done = "data/raw/{study}/{profile}/{tool}/{cell}/i{number}.done".format(**wildcards)
    return [] if (PROJECT.root / done).is_file() else prepared(wildcards.study)


def flag_of(run):
    """The flag of an invocation, and of those that share its start where it is their first."""
    folder = run.cell.folder(PROJECT.raw, run.invocation).relative_to(PROJECT.root)
    return f"{folder}.done"


@cache
def starts(study, profile):
    """The runs of each start of a plan: they are measured by one job."""
    return plans.starts(PLANS[study, profile])


def batches(study, profile):
    """The first and the last position of every batch of a plan, if a batch has several.

    Whole starts: a batch may have some more than it should.
    """
    found, first = [], 0
    for runs in starts(study, profile):
        last = runs[-1].position
        if last - first + 1 >= MAIN.batch:
            found.append((first, last))
            first = last + 1
    end = len(PLANS[study, profile]) - 1
    return found if first > end else [*found, (first, end)]


def done_flags(study, profile):
    """The flags of all jobs that measure a study's profile, in the order of the plan.

    A flag of a batch has a number for what is in it: another plan has other batches.
    """
    if MAIN.batch == 1:
        return [flag_of(runs[0]) for runs in starts(study, profile)]
    return [
        f"data/plan/{study}/{profile}/{first}-{last}.{batch_digest(study, profile, first, last)}.done"
        for first, last in batches(study, profile)
    ]


@cache
def batch_digest(study, profile, first, last):
    """Eight hex digits over the invocations of a batch."""
    runs = PLANS[study, profile][first : last + 1]
    names = [f"{run.cell.id} {run.invocation}" for run in runs]
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:8]


def batch_of(wildcards):
    """The invocations of a batch, by its wildcards."""
    runs = PLANS[wildcards.study, wildcards.profile]
    return runs[int(wildcards.first) : int(wildcards.last) + 1]


def measured(study, profile):
    """Records of the invocations that are measured before this run begins.

    They are written last, so that samples that `modelstress run --rerun` or `merge` has put in
    their place make tables, figures and notebooks again. Flags could not tell: they are empty, and
    Snakemake compares the contents of small files.
    """
    if MAIN.batch > 1:  # tens of thousands of inputs of one job: see `forget_outdated`
        return []
    folders = (Path(flag_of(run)).with_suffix("") for run in PLANS[study, profile])
    records = (folder / "cell.json" for folder in folders)
    return [str(record) for record in records if (PROJECT.root / record).is_file()]


def forget_moved():
    """Delete the flags of samples that somebody has moved away: they are measured again."""
    for plan in PLANS:
        for runs in starts(*plan):
            flag = PROJECT.root / flag_of(runs[0])
            if flag.is_file() and not all(map(is_measured, runs)):
                flag.unlink()
    for study, profile in PLANS if MAIN.batch > 1 else ():
        plan = PLANS[study, profile]
        for (first, last), name in zip(
            batches(study, profile), done_flags(study, profile), strict=True
        ):
            flag = PROJECT.root / name
            if flag.is_file() and not all(map(is_measured, plan[first : last + 1])):
                flag.unlink()


def is_measured(run):
    """Whether the samples of an invocation are there."""
    folder = run.cell.folder(PROJECT.raw, run.invocation)
    return (folder / "cell.json").is_file()


def forget_outdated():
    """Delete tables that are older than a record, where records are no inputs of theirs."""
    for (study, profile), plan in PLANS.items() if MAIN.batch > 1 else ():
        tables = PROJECT.root / f"data/derived/{study}/{profile}/datapackage.json"
        if tables.is_file():
            made = tables.stat().st_mtime_ns
            folders = (run.cell.folder(PROJECT.raw, run.invocation) for run in plan)
            records = (folder / "cell.json" for folder in folders)
            if any(r.is_file() and r.stat().st_mtime_ns > made for r in records):
                tables.unlink()


forget_moved()
forget_outdated()


def derived_tables(*studies):
    """Derived tables of some studies, by default all, under every profile."""
    return [
        f"{DATA}/derived/{study}/{profile}/datapackage.json"
        for study, profile in MEASURED
        if study in (studies or STUDIES)
    ]


def notebooks_of(study):
    """The notebooks that are executed with a study's results."""
    return PROJECT.notebooks(study)


def results_of(study):
    """What is made of a study beside the report."""
    kinds = ["tables", "figures", *(["anatomy"] if study in ANATOMIES else [])]
    pages = [f"notebooks/{name}.html" for name in notebooks_of(study)]
    if study in ANATOMIES:
        pages.append("notebooks/protocol-anatomy.html")
    return [f"results/{study}/{name}" for name in (*kinds, *pages)]


def everything():
    """All that a run is for, beside the report.

    Named by the target itself: the report may be there already while a cell or a table that it
    was made from is not.
    """
    flags = [flag for study, profile in PLANS for flag in done_flags(study, profile)]
    # also where all is measured: what is measured again finds the stores of today's programs
    stores = (
        {}
        if ARCHIVED
        else {name: None for study in STUDIES for name in prepared(study)}
    )
    return [
        *stores,
        *flags,
        *derived_tables(),
        *(r for study in STUDIES for r in results_of(study)),
    ]


def contents(study, profile):
    """What a study's numbers depend on: files of its workload, and configuration."""
    runs = [cell for cell in cells(study) if cell.profile == profile]
    files = {
        input_path(file)
        for cell in runs
        for file in kind_named(cell.workload).files(PROJECT, cell)
    }
    tools = {input_path(PROJECT.descriptor(cell.tool.tool)) for cell in runs}
    chosen = {
        f"config/studies/{study}.yaml",
        str(PROJECT.profile_file(profile, study).relative_to(PROJECT.root)),
    }
    return sorted(files | tools | chosen)


def holder():
    """This process, for tools/stale_lock.py: host, process and temporary folders of this run."""
    private = getattr(
        workflow, "_snakemake_tmp_dir", None
    )  # gone with a newer Snakemake, perhaps
    temporary = [private.name] if private is not None else []
    return {"host": socket.gethostname(), "pid": os.getpid(), "temporary": temporary}


def cell_of(wildcards):
    """The cell that an invocation's wildcards name."""
    key = (wildcards.study, wildcards.profile, wildcards.cell, int(wildcards.number))
    return RUNS[key].cell


def machines_of(wildcards):
    """The machines that an invocation has to itself; this one is called ""."""
    return provisioning.machines_of(PROJECT, cell_of(wildcards))


def cores_of(wildcards):
    """This machine's cores; one, for waiting, where a cell runs on other machines only."""
    return ALL_CORES if "" in machines_of(wildcards) else 1


def taken(machine):
    """How much of a machine an invocation takes: all or nothing."""
    return lambda wildcards: int(machine in machines_of(wildcards))


def batch_machines(wildcards):
    """The machines that a batch has to itself."""
    found = (provisioning.machines_of(PROJECT, run.cell) for run in batch_of(wildcards))
    return set().union(*found)


def batch_needed(wildcards):
    """What a batch waits for; nothing once all of it is measured."""
    done = all(map(is_measured, batch_of(wildcards)))
    return [] if done else prepared(wildcards.study)


def priority_of(wildcards):
    """The higher, the earlier an invocation is measured."""
    number = int(wildcards.number)
    key = (wildcards.study, wildcards.profile, wildcards.cell, number)
    return 1_000_000 - ORDER[key]


def labelled(study, folder, suffix):
    """Number and subject of each file in a folder of results, for `snakemake --report` only."""

    def of_file(wildcards):
        from modelstress.report.labels import labels

        return labels(
            PROJECT.root / "results" / study / folder / f"{wildcards.name}.{suffix}"
        )

    return of_file


wildcard_constraints:
    study="[A-Za-z0-9-]+",
    profile="[A-Za-z0-9-]+",
    tool="[A-Za-z0-9-]+",
    number="[0-9]+",
    first="[0-9]+",
    last="[0-9]+",
    digest="[0-9a-f]{8}",
    # a notebook
    name="[A-Za-z0-9-]+",
