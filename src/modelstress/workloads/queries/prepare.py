"""What measuring a cell of queries needs: texts, the loaded store, the oracle's results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field

from modelstress.config.errors import ConfigError, MissingError
from modelstress.config.programs import WorkloadOperation
from modelstress.config.project import Project
from modelstress.design.cell import Cell
from modelstress.design.contents import hash_json
from modelstress.design.kinds import Checks, Expected, Prepared
from modelstress.measure.invocation import require
from modelstress.measure.stores import MARKER
from modelstress.samples.files import read_json
from modelstress.workloads.queries import files
from modelstress.workloads.queries.work import attributes_of, query_file, store_of, work_of


class _Result(BaseModel):
    """What the oracle found for one query."""

    count: Annotated[int, Field(ge=0, lt=2**31, strict=True)]
    digest: Annotated[int, Field(ge=0, lt=2**64)]
    """Written as text: JSON's numbers are not that long everywhere."""


class _Oracle(BaseModel):
    """An oracle file, as far as executions are compared with it."""

    queries: dict[str, _Result]


def prepare(project: Project, cell: Cell) -> Prepared:
    """Put together what an invocation of a cell needs.

    Raises:
        MissingError: a store or oracle is not there; says which command makes it.
        ConfigError: an unknown query, or a store or oracle file that cannot be read.
    """
    name, work = str(cell.levels["model"]), work_of(cell)
    store = store_of(project, cell)
    attributes: list[dict[str, Any]] = []
    ids = project.root / str(cell.tool.ids) if store is None else store / "ids.mssf"
    require(ids, f"load the store with '{_load_command(cell)}'")
    oracle = read_oracle(files.oracle_file(project, name), list(work.queries))
    if store is not None:
        _same_model(project, cell, store)
        if attributes_of(cell) == "declared":
            attributes = files.declared(project, work.model.case)
        _same_attributes(cell, store, attributes)
    return Prepared(
        operations=tuple(operation_of(project, cell, query) for query in work.queries),
        checks=Checks(oracle),
        protocol=str(cell.levels["protocol"]),
        store=store,
        ids=ids,
        declared=tuple(map(str, files.attributes(project, work.model.case))) if attributes else (),
        server={"backend": str(cell.levels["backend"]), "attributes": attributes},
        unique_condition=_unique_condition(cell),
        source=query_file(project, cell),
    )


def _unique_condition(cell: Cell) -> str | None:
    """What makes the text of every execution another one, where the cell asks for that.

    Raises:
        ConfigError: the tool has nothing for the language.
    """
    if cell.levels.get("query_text", "same") != "unique":
        return None
    language = str(cell.levels["language"])
    if language not in cell.tool.unique_condition:
        raise ConfigError(
            f"config/tools/{cell.tool.tool}.yaml: 'unique_condition' has nothing for "
            f"language {language!r}; query_text: unique needs it"
        )
    return cell.tool.unique_condition[language]


def _load_command(cell: Cell) -> str:
    """What to type to load the cell's store, also where another profile is the default."""
    return f"modelstress load {cell.id} --study {cell.study} --profile {cell.profile}"


def _same_model(project: Project, cell: Cell, store: Path) -> None:
    """Refuse a store and an oracle that were made from different contents of a model.

    Raises:
        MissingError: they differ, or the store was not loaded to its end.
    """
    loaded = _model_of(store / MARKER)
    if loaded is None:
        raise MissingError(f"{store}: not loaded to its end; run '{_load_command(cell)}'")
    name = str(cell.levels["model"])
    if loaded != _model_of(files.oracle_file(project, name)):
        raise MissingError(
            f"{store} was loaded from another content of model {name} than the oracle is of; run "
            f"'modelstress oracle {name}' and '{_load_command(cell)}'"
        )


def _same_attributes(cell: Cell, store: Path, attributes: list[dict[str, Any]]) -> None:
    """Refuse a store that was loaded with other declarations than the case has now.

    Raises:
        MissingError: they differ.
    """
    loaded = read_json(store / MARKER).get("content", {}).get("attributes")
    if loaded != (hash_json(attributes) if attributes else None):
        raise MissingError(
            f"{store} was loaded with other attribute declarations than queries/"
            f"{work_of(cell).model.case}/attributes.yaml has now; run '{_load_command(cell)}'"
        )


def _model_of(record: Path) -> str | None:
    """The model hash that a store's or an oracle's record names."""
    content = read_json(record).get("content")
    return str(content["model"]) if isinstance(content, dict) and "model" in content else None


def operation_of(project: Project, cell: Cell, query: str) -> WorkloadOperation:
    """The operation that executes a query of the cell's case in the cell's language."""
    language = str(cell.levels["language"])
    names = files.case(project, work_of(cell).model.case).queries[query].tuple
    return WorkloadOperation(
        name=query,
        text=query_file(project, cell, query).read_text(encoding="utf-8"),
        weight=work_of(cell).queries.get(query, 1.0),
        arity=len(names),
        parameters={"language": language, "tuple": names},
        think_ms=float(cell.levels.get("think_ms", 0)),
    )


def read_oracle(file: Path, queries: list[str]) -> dict[str, Expected]:
    """Expected results of those queries that the oracle knows.

    Raises:
        MissingError: there is no such file.
        ConfigError: it is not an oracle file.
    """
    require(file, f"compute it with 'modelstress oracle {file.stem}'")
    try:
        results = _Oracle.model_validate(json.loads(file.read_text(encoding="utf-8"))).queries
        selection = {q: results[q] for q in queries if q in results}
        return {q: Expected(result.count, result.digest) for q, result in selection.items()}
    except (OSError, ValueError, RecursionError) as error:
        cause = " ".join(str(error).split())[:200]
        raise ConfigError(
            f"{file}: not an oracle file ({cause}); delete and make it again"
        ) from error
