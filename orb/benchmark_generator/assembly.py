"""Parts and connections of a benchmark, assemblies within assemblies made flat, and their rules."""

from __future__ import annotations

from dataclasses import dataclass

from benchmark_generator.model import Assembly, Component, Model
from modelstress.config.base import nearest
from modelstress.config.errors import ConfigError

DEEPEST = 16
ENDS = {"receptacles": "facets", "sources": "sinks"}
"""Kind of the port at which a connection starts to the kind of the one at which it ends."""


@dataclass(frozen=True)
class Part:
    """One component of the benchmark, by its place in the assemblies (``relay.first``)."""

    name: str
    kind: str
    component: Component

    @property
    def in_client(self) -> bool:
        """Whether it runs in clients: it provides nothing."""
        return not self.component.facets and not self.component.sinks

    @property
    def identifier(self) -> str:
        """Its name in C++."""
        return self.name.replace(".", "_")


@dataclass(frozen=True)
class Link:
    """A connection between ports of parts."""

    start: Part
    start_port: str
    end: Part
    end_port: str

    @property
    def of(self) -> str:
        """Interface, or type of events."""
        return self.start.component.ports()[self.start_port][1]

    @property
    def event(self) -> bool:
        """Whether events go along it."""
        return self.start_port in self.start.component.sources

    @property
    def target(self) -> str:
        """Name by which the server's directory knows the object at its end."""
        return f"{self.end.name}.{self.end_port}"


@dataclass(frozen=True)
class Flat:
    """A benchmark without assemblies."""

    parts: dict[str, Part]
    links: list[Link]

    def links_of(self, part: str, port: str) -> list[Link]:
        """Connections that start at a port."""
        return [link for link in self.links if (link.start.name, link.start_port) == (part, port)]


def flatten(model: Model, source: str) -> Flat:
    """Put the parts of all assemblies beside one another.

    Raises:
        ConfigError: names the file and the part or connection that breaks a rule.
    """
    try:
        flat = _Flattening(model).flat()
        _check_links(flat)
        _check_metrics(model, flat)
    except ValueError as error:
        raise ConfigError(f"{source}: {error}") from error
    return flat


class _Flattening:
    def __init__(self, model: Model) -> None:
        self._model = model
        self._parts: dict[str, Part] = {}
        self._ends: list[tuple[str, str]] = []

    def flat(self) -> Flat:
        self._add("", self._model.assemblies["main"], 0)
        links = []
        for start, end in self._ends:
            (start_part, start_port), (end_part, end_port) = self._port(start), self._port(end)
            links.append(Link(start_part, start_port, end_part, end_port))
        return Flat(self._parts, links)

    def _add(self, prefix: str, assembly: Assembly, depth: int) -> None:
        if depth > DEEPEST:
            raise ValueError(f"assembly {prefix.rstrip('.')} contains itself")
        for name, kind in assembly.parts.items():
            if kind in self._model.components:
                place = prefix + name
                self._parts[place] = Part(place, kind, self._model.components[kind])
            elif kind in self._model.assemblies:
                self._add(f"{prefix}{name}.", self._model.assemblies[kind], depth + 1)
            else:
                known = [*self._model.components, *self._model.assemblies]
                raise ValueError(
                    f"part {prefix}{name} is of unknown kind {kind!r}{nearest(kind, known)}"
                )
        self._ends += [
            (self._inside(prefix, assembly, c.start), self._inside(prefix, assembly, c.end))
            for c in assembly.connections
        ]

    def _inside(self, prefix: str, assembly: Assembly, port: str) -> str:
        """Place of a port that an assembly names; exported ones become those within."""
        part, _, rest = port.partition(".")
        kind = assembly.parts.get(part)
        if kind is None:
            raise ValueError(f"{port} names unknown part {part!r}{nearest(part, assembly.parts)}")
        inner = self._model.assemblies.get(kind)
        if inner is None:
            return prefix + port
        if rest not in inner.exports:
            raise ValueError(
                f"{port}: assembly {kind} does not export {rest!r}{nearest(rest, inner.exports)}"
            )
        return self._inside(f"{prefix}{part}.", inner, inner.exports[rest])

    def _port(self, place: str) -> tuple[Part, str]:
        name, _, port = place.rpartition(".")
        part = self._parts[name]
        if port not in part.component.ports():
            known = part.component.ports()
            raise ValueError(f"{name} ({part.kind}) has no port {port!r}{nearest(port, known)}")
        return part, port


def _check_links(flat: Flat) -> None:
    """The rules of connections (CCMPerf): compatible ports, one interface, nothing left open."""
    for link in flat.links:
        where = f"connection {link.start.name}.{link.start_port} -> {link.target}"
        kind, of = link.start.component.ports()[link.start_port]
        end_kind, end_of = link.end.component.ports()[link.end_port]
        if kind not in ENDS:
            raise ValueError(f"{where}: starts at one of {kind}; it must be a receptacle or source")
        if end_kind != ENDS[kind]:
            raise ValueError(f"{where}: {kind} are connected to {ENDS[kind]}, not to {end_kind}")
        if of != end_of:
            raise ValueError(f"{where}: is of {of} at one end and of {end_of} at the other")
    for part in flat.parts.values():
        for port in (*part.component.receptacles, *part.component.sources):
            links = flat.links_of(part.name, port)
            if not links:
                raise ValueError(f"{part.name}.{port} is not connected")
            if port in part.component.receptacles and len(links) > 1:
                raise ValueError(f"{part.name}.{port}: a receptacle has one connection")
        if part.component.sources and not part.in_client:
            raise ValueError(
                f"{part.name} has sources and provides something: events come from clients here"
            )
    _check_circles(flat)


def _check_circles(flat: Flat) -> None:
    """A call that is forwarded for ever would never end."""
    for part in flat.parts.values():
        for facet in part.component.forwards:
            at, port, steps = part, facet, 0
            while port in at.component.forwards:
                link = flat.links_of(at.name, at.component.forwards[port])[0]
                at, port, steps = link.end, link.end_port, steps + 1
                if steps > len(flat.parts):
                    raise ValueError(f"{part.name}.{facet} is forwarded in a circle")


def _check_metrics(model: Model, flat: Flat) -> None:
    for name, metric in model.metrics.items():
        place, _, port = metric.port.rpartition(".")
        part = flat.parts.get(place)
        if part is None or not part.in_client or port not in part.component.ports():
            clients = [f"{p.name}.{q}" for p in flat.parts.values() if p.in_client
                       for q in p.component.ports()]  # fmt: skip
            raise ValueError(
                f"metrics.{name}.port {metric.port!r} is no port of a part that runs in clients"
                f"{nearest(metric.port, clients)}"
            )
        kind, of = part.component.ports()[port]
        if (kind == "sources") != (metric.operation is None):
            raise ValueError(f"metrics.{name}: a receptacle has an operation, a source has none")
        if metric.operation is not None and metric.operation not in model.interfaces[of]:
            raise ValueError(
                f"metrics.{name} names unknown operation {metric.operation!r}"
                f"{nearest(metric.operation, model.interfaces[of])} of {of}"
            )
        if metric.path and not (metric.operation and _answered(model, of, metric.operation)):
            raise ValueError(
                f"metrics.{name}.path: nothing comes back of {metric.operation or 'an event'}, and "
                "time stamps come back with the answer; leave path out"
            )


def _answered(model: Model, interface: str, operation: str) -> bool:
    """Whether the caller waits for an answer, if only an empty one."""
    return not model.interfaces[interface][operation].one_way
