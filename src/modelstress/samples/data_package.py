"""Data packages (Data Package v2): schemas, and what is said of each file."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

_PROFILES = "https://datapackage.org/profiles/2.0"
PACKAGE_SCHEMA = f"{_PROFILES}/datapackage.json"
"""Field ``$schema`` of a package; names the version, nobody has to fetch it."""
TABLE_SCHEMA = f"{_PROFILES}/tableschema.json"
"""Field ``$schema`` of the schema of a table."""
MEDIA = {
    "csv": "text/csv",
    "json": "application/json",
    "md": "text/markdown",
    "mssf": "application/octet-stream",
    "parquet": "application/vnd.apache.parquet",
    "pcap": "application/vnd.tcpdump.pcap",
    "yaml": "application/yaml",
}
"""Media type by ending, the same on every machine; everything else is text."""


def media_type(name: str) -> str:
    """The media type of a file by its ending."""
    return MEDIA.get(_suffix(name), "text/plain")


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix.removeprefix(".").lower()


def hashed(data: bytes) -> str:
    """SHA-256 of a content as data packages write it."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def resource(name: str, data: bytes) -> dict[str, Any]:
    """Describes a file: name, path, format, media type, size and hash."""
    return {
        "name": re.sub(r"[^a-z0-9._/-]+", "-", name.lower()),
        "path": name,
        "format": _suffix(name) or "text",
        "mediatype": media_type(name),
        "bytes": len(data),
        "hash": hashed(data),
    }


def table(name: str, title: str, path: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Describes a table in a CSV file.

    Args:
        name: of the resource.
        title: for people.
        path: of the file in the package.
        schema: its ``fields``, and keys where it has any.
    """
    return {
        "name": name, "type": "table", "title": title, "path": path, "format": "csv",
        "mediatype": MEDIA["csv"], "encoding": "utf-8",
        "schema": {"$schema": TABLE_SCHEMA, "missingValues": [""], **schema},
    }  # fmt: skip


def distinct(resources: list[dict[str, Any]]) -> None:
    """Numbers the names that became the same when they were made fit for a data package."""
    seen: Counter[str] = Counter()
    for described in resources:
        seen[described["name"]] += 1
        if seen[described["name"]] > 1:
            described["name"] += f"-{seen[described['name']]}"
