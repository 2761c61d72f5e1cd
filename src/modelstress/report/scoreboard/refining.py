"""A profile that measures a chosen part of a space, as text to copy."""

from __future__ import annotations

from collections.abc import Mapping

import yaml

from modelstress.config.designs import CoveringDesign
from modelstress.config.levels import written
from modelstress.config.profile import Profile
from modelstress.config.study import Study

DUMPER: type[yaml.SafeDumper] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
"""Written in C where there is libyaml."""


def refined(study: Study, profile: Profile, fixed: Mapping[str, str]) -> tuple[str, str]:
    """The name and the text of a profile with some options at one level each.

    The levels of all other options, the settings and the design are the profile's own.

    Args:
        study: whose factors have the levels with their types.
        profile: that was measured.
        fixed: option to its level, as written.
    """
    levels = {name: list(given) for name, given in profile.levels.items()}
    for name, word in fixed.items():
        if found := [one for one in study.factors.get(name, ()) if written(one) == word]:
            levels[name] = found
    name = f"{profile.profile}-refined"
    design = profile.design
    if design.kind not in ("full", "fraction", "covering"):
        design = CoveringDesign(kind="covering", strength=2)
    told = ", ".join(f"{option} {word}" for option, word in fixed.items())
    made = profile.model_copy(
        update={
            "profile": name,
            "title": f"{profile.title}, with {told}" if told else profile.title,
            "levels": levels,
            "design": design,
        }
    )
    parts = made.model_dump(mode="json", exclude_defaults=True)
    if design.kind != "full":
        parts["design"] = design.model_dump(mode="json")
    return name, yaml.dump(
        parts,
        Dumper=DUMPER,
        sort_keys=False,
        allow_unicode=True,
        width=100,
        default_flow_style=None,
    )
