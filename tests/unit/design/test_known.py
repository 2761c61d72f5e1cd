"""A typo in a level, wherever one can stand, is a sentence and never takes cells away silently."""

import pytest
from small_studies import HAWK, cells, profile, study

from modelstress.config.errors import ConfigError

STUDY, PROFILE = "config/studies/s.yaml", "config/profiles/p.yaml"
FIDELITY = {**HAWK, "fidelity": ["improved", "paper"]}


@pytest.mark.parametrize(
    ("factors", "word", "nearest"),
    [
        ({"backend": ["h2", "neo4", "neoemf"]}, "neo4", "neo4j"),
        ({"language": ["ocl", "olc"]}, "olc", "ocl"),
        ({"protocol": ["tcp", "htpp"]}, "htpp", "http"),
        ({"tool": ["cdo", "hawkk"]}, "hawkk", "hawk"),
    ],
)
def test_a_level_that_no_tool_supports_is_named_with_the_nearest(factors, word, nearest):
    with pytest.raises(ConfigError) as caught:
        cells(study(factors=factors))
    said = str(caught.value)
    assert repr(word) in said and f"did you mean {nearest!r}?" in said and "\n" not in said
    if "tool" not in factors:
        assert said.startswith(f"{STUDY}: field 'factors.{next(iter(factors))}'")


@pytest.mark.parametrize(
    ("constraint", "field", "word", "nearest"),
    [
        ({"when": {"tool": "mogway"}}, "0.when.tool", "mogway", "mogwai"),
        ({"when": {"query": ["PosLength", "SwichSet"]}}, "0.when.query", "SwichSet", "SwitchSet"),
        ({"when": {}, "only": {"backend": ["neo4"]}}, "0.only.backend", "neo4", "neo4j"),
        ({"when": {"fidelity": "papr"}}, "0.when.fidelity", "papr", "paper"),
        ({"when": {"threads": "one"}}, "0.when.threads", "one", None),
        ({"when": {"threads": "1"}}, "0.when.threads", "1", None),
    ],
)
def test_levels_of_constraints_of_studies_and_profiles(constraint, field, word, nearest):
    whole = study(factors=FIDELITY)
    wrong = study(factors=FIDELITY, constraints=[constraint])
    for where, given in (
        (STUDY, (wrong, None)),
        (PROFILE, (whole, profile(constraints=[constraint]))),
    ):
        with pytest.raises(ConfigError) as caught:
            cells(*given)
        said = str(caught.value)
        assert said.startswith(f"{where}: field 'constraints.{field}' has level {word!r}")
        assert nearest is None or f"did you mean {nearest!r}?" in said


@pytest.mark.parametrize(
    ("levels", "word"),
    [
        ({"query": ["PosLength", "SwichSet"]}, "SwichSet"),
        ({"backend": ["h2", "neo4"]}, "neo4"),
        ({"connection": ["per-execution", "reuse"], "threads": [1]}, "reuse"),
        ({"fault": ["none", "server-killedd"]}, "server-killedd"),
        ({"thread": [1]}, "thread"),
    ],
)
def test_levels_and_factors_of_a_profile(levels, word):
    with pytest.raises(ConfigError) as caught:
        cells(None, profile(levels=levels))
    assert str(caught.value).startswith(f"{PROFILE}: field 'levels")
    assert repr(word) in str(caught.value) and "did you mean" in str(caught.value)


def test_an_option_has_levels_of_its_defaults_kind():
    with pytest.raises(
        ConfigError, match=r"factors.pool_size' has level 'ten', but the option is 0"
    ):
        cells(study(factors={"pool_size": [0, "ten"]}))


def test_a_profile_and_constraints_for_other_studies_are_passed_over():
    """Tools, models, queries, faults and options that this study does not have, but others do."""
    others = {
        "tool": ["cdo", "mogwai"],
        "backend": ["h2", "neoemf"],
        "fidelity": ["paper"],
        "fault": ["none", "server-paused"],
        "query": ["PosLength", "OQ", "inspection"],
    }
    passed_over = [{"when": {"tool": "hawk", "cached_queries": 0}, "only": {"threads": [32]}}]
    found = cells(study(constraints=[{"when": {"tool": "mogwai"}, "only": {"threads": [5]}}]),
                  profile(levels=others, constraints=passed_over))  # fmt: skip
    assert len(found) == 3
