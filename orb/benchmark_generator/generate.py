"""Writes a benchmark's files from its model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from benchmark_generator.assembly import Flat, flatten
from benchmark_generator.cxx import Cxx
from benchmark_generator.model import Model, read_model

ORB = Path(__file__).resolve().parent.parent
FILES = {
    "benchmark.idl.j2": "{benchmark}.idl", "values.hpp.j2": "values.hpp",
    "server.cpp.j2": "server.cpp", "client.cpp.j2": "client.cpp", "Makefile.j2": "Makefile",
    "run.j2": "run", "server.json.j2": "server.json", "operations.yaml.j2": "operations.yaml",
}  # fmt: skip
"""Template to the file that is made of it."""


@dataclass(frozen=True)
class Generated:
    """What was generated.

    Attributes:
        files: path to its number of lines.
        by_hand: lines of the model.
    """

    files: dict[Path, int]
    by_hand: int

    @property
    def share(self) -> float:
        """Generated lines as a share of generated ones and of those by hand."""
        generated = sum(self.files.values())
        return generated / (generated + self.by_hand)


def generate(source: Path, folder: Path) -> Generated:
    """Write all files of a benchmark; those that do not change are left as they are.

    Raises:
        ConfigError: the model breaks a rule; names file, field and remedy.
    """
    model = read_model(source)
    flat = flatten(model, str(source))
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for name, text in _texts(model, flat, source.name).items():
        path = folder / name
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
        if name == "run":
            path.chmod(0o755)
        files[path] = _lines(text)
    return Generated(files, _lines(source.read_text("utf-8")))


def _texts(model: Model, flat: Flat, source: str) -> dict[str, str]:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"), undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 (no web page)
    )  # fmt: skip
    cxx = Cxx(model, flat)
    servers = [part for part in flat.parts.values() if not part.in_client]
    facets = [(part.component, facet) for part in servers for facet in part.component.facets]
    passed = {component.facets[f] for component, f in facets if f in component.forwards}
    done = {component.facets[f] for component, f in facets if f not in component.forwards}
    measured = {metric.port for metric in model.metrics.values()}
    links = [link for link in flat.links if f"{link.start.name}.{link.start_port}" in measured]
    context = {
        "model": model, "flat": flat, "cxx": cxx, "source": source, "orb": ORB, "servers": servers,
        "provided": {i: o for i, o in model.interfaces.items() if i in done},
        "forwarded": {i: o for i, o in model.interfaces.items() if i in passed},
        "events": sorted({event for part in servers for event in part.component.sinks.values()}),
        "client_links": links,
        "client_types": sorted({f"{link.of}Sink" if link.event else link.of for link in links}),
    }  # fmt: skip
    texts = {
        name.format(benchmark=model.benchmark): environment.get_template(template).render(context)
        for template, name in FILES.items()
    }
    for name, metric in model.metrics.items():
        texts[f"workload-{name}.json"] = json.dumps(
            {
                "operations": [{"name": name, "think_ms": metric.pause_ms}],
                "warmup": {"executions": metric.warmup, "seconds": 0},
                "executions": metric.samples,
                "timeout_ms": 10_000,
                "connection": "reused",
                "samples": "histogram",
            },
            indent=1,
        ) + "\n"  # fmt: skip
    return texts


def _lines(text: str) -> int:
    """Lines that say something."""
    return sum(bool(line.strip()) for line in text.splitlines())
