"""Docker daemons by context, and what is ours on them."""

from __future__ import annotations

import platform
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, TypeVar

import requests
from docker.context import ContextAPI
from docker.errors import APIError, DockerException, NotFound

import docker
from modelstress.config.errors import MeasureError, MissingError
from modelstress.config.hosts import HERE
from modelstress.hosts.containers import ssh

LABEL = "modelstress"
"""Label of every container, network and volume of ours; its value is the run's mark."""
ANSWER_S = 60
"""Deadline of one request to a daemon."""
CLEARING_S = 20
"""How long it is tried to remove what is ours."""
TICK_S = 0.2
KEPT = ("lock", "image")
"""Values of our label that are no run's."""
CLIENTS: dict[str, docker.DockerClient] = {}
"""Of the daemons that were asked for something, by context."""
T = TypeVar("T")


def connect(context: str = HERE) -> docker.DockerClient:
    """A client of the daemon of a Docker context: one for all, as long as it leads there.

    Raises:
        MissingError: there is no such context, or its daemon does not answer.
    """
    if context not in CLIENTS or ssh.ended(context):
        CLIENTS.pop(context, None)
        CLIENTS[context] = _client(context)
    return CLIENTS[context]


def _client(context: str) -> docker.DockerClient:
    try:
        if context == HERE:
            client = docker.from_env(timeout=ANSWER_S)
        else:
            docker_context = ContextAPI.get_context(context)
            if docker_context is None or docker_context.Host is None:
                raise MissingError(
                    f"config/config.yaml: field 'docker': no Docker context {context!r}; 'docker "
                    "context ls' lists them, and they are found beside ~/.docker/config.json only"
                )
            client = docker.DockerClient(
                base_url=ssh.forwarded(docker_context.Host, context),
                tls=docker_context.TLSConfig,
                timeout=ANSWER_S,
            )
        client.ping()
    except (DockerException, requests.RequestException) as error:
        raise MissingError(
            f"executor 'docker': the daemon of context {context!r} does not answer ({error}); "
            "start it, or choose another executor"
        ) from error
    return client


def why_not() -> str | None:
    """Why this machine's daemon cannot be used; None when it can."""
    try:
        connect()
    except MissingError as error:
        return str(error)
    return None


@lru_cache
def is_here(context: str) -> bool:
    """Whether a context's containers are processes of this machine, and see its files.

    Another context is taken for another machine, even when it is a second daemon of this one.
    """
    if context != HERE:
        return False
    there = info(context)
    return bool(
        there.get("Name") == socket.gethostname()
        and there.get("KernelVersion") == platform.release()
    )


@lru_cache
def info(context: str) -> Mapping[str, Any]:
    """What a daemon says of itself and its machine.

    Raises:
        MissingError: the daemon does not answer.
        MeasureError: it refuses.
    """
    with told(f"context {context!r}"):
        return dict(connect(context).info())


def identity(context: str) -> tuple[str, ...]:
    """What tells a daemon from others, whatever their contexts are called; it can be sorted.

    The ID alone does not: cloned machines have the same, and so have two daemons of one machine
    before Docker 23.
    """
    return tuple(str(info(context).get(key, "")) for key in ("ID", "Name", "DockerRootDir"))


@contextmanager
def told(what: str) -> Iterator[None]:
    """Turn whatever a daemon says no with into our error.

    Args:
        what: was tried, for the sentence.

    Raises:
        MeasureError: the daemon refused, or did not answer in time.
    """
    try:
        yield
    except APIError as error:
        raise MeasureError(f"{what}: Docker refuses: {error.explanation or error}") from error
    except (DockerException, requests.RequestException) as error:
        raise MeasureError(f"{what}: Docker does not answer: {error}") from error


def quietly(action: Callable[[], T]) -> T | None:
    """Do something in a clean-up: what is gone already is fine, and nothing is raised."""
    with suppress(APIError, DockerException, requests.RequestException, OSError, MissingError):
        return action()
    return None


def clear_containers(mark: str, contexts: Sequence[str] = ()) -> list[str]:
    """Remove the containers, networks and volumes of a run.

    Args:
        mark: of the run.
        contexts: where they may be; by default on every daemon that Docker knows a context of and
            that answers.

    Returns:
        What was found, in words, and what could not be removed in time; never raises.
    """
    removed, left = remove_containers(mark, contexts or _contexts())
    return removed + left


def remove_containers(mark: str, contexts: Sequence[str]) -> tuple[list[str], list[str]]:
    """The same: what was removed, and apart from it what is left or may be."""
    removed, left = [], []
    for context in contexts:
        try:
            connect(context)
        except MissingError as error:
            left.append(f"not looked for on {context!r}: {error}; {_remedy(context, mark)}")
            continue
        outcome = _removed(context, lambda label: label == mark, f"{LABEL}={mark}")
        removed += outcome[0]
        left += [f"{sentence}; {_remedy(context, mark)}" for sentence in outcome[1]]
    return removed, left


def _remedy(context: str, mark: str) -> str:
    there = "docker" if context == HERE else f"docker --context {context}"
    return f"'{there} ps --all --filter label={LABEL}={mark}' lists such containers"


def clear_strays(contexts: Sequence[str]) -> list[str]:
    """Remove what killed controllers left on daemons, whatever they measured.

    Call it with the daemons' locks: nobody else measures there then, so that all of ours but the
    locks themselves is left over. Returns what was found, in words.
    """
    sentences = []
    for context in contexts:
        removed, left = _removed(context, lambda label: label not in KEPT, LABEL)
        sentences += removed + left
    return sentences


def _removed(
    context: str, wanted: Callable[[str], bool], label: str
) -> tuple[list[str], list[str]]:
    """Remove until nothing is left or the time is over; a network stays busy for a moment.

    Returns:
        What was removed, and what could not be, or not be looked for.
    """
    filters: dict[str, str | list[str] | bool] = {"label": label}
    kinds: dict[str, tuple[Callable[[], list[Any]], dict[str, bool]]] = {
        "containers": (
            lambda: connect(context).containers.list(
                all=True, filters=filters, ignore_removed=True
            ),
            {"force": True, "v": True},
        ),
        "networks": (lambda: connect(context).networks.list(filters=filters), {}),
        "volumes": (lambda: connect(context).volumes.list(filters=filters), {"force": True}),
    }
    removed = dict.fromkeys(kinds, 0)
    end = time.monotonic() + CLEARING_S
    while True:
        left: dict[str, int | None] = dict.fromkeys(kinds)  # None: nobody knows
        for kind, (listed, how) in kinds.items():
            if (docker_objects := quietly(listed)) is None:
                break  # a daemon that does not answer takes its time each time
            targets = [
                docker_object for docker_object in docker_objects if wanted(_label(docker_object))
            ]
            gone = sum(_gone(docker_object, how) for docker_object in targets)
            removed[kind] += gone
            left[kind] = len(targets) - gone
        if all(count == 0 for count in left.values()) or time.monotonic() > end:
            break
        time.sleep(TICK_S)
    where = "" if context == HERE else f" on {context!r}"
    unknown = [kind for kind, count in left.items() if count is None]
    return [f"{count} {kind} removed{where}" for kind, count in removed.items() if count], [
        *(f"{count} {kind} could not be removed{where}" for kind, count in left.items() if count),
        *([f"{', '.join(unknown)} could not be looked for{where}"] if unknown else []),
    ]


def _label(docker_object: Any) -> str:
    """The value of our label: of a container, a network or a volume."""
    labels = (
        docker_object.attrs.get("Labels")
        or docker_object.attrs.get("Config", {}).get("Labels")
        or {}
    )
    return str(labels.get(LABEL, ""))


def _gone(docker_object: Any, how: Mapping[str, bool]) -> bool:
    try:
        docker_object.remove(**how)
    except NotFound:
        return True
    except (APIError, requests.RequestException):
        return False
    return True


def _contexts() -> list[str]:
    names = [context.name for context in quietly(ContextAPI.contexts) or []]
    return names or [HERE]
