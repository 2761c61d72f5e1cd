"""Pictures of nodes and who connects to whom."""

from pathlib import Path

import pytest

from modelstress.config.errors import ConfigError
from modelstress.report.node_graph import layered, numbered, of_file, pictures

ROOT = Path(__file__).parents[3]
WORDS = ("managers", "connections")

KINDS = {"client": "client", "m1": "manager", "m2": "manager", "ds1": "store"}


def centres(figure):
    return {
        text.get_text(): text.get_position() for text in figure.axes[0].texts if text.get_text()
    }


def test_whoever_is_connected_to_stands_further_right():
    edges = [("client", "m1"), ("m1", "m2"), ("m2", "ds1"), ("client", "m2")]
    places = centres(layered(edges, KINDS, "a chain"))
    across = [places[node][0] for node in KINDS]
    assert across == sorted(across) and len(set(across)) == 4


def test_members_of_a_mesh_stand_above_each_other():
    edges = [("client", "m1"), ("client", "m2"), ("m1", "ds1"), ("m2", "ds1")]
    places = centres(layered(edges, KINDS))
    assert places["m1"][0] == places["m2"][0] and places["m1"][1] != places["m2"][1]


@pytest.mark.parametrize(
    ("edges", "said"),
    [
        ([("m1", "m2"), ("m2", "m1")], "nodes in a circle: "),
        ([("m1", "nobody")], "no kind of nobody"),
    ],
)
def test_what_cannot_be_drawn_is_said(edges, said):
    with pytest.raises(ValueError, match=said):
        layered(edges, KINDS)


def test_a_configuration_is_drawn():
    file = ROOT / "config/topologies/market-10.yaml"
    places = centres(of_file(file, *WORDS, ends=("server", "store")))
    assert {"client", "internet-1", "their-client", "m1", "s1", "p4"} <= places.keys()
    assert places["client"][0] < places["m1"][0] < places["s1"][0]


def test_a_file_without_nodes_is_one_sentence():
    file = ROOT / "config/distributions/types.yaml"
    with pytest.raises(ConfigError, match="has no managers with connections to server or store"):
        of_file(file, *WORDS, ends=("server", "store"))


def test_pictures_have_the_files_first_words_as_captions():
    files = sorted((ROOT / "config/topologies").glob("market-*.yaml"), key=numbered)
    made = list(pictures(files, *WORDS, ("server", "store")))
    assert [one.about for one in made] == [f"market-{step}" for step in range(1, 11)]
    assert made[0].caption == "Marketplace, step 1: one client with a store."
    assert made[4].caption.endswith("so that it cannot write there.")
    assert "client" in centres(made[9].figure)
