"""What a coordinator says of its study, and a worker reads as data."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, ValidationError

from modelstress.config.base import Name, Strict
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project
from modelstress.design.plan_file import Plan
from modelstress.samples.provenance import git_state
from modelstress.steering import programs
from modelstress.steering.anchors import choose
from modelstress.steering.keys import plan_digest

FORMAT = 1
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Text = Annotated[str, Field(max_length=300)]


class About(Strict):
    """The description of a steered study.

    Attributes:
        format: of tables and parcels.
        study, profile: names.
        executor: how hosts come to be.
        plan: digest of the plan that workers must have, too.
        commit: of the coordinator's project; for the sentence where plans differ.
        builds: build of a tool to program and digest.
        divide_by: factors by whose levels jobs have queues of their own.
        anchors: ids of the fixed configurations.
        anchors_every_s: how often each worker measures them.
        lease_s: after which a worker that was not heard of has lost its job.
        noise: coefficient of variation above which a machine does not join.
        most_bytes: of a parcel.
    """

    format: int
    study: Name
    profile: Name
    executor: Text
    plan: Digest
    commit: Text | None = None
    builds: dict[Text, dict[Text, Digest]]
    divide_by: list[Text] = []
    anchors: Annotated[list[Text], Field(max_length=64)] = []
    anchors_every_s: Annotated[float, Field(gt=0)]
    lease_s: Annotated[float, Field(gt=0, le=86_400)]
    noise: Annotated[float, Field(gt=0)]
    most_bytes: Annotated[int, Field(gt=0)]


def about(project: Project, plan: Plan) -> About:
    """The description of a study under a profile, as the project's files are now.

    Raises:
        ConfigError: a template or the profile is wrong.
    """
    steering = project.profile(plan.profile, plan.study).steering
    return About(
        format=FORMAT,
        study=plan.study,
        profile=plan.profile,
        executor=project.executor,
        plan=plan_digest(plan),
        commit=git_state(project.root)["commit"],
        builds=programs.described(project, plan.cells),
        divide_by=divided(project, plan),
        anchors=[cell.id for cell in choose(plan.cells, steering.anchors)],
        anchors_every_s=steering.anchors_every_s,
        lease_s=steering.lease_s,
        noise=steering.noise,
        most_bytes=steering.most_mib << 20,
    )


def divided(project: Project, plan: Plan) -> list[str]:
    """Factors by whose levels jobs have queues of their own.

    Raises:
        ConfigError: the profile names one that the study does not have.
    """
    study = project.study(plan.study)
    asked = project.profile(plan.profile, plan.study).steering.divide_by
    if unknown := [name for name in asked if name not in study.factors]:
        raise ConfigError(
            f"{project.profile_file(plan.profile, plan.study)}: field 'steering.divide_by' names "
            f"{unknown[0]!r}, which is no factor of study {plan.study!r}"
        )
    of_templates = {n for name in project.templates for n in project.template(name).fix}
    return sorted({*asked, *(name for name in of_templates if name in study.factors)})


def parsed(description: Any) -> About:
    """The description that a database has.

    Raises:
        ConfigError: it is none, or of another version.
    """
    try:
        found = About.model_validate(description)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ConfigError(
            f"the queue's description is none of this version ({where}: {first['msg']}); use the "
            "same version of modelstress on both sides"
        ) from error
    if found.format != FORMAT:
        raise ConfigError(
            f"the queue is of format {found.format}, this version has {FORMAT}; use the same "
            "version of modelstress on both sides"
        )
    return found
