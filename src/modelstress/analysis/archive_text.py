"""The texts of an archive: its README and its CITATION.cff."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import yaml

from modelstress.analysis.archive_deposit import Deposit, Part, values
from modelstress.config.outcomes import OUTCOMES
from modelstress.samples.schema import COLUMNS

MACHINE = {
    "machine.cpu_model": "processor",
    "machine.memory": "memory",
    "machine.kernel": "kernel",
    "java.version": "Java",
    "libraries.python": "Python",
    "git.commit": "modelstress, commit",
    "executor": "executor",
}
"""Fields of the provenance that the README names, and how."""


def citation(deposit: Deposit) -> str:
    """CITATION.cff of the data: the project's, with the program among the references."""
    about = deposit.citation
    program = {
        "type": "software",
        **{name: about[name] for name in ("title", "authors", "version", "license")},
    }
    if len(deposit.commits) == 1:
        program["commit"] = deposit.commits[0]
    if deposit.swhids:
        program["identifiers"] = [{"type": "swh", "value": one} for one in deposit.swhids]
    document = {
        "cff-version": about.get("cff-version", "1.2.0"),
        "message": "If you use these data, please cite them as follows.",
        "title": deposit.title,
        "type": "dataset",
        "authors": about["authors"],
        "version": about["version"],
        "license": deposit.licence,
        "abstract": deposit.abstract,
        **({"keywords": about["keywords"]} if "keywords" in about else {}),
        "references": [program, *about.get("references", ())],
    }
    return yaml.dump(document, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=100)


class _Plain(yaml.SafeDumper):
    """Writes what stands in two places twice, not as an anchor and an alias."""

    def ignore_aliases(self, data: Any) -> bool:
        """Nothing gets an anchor."""
        return True


def readme(deposit: Deposit, name: str) -> str:
    """README.md: what was measured and what is missing, where things are, how to rebuild."""
    about, span = deposit.citation, deposit.span
    lines = [
        f"# {deposit.title}",
        "",
        "Samples of stress tests, one row per execution, and everything that their tables and",
        f"figures are made of. Made with {about['title']} (version {about['version']}).",
        "How to cite them is in `CITATION.cff`. The data are under the licence",
        f"{deposit.licence}; configuration and queries, and the program, under that in `LICENSE`.",
        "`datapackage.json` lists every file with its hash, `ro-crate-metadata.json` what was run",
        "(Workflow Run RO-Crate), `ARTIFACT.md` each claim with the command that checks it.",
    ]
    if span:
        lines += ["", f"The first invocation ended at {span[0]}, the last at {span[1]}."]
    for part in deposit.parts:
        lines += ["", *_measured(part)]
    lines += ["", *_missing(deposit.parts), *_REBUILD.format(name=name).splitlines()]
    lines += ["", *_WHERE.splitlines(), "", *_columns()]
    return "\n".join(lines) + "\n"


_REBUILD = """\

## Rebuild

In a checkout of modelstress, without a JDK and without any of the stores:

    make run SOURCE=archive ARCHIVE=path/to/{name}

unpacks the archive to `data/archive/`, checks every hash, derives all tables from the samples and
writes tables, figures, notebooks and the report to `results/`. `modelstress unpack FILE` only
unpacks; `modelstress compare A B` compares these data with other ones."""

_WHERE = """\
## Where things are

| files | are |
|---|---|
| `data/raw/<study>/<profile>/<tool>/<cell>/i<NN>/samples.parquet` | the samples of an invocation |
| `…/cell.json` | its levels, provenance, telemetry and validity |
| `…/threads-*.txt` | what the threads of a server that hung were doing |
| `…/parts.parquet` | how long each part of an execution took, where the tool told |
| `…/anatomy.parquet`, `messages.parquet`, `capture.pcap` | what executions put on the wire |
| `…/i<NN>.aborted-<n>/` | what is left of a start that did not end well |
| `data/derived/<study>/<profile>/` | tables, with a README of their columns and units |
| `data/planned.json` | every planned cell, and the contents it was to be measured with |
| `config/`, `queries/` | the study, its profiles and tools, and the texts of its queries |

Logs of servers and clients are not in it, nor are measurements that were made again later."""


def _measured(part: Part) -> Iterator[str]:
    """What there is of a profile: cells, invocations, outcomes, machines and tools."""
    cells = part.derived.cells
    yield f"## Profile {part.profile}"
    yield ""
    measured_cells = cells[cells["invocations"] > 0]
    yield f"- {len(measured_cells)} of {len(part.planned)} planned cells have complete invocations,"
    yield f"  {int(cells['invocations'].sum())} in all."
    counts = [f"{int(cells[name].sum())} {name}" for name in OUTCOMES]
    yield f"- {int(cells['executions'].sum())} measured executions: {', '.join(counts)}."
    if part.replaced:
        yield f"- {part.replaced} invocations were measured again later; those are in here."
    for key, word in MACHINE.items():
        if found := values(part.derived, key):
            yield f"- {word}: {', '.join(found)}"
    for setting in cells.loc[cells["invocations"] > 0, "topology"].unique():
        yield f"- topology: {setting}"
    for tool, about in dict(zip(cells["tool"], cells["tool_title"], strict=True)).items():
        yield f"- tool `{tool}`: {about}"


def _missing(parts: Sequence[Part]) -> Iterator[str]:
    """Every cell that is not as it was planned, with the reason."""
    yield "## What is missing"
    yield ""
    rows = [
        f"| {part.profile} | `{cell['cell']}` | {cell['state']} | {_sentence(cell['remarks'])} |"
        for part in parts
        for cell in part.derived.cells.to_dict("records")
        if cell["state"] != "complete"
    ]
    if not rows:
        yield "Nothing: every planned cell has all its invocations."
        return
    yield f"{len(rows)} cells are not complete:"
    yield ""
    yield "| profile | cell | state | why |"
    yield "|---|---|---|---|"
    yield from rows


def _sentence(remarks: str) -> str:
    return remarks.replace("\n", " ").replace(" | ", "; ").replace("|", "\\|")


def _columns() -> Iterator[str]:
    yield "## Columns of `samples.parquet`"
    yield ""
    yield "| column | unit | meaning |"
    yield "|---|---|---|"
    for name, (unit, meaning) in COLUMNS.items():
        yield f"| `{name}` | {unit} | {meaning} |"
