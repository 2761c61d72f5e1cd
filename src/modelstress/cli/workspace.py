"""``modelstress init`` and ``demo``: a project without a clone, and all of it once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click

from modelstress.cli.options import project_of
from modelstress.config.errors import ConfigError, MissingError
from modelstress.config.packages import WORKSPACE
from modelstress.config.project import Project

FOLDERS = (
    "CITATION.cff",
    "LICENSE",
    "LICENSES",
    "config",
    "docker",
    "environment.yml",
    "notebooks",
    "queries",
    "tools/stale_lock.py",
    "workflow",
)
"""What of the repository a workspace has; the wheel carries it (tools/build_hook.py)."""
TOOLS = "tools"
"""Below ``config``: descriptors, which come with the packages of the tools."""
WORDS = {
    "README.md": """\
# A modelstress workspace

`modelstress demo` measures a study and writes `results/report.html`; `snakemake --cores all` does
the same. Tools come from packages: `modelstress tools` lists those that are installed. A descriptor
in `config/tools/` goes before that of a package.
""",
    ".gitignore": "data/\nlogs/\nresults/\n.snakemake/\n",
}


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def init(folder: Path) -> None:
    """Make a workspace in FOLDER, new or empty: workflow, configuration, queries, notebooks."""
    if folder.is_dir() and any(folder.iterdir()):
        raise ConfigError(f"{folder}: is not empty; give a new folder")
    source = _source()
    for name in FOLDERS:
        _copy(source / name, folder / name)
    (folder / "config" / TOOLS).mkdir()
    for name, text in WORDS.items():
        (folder / name).write_text(text, encoding="utf-8")
    click.echo(f"{folder}: a workspace; next: cd {folder} && modelstress demo")


def _source() -> Path:
    """The folder that has what a workspace gets: the wheel's, or the clone that this runs in.

    Raises:
        MissingError: neither is there.
    """
    if WORKSPACE.is_dir():
        return WORKSPACE
    try:
        return Project.find(Path(__file__)).root
    except ConfigError as error:
        raise MissingError(
            f"{WORKSPACE}: is not there; install modelstress from its wheel"
        ) from error


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_file():
        shutil.copyfile(source, target)
        return
    ignored = shutil.ignore_patterns("__pycache__", ".*")
    shutil.copytree(
        source,
        target,
        ignore=lambda folder, names: (
            {*ignored(folder, names)} | ({TOOLS} if Path(folder) == source else set())
        ),
    )


@click.command()
@click.option("--study", default="model-queries", show_default=True, help="Study to measure.")
@click.option("--profile", default="demo", show_default=True, help="Profile to measure.")
@click.pass_context
def demo(ctx: click.Context, study: str, profile: str) -> None:
    """Measure a study, write its tables, figures and report: what 'make run' does in a clone."""
    project = project_of(ctx)
    for tool in project.study(study).factors.get("tool", []):
        project.tool(str(tool))  # says how to install one that is missing
    programs = Path(sys.executable).parent
    path = os.pathsep.join([str(programs), os.environ.get("PATH", os.defpath)])
    config = ["--config", f"profile={profile}", f"studies=['{study}']"]
    quiet = ["--cores", "all", "--quiet", "host", "reason"]

    def run(*command: str) -> int:
        environment = {**os.environ, "PATH": path}
        return subprocess.run(command, cwd=project.root, env=environment, check=False).returncode

    code = run(sys.executable, str(project.root / "tools" / "stale_lock.py"))
    code = code or run(str(programs / "snakemake"), *quiet, *config)
    shown = run(str(programs / "modelstress"), "results", "--study", study, "--profile", profile)
    sys.exit(shown or code)


COMMANDS = (init, demo)
