"""What is said to ``ip``, ``tc`` and ``iptables``: a switch, its cables, and their faults.

Text only; ``namespace`` and ``containers`` say it, each in its own way. Rates are limited with a
token bucket (TBF) at both ends of a cable, one for each direction, as a switch's port is limited in
both; delay and loss are netem's, where the kernel has it, likewise for each direction.
"""

from __future__ import annotations

from modelstress.hosts.base import Disturbance, Link

BRIDGE = "switch"
DEVICE = "eth0"
"""A host's end of its cable, in the host's own network."""
BURST_BITS = 32_000
"""Of the token bucket; 4 kB, less than three full packets, let no burst look like a faster link."""
OF_LINKS = ("cut", "drop")
"""Kinds of disturbances that are the link's."""
LATENCY_MS = 50
"""Longest time a packet waits in the token bucket: 625 kB at 100 Mbit/s, a switch's buffer."""


def port(number: int) -> str:
    """The switch's end of the cable of host ``number``."""
    return f"port{number}"


def bridge() -> list[str]:
    """For ``ip -batch``: the switch itself."""
    return [f"link add name {BRIDGE} type bridge", f"link set {BRIDGE} up"]


def plug(number: int, pid: int) -> list[str]:
    """For ``ip -batch``: a cable from the switch to the network of process ``pid``."""
    return [
        f"link add name {port(number)} type veth peer name {DEVICE} netns {pid}",
        f"link set {port(number)} master {BRIDGE}",
        f"link set {port(number)} up",
    ]


def address(number: int) -> str:
    """Address of host ``number``; the network is private, nobody else can be meant."""
    return f"10.77.0.{number + 2}"


def up(number: int) -> list[str]:
    """For ``ip -batch`` in a host's own network."""
    return [
        "link set lo up",
        f"address add {address(number)}/24 dev {DEVICE}",
        f"link set {DEVICE} up",
    ]


def singly() -> list[str]:
    """For ``ip -batch`` in a host's own network: packets leave it one by one.

    A cable between namespaces passes on what TCP has put together, up to 64 kB, as one packet.
    What loses packets at random would lose dozens at once, and seldom.
    """
    return [f"link set dev {DEVICE} gso_max_segs 1"]


def shaped(device: str, link: Link) -> list[str]:
    """For ``tc -batch``: limit what leaves by a device; nothing for a link without limits."""
    lines = []
    parent = "root"
    if link.delay_ms or link.loss_percent:
        words = [f"delay {link.delay_ms:g}ms"] if link.delay_ms else []
        words += [f"loss {link.loss_percent:g}%"] if link.loss_percent else []
        # room for all that is on its way at full rate: netem drops what does not fit
        lines.append(f"qdisc add dev {device} root handle 1: netem limit 100000 {' '.join(words)}")
        parent = "parent 1:"
    if link.mbit_s:
        bits = max(BURST_BITS, round(link.mbit_s * 1e6 * 0.0005))
        lines.append(
            f"qdisc add dev {device} {parent} handle 2: tbf rate {link.mbit_s:g}mbit"
            f" burst {bits // 8}b latency {LATENCY_MS}ms"
        )
    return lines


def disturbing(what: Disturbance) -> tuple[str, ...]:
    """Command, in a host's own network, that begins a disturbance of its link."""
    if what.kind == "cut":
        return ("ip", "link", "set", DEVICE, "down")
    return ("iptables", "--append", *_rule(what.amount))


def calming(what: Disturbance) -> tuple[str, ...]:
    """Command that ends what ``disturbing`` began."""
    if what.kind == "cut":
        return ("ip", "link", "set", DEVICE, "up")
    return ("iptables", "--delete", *_rule(what.amount))


def _rule(percent: float) -> tuple[str, ...]:
    # the same text is needed to delete the rule; six digits are what iptables keeps
    chance = ("--match", "statistic", "--mode", "random", "--probability", f"{percent / 100:.6f}")
    return ("INPUT", "--in-interface", DEVICE, *chance, "--jump", "DROP")
