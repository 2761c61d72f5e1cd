"""What a controller that was killed left behind: found by its mark, ours only, and removed."""

from __future__ import annotations

from collections.abc import Sequence

from modelstress.hosts import cgroup
from modelstress.hosts.process import kill_leftovers


def clear(mark: str, executor: str, contexts: Sequence[str] = ()) -> list[str]:
    """Kill and remove what is left of a run.

    Args:
        mark: of everything that it started.
        executor: how its hosts came to be; containers are only looked for where there were some.
        contexts: Docker daemons that it used; by default all that Docker knows.

    Returns:
        What was found, in words; a Docker daemon that does not answer is told too.
    """
    sentences = []
    if killed := kill_leftovers(mark):
        sentences.append(f"{len(killed)} processes killed")
    cgroup.remove_groups(mark)
    if executor == "docker":
        from modelstress.hosts.containers import clear_containers  # docker-py takes its time

        sentences += clear_containers(mark, contexts)
    return sentences
