"""What all configuration models share, and reading them with messages for people."""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from modelstress.config import yaml_text
from modelstress.config.errors import ConfigError

Level = str | int | float | bool
"""One value of a factor."""

NAME = r"[A-Za-z0-9][A-Za-z0-9-]*"
"""Names of studies and profiles: they become folders, wildcards and words of command lines."""
Name = Annotated[str, Field(pattern=f"^{NAME}$")]

TAG = "~"
"""Begins pydantic's tags of the models of a union, ``~TrainModel``; they stand in no file."""


OF_KEY = "[key]"
"""How pydantic ends the place of a key that is wrong itself."""


class Strict(BaseModel):
    """A configuration model: unknown keys are refused, values never change, numbers are finite."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, validate_default=True, allow_inf_nan=False
    )


M = TypeVar("M", bound=Strict)

SHOWN_ERRORS = 4
"""Of a file, in one message."""


def shown(value: object) -> str:
    """A value as messages show it: of any size, in a few words."""
    return _SHORT.repr(value)


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 100
_SHORT.maxlevel, _SHORT.maxdict, _SHORT.maxlist = 3, 4, 6


def nearest(word: object, known: Iterable[object]) -> str:
    """Return `` (did you mean 'x'?)``, or the valid names when nothing is near."""
    names = sorted({str(name) for name in known})
    close = difflib.get_close_matches(str(word)[:100], names, n=1)
    if close:
        return f" (did you mean {close[0]!r}?)"
    return f" (valid: {', '.join(names)})" if names else ""


def read_yaml(path: Path) -> Any:
    """Parse a YAML file.

    Raises:
        ConfigError: the file is missing, unreadable or not YAML; names file, line and column.
    """
    try:
        with path.open("rb") as stream:
            text = stream.read(yaml_text.MOST_BYTES + 1)
        if len(text) > yaml_text.MOST_BYTES:
            raise ConfigError(
                f"{path}: has more than {yaml_text.MOST_BYTES >> 10} KiB; no configuration needs "
                "so much, shorten it"
            )
        return yaml_text.load(text.decode("utf-8-sig"))
    except FileNotFoundError:
        near = nearest(
            path.name, (p.name for p in path.parent.glob("*")) if path.parent.is_dir() else ()
        )
        raise ConfigError(f"{path}: no such file{near}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "not valid YAML"
        raise ConfigError(f"{path}{where}: {problem}; mend the YAML there") from error


def read_model(model: type[M], path: Path) -> M:
    """Read a YAML file into a configuration model.

    Raises:
        ConfigError: names file, field, value and, for unknown names, the nearest valid one.
    """
    return parse(model, read_yaml(path), str(path))


def parse(model: type[M], data: object, source: str) -> M:
    """Validate ``data`` as ``model``; ``source`` is the file named in messages.

    Raises:
        ConfigError: names source, field, value and remedy.
    """
    if not isinstance(data, Mapping):
        raise ConfigError(f"{source}: expected keys and values, found {type(data).__name__}")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        # a misspelt field is unknown and missing at once; the first of the two says more
        problems = sorted(
            error.errors(include_url=False), key=lambda e: e["type"] != "extra_forbidden"
        )
        sentences = "; also ".join(_sentence(model, problem) for problem in problems[:SHOWN_ERRORS])
        more = len(problems) - SHOWN_ERRORS
        rest = f" (and {more} more)" if more > 0 else ""
        raise ConfigError(f"{source}: {sentences}{rest}") from error


def _sentence(model: type[BaseModel], error: Mapping[str, Any]) -> str:
    loc = tuple(error["loc"])
    parts = (str(part) for part in loc if not _is_tag(part) and part != OF_KEY)
    field = ".".join(parts) or "the file"
    field = field if len(field) <= 200 else f"{field[:197]}..."
    kind, value = error["type"], error.get("input")
    if kind == "extra_forbidden":
        return f"unknown field '{field}'{nearest(loc[-1], _fields_at(model, loc[:-1]))}"
    if kind == "missing":
        return f"field '{field}' is missing; add it"
    if kind in {"literal_error", "enum"}:
        expected = (
            str(error.get("ctx", {}).get("expected", "")).replace("'", "").replace(" or ", ", ")
        )
        return f"field '{field}' is {shown(value)}{nearest(value, expected.split(', '))}"
    if kind == "union_tag_invalid":
        about = error["ctx"]
        tags = str(about["expected_tags"]).replace("'", "").split(", ")
        named = str(about["discriminator"]).strip("'")
        return f"field '{field}.{named}' is {shown(about['tag'])}{nearest(about['tag'], tags)}"
    message = str(error["msg"]).removeprefix("Value error, ")
    if not loc:
        return message
    value_text = "" if kind == "value_error" else f" is {shown(value)}"
    return f"field '{field}'{value_text}: {message[:1].lower() + message[1:]}"


def _fields_at(model: type[BaseModel], loc: tuple[object, ...]) -> list[str]:
    """Names of the fields of the (nested) model that ``loc`` leads to."""
    current: Any = model
    annotation: Any = model
    for part in loc:
        fields = getattr(current, "model_fields", None)
        if _is_tag(part):
            current = _model_in(annotation, str(part).removeprefix(TAG))
        elif fields is not None and part in fields:
            annotation = fields[part].annotation
            current = _model_in(annotation)
        if current is None:
            return []
    return list(getattr(current, "model_fields", {}))


def _is_tag(part: object) -> bool:
    return str(part).startswith(TAG)


def _model_in(annotation: Any, name: str | None = None) -> Any:
    """The first configuration model inside an annotation such as ``list[Constraint] | None``.

    With ``name``, the one of that name.
    """
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation if name in (None, annotation.__name__) else None
    for argument in get_args(annotation):
        submodel = _model_in(argument, name)
        if submodel is not None:
            return submodel
    return None
