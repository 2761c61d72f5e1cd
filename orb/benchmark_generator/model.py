"""The model of a benchmark: types, interfaces, components, connections, metrics (CCMPerf)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from modelstress.config.base import Strict, nearest, parse, read_yaml
from modelstress.config.errors import ConfigError

BASIC = {
    "boolean": "CORBA::Boolean", "octet": "CORBA::Octet", "char": "CORBA::Char",
    "short": "CORBA::Short", "long": "CORBA::Long", "long long": "CORBA::LongLong",
    "float": "CORBA::Float", "double": "CORBA::Double", "string": "const char *",
}  # fmt: skip
"""IDL type to that of an argument in C++."""
WORDS = frozenset(Path(__file__).with_name("reserved_words.txt").read_text("utf-8").split())
"""Words of IDL and C++ that nothing may be called."""
KINDS = ("facets", "receptacles", "sources", "sinks")
Word = Annotated[str, Field(pattern=r"^[a-zA-Z][a-zA-Z0-9]*(_[a-zA-Z0-9]+)*$", max_length=40)]
Port = Annotated[str, Field(pattern=r"^[a-zA-Z][a-zA-Z0-9_]*(\.[a-zA-Z][a-zA-Z0-9_]*)+$")]


class Structure(Strict):
    """A type: fields of a structure, or what a sequence is of."""

    struct: Annotated[dict[Word, str], Field(min_length=1)] | None = None
    sequence: str | None = None

    @model_validator(mode="after")
    def _one(self) -> Structure:
        if (self.struct is None) == (self.sequence is None):
            raise ValueError("say one of struct and sequence")
        return self

    @property
    def parts(self) -> list[str]:
        """Types that it is made of."""
        return list(self.struct.values()) if self.struct else [str(self.sequence)]


class OperationOf(Strict):
    """An operation of an interface.

    Attributes:
        arguments: name to type.
        returns: type of the argument that comes back; without it, nothing does.
        one_way: whether the caller does not wait.
        work_us: processor time that the server spends on it, in microseconds.
    """

    arguments: dict[Word, str] = {}
    returns: str | None = None
    one_way: bool = False
    work_us: Annotated[float, Field(ge=0, le=1e6)] = 0

    @model_validator(mode="after")
    def _answer(self) -> OperationOf:
        if self.returns is not None and self.one_way:
            raise ValueError("a one-way operation returns nothing")
        if self.returns is not None and self.returns not in self.arguments.values():
            raise ValueError(f"returns {self.returns!r} is the type of none of its arguments")
        return self

    @property
    def returned(self) -> str | None:
        """The argument that comes back."""
        return next((n for n, kind in self.arguments.items() if kind == self.returns), None)


class Component(Strict):
    """A component by its ports.

    Attributes:
        facets: name to the interface that is provided.
        receptacles: name to the interface that is called.
        sources: name to the type of the events that are sent.
        sinks: name to the type of the events that are received.
        forwards: facet to the receptacle of the same interface that does its work.
    """

    facets: dict[Word, str] = {}
    receptacles: dict[Word, str] = {}
    sources: dict[Word, str] = {}
    sinks: dict[Word, str] = {}
    forwards: dict[Word, Word] = {}

    def ports(self) -> dict[str, tuple[str, str]]:
        """Port to its kind and what it is of."""
        return {name: (kind, of) for kind in KINDS for name, of in getattr(self, kind).items()}


class Connection(Strict):
    """From a receptacle to a facet, or from a source to a sink."""

    start: Port
    end: Port


class Assembly(Strict):
    """Components, and assemblies, with the connections between them.

    Attributes:
        parts: name to a component or an assembly.
        connections: ``part.port`` to ``part.port``.
        exports: port of the assembly to the ``part.port`` that it stands for.
    """

    parts: Annotated[dict[Word, str], Field(min_length=1)]
    connections: list[Connection] = []
    exports: dict[Word, Port] = {}


class Metric(Strict):
    """How an operation is measured.

    Attributes:
        port: of a part that runs in clients, ``part.port``.
        operation: of its interface; without it, the port is a source of events.
        size: elements of sequences and characters of texts in its arguments.
        burst: calls in one execution.
        pause_ms: of a client after an execution.
        warmup: executions before the measured ones.
        samples: measured executions.
        path: whether the parts of each call are told: when it is sent, arrives, is worked on and
            answered. That takes time and makes messages longer.
    """

    port: Port
    operation: Word | None = None
    size: Annotated[int, Field(ge=0, le=1_000_000)] = 16
    burst: Annotated[int, Field(ge=1, le=10_000)] = 1
    pause_ms: Annotated[float, Field(ge=0, le=60_000)] = 0
    warmup: Annotated[int, Field(ge=0)] = 1000
    samples: Annotated[int, Field(ge=1)] = 100_000
    path: bool = False


class Build(Strict):
    """How programs are compiled: compilers and their options, each with each."""

    compilers: Annotated[list[Literal["g++", "clang++"]], Field(min_length=1)] = ["g++"]
    options: Annotated[list[Literal["O0", "O1", "O2", "O3", "Os"]], Field(min_length=1)] = ["O2"]


class Model(Strict):
    """``orb/models/<benchmark>.yaml``.

    Attributes:
        benchmark: its name, a module of IDL.
        assemblies: by name; ``main`` is the benchmark.
        metrics: name of an operation of the study to how it is measured.
    """

    benchmark: Word
    title: str
    types: dict[Word, Structure] = {}
    interfaces: dict[Word, dict[Word, OperationOf]]
    components: dict[Word, Component]
    assemblies: dict[Word, Assembly]
    metrics: Annotated[
        dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")], Metric], Field(min_length=1)
    ]
    build: Build = Build()

    @model_validator(mode="after")
    def _words(self) -> Model:
        """Refuse names that IDL or C++ has, and those that differ in case only."""
        names: list[str] = [self.benchmark, *self.types, *self.interfaces, *self.components]
        members = [name for operations in self.interfaces.values() for name in operations]
        fields = [name for type_ in self.types.values() for name in type_.struct or ()]
        for name in (*names, *members, *fields, *self._arguments()):
            if name.lower() in WORDS:
                raise ValueError(f"{name!r} is a word of IDL or C++; call it otherwise")
        known = {name.lower(): name for name in (*self.types, *self.interfaces)}
        for name in (*members, *fields, *self._arguments()):
            if name.lower() in known:
                raise ValueError(
                    f"{name!r} is the name of a type or interface too ({known[name.lower()]}; IDL "
                    "does not mind case); call it otherwise"
                )
        double = [name for name, n in Counter(name.lower() for name in names).items() if n > 1]
        if double:
            raise ValueError(f"{double[0]!r} is the name of two things (IDL does not mind case)")
        return self

    @property
    def stamped(self) -> list[str]:
        """Operations of the study whose calls are followed on their way."""
        return [name for name, metric in self.metrics.items() if metric.path]

    def _arguments(self) -> Iterator[str]:
        for operations in self.interfaces.values():
            for operation in operations.values():
                yield from operation.arguments

    @model_validator(mode="after")
    def _known_types(self) -> Model:
        before: set[str] = set(BASIC)
        for name, type_ in self.types.items():
            for part in type_.parts:
                _check(f"types.{name}", "type", part, before)
            before.add(name)  # IDL has no type before its declaration
        for interface, operations in self.interfaces.items():
            for name, operation in operations.items():
                for argument in operation.arguments.values():
                    _check(f"interfaces.{interface}.{name}", "type", argument, before)
        return self

    @model_validator(mode="after")
    def _known_ports(self) -> Model:
        for name, component in self.components.items():
            where = f"components.{name}"
            if len(component.ports()) != sum(len(getattr(component, kind)) for kind in KINDS):
                raise ValueError(f"{where} has two ports of one name")
            for kind, of in component.ports().values():
                if kind in ("sources", "sinks"):
                    _check(f"{where}.{kind}", "type of events", of, self.types)
                else:
                    _check(f"{where}.{kind}", "interface", of, self.interfaces)
            for facet, receptacle in component.forwards.items():
                _check(f"{where}.forwards", "facet", facet, component.facets)
                _check(f"{where}.forwards", "receptacle", receptacle, component.receptacles)
                if component.facets[facet] != component.receptacles[receptacle]:
                    raise ValueError(
                        f"{where}.forwards: {facet} and {receptacle} differ in interface"
                    )
        if "main" not in self.assemblies:
            raise ValueError("assemblies has no 'main', which is the benchmark")
        return self


def _check(where: str, what: str, word: str, known: Mapping[str, object] | set[str]) -> None:
    if word not in known:
        raise ValueError(f"{where} names unknown {what} {word!r}{nearest(word, known)}")


def read_model(path: Path) -> Model:
    """Read a model.

    Raises:
        ConfigError: names file, field and remedy.
    """
    model = parse(Model, read_yaml(path), str(path))
    if not re.fullmatch(r"[a-z][a-z0-9]*", model.benchmark):
        raise ConfigError(f"{path}: benchmark must be lower-case letters and digits")
    return model
