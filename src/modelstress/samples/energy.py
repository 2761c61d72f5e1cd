"""Energy counters of processor packages: RAPL as ``powercap`` shows it, or ``hwmon``.

Most kernels let root alone read them; virtual machines rarely have any. What cannot be read is
absent, never 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

MOST_PACKAGES = 64
PACKAGE = re.compile(r"package-\d{1,3}")
SOCKET = re.compile(r"Esocket(\d{1,3})")
"""Label of a socket's counter by the driver ``amd_energy``."""
MICRO = 1e-6


@dataclass(frozen=True)
class Counter:
    """Counter of one package, in µJ since some moment.

    Attributes:
        file: with the number.
        most: number after which it begins again at 0; 0: unknown.
    """

    file: Path
    most: int = 0

    def read(self) -> int | None:
        """Its number now; None where nobody may read it, or there is none."""
        return _number(self.file)


def counters(root: Path = Path("/")) -> dict[str, Counter]:
    """Counters that can be read, by the name of their package: ``package-0``.

    Parts of a package (cores, memory) are left out, since some are in the whole; so are other
    views of the same packages. Where one package cannot be read, none is: a sum would be too small.

    Args:
        root: folder with ``sys``.
    """
    found: dict[str, Counter] = {}
    for zone in sorted((root / "sys/class/powercap").glob("intel-rapl:*"))[:MOST_PACKAGES]:
        name = _word(zone / "name")
        if PACKAGE.fullmatch(name):
            found[name] = Counter(zone / "energy_uj", _number(zone / "max_energy_range_uj") or 0)
    if not found:
        labels = sorted((root / "sys/class/hwmon").glob("hwmon*/energy*_label"))
        for label in labels[: 16 * MOST_PACKAGES]:
            if socket := SOCKET.fullmatch(_word(label)):
                file = label.with_name(label.name.replace("_label", "_input"))
                found[f"package-{socket[1]}"] = Counter(file)
    return {} if any(counter.read() is None for counter in found.values()) else found


class Meter:
    """Joules of each package since the meter was made.

    Once a counter fails, or goes back and does not say where it begins again, nothing is known from
    then on.

    Args:
        root: folder with ``sys``.
    """

    def __init__(self, root: Path = Path("/")) -> None:
        self._counters = counters(root)
        self._last = {name: counter.read() or 0 for name, counter in self._counters.items()}
        self._joules = dict.fromkeys(self._counters, 0.0)

    def read(self) -> dict[str, float]:
        """Package to joules; empty where nothing can be read. Never raises.

        Read it more often than a counter begins again: every few minutes.
        """
        for name, counter in list(self._counters.items()):
            now = counter.read()
            spent = None if now is None else _spent(self._last[name], now, counter.most)
            if now is None or spent is None:
                self._counters = {}
                return {}
            self._last[name] = now
            self._joules[name] += spent * MICRO
        return {name: self._joules[name] for name in self._counters}


def _spent(before: int, now: int, most: int) -> int | None:
    """Steps from one number to a later one; None where it went back for no reason."""
    if now >= before:
        return now - before
    return now - before + most if most >= before else None


def _word(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return stream.read(64).decode("ascii", "replace").strip()
    except OSError:
        return ""


def _number(file: Path) -> int | None:
    word = _word(file)
    return int(word) if word.isascii() and word.isdecimal() and len(word) < 20 else None
