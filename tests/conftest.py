"""Shared fixtures; helper modules beside this file (such as `synthetic`) can be imported."""

import gc
import os
import signal

import hypothesis
import pytest
import synthetic

# A background job of a shell ignores SIGINT, and whatever a test starts would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests run under make, too: a make that a test starts is no part of that one.
for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"):
    os.environ.pop(name, None)

# how long an example takes says more about the machine's load than about the code
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


def pytest_collection_finish() -> None:
    """Leave what was imported out of every later collection of garbage.

    statsmodels asks for one at each adjustment of p-values; with all tests imported it takes 0.1 s.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def study_data(tmp_path_factory):
    """A data folder with a synthetic study; treat it as read-only."""
    data_dir = tmp_path_factory.mktemp("synthetic") / "data"
    synthetic.write_study(data_dir)
    return data_dir


@pytest.fixture(scope="session")
def study_plan():
    """The plan that belongs to `study_data`."""
    from modelstress.analysis import PlannedCell

    return [
        PlannedCell(
            "cdo", synthetic.cell_id(levels), "CDO (synthetic)", levels, 2, synthetic.CONTENTS
        )
        for levels in (
            synthetic.LEVELS | {"query": query, "protocol": protocol, "threads": threads}
            for query in ("PosLength", "RouteSensor")
            for protocol in ("tcp", "http")
            for threads in (1, 4, 16, 64)
        )
    ]
