"""Tool descriptors and the overall settings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from string import Formatter
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from modelstress.config.base import Level, Name, Strict, nearest
from modelstress.config.hosts import DockerHosts, HostName, NodeName
from modelstress.config.study import DEFAULT_KIND

Names = Annotated[list[str], Field(min_length=1)]
TextFile = Annotated[str, Field(pattern=r"^config/[A-Za-z0-9_.{}/-]+$")]
SERVER = "server"
"""The node of a tool whose descriptor names none."""


class JvmFlags(Strict):
    """Flags of each Java program.

    The garbage collector is always named: a JVM on one CPU picks another one by itself.
    """

    server: list[str] = []
    client: list[str] = ["-Xmx1024m", "-XX:+UseG1GC"]
    load: list[str] = []


class ToolNode(Strict):
    """One server process of a tool that has several.

    Attributes:
        needs: nodes that are ready before it starts, and whose addresses it gets.
        program: jar or program, relative to the project; by default the tool's ``jar``.
        role: word by which the program knows what it is; by default the node's name.
        options: option of the tool to the value that this node gets, whatever the cell's level.
        when: factor to the levels with which it is there (``topology: [mesh-2]``); cells with
            others do without it, and so do the nodes that need it.
        jvm: flags of its JVM; by default the tool's for servers.
        cpu_limited: whether the factor ``node_cpu_percent`` holds for it.
    """

    needs: list[str] = []
    program: str | None = None
    role: str | None = None
    options: dict[str, Level] = {}
    when: dict[str, Annotated[list[Level], Field(min_length=1)]] = {}
    jvm: list[str] | None = None
    cpu_limited: bool = True

    def is_there(self, levels: Mapping[str, Level]) -> bool:
        """Whether cells with these levels have it."""
        return all(levels.get(factor) in wanted for factor, wanted in self.when.items())


class Tool(Strict):
    """``config/tools/<tool>.yaml``: one tool under test.

    Attributes:
        tool: its name, the same as the file's.
        title: shown in tables.
        jar: jar with server and driver, relative to the project; its ``lib/`` lies beside it. A
            file that does not end in ``.jar`` is a program itself. ``{factor}`` in it is the cell's
            level of a factor of ``supports``, where there are several builds.
        client: the client program likewise, where it is not the one in ``jar``.
        nodes: its server processes by name, where it has not just the one that is called
            ``server``; the first one is the main one.
        models: the form in which ``load`` gets models of the Train Benchmark: EMF's binary files
            or XMI.
        driver: name given to the client program.
        workload: kind of the workload that it serves.
        store: ``loaded`` before it is served, or ``none``: servers start empty.
        endpoint: protocol to address of a server that someone else runs; nothing is loaded then.
        ids: id map of an external server's store.
        supports: factor to the levels that the tool has of it (``backend: [h2]``); a factor of
            tools that is not there is dropped from its cells.
        loaded_by: factors of ``supports`` on which the content of its store depends; by default
            all of them.
        in_clients: factor of ``supports`` to the levels with which the tool runs in the client
            program (``protocol: [local]``), whose CPUs may then be as busy as a server's.
        loader: jars or programs, relative to the project, on which its store's content depends; by
            default its own with all libraries. A change of the others does not load it anew.
        resumes_load: whether ``load`` goes on with what it finds in the store's folder of a load of
            the same content that was interrupted; by default it finds nothing.
        texts: option to the files, relative to the project, whose text its programs get as that
            option, one file after the other. ``{factor}`` in a name is the cell's level of a factor
            of ``supports``. ``load`` gets those that depend on nothing but ``loaded_by``.
        queries: tool whose folder of queries it uses; by default its own.
        unique_condition: language to a trivially true condition that makes each text another one.
        jvm: flags by program.
        load_timeout_s, ready_timeout_s, stop_timeout_s: deadlines.
        options: server option to its default; each may be a factor.
        driver_options: driver option to its default; each may be a factor.
        applies_to: option to the levels of other factors beside which it means something
            (``poll_interval_ms: {protocol: [http]}``); as a factor it is dropped from other cells.
    """

    tool: str
    title: str
    jar: str
    client: str | None = None
    nodes: dict[NodeName, ToolNode] = {}
    models: Literal["binary", "xmi"] = "binary"
    driver: str
    workload: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")] = DEFAULT_KIND
    store: Literal["loaded", "none"] = "loaded"
    endpoint: dict[str, str] | None = None
    ids: str | None = None
    supports: dict[str, Annotated[list[Level], Field(min_length=1)]]
    loaded_by: list[str] | None = None
    in_clients: dict[str, Annotated[list[Level], Field(min_length=1)]] = {}
    loader: Annotated[list[str], Field(min_length=1)] | None = None
    resumes_load: bool = False
    texts: dict[str, Annotated[list[TextFile], Field(min_length=1)]] = {}
    queries: str = ""
    unique_condition: dict[str, str] = {}
    jvm: JvmFlags = JvmFlags()
    load_timeout_s: Annotated[int, Field(ge=1)] = 600
    ready_timeout_s: Annotated[int, Field(ge=1)] = 60
    stop_timeout_s: Annotated[int, Field(ge=1)] = 10
    options: dict[str, Level] = {}
    driver_options: dict[str, Level] = {}
    applies_to: dict[str, dict[str, Annotated[list[Level], Field(min_length=1)]]] = {}

    def levels(self, factor: str) -> list[str]:
        """The levels that the tool supports of a factor; none of one that it does not have."""
        return [str(level) for level in self.supports.get(factor, [])]

    def at(self, levels: Mapping[str, Level]) -> Tool:
        """The tool as cells with these levels have it.

        That is with its programs for them, and without the nodes that are not there.
        """
        there = {name: node for name, node in self.nodes.items() if node.is_there(levels)}
        programs = self._programs(levels)
        if len(there) == len(self.nodes):
            return self.model_copy(update=programs) if programs else self
        nodes = {
            name: node.model_copy(update={"needs": [need for need in node.needs if need in there]})
            for name, node in there.items()
        }
        return self.model_copy(update={**programs, "nodes": nodes})

    @property
    def chosen_by(self) -> list[str]:
        """Factors on whose levels it depends what ``at`` returns."""
        named = [*_factors_in(self.jar), *_factors_in(self.client or "")]
        return [*named, *(factor for node in self.nodes.values() for factor in node.when)]

    @property
    def has_builds(self) -> bool:
        """Whether its program depends on levels; only a cell's tool has it (`at`)."""
        return bool(_factors_in(self.jar))

    def _programs(self, levels: Mapping[str, Level]) -> dict[str, str]:
        """Programs whose names have levels of factors in them, by the field that names them."""
        values = {name: levels[name] for name in self.supports if name in levels}
        named = {"jar": self.jar, "client": self.client or ""}
        return {
            field: name.format_map(values)
            for field, name in named.items()
            if (factors := _factors_in(name)) and all(factor in values for factor in factors)
        }

    def runs_in_clients(self, levels: Mapping[str, Level]) -> bool:
        """Whether the tool itself runs in the client program of cells with these levels."""
        return any(levels.get(factor) in there for factor, there in self.in_clients.items())

    def text_files(
        self, levels: Mapping[str, Level], *, loading: bool = False
    ) -> dict[str, list[str]]:
        """Files of ``texts`` for a cell with these levels; of those only what ``load`` gets."""
        known = [name for name in self.supports if name in levels]
        if loading and self.loaded_by is not None:
            known = [name for name in known if name in self.loaded_by]
        values = {name: str(levels[name]) for name in known}
        return {
            option: [file.format_map(values) for file in files]
            for option, files in self.texts.items()
            if all(factor in values for file in files for factor in _factors_in(file))
        }

    @property
    def node_names(self) -> list[str]:
        """Its server processes, the main one first."""
        return list(self.nodes) or [SERVER]

    @property
    def start_order(self) -> list[str]:
        """Nodes in the order in which they are started: each after those that it needs."""
        needs = {name: self.nodes[name].needs for name in self.nodes} or {SERVER: []}
        return list(TopologicalSorter(needs).static_order())

    @property
    def backends(self) -> list[str]:
        """Where it stores its data."""
        return self.levels("backend")

    @property
    def protocols(self) -> list[str]:
        """Between client and server."""
        return self.levels("protocol")

    @property
    def languages(self) -> list[str]:
        """Of its queries."""
        return self.levels("language")

    @property
    def attributes(self) -> bool:
        """Whether its stores know derived and indexed attributes."""
        return "attributes" in self.supports

    @model_validator(mode="before")
    @classmethod
    def _from_fields(cls, fields: Any) -> Any:
        """Read descriptors from before ``supports``, such as those in archives."""
        if not isinstance(fields, dict) or "supports" in fields:
            return fields
        new = {name: value for name, value in fields.items() if name not in (*_OLD, *_SWITCHES)}
        supports = {factor: fields[name] for name, factor in _OLD.items() if name in fields}
        for name, levels in _SWITCHES.items():
            if not isinstance(fields.get(name, False), bool):
                raise ValueError(f"{name} must be true or false, not {fields[name]!r}")
            if fields.get(name):
                supports[name] = levels
        if supports:
            new["supports"] = supports
        protocols = new.pop("option_protocols", {})
        if isinstance(protocols, dict) and protocols:
            new["applies_to"] = {
                option: {"protocol": protocol} for option, protocol in protocols.items()
            }
        return new

    @model_validator(mode="after")
    def _external(self) -> Tool:
        if self.endpoint is not None and self.ids is None:
            raise ValueError("endpoint needs 'ids', the id map of that server's store")
        return self

    @model_validator(mode="after")
    def _known_nodes(self) -> Tool:
        """Refuse nodes that need others in a circle, or what the tool does not have."""
        if self.nodes and self.endpoint is not None:
            raise ValueError("nodes are started, but 'endpoint' is somebody else's; drop one")
        for name, node in self.nodes.items():
            _check_words(f"nodes.{name}.needs", "node", node.needs, self.nodes.keys() - {name})
            _check_words(f"nodes.{name}.options", "option", node.options, self.options)
        try:
            _ = self.start_order
        except CycleError as error:
            circle = " needs ".join(reversed(error.args[1]))
            raise ValueError(f"nodes: {circle}; one of them must start first") from error
        return self

    @model_validator(mode="after")
    def _known_factors(self) -> Tool:
        """Refuse conditions of nodes, and names of files, with factors that it does not have."""
        _check_words("loaded_by", "factor", self.loaded_by or (), self.supports)
        for field, program in {"jar": self.jar, "client": self.client or ""}.items():
            _check_words(field, "factor", _factors_in(program), self.supports)
        for option, files in self.texts.items():
            for file in files:
                _check_words(f"texts.{option}", "factor", _factors_in(file), self.supports)
                if ".." in file.split("/"):
                    raise ValueError(f"texts.{option} leaves the folder config: {file}")
        for name, node in self.nodes.items():
            self._check_levels(f"nodes.{name}.when", node.when)
        self._check_levels("in_clients", self.in_clients)
        if self.nodes and next(iter(self.nodes.values())).when:
            raise ValueError("the first node is the main one, and always there; drop its 'when'")
        return self

    def _check_levels(self, field: str, named: Mapping[str, Iterable[Level]]) -> None:
        """Refuse factors and levels of a field that the tool does not have."""
        for factor, levels in named.items():
            _check_words(field, "factor", [factor], self.supports)
            _check_words(f"{field}.{factor}", "level", map(str, levels), self.levels(factor))

    @model_validator(mode="after")
    def _known_words(self) -> Tool:
        """Refuse protocols and languages that the tool does not have; they would mean nothing."""
        _check_words("endpoint", "protocol", self.endpoint or (), self.protocols)
        _check_words("unique_condition", "language", self.unique_condition, self.languages)
        return self

    @model_validator(mode="after")
    def _applying_options(self) -> Tool:
        options = {**self.options, **self.driver_options}
        for name, beside in self.applies_to.items():
            if name not in options:
                raise ValueError(
                    f"applies_to names unknown option {name!r}{nearest(name, options)}"
                )
            for factor, levels in beside.items():
                if factor not in self.supports:
                    raise ValueError(
                        f"applies_to.{name} names unknown factor {factor!r}"
                        f"{nearest(factor, self.supports)}; name one of 'supports'"
                    )
                for level in levels:
                    if level not in self.supports[factor]:
                        raise ValueError(
                            f"applies_to.{name}.{factor} has unknown level {level!r}"
                            f"{nearest(level, self.supports[factor])}"
                        )
        return self


def _factors_in(file: str) -> list[str]:
    """Factors in braces in the name of a file.

    Raises:
        ValueError: a brace without another one.
    """
    return [name for _, name, _, _ in Formatter().parse(file) if name is not None]


def _check_words(field: str, what: str, words: Iterable[str], vocabulary: Collection[str]) -> None:
    """Refuse words of a field that nothing has.

    Raises:
        ValueError: names the field, the word and the nearest known one.
    """
    for word in words:
        if word not in vocabulary:
            raise ValueError(f"{field} names unknown {what} {word!r}{nearest(word, vocabulary)}")


_OLD = {"backends": "backend", "protocols": "protocol", "languages": "language"}
"""Fields of descriptors from before ``supports``, and the factors that they were about."""
_SWITCHES: dict[str, list[Level]] = {
    "attributes": ["none", "declared"], "navigation": ["forward", "backward"],
}  # fmt: skip
"""The same for what a tool had or had not, and its levels."""


class MainConfig(Strict):
    """``config/config.yaml``.

    Attributes:
        profile: default profile.
        executor: how hosts come to be.
        seed: of the order of cells and of the workloads.
        studies: studies that ``snakemake --cores all`` runs.
        source: whether cells are measured, or tables and figures are made from an ``archive``.
        archive: the archive that they are made from then, relative to the project.
        batch: invocations that one job of the workflow measures, one after the other.
        lock_wait_s: how long a run waits while another one measures on this host.
        docker: the machines of executor ``docker``; by default this one.
        hosts: several groups of such machines by name, instead of ``docker``; the names are the
            levels of the factor ``host``, and cells of groups without a machine in common are
            measured at the same time.
    """

    profile: Name = "demo"
    executor: Literal["process", "namespace", "docker"] = "process"
    seed: int = 20170822
    studies: Annotated[list[Name], Field(min_length=1)] = ["model-queries"]
    source: Literal["measure", "archive"] = "measure"
    archive: str = "archives/model-queries-claims.zip"
    batch: Annotated[int, Field(ge=1, le=100_000)] = 1
    lock_wait_s: Annotated[int, Field(ge=0)] = 3600
    docker: DockerHosts = DockerHosts()
    hosts: dict[HostName, DockerHosts] = {}

    @property
    def contexts(self) -> list[str]:
        """All machines of executor ``docker``, each once."""
        return list(dict.fromkeys(c for group in self._groups for c in group.contexts))

    def base_on(self, context: str) -> str | None:
        """The image that tools' images are built on there; None for our own."""
        return next((g.base for g in self._groups if context in g.contexts), None)

    @property
    def _groups(self) -> list[DockerHosts]:
        return list(self.hosts.values()) or [self.docker]

    @model_validator(mode="after")
    def _one_base(self) -> MainConfig:
        for context in self.contexts:
            bases = {group.base for group in self._groups if context in group.contexts}
            if len(bases) > 1:
                raise ValueError(
                    f"hosts: context {context!r} has several 'base' images; choose one"
                )
        return self


JsonObject = dict[str, Any]
