"""Counts of containers on other machines, from objects as Docker sends them."""

import time

import pytest

from modelstress.hosts.containers.counters import Counters

S = 1_000_000_000
MIB = 1 << 20


def stats(used_s, machine_s, usage_mib=100, cache_mib=40):
    """One object of the stream; a quarter of the CPU time was the kernel's."""
    return {
        "cpu_stats": {
            "cpu_usage": {
                "total_usage": used_s * S, "usage_in_usermode": used_s * S * 3 // 4,
                "usage_in_kernelmode": used_s * S // 4,
            },
            "system_cpu_usage": machine_s * S,
        },
        "memory_stats": {
            "usage": usage_mib * MIB,
            "stats": {"inactive_file": cache_mib * MIB, "active_file": 0},
        },
    }  # fmt: skip


class Streaming:
    """A container that sends what it was given; ``over`` after that, it has ended."""

    def __init__(self, *sent):
        self.sent = sent

    def stats(self, stream, decode=False):
        return iter(self.sent)


ENDED = {"cpu_stats": {"cpu_usage": {"total_usage": 0}}, "memory_stats": {}}


def read(*containers):
    counters = Counters()
    for side, share, *sent in containers:
        counters.follow(side, Streaming(*sent), "far", share)
    time.sleep(0.05)
    return counters.read()


def test_the_machines_time_counts_once_for_all_containers_of_a_side():
    found = read(("client", 1.0, stats(8, 100)), ("client", 1.0, stats(4, 104)))
    assert found["cpus.client.user_s"] == 9 and found["cpus.client.system_s"] == 3
    assert found["cpus.client.idle_s"] == 104 - 12
    assert found["client.group_cpu_s"] == 12


def test_a_side_with_half_of_the_cpus_has_half_of_the_time():
    found = read(("server", 0.5, stats(8, 100)), ("client", 0.5, stats(4, 100)))
    assert found["cpus.server.idle_s"] == 42 and found["cpus.client.idle_s"] == 46


def test_a_container_that_ended_keeps_its_totals_but_no_memory():
    found = read(("server", 1.0, stats(8, 100), ENDED))
    assert found["server.group_cpu_s"] == 8 and "server.group_mib" not in found


def test_file_pages_are_no_used_memory():
    counters = Counters()

    class Asked:
        def stats(self, stream):
            return stats(1, 2)

    class Silent:
        def stats(self, stream):
            raise OSError("gone")

    assert counters.used_mib(Asked()) == 60
    assert counters.used_mib(Silent()) is None


@pytest.mark.parametrize("sent", [(), (ENDED,)])
def test_nothing_is_said_of_what_was_never_seen(sent):
    assert read(("client", 1.0, *sent)) == {}
