"""Whatever a YAML file holds, reading it ends in a value or in one short sentence."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelstress.config.base import read_model, read_yaml
from modelstress.config.errors import ConfigError
from modelstress.config.profile import Profile
from modelstress.config.project import Project

PROFILE = "profile: p\ntitle: t\ninvocations: 1\n"


def bomb(inmost: str, levels: int) -> str:
    """A few hundred bytes, of which each line means ten times what the line before it means."""
    lines = [f"a0: &a0 [{inmost}]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title: 2001-99-99", "line 1, column 8: '2001-99-99' is no timestamp"),
        ('title: !!int "abc"', "'abc' is no int"),
        ('title: !!float "abc"', "'abc' is no float"),
        ('title: !!bool "abc"', "'abc' is no bool"),
        ('title: !!timestamp "abc"', "'abc' is no timestamp"),
        ("title: !!int ''", "'' is no int"),
        ("invocations: " + "9" * 5000, "is no int"),
        ("invocations: 0x" + "f" * 5000, "a whole number beyond"),
        ("title: " + "[" * 3000, "inside one another"),
        (bomb("x", 9), "values, aliases counted"),
        ("a: &a [*a]", "contains itself"),
        ('title: "a\\0b"', "control character"),
        ('title: "\\ud800"', "control character"),
        ("title: " + "x" * 20_000, "10000 are the most"),
        ("title: " + "x" * 5_000_000, "1024 KiB"),
        ("a: 1\nb: 2\na: 3", "line 3, column 1: key 'a' stands there twice, first in line 1"),
        ("a: {b: {c: 1, c: 2}}", "key 'c' stands there twice"),
        (PROFILE + "settings: {warmup: {seconds: .inf}}", "no finite number"),
        (PROFILE + "settings: {executions: 99999999999999999999}", "a whole number beyond"),
        (PROFILE + "settings: {executions: 9999999999999999}", "settings.executions"),
        (PROFILE + "settings: {warmup: {seconds: 1.0e+300}}", "settings.warmup.seconds"),
        ("title: !!python/name:os.system x", "could not determine a constructor"),
    ],
    ids=range(22),
)
def test_damage_is_one_short_sentence(text, said, tmp_path):
    file = tmp_path / "f.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_model(Profile, file)
    message = str(caught.value)
    assert message.startswith(str(file)) and said in message
    assert "\n" not in message and len(message) < len(str(file)) + 300


def test_a_value_made_large_by_aliases_is_shown_in_a_few_words(tmp_path):
    file = tmp_path / "f.yaml"
    file.write_text(bomb("x" * 300, 4) + "\nprofile: *a3\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_model(Profile, file)
    assert len(str(caught.value)) < 2000


def test_aliases_and_merged_keys_of_a_usual_size_are_read(tmp_path):
    file = tmp_path / "f.yaml"
    file.write_text("a: &a {x: 1, y: [1, 2]}\nb: {<<: *a, x: 3}\nc: [*a, *a]\n", encoding="utf-8")
    assert read_yaml(file)["b"] == {"x": 3, "y": [1, 2]}


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from("ab:[]{}&*!|>-?#%@<=~ \n\"'0.9_e+x,\\u")) | st.binary())
def test_no_text_ends_in_anything_but_a_sentence(tmp_path_factory, text):
    file = Path(tmp_path_factory.getbasetemp()) / "any.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    try:
        read_model(Profile, file)
    except ConfigError as error:
        assert "\n" not in str(error).replace(str(file), "")


@pytest.mark.parametrize("name", ["x" * 300, "a\0b", "a/b", "../x", "\udc80", ""])
def test_a_name_that_no_file_can_have_is_refused(name):
    with pytest.raises(ConfigError, match="is no name") as caught:
        Project.find(Path(__file__)).tool(name)
    assert len(str(caught.value)) < 300
    str(caught.value).encode("utf-8")
