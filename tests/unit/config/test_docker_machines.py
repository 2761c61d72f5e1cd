"""Which machine runs what, under executor ``docker``."""

import pytest
from pydantic import ValidationError

from modelstress.config.hosts import DockerHosts

A, B, C = ({"context": name, "address": f"{name}.lab"} for name in "abc")


def without_address(host):
    return {"context": host["context"]}


def test_a_node_that_is_not_named_is_on_the_servers_machine():
    where = DockerHosts(server=A, nodes={"store": B}, clients=[C])
    assert where.of("store").context == "b"
    assert where.of("writer").context == where.of("server").context == "a"
    assert where.contexts == ["a", "b", "c"]


def test_all_on_one_machine_need_no_address():
    a = without_address(A)
    assert DockerHosts(server=a, nodes={"store": a}, clients=[a]).contexts == ["a"]
    assert DockerHosts().contexts == ["default"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"server": without_address(A), "clients": [B]},
         "server.address is missing: clients of context 'b' reach the server of context 'a' by it"),
        ({"server": A, "clients": [A], "nodes": {"store": without_address(B)}},
         "nodes.store.address is missing: clients of context 'a' reach the node of context 'b'"),
        ({"server": without_address(A), "clients": [without_address(A)], "nodes": {"store": B}},
         "server.address is missing: nodes.store of context 'b' reach the server of context 'a'"),
        ({"server": A, "clients": [A, B]},
         "clients: some are on the server's machine .'a'. and some are not"),
        ({"server": A, "clients": [B, C], "nodes": {"store": B}},
         "clients: some are on the machine of nodes.store .'b'. and some are not"),
        ({"nodes": {"Store": A}}, "nodes"),
        ({"nodes": {"client0": A}}, "clients have this name in records; use another one"),
    ],
)  # fmt: skip
def test_what_cannot_be_reached_or_compared_is_refused(given, said):
    with pytest.raises(ValidationError, match=said):
        DockerHosts(**given)
