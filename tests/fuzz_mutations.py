"""Damage for bytes, JSON and YAML: seeded, so that a failure can be repeated."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

Damage = Callable[[random.Random, bytes], bytes]

VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 2**31, 2**63, 2**64, -(2**63) - 1, 10**30, 0.5, 1e308, float("inf"),
    float("nan"), "", "x", "\0", "\ud800", "../..", "a" * 300, "$(id)", "<img src=x>", [], [[]],
    {}, {"": None}, [None] * 3, "1", "ok", "i00",
)  # fmt: skip
"""What a value of JSON may turn into."""

SCALARS = (
    "2001-99-99", '!!int "abc"', '!!float "abc"', '!!bool "abc"', '!!timestamp "abc"', "9" * 5000,
    "[" * 2000, "{" * 500, "&a [*a, *a]", "*a", ".inf", ".nan", "-1", "~", "[]", "{}", "|", ">",
    "'", '"\\ud800"', "!!python/object:os.system x", "!!binary abc", "true", "1e999", "? ", "- ",
    '"\\0"', "a" * 5000, "%TAG", "<<: *b", "0o9", "1_000", "\ufeff", "2026-01-01",
)  # fmt: skip
"""What a value of YAML may turn into."""

BYTES = (b"\0", b"\xff" * 8, b"\x80", b"PAR1", b"MSSF", b"{", b"}", b"\n", b"\xed\xa0\x80", b"-1")


def damage_bytes(dice: random.Random, data: bytes) -> bytes:
    """One to three changes: flipped bits, bytes set, cut, doubled, moved or put in."""
    found = bytearray(data)
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        at = dice.randrange(len(found) + 1)
        until = min(len(found), at + dice.choice((1, 2, 4, 8, 64)))
        match dice.randrange(7):
            case 0 | 1 if at < len(found):
                found[at] ^= 1 << dice.randrange(8)
            case 2:
                found[at:until] = dice.randbytes(until - at)
            case 3:
                del found[at:until]
            case 4:
                found[at:at] = found[at:until] or b"\0"
            case 5:
                found[at:at] = dice.choice(BYTES)
            case _:
                del found[at + (len(found) - at) // 2 :]
    return bytes(found)


def damage_json(dice: random.Random, data: bytes) -> bytes:
    """A value replaced, a key renamed, removed or added, or an element doubled."""
    whole = json.loads(data)
    places = list(_places(whole))
    for _ in range(dice.choice((1, 1, 2))):
        holder, key = dice.choice(places)
        action = dice.randrange(4)
        if action == 0 and isinstance(holder, dict):
            holder.pop(key, None)
        elif action == 1 and isinstance(holder, dict) and key in holder:
            holder[dice.choice(("", "x", str(key)[::-1]))] = holder.pop(key)
        elif action == 2 and isinstance(holder, list):
            holder.append(holder[0] if holder else None)
        elif isinstance(holder, dict) or key < len(holder):
            holder[key] = dice.choice(VALUES)
    return json.dumps(whole).encode()


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every (object or list, key or index) of a JSON value."""
    items: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    found = [(value, key) for key, _ in items]
    for _, inner in items:
        found += _places(inner)
    return found


def damage_yaml(dice: random.Random, data: bytes) -> bytes:
    """A scalar replaced, or a line removed, doubled, moved or indented."""
    lines = data.decode().split("\n")
    at = dice.randrange(len(lines))
    match dice.randrange(6):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[at])
        case 2:
            lines[at] = " " * dice.randrange(4) + lines[at].lstrip()
        case 3:
            lines[at] = lines[at].replace(":", dice.choice(("::", " ", ":\t", ": &a")), 1)
        case _:
            head, colon, _ = lines[at].partition(":")
            lines[at] = f"{head}{colon or ':'} {dice.choice(SCALARS)}"
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def either(*ways: Damage) -> Damage:
    """One of several kinds of damage."""
    return lambda dice, data: dice.choice(ways)(dice, data)
