"""What a notebook opens on when nobody has said what it shall show."""

from pathlib import Path

from modelstress.analysis import raw
from modelstress.analysis.anatomy import captured
from modelstress.config.errors import ConfigError
from modelstress.config.project import Project


def opened(
    data_dir: Path, study: str = "", profile: str = "", *, captures: bool = False
) -> tuple[str, str]:
    """Study and profile that a notebook shows: what is given, and of the rest what was measured.

    Of several the project's own (`config.yaml`) goes before what was measured last. `captures`
    asks for cells that were captured, and without it such profiles are passed over.

    Raises:
        ConfigError: nothing of the kind was measured; says how.
    """
    if study and profile:
        return study, profile
    keys = [
        key
        for key in raw.measured(data_dir, study, profile)
        if captured(data_dir, *key) == captures
    ]
    if not keys:
        kind = "captured" if captures else "measured"
        which = f" of study {study!r}" if study else ""
        command = "make run" if not study else f"make run STUDY={study}"
        raise ConfigError(
            f"{data_dir}: nothing{which} was {kind} yet; '{command}' does, or 'modelstress run "
            f"--all' with a profile{' that captures, such as anatomy-demo' if captures else ''}"
        )
    try:
        main = Project.find(data_dir).main
    except ConfigError:
        return keys[0]
    usual = [(name, main.profile) for name in main.studies]
    return next((key for key in usual if key in keys), keys[0])
