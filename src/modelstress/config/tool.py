"""Tool descriptors, the cases' queries and the overall settings."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from modelstress.config.base import Level, Name, Strict, nearest
from modelstress.config.hosts import DockerHosts, HostName

Names = Annotated[list[str], Field(min_length=1)]


class JvmFlags(Strict):
    """Flags of each Java program.

    The garbage collector is always named: a JVM on one CPU picks another one by itself.
    """

    server: list[str] = []
    client: list[str] = ["-Xmx1024m", "-XX:+UseG1GC"]
    load: list[str] = []


class Tool(Strict):
    """``config/tools/<tool>.yaml``: one tool under test.

    Attributes:
        tool: its name, the same as the file's.
        title: shown in tables.
        jar: jar with server and driver, relative to the project; its ``lib/`` lies beside it. A
            file that does not end in ``.jar`` is a program itself.
        client: the client program likewise, where it is not the one in ``jar``.
        models: the form in which ``load`` gets models of the Train Benchmark: EMF's binary files
            or XMI.
        driver: name given to the client program.
        endpoint: protocol to address of a server that someone else runs; nothing is loaded then.
        ids: id map of an external server's store.
        backends, protocols, languages: supported levels of these factors.
        queries: tool whose folder of queries it uses; by default its own.
        attributes: whether its stores know derived and indexed attributes; the factor
            ``attributes`` is dropped from the cells of a tool that does not.
        navigation: whether its queries may follow references forward only or backward too; the
            factor ``navigation`` is dropped from the cells of a tool that has no such choice.
        unique_condition: language to the trivially true condition of ``query_text: unique``.
        jvm: flags by program.
        load_timeout_s, ready_timeout_s, stop_timeout_s: deadlines.
        options: server option to its default; each may be a factor.
        driver_options: driver option to its default; each may be a factor.
        option_protocols: option to the protocols that it is for, if not for all; as a factor it is
            dropped from the cells of the others.
    """

    tool: str
    title: str
    jar: str
    client: str | None = None
    models: Literal["binary", "xmi"] = "binary"
    driver: str
    endpoint: dict[str, str] | None = None
    ids: str | None = None
    backends: Names
    protocols: Names
    languages: Names
    queries: str = ""
    attributes: bool = False
    navigation: bool = False
    unique_condition: dict[str, str] = {}
    jvm: JvmFlags = JvmFlags()
    load_timeout_s: Annotated[int, Field(ge=1)] = 600
    ready_timeout_s: Annotated[int, Field(ge=1)] = 60
    stop_timeout_s: Annotated[int, Field(ge=1)] = 10
    options: dict[str, Level] = {}
    driver_options: dict[str, Level] = {}
    option_protocols: dict[str, Names] = {}

    @model_validator(mode="after")
    def _external(self) -> Tool:
        if self.endpoint is not None and self.ids is None:
            raise ValueError("endpoint needs 'ids', the id map of that server's store")
        return self

    @model_validator(mode="after")
    def _known_words(self) -> Tool:
        """Refuse protocols and languages that the tool does not have; they would mean nothing."""
        for protocol in self.endpoint or ():
            if protocol not in self.protocols:
                raise ValueError(
                    f"endpoint names unknown protocol {protocol!r}"
                    f"{nearest(protocol, self.protocols)}"
                )
        for language in self.unique_condition:
            if language not in self.languages:
                raise ValueError(
                    f"unique_condition names unknown language {language!r}"
                    f"{nearest(language, self.languages)}"
                )
        return self

    @model_validator(mode="after")
    def _options_of_protocols(self) -> Tool:
        options = {**self.options, **self.driver_options}
        for name, protocols in self.option_protocols.items():
            if name not in options:
                raise ValueError(
                    f"option_protocols names unknown option {name!r}{nearest(name, options)}"
                )
            for protocol in protocols:
                if protocol not in self.protocols:
                    raise ValueError(
                        f"option_protocols.{name} names unknown protocol {protocol!r}"
                        f"{nearest(protocol, self.protocols)}"
                    )
        return self


class CaseQuery(Strict):
    """One query of a case.

    Attributes:
        tuple: names of the elements of a match, in order.
        languages: that it is written in; without them, all that the case has.
        equals: query with the same result, for one that cannot be evaluated on a plain model
            because it needs declared attributes.
    """

    tuple: Names
    languages: Names | None = None
    equals: str | None = None


class Case(Strict):
    """``queries/<case>/case.yaml``."""

    case: str
    queries: dict[str, CaseQuery]

    @model_validator(mode="after")
    def _equals_known(self) -> Case:
        for name, query in self.queries.items():
            if query.equals is None:
                continue
            other = self.queries.get(query.equals)
            if other is None or other.equals is not None or len(other.tuple) != len(query.tuple):
                raise ValueError(
                    f"queries.{name}.equals is {query.equals!r}; name a query with as many "
                    "elements in a match that equals no other itself"
                )
        return self


class MainConfig(Strict):
    """``config/config.yaml``.

    Attributes:
        profile: default profile.
        executor: how hosts come to be.
        seed: of the order of cells and of the workloads.
        studies: studies that ``snakemake --cores all`` runs.
        source: whether cells are measured, or tables and figures are made from an ``archive``.
        archive: the archive that they are made from then, relative to the project.
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
    archive: str = "archives/model-queries-reduced.zip"
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
