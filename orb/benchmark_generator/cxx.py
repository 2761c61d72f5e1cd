"""How the model's types and operations are written in IDL and C++ (OMG's mapping)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmark_generator.assembly import Flat, Link
from benchmark_generator.model import BASIC, Metric, Model, OperationOf


@dataclass(frozen=True)
class BasicValue:
    """How values of a basic type are made and compared."""

    name: str
    type: str
    expression: str
    argument: str
    same: str
    compared: bool


class Cxx:
    """Writes the parts of C++ that templates cannot say."""

    def __init__(self, model: Model, flat: Flat) -> None:
        self._model, self._flat = model, flat

    # types

    def variable_size(self, kind: str) -> bool:
        """Whether values of a type are returned by pointer: texts and sequences are in it."""
        type_ = self._model.types.get(kind)
        if type_ is None:
            return kind == "string"
        return type_.struct is None or any(self.variable_size(part) for part in type_.parts)

    def argument(self, kind: str) -> str:
        """Type of an argument that goes in."""
        return BASIC.get(kind, f"const {kind} &")

    def variable(self, kind: str) -> str:
        """Type of a variable that holds a value."""
        return "std::string" if kind == "string" else BASIC.get(kind, kind)

    def returned(self, operation: OperationOf) -> str:
        """Type that an operation returns."""
        kind = operation.returns
        if kind is None:
            return "void"
        if kind == "string":
            return "char *"
        if kind in BASIC:
            return BASIC[kind]
        return f"{kind} *" if self.variable_size(kind) else kind

    # operations

    def idl_arguments(self, operation: OperationOf) -> str:
        """Arguments of an operation in IDL."""
        return ", ".join(f"in {kind} {name}" for name, kind in operation.arguments.items())

    def arguments(self, operation: OperationOf) -> str:
        """Arguments of an operation in C++."""
        return ", ".join(
            f"{self.argument(kind)} {name}".replace("& ", "&").replace("* ", "*")
            for name, kind in operation.arguments.items()
        )

    def echo(self, operation: OperationOf) -> str:
        """What a facet returns: the argument that came."""
        kind, name = operation.returns or "", operation.returned
        if kind == "string":
            return f"CORBA::string_dup({name})"
        if kind in BASIC or not self.variable_size(kind):
            return str(name)
        return f"new {kind}({name})"

    # values

    def basic_values(self) -> Iterator[tuple[str, BasicValue]]:
        """Basic types that the model has, with what makes their values."""
        kinds = {part for type_ in self._model.types.values() for part in type_.parts}
        for operations in self._model.interfaces.values():
            for operation in operations.values():
                kinds |= set(operation.arguments.values())
        for kind in BASIC:
            if kind in kinds:
                yield kind, _basic(kind, compared=kind != "char" or "octet" not in kinds)

    def make(self, kind: str, number: object, size: object = "size") -> str:
        """An expression that makes a value; ``number`` tells it from others."""
        name = kind.replace(" ", "_")
        what = f"number + {number}" if isinstance(number, int) else number
        return f"make_{name}({what}, {size})"

    def make_element(self, kind: str) -> str:
        """An expression for an element of a sequence; texts in it are short."""
        return self.owned(kind, self.make(kind, "number + i", 8))

    def make_field(self, kind: str, number: int) -> str:
        """An expression for a field of a structure."""
        return self.owned(kind, self.make(kind, number))

    def owned(self, kind: str, made: str) -> str:
        """A value as structures and sequences keep it."""
        return f"CORBA::string_dup({made}.c_str())" if kind == "string" else made

    def member(self, of: str, field: str, kind: str) -> str:
        """A field of a structure as it is compared."""
        return f"{of}.{field}.in()" if kind == "string" else f"{of}.{field}"

    # clients

    def stub(self, link: Link) -> str:
        """Variable of a session that holds the object at the end of a connection."""
        return f"{link.start.identifier}_{link.start_port}_{link.end.identifier}_{link.end_port}_"

    def inputs(self, name: str, metric: Metric) -> dict[str, str]:
        """Variables of a session that hold an operation's arguments, to their types."""
        prefix = self.identifier(name)
        if metric.operation is None:
            return {f"{prefix}_event_": self._links(metric)[0].of}
        arguments = self._operation(metric).arguments
        return {f"{prefix}_{argument}_": kind for argument, kind in arguments.items()}

    def call(self, name: str, metric: Metric) -> list[str]:
        """Statements of one call: events go to every sink, an answer is compared."""
        links, inputs = self._links(metric), self.inputs(name, metric)
        if metric.operation is None:
            return [f"{self.stub(link)}->push({next(iter(inputs))});" for link in links]
        operation = self._operation(metric)
        given = ", ".join(
            f"{variable}.c_str()" if kind == "string" else variable
            for variable, kind in inputs.items()
        )
        call = f"{self.stub(links[0])}->{metric.operation}({given})"
        if operation.returns is None:
            return [f"{call};"]
        sent = f"{self.identifier(name)}_{operation.returned}_"
        sent += ".c_str()" if operation.returns == "string" else ""
        return [
            f"{self._answer(operation.returns)} answer = {call};",
            f"if (!same({self._held(operation.returns)}, {sent})) "
            'return Outcome::incorrect("another answer than what was sent");',
        ]

    def answers(self, metric: Metric) -> bool:
        """Whether something comes back that is compared with what was sent."""
        return metric.operation is not None and not self._operation(metric).one_way

    def told(self, metric: Metric) -> str:
        """What an operation does, in words."""
        calls = "once" if metric.burst == 1 else f"{metric.burst} times"
        if metric.operation is None:
            return f"Sends an event from {metric.port} {calls}, without waiting."
        one_way = ", without waiting" if self._operation(metric).one_way else ""
        return f"Calls {metric.operation} at {metric.port} {calls}{one_way}."

    def _answer(self, kind: str) -> str:
        if kind == "string":
            return "CORBA::String_var"
        return BASIC.get(kind, f"const {kind}_var")

    def _held(self, kind: str) -> str:
        if kind == "string":
            return "answer.in()"
        return "answer" if kind in BASIC else "answer.in()"

    def _links(self, metric: Metric) -> list[Link]:
        part, _, port = metric.port.rpartition(".")
        return self._flat.links_of(part, port)

    def _operation(self, metric: Metric) -> OperationOf:
        return self._model.interfaces[self._links(metric)[0].of][str(metric.operation)]

    # words

    def identifier(self, name: str) -> str:
        """Name of an operation of the study in C++."""
        return name.replace("-", "_")

    def constant(self, name: str) -> str:
        """The same, of a constant."""
        return self.identifier(name).upper()


def _basic(kind: str, *, compared: bool) -> BasicValue:
    """A basic type; octets and characters are one type in C++, of which one is compared."""
    name = kind.replace(" ", "_")
    if kind == "string":
        return BasicValue(
            name, "std::string", "std::string(size, static_cast<char>('a' + number % 26))",
            "const char *", "std::strcmp(a, b) == 0", compared,
        )  # fmt: skip
    made = {"boolean": "number % 2 == 0", "char": "static_cast<CORBA::Char>('a' + number % 26)"}
    expression = made.get(kind, f"static_cast<{BASIC[kind]}>(number % 100 + 1)")
    return BasicValue(name, BASIC[kind], expression, BASIC[kind], "a == b", compared)
