"""Studies and profiles of a few cells."""

from pathlib import Path

from modelstress.config.profile import Profile
from modelstress.config.project import Project
from modelstress.design.cells import cells_of
from modelstress.workloads.queries.study import QueriesStudy

PROJECT = Project.find(Path(__file__))


def study(**changes) -> QueriesStudy:
    factors = {
        "tool": ["cdo"],
        "backend": ["h2"],
        "language": ["ocl"],
        "protocol": ["tcp"],
        "model": ["m"],
        "query": ["PosLength", "SwitchSet"],
        "threads": [1, 2, 64],
        **changes.pop("factors", {}),
    }
    models = {"m": {"case": "train", "line": "2016", "scenario": "repair", "size": 1}}
    return QueriesStudy.model_validate(
        {"study": "s", "title": "t", "models": models, "factors": factors, **changes}
    )


def profile(**changes) -> Profile:
    return Profile.model_validate({"profile": "p", "title": "t", "invocations": 2, **changes})


def cells(study_=None, profile_=None):
    return cells_of(PROJECT, study_ or study(), profile_ or profile())


def captured(**more) -> Profile:
    return profile(settings={"capture": {"pause_ms": 300}}, **more)


HAWK = {
    "tool": ["cdo", "hawk"],
    "backend": ["h2", "neo4j", "orientdb"],
    "language": ["ocl", "eol", "epl"],
    "protocol": ["tcp", "http"],
    "threads": [1],
}


MOGWAI = {
    "tool": ["cdo", "hawk", "mogwai"],
    "backend": ["h2", "neo4j", "neoemf"],
    "language": ["ocl", "eol"],
    "query": ["SemaphoreNeighbor"],
    "threads": [1],
    "navigation": ["forward", "backward"],
}
