"""Validates archives (crate, data package, Zenodo's metadata) and software bills of materials.

Runs in an environment of its own (``make .venv/validators/.ready``), without the project and
without a network: contexts and profiles are files of this folder.

    python tools/validators/validate.py FILE…   # archives (.zip) and bills of materials (.json)
"""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import requests
from requests.adapters import HTTPAdapter

HERE = Path(__file__).resolve().parent
CONTEXT = "https://w3id.org/ro/crate/1.1/context"
FILES = {CONTEXT: HERE / "ro-crate-1.1-context.jsonld"}
"""Addresses that are answered from a file; all others are refused."""
PACKAGE_PROFILE = HERE / "data-package-2.0.json"
PROFILES = ("workflow-run-crate-0.5", "process-run-crate-0.5")
"""Of crates with and without a workflow."""
MOST = 40
"""Of findings of a file that are printed."""
Found = tuple[bool, str]
"""Whether it is an error, not only against a recommendation, and the sentence."""


def _answer(self: HTTPAdapter, request: Any, **_: Any) -> requests.Response:
    """Answers from a file instead of the network."""
    file = FILES.get(str(request.url))
    if file is None:
        raise requests.ConnectionError(f"{request.url}: no network in this program")
    response = requests.Response()
    response.status_code, response.url, response.request = 200, str(request.url), request
    response.headers["Content-Type"] = "application/ld+json"
    response._content = file.read_bytes()
    return response


HTTPAdapter.send = _answer  # type: ignore[method-assign]


def of_crate(folder: Path) -> Iterator[Found]:
    """What is wrong with a research object crate."""
    from rocrate_validator import services
    from rocrate_validator.models import ValidationSettings

    text = (folder / "ro-crate-metadata.json").read_text(encoding="utf-8")
    profile = PROFILES[0] if '"mainEntity"' in text else PROFILES[1]
    settings = ValidationSettings(
        rocrate_uri=str(folder), profile_identifier=profile, no_cache=True,
        requirement_severity="RECOMMENDED",
    )  # fmt: skip
    for issue in services.validate(settings).get_issues():
        yield issue.severity.name == "REQUIRED", f"{issue.message} ({issue.violatingEntity})"


def of_package(folder: Path) -> Iterator[Found]:
    """What is wrong with a data package: its descriptor, and every value of every table."""
    import frictionless

    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    yield from _of_schema(package, PACKAGE_PROFILE)
    # the others, such as a query or a page, it would take for descriptors of its own
    tables = [one for one in package.get("resources", ()) if one.get("type") == "table"]
    if not tables:
        yield True, "no resource is a table"
        return
    report = frictionless.validate({**package, "resources": tables}, basepath=str(folder))
    for row in report.flatten(["title", "rowNumber", "fieldName", "message"]):
        yield True, " ".join(str(value) for value in row if value is not None)


def of_zenodo(folder: Path) -> Iterator[Found]:
    """What the metadata of a deposit lack."""
    about = json.loads((folder / "zenodo.json").read_text(encoding="utf-8")).get("metadata", {})
    for name in ("title", "upload_type", "description", "creators", "access_right", "license"):
        if not about.get(name):
            yield True, f"{name} is missing"


def of_bill(file: Path) -> Iterator[Found]:
    """What is wrong with a software bill of materials (CycloneDX, JSON)."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    text = file.read_text(encoding="utf-8")
    bill = json.loads(text)
    version = SchemaVersion.from_version(str(bill.get("specVersion")))
    for error in JsonStrictValidator(version).validate_str(text, all_errors=True) or ():
        yield True, str(error)
    if not bill.get("components"):
        yield True, "no component is listed"


def _of_schema(document: Any, schema: Path) -> Iterator[Found]:
    import jsonschema

    validator = jsonschema.Draft7Validator(json.loads(schema.read_text(encoding="utf-8")))
    for error in validator.iter_errors(document):
        yield True, f"{error.json_path}: {error.message}"


def _told(what: str, found: Iterable[Found]) -> int:
    """Prints what was found of a file; how many errors there are."""
    listed = [(wrong, " ".join(text.split())[:300]) for wrong, text in found]
    errors = sum(wrong for wrong, _ in listed)
    print(f"{what}: {errors} errors, {len(listed) - errors} recommendations")
    for wrong, text in sorted(listed, reverse=True)[:MOST]:
        print(f"  {'error' if wrong else 'recommended'}: {text}")
    return errors


def _of_archive(file: Path) -> int:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        with zipfile.ZipFile(file) as archive:
            archive.extractall(folder)
        return sum(_told(f"{file}: {what}", check(folder)) for what, check in CHECKS.items())


CHECKS = {"crate": of_crate, "data package": of_package, "zenodo.json": of_zenodo}
"""Of an archive."""


def main(names: Sequence[str]) -> int:
    """Validates files; 1 when any has an error."""
    errors = 0
    for name in names:
        file = Path(name)
        errors += _of_archive(file) if file.suffix == ".zip" else _told(name, of_bill(file))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
