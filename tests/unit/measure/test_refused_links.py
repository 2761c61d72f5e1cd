"""What a machine cannot do is refused before anything is measured."""

import pytest
from small_studies import cells, study

from modelstress.config.errors import MissingError
from modelstress.hosts import namespace
from modelstress.measure import provisioning

NO = "this kernel has none"


def linked(executor, **levels):
    factors = {"executor": [executor], "threads": [1], **{k: [v] for k, v in levels.items()}}
    return cells(study(factors=factors))


@pytest.fixture(autouse=True)
def poor(monkeypatch):
    """A kernel without queueing disciplines."""
    monkeypatch.setattr(namespace, "delays", lambda: NO)
    monkeypatch.setattr(namespace, "rates", lambda: NO)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("link_delay_ms", "sch_netem"), ("link_loss_percent", "sch_netem"),
        ("link_mbit_s", "sch_tbf"),
    ],
)  # fmt: skip
def test_links_that_cannot_be_shaped(name, said):
    with pytest.raises(MissingError, match=f"{name}.*{NO}; use 0.*{said}"):
        provisioning.refuse(linked("namespace", **{name: 5}))


def test_links_that_need_nothing_of_this_kernel():
    provisioning.refuse(linked("namespace", link_mbit_s=0))
    provisioning.refuse(linked("docker", link_mbit_s=5))
