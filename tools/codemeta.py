"""``codemeta.json`` and ``.zenodo.json``, generated from ``pyproject.toml`` and ``CITATION.cff``.

``python tools/codemeta.py`` writes both; with ``--check`` it fails where they are not what it would
write, or where the two sources contradict each other. Neither cffconvert nor codemetapy reads both
sources without a network.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
CODEMETA, ZENODO = "codemeta.json", ".zenodo.json"
STATUS = {"4 - Beta": "active", "5 - Production/Stable": "active", "3 - Alpha": "wip"}
"""Development status of a classifier to that of repostatus.org."""


def sources(root: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The project's table of ``pyproject.toml``, and ``CITATION.cff``.

    Raises:
        ValueError: they contradict each other.
    """
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    licences = " OR ".join(_listed(citation["license"]))
    for field, ours, theirs in (
        ("version", project["version"], str(citation["version"])),
        ("license", project["license"], licences),
    ):
        if ours != theirs:
            raise ValueError(
                f"CITATION.cff: field '{field}' is {theirs!r}, pyproject.toml has {ours!r}; make "
                "them equal"
            )
    return project, citation


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _author(author: dict[str, Any]) -> dict[str, Any]:
    if "family-names" not in author:
        return {"@type": "Organization", "name": author["name"]}
    about = {
        "@type": "Person",
        "givenName": author["given-names"],
        "familyName": author["family-names"],
    }
    return about | ({"@id": author["orcid"]} if "orcid" in author else {})


def _classified(project: dict[str, Any], begin: str) -> list[str]:
    found = [one.removeprefix(begin) for one in project["classifiers"] if one.startswith(begin)]
    return list(dict.fromkeys(name.partition(" :: ")[0] for name in found))


def codemeta(project: dict[str, Any], citation: dict[str, Any]) -> dict[str, Any]:
    """``codemeta.json`` (CodeMeta 3.0)."""
    status = _classified(project, "Development Status :: ")[0]
    articles = [one for one in citation.get("references", ()) if one["type"] == "article"]
    return {
        "@context": "https://w3id.org/codemeta/3.0",
        "@type": "SoftwareSourceCode",
        "name": project["name"],
        "headline": citation["title"],
        "description": project["description"],
        "version": project["version"],
        "datePublished": str(citation["date-released"]),
        "license": [f"https://spdx.org/licenses/{one}" for one in _listed(citation["license"])],
        "author": [_author(author) for author in citation["authors"]],
        "keywords": citation["keywords"],
        "programmingLanguage": [*_classified(project, "Programming Language :: "), "C++"],
        "operatingSystem": "Linux",
        "runtimePlatform": f"Python {project['requires-python']}",
        "developmentStatus": f"https://www.repostatus.org/#{STATUS[status]}",
        "softwareRequirements": project["dependencies"],
        "referencePublication": [
            {
                "@type": "ScholarlyArticle",
                "@id": f"https://doi.org/{one['doi']}",
                "name": one["title"],
            }
            for one in articles
            if "doi" in one
        ],
        **(
            {"codeRepository": citation["repository-code"]} if "repository-code" in citation else {}
        ),
    }


def zenodo(project: dict[str, Any], citation: dict[str, Any]) -> dict[str, Any]:
    """``.zenodo.json`` of a release: Zenodo takes it, and not CITATION.cff, where it is there."""
    creators = []
    for author in citation["authors"]:
        family = author.get("family-names")
        name = f"{family}, {author['given-names']}" if family else author["name"]
        orcid = author.get("orcid", "").rpartition("/")[2]
        creators.append({"name": name, **({"orcid": orcid} if orcid else {})})
    return {
        "title": citation["title"],
        "upload_type": "software",
        "description": project["description"],
        "version": project["version"],
        "creators": creators,
        "access_right": "open",
        "license": _listed(citation["license"])[0].lower(),
        "keywords": citation["keywords"],
        "related_identifiers": [
            {"identifier": one["doi"], "relation": "references", "scheme": "doi"}
            for one in citation.get("references", ())
            if "doi" in one
        ],
    }


def made(root: Path) -> dict[str, str]:
    """Name and text of the files."""
    both = sources(root)
    files = {CODEMETA: codemeta(*both), ZENODO: zenodo(*both)}
    return {
        name: json.dumps(about, indent=2, ensure_ascii=False) + "\n"
        for name, about in files.items()
    }


def main() -> int:
    """Writes the files, or checks them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    check = parser.parse_args().check
    try:
        texts = made(ROOT)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    wrong = 0
    for name, text in texts.items():
        path = ROOT / name
        if not check:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            print(f"error: {name} is outdated; run 'make codemeta'", file=sys.stderr)
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
