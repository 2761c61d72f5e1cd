"""Several machines: where starts were measured, and which directions hold on one of them."""

import numpy as np
import pytest
import sick
import synthetic
from synthetic import LEVELS, PROFILE, STUDY

from modelstress.analysis import derive, load, write
from modelstress.report import claims

MACHINES = {
    "fast": {"cpu_model": "Fast CPU", "kernel": "6.1"},
    "slow": {"cpu_model": "Slow CPU", "kernel": "6.1"},
}
TIMES = {"fast": 1.0, "slow": 1.5}


def measure(data, levels, median_ms, *machines):
    """Write a start of a cell on each of the machines named."""
    for number, name in enumerate(machines):
        rng = np.random.default_rng([number, levels["threads"], len(levels["query"])])
        values = median_ms * TIMES[name] * rng.lognormal(0, 0.05, 60)
        table = synthetic.samples(values, threads=levels["threads"], number=number)
        synthetic.write(data, levels, number, table, machine=MACHINES[name])


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """HTTP costs nothing with 1 thread, but has a slow start more, and the double with 4."""
    data = tmp_path_factory.mktemp("data")
    one, four = ({"threads": threads} for threads in (1, 4))
    http = LEVELS | {"protocol": "http"}
    measure(data, LEVELS | one, 10.0, "fast", "fast", "slow")
    measure(data, http | one, 10.0, "slow", "slow", "fast")
    measure(data, LEVELS | four, 20.0, "fast", "slow")
    measure(data, http | four, 40.0, "slow", "fast")
    return data


@pytest.fixture(scope="module")
def derived(data):
    return derive(data, STUDY, PROFILE, asked=sick.study())


def rows(text):
    """The table in a text, as lists of its entries without those of the head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[entry.strip() for entry in line.strip("|").split("|")] for line in lines[2:]]


def test_machines_are_told_by_what_is_recorded_of_them(derived, tmp_path):
    assert "told by processor and kernel" in claims.machines(derived)
    for number, name in enumerate(("a", "b")):
        machine = {"name": name, **MACHINES["fast"]}
        synthetic.write(tmp_path, LEVELS, number, synthetic.samples([1.0] * 9), machine=machine)
    assert "told by name, processor and kernel" in claims.machines(derive(tmp_path, STUDY, PROFILE))


def test_machines_that_look_alike_are_told_by_their_boots(tmp_path):
    for number, boot in enumerate(("b", "a", "b")):
        machine = {**MACHINES["fast"], "boot": boot}
        for levels, median_ms in ((LEVELS, 10.0), (LEVELS | {"protocol": "http"}, 30.0)):
            values = median_ms * TIMES["slow" if boot == "a" else "fast"] * np.linspace(1, 1.1, 60)
            synthetic.write(
                tmp_path, levels, number, synthetic.samples(values, number=number), machine=machine
            )
    derived = derive(tmp_path, STUDY, PROFILE, asked=sick.study())
    said = claims.machines(derived)
    assert "2 machines, told by processor, kernel and boot" in said
    assert "4 on boot 1 and 2 on boot 2, all of them Fast CPU, 6.1" in said
    same, between = rows(said)
    assert same[:4] == ["cdo", "the same", "2", "1.00"]
    assert between[:4] == ["cdo", "boot 2 / boot 1", "4", "1.50"]
    assert [row[:3] for row in rows(claims.on_one_machine(derived, "protocol"))] == [
        ["protocol", "boot 1", "1"], ["protocol", "boot 2", "1"],
    ]  # fmt: skip


def test_every_start_has_its_machine_and_every_mixed_cell_its_flag(derived, tmp_path):
    assert set(derived.invocations["machine"]) == {"Fast CPU, 6.1", "Slow CPU, 6.1"}
    assert derived.cells["flags"].str.contains("several-hosts").all()
    assert derived.cells["remarks"].str.contains(
        "measured on 2 machines (Fast CPU, 6.1; Slow CPU, 6.1)", regex=False
    ).all()  # fmt: skip
    measure(tmp_path, LEVELS, 10.0, "slow", "slow")
    [cell] = derive(tmp_path, STUDY, PROFILE).cells.to_dict("records")
    assert "several-hosts" not in cell["flags"]


def test_machines_are_counted_and_compared_by_their_starts_of_one_cell(derived):
    said = claims.machines(derived)
    assert "5 on Fast CPU, 6.1 and 5 on Slow CPU, 6.1" in said
    assert "4 of 4 measured cells have starts from several" in said
    same, between = rows(said)
    assert same[:3] == ["cdo", "the same", "2"]
    assert 0.97 < float(same[3]) < 1.03
    assert between[:3] == ["cdo", "Slow CPU, 6.1 / Fast CPU, 6.1", "6"]
    assert 1.45 < float(between[3]) < 1.55 and 1.0 <= float(between[4]) < 1.03


def test_a_direction_that_the_machines_made_is_lost_on_each_of_them(derived):
    [protocol] = [rows(claims.on_one_machine(derived, "protocol"))]
    assert [row[:2] for row in protocol] == [
        ["protocol", "Fast CPU, 6.1"], ["protocol", "Slow CPU, 6.1"],
    ]  # fmt: skip
    # pairs, same direction, opposite, lost, found, none in both
    assert [row[2:] for row in protocol] == [["2", "1", "0", "1", "0", "0"]] * 2


def test_the_same_is_said_of_tables_that_were_read_back(data, derived):
    write(derived, data)
    again = load(data, STUDY, PROFILE)
    assert claims.machines(again) == claims.machines(derived)


def test_one_machine_is_named_and_nothing_more(tmp_path):
    measure(tmp_path, LEVELS, 10.0, "slow")
    derived = derive(tmp_path, STUDY, PROFILE, asked=sick.study())
    assert claims.machines(derived) == "One machine measured everything: Slow CPU, 6.1."
    assert claims.on_one_machine(derived) == ""


def test_a_pair_without_starts_of_a_machine_is_not_counted_there(tmp_path):
    measure(tmp_path, LEVELS, 10.0, "fast", "slow")
    measure(tmp_path, LEVELS | {"protocol": "http"}, 30.0, "fast")
    found = rows(claims.on_one_machine(derive(tmp_path, STUDY, PROFILE, asked=sick.study())))
    assert [row[1:4] for row in found] == [["Fast CPU, 6.1", "1", "1"], ["Slow CPU, 6.1", "0", "0"]]


def under(data, *settings):
    """Tables of a cell with a start under each of these settings of one machine."""
    for number, one in enumerate(settings):
        machine = {"name": "a", **MACHINES["slow"], **({} if one is None else {"settings": one})}
        table = synthetic.samples([10.0] * 60, number=number)
        synthetic.write(data, LEVELS, number, table, machine=machine)
    return derive(data, STUDY, PROFILE, asked=sick.study())


def test_starts_under_several_settings_are_flagged_and_told(tmp_path):
    one = {"governor": "performance", "swappiness": 60, "energy": "package-0"}
    other = {**one, "governor": "powersave", "energy": "unknown"}
    derived = under(tmp_path, one, other, {**one, "governor": "unknown"})
    [cell] = derived.cells.to_dict("records")
    assert "several-settings" in cell["flags"].split(";")
    assert "several settings: governor (performance; powersave)" in cell["remarks"]
    assert "several-hosts" not in cell["flags"]
    said = claims.machines(derived)
    assert said.endswith(
        "Settings that differ between invocations: governor performance in 1 and powersave in 1."
    )
    facts = derived.provenance.set_index("key")["value"]
    assert sorted(facts["machine.settings.governor"]) == ["performance", "powersave", "unknown"]
    assert facts["machine.settings.swappiness"] == "60"


def test_settings_that_agree_or_were_never_recorded_have_no_flag(tmp_path):
    one = {"governor": "performance", "swappiness": 60}
    derived = under(tmp_path, one, one, None, {"governor": "unknown"})
    assert "several-settings" not in derived.cells["flags"][0]
    assert "Settings" not in claims.machines(derived)
