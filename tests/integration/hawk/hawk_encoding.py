"""How a real Hawk encodes elements, where that differs from this project's servers.

Written from what its HawkThriftIface.encodeValue and HawkModelElementEncoder do: in the result of a
query an element is complete where it is first and a text afterwards; in the answer of ``getModel``
fields are left out where they are those of the element before, and targets of references that are
in the answer are given by their place in it, whether identifiers are asked for or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.integration.hawk import hawk_structs as hawk

REPEATED = ("repositoryURL", "file", "metamodelUri", "typeName")
"""Left out where they are those of the element before."""


class ResultEncoder:
    """Encodes the result of one query."""

    def __init__(self) -> None:
        self.types: dict[str, str] = {}
        self.last: dict[str, str] = {}

    def value(self, result: Any) -> Any:
        if result.vList is not None:
            return hawk.QueryResult(vList=[self.value(one) for one in result.vList])
        if result.vMap is not None:
            content = {key: self.value(one) for key, one in result.vMap.items()}
            return hawk.QueryResult(vMap=content)
        if result.vModelElement is None:
            return result
        element = result.vModelElement
        for name in REPEATED:
            if getattr(element, name) is not None:
                self.last[name] = getattr(element, name)
        if element.id in self.types:
            return hawk.QueryResult(vString=f"GNW|id:{element.id}|type:{self.types[element.id]}")
        self.types[element.id] = self.last["typeName"]
        return hawk.QueryResult(vModelElement=hawk.ModelElement(id=element.id, **self.last))


def whole_model(elements: list[Any], *, last_first: bool, identifiers: bool) -> list[Any]:
    """An answer of ``getModel``, of one with all identifiers; ``last_first`` as on Neo4j."""
    last: dict[str, str] = {}
    for element in preorder(elements):
        for name in REPEATED:
            value = getattr(element, name) or last.get(name)
            setattr(element, name, value)
            last[name] = value
    if last_first:
        for siblings in [elements, *(s.elements for e in preorder(elements) for s in slots(e))]:
            siblings.reverse()
    last = {}
    places = {element.id: place for place, element in enumerate(preorder(elements))}
    for element in preorder(elements):
        for name in REPEATED:
            value = getattr(element, name)
            if value == last.get(name):
                setattr(element, name, None)
            last[name] = value
        element.references = [by_place(slot, places) for slot in element.references or []] or None
        if not identifiers:
            element.id = None
    return elements


def slots(element: Any) -> list[Any]:
    return element.containers or []


def preorder(elements: list[Any]) -> Iterator[Any]:
    for element in elements:
        yield element
        for slot in slots(element):
            yield from preorder(slot.elements)


def by_place(slot: Any, places: dict[str, int]) -> Any:
    """A slot of identifiers as one with places, as far as the targets have places."""
    ids = slot.ids or [slot.id]
    found = [places.get(one) for one in ids]
    if None not in found:
        if len(found) == 1:
            return hawk.ReferenceSlot(name=slot.name, position=found[0])
        return hawk.ReferenceSlot(name=slot.name, positions=found)
    if set(found) == {None}:
        return slot
    mixed = [
        hawk.MixedReference(id=one) if place is None else hawk.MixedReference(position=place)
        for one, place in zip(ids, found, strict=True)
    ]
    return hawk.ReferenceSlot(name=slot.name, mixed=mixed)
