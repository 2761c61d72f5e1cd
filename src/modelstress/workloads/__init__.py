"""Workload kinds: how a dataset is made, what clients do, how an execution is checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module

from modelstress.config.errors import ConfigError
from modelstress.config.roles import Noun, Roles, TableLayout
from modelstress.config.study import Study


@dataclass(frozen=True)
class WorkloadKind:
    """What a study of this kind need not say itself.

    Attributes:
        roles: of the factors, where the study names none.
        nouns: of the factors.
        layout: of the printed tables, where no paper of the study has one.
        required: factors of every study.
    """

    roles: Roles = field(default_factory=Roles)
    nouns: Mapping[str, Noun] = field(default_factory=dict)
    layout: TableLayout = field(default_factory=TableLayout)
    required: tuple[str, ...] = ()


def roles_of(study: Study) -> Roles:
    """The roles of a study's factors: its own, or those of its kind of workload."""
    return study.roles or kind_named(study.workload).roles


def kind_named(name: str) -> WorkloadKind:
    """The workload kind of a name: ``KIND`` of the package ``modelstress.workloads.<name>``.

    Raises:
        ConfigError: there is no such kind.
    """
    if not name.isidentifier():
        raise ConfigError(f"there is no workload kind {name!r}; use a name such as 'queries'")
    try:
        kind: WorkloadKind = import_module(f"modelstress.workloads.{name}").KIND
    except (ModuleNotFoundError, AttributeError) as error:
        raise ConfigError(
            f"there is no workload kind {name!r}; it would be src/modelstress/workloads/{name}/"
        ) from error
    return kind
