"""Executor ``namespace``: nodes and clients in networks of their own, joined by a switch.

Neither Docker nor root is needed: the controller runs in a private user, network and mount
namespace (``private.enter``), and the hosts' networks are made from there. The kernel removes all
of it with the last process.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from modelstress.config.errors import MeasureError, MissingError
from modelstress.hosts import link_counters, network_commands, private
from modelstress.hosts.base import Disturbance, Host, Node, Program, ProgramSpec, Setup
from modelstress.hosts.local_base import LocalHosts
from modelstress.hosts.process import ProcessHost

SAY_S = 20
"""Deadline of one command of ``ip``, ``tc`` or ``iptables``, seconds."""
TOOLS = {"ip": "iproute2", "tc": "iproute2", "nsenter": "util-linux", "mount": "mount"}
"""Programs that are needed, and the packages that have them."""


class NamespaceHosts(LocalHosts):
    """One switch, a host for each node and one for each client process.

    Args:
        setup: what is asked for.

    Raises:
        MissingError: a program or a feature of the kernel is missing; the sentence says which.
        MeasureError: a command failed.
    """

    executor = "namespace"

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        if why := missing_tools():
            raise MissingError(why)
        if not private.inside():
            raise MissingError("executor 'namespace' works in a private namespace only")
        self._holder = ProcessHost(setup.mark)
        self._holders: list[Program] = []
        self._disks: list[Path] = []
        nodes = [node.name for node in setup.nodes]
        self._names = [*nodes, *(f"client{number}" for number in range(setup.clients))]
        self.network = f"switch, {setup.link}"
        try:
            _say("ip", network_commands.bridge())
            hosts = [self._host(number, name) for number, name in enumerate(self._names)]
            for node in setup.nodes:
                if node.disk_mib:
                    self._mount(node)
            self._limit_from_the_start()
        except BaseException:
            self.close()
            raise
        self.nodes: Mapping[str, Host] = {
            name: self._limited(name, host) for name, host in zip(nodes, hosts, strict=False)
        }
        self.clients: Sequence[Host] = hosts[len(nodes) :]

    def counters(self) -> dict[str, float]:
        """See ``Hosts.counters``: what passed the switch's ports, and the groups' memory."""
        counters = super().counters()
        passed = link_counters.passed(Path("/proc/self/net/dev"))
        for number, (name, _) in enumerate(zip(self._names, self._holders, strict=False)):
            if network_commands.port(number) in passed:
                # what the port receives, the host has sent
                sent, received = passed[network_commands.port(number)]
                counters[f"net.{name}.sent_bytes"] = sent
                counters[f"net.{name}.received_bytes"] = received
        return counters

    def can(self, node: str, what: Disturbance) -> str | None:
        """See ``Hosts.can``."""
        if what.kind == "memory":
            return super().can(node, what)
        self._setup.node(node)
        return drops() if what.kind == "drop" else None

    def disturb(self, node: str, what: Disturbance) -> Mapping[str, float]:
        """See ``Hosts.disturb``."""
        if what.kind not in network_commands.OF_LINKS:
            return super().disturb(node, what)
        _run((*self._inside(node), *network_commands.disturbing(what)))
        return {}

    def calm(self, node: str, what: Disturbance) -> None:
        """See ``Hosts.calm``."""
        if what.kind in network_commands.OF_LINKS:
            _run((*self._inside(node), *network_commands.calming(what)))
        else:
            super().calm(node, what)

    def close(self) -> None:
        """See ``Hosts.close``."""
        # cables first: a network goes some time after its last process, and its cable with it
        ports = [
            f"link delete {network_commands.port(number)}" for number in range(len(self._holders))
        ]
        _try("ip", [*ports, f"link delete {network_commands.BRIDGE}"])
        for holder in self._holders:
            holder.stop(0.0)
        self._holders.clear()
        while self._disks:
            with suppress(MeasureError):
                # lazily: a node that could not be killed must not keep us
                _run(("umount", "--lazy", str(self._disks.pop())))
        super().close()

    def _host(self, number: int, name: str) -> ProcessHost:
        """A network with a cable to the switch; it lasts as long as a process that holds it."""
        setup = self._setup
        log = setup.folder / "hosts.log"
        argv = ("unshare", "--net", "--", "sh", "-c", "echo there; exec cat")
        spec = ProgramSpec(f"network of {name}", argv, setup.folder, log)
        holder = self._holder.start(spec)
        self._holders.append(holder)
        if holder.lines.read(SAY_S) != "there" or holder.pid is None:
            messages = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            raise MeasureError(
                f"{spec.name} cannot be made: {messages[-1] if messages else 'no message'}"
            )
        inside = ("nsenter", f"--net=/proc/{holder.pid}/ns/net", "--")
        _say("ip", network_commands.plug(number, holder.pid))
        _say(
            "ip",
            [
                *network_commands.up(number),
                *(network_commands.singly() if setup.single_packets else ()),
            ],
            inside,
        )
        if lines := network_commands.shaped(network_commands.port(number), setup.link):
            _say("tc", lines)
            _say("tc", network_commands.shaped(network_commands.DEVICE, setup.link), inside)
        return ProcessHost(setup.mark, inside, network_commands.address(number))

    def _inside(self, node: str) -> tuple[str, ...]:
        """Begin of a command in the network of a node."""
        holder = self._holders[self._setup.nodes.index(self._setup.node(node))]
        return ("nsenter", f"--net=/proc/{holder.pid}/ns/net", "--")

    def _mount(self, node: Node) -> None:
        """A small file system, in memory, for what a node writes; only a full disk needs it."""
        options = ("-t", "tmpfs", "-o", f"size={node.disk_mib}m,mode=700", "modelstress")
        _run(("mount", *options, str(node.folder)))
        self._disks.append(node.folder)


def missing_tools() -> str | None:
    """Which program is missing for this executor, as a sentence; None when none is."""
    for name, package in TOOLS.items():
        if shutil.which(name) is None:
            return f"executor 'namespace' needs {name} on PATH (apt-get install {package})"
    return None


def why_not() -> str | None:
    """Why this executor cannot be used on this machine; None when it can. Tried, not guessed."""
    if why := missing_tools():
        return why
    way, why = private.available(mounts=True)
    if way is None:
        return why
    lines = [
        *network_commands.bridge(),
        f"link add name {network_commands.port(0)} type veth peer name probe",
    ]
    return _fails(("unshare", *way, "--", "ip", "-batch", "-"), lines)


def drops() -> str | None:
    """Why packets cannot be dropped here; None when they can. Tried, not guessed."""
    if shutil.which("iptables") is None:
        return "packets cannot be dropped: no iptables on PATH (apt-get install iptables)"
    way, why = private.available(mounts=True)
    if way is None:
        return why
    failure = _fails(("unshare", *way, "--", *network_commands.disturbing(Disturbance("drop", 50))))
    return failure and f"packets cannot be dropped: {failure}"


def delays() -> str | None:
    """Why links cannot have delay and loss here; None when they can (netem)."""
    refused = "this kernel has no netem: links cannot have delay or loss, only a rate"
    return _unless("netem delay 1ms", refused)


def rates() -> str | None:
    """Why links cannot have a rate here; None when they can (TBF)."""
    refused = "this kernel has no TBF: links cannot be limited to a rate"
    return _unless("tbf rate 100mbit burst 4000b latency 50ms", refused)


def _unless(discipline: str, refused: str) -> str | None:
    """None when the kernel takes a queueing discipline, else why there is none."""
    if why := missing_tools():
        return why
    way, why = private.available(mounts=True)
    if way is None:
        return why
    argv = ("unshare", *way, "--", "tc", "-batch", "-")
    return refused if _fails(argv, [f"qdisc add dev lo root {discipline}"]) else None


def _fails(argv: Sequence[str], lines: Sequence[str] = ()) -> str | None:
    try:
        _run(argv, "\n".join(lines) + "\n")
    except MeasureError as error:
        return str(error)
    return None


def _say(program: str, lines: Sequence[str], inside: Sequence[str] = ()) -> None:
    """Give commands to ``ip`` or ``tc``, all in one process; none comes after one that failed."""
    _run((*inside, program, "-batch", "-"), "\n".join(lines) + "\n")


def _try(program: str, lines: Sequence[str]) -> None:
    """Give commands of which any may fail."""
    with suppress(MeasureError):
        _run((program, "-force", "-batch", "-"), "\n".join(lines) + "\n")


def _run(argv: Sequence[str], text: str = "") -> None:
    try:
        done = subprocess.run(
            argv, input=text, capture_output=True, text=True, timeout=SAY_S, check=False,
            start_new_session=True,  # Ctrl-C is for us: a half-made network would be an error
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MeasureError(f"{' '.join(argv[:6])}: {error}") from error
    if done.returncode != 0:
        messages = (done.stderr.strip() or done.stdout.strip()).splitlines() or ["no message"]
        raise MeasureError(f"{' '.join([*argv, *text.splitlines()[:1]])}: {messages[0]}")
