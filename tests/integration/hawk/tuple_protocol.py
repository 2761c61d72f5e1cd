"""Thrift's tuple protocol, which no Python library has, as far as Hawk's messages need it.

A message begins as in the compact protocol. Of a structure, the required fields come first, in
order and without numbers; then a bit set says which optional ones follow (big-endian, bit i is the
i-th optional field). A union is the number of its field and the value. Containers are a zigzag
size and the values, but directly in a union they have the headers of the compact protocol.
"""

from __future__ import annotations

import struct
from typing import Any

from thriftpy2.thrift import TApplicationException, TMessageType, TType

PROTOCOL, VERSION = 0x82, 1
COMPACT = {
    TType.BOOL: 2, TType.BYTE: 3, TType.I16: 4, TType.I32: 5, TType.I64: 6, TType.DOUBLE: 7,
    TType.STRING: 8, TType.BINARY: 8, TType.LIST: 9, TType.SET: 10, TType.MAP: 11, TType.STRUCT: 12,
}  # fmt: skip
"""Numbers of types in headers of the compact protocol."""


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value: int) -> bytes:
    return varint(value * 2 if value >= 0 else -value * 2 - 1)


def call(name: str, arguments: Any, seqid: int = 1) -> bytes:
    """A request."""
    return message(name, TMessageType.CALL, arguments, seqid)


def message(name: str, kind: int, content: Any, seqid: int = 1) -> bytes:
    """A request or an answer."""
    head = bytes([PROTOCOL, kind << 5 | VERSION]) + varint(seqid)
    return head + encode(TType.STRING, None, name) + encode_struct(content)


def failure(name: str, kind: int, sentence: str, seqid: int = 1) -> bytes:
    """A TApplicationException, whose fields are as in the compact protocol."""
    head = bytes([PROTOCOL, TMessageType.EXCEPTION << 5 | VERSION]) + varint(seqid)
    named = head + encode(TType.STRING, None, name)
    return named + b"\x18" + encode(TType.STRING, None, sentence) + b"\x15" + zigzag(kind) + b"\x00"


def encode_struct(value: Any) -> bytes:
    fields = [value.thrift_spec[number] for number in sorted(value.thrift_spec)]
    if getattr(value, "is_union", False):
        return encode_union(value)
    out = b"".join(encode_field(f, value) for f in fields if f[-1])
    optional = [f for f in fields if not f[-1]]
    given = [f for f in optional if getattr(value, f[1]) is not None]
    if optional:
        bits = sum(1 << optional.index(f) for f in given)
        out += bits.to_bytes((len(optional) + 7) // 8, "big")
    return out + b"".join(encode_field(f, value) for f in given)


def encode_field(field: tuple[Any, ...], value: Any) -> bytes:
    return encode(field[0], field[2], getattr(value, field[1]))


def encode_union(value: Any) -> bytes:
    number = next(n for n, f in value.thrift_spec.items() if getattr(value, f[1]) is not None)
    kind, name, held = value.thrift_spec[number][:3]
    content = getattr(value, name)
    out = zigzag(number)
    if kind == TType.LIST:
        size, of = len(content), COMPACT[split(held)[0]]
        head = bytes([size << 4 | of]) if size < 15 else bytes([0xF0 | of]) + varint(size)
        return out + head + b"".join(encode(*split(held), one) for one in content)
    if kind == TType.MAP:
        types = COMPACT[split(held[0])[0]] << 4 | COMPACT[split(held[1])[0]]
        head = varint(len(content)) + (bytes([types]) if content else b"")
        return out + head + pairs(held, content)
    return out + encode(kind, held, content)


def pairs(held: Any, content: dict[Any, Any]) -> bytes:
    return b"".join(
        encode(*split(held[0]), k) + encode(*split(held[1]), v) for k, v in content.items()
    )


def encode(kind: int, held: Any, value: Any) -> bytes:
    if kind in (TType.STRING, TType.BINARY):
        text = value.encode() if isinstance(value, str) else value
        return varint(len(text)) + text
    if kind == TType.BOOL:
        return b"\x01" if value else b"\x02"
    if kind == TType.BYTE:
        return value.to_bytes(1, "big", signed=True)
    if kind in (TType.I16, TType.I32, TType.I64):
        return zigzag(value)
    if kind == TType.DOUBLE:
        return struct.pack("<d", value)
    if kind == TType.STRUCT:
        return encode_struct(value)
    if kind in (TType.LIST, TType.SET):
        return zigzag(len(value)) + b"".join(encode(*split(held), v) for v in value)
    if kind == TType.MAP:
        return zigzag(len(value)) + pairs(held, value)
    raise NotImplementedError(kind)


def split(held: Any) -> tuple[int, Any]:
    """Type and what it holds, of the values in a container."""
    return held if isinstance(held, tuple) else (held, None)


class Reader:
    """Reads one message."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, size: int) -> bytes:
        self.at += size
        assert self.at <= len(self.data), "the message ends early"
        return self.data[self.at - size : self.at]

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def zigzag(self) -> int:
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def request(self) -> tuple[str, int]:
        """Name and number of a call; its arguments follow."""
        protocol, kind = self.take(2)
        assert (protocol, kind) == (PROTOCOL, TMessageType.CALL << 5 | VERSION)
        seqid = self.varint()
        return str(self.value(TType.STRING, None)), seqid

    def reply(self, name: str, result: Any) -> Any:
        """The structure with the answer; raises the server's TApplicationException."""
        protocol, kind = self.take(2)
        assert (protocol, kind & 0x1F) == (PROTOCOL, VERSION)
        self.varint()
        assert self.value(TType.STRING, None) == name
        if kind >> 5 == TMessageType.EXCEPTION:
            raise TApplicationException(message=repr(self.data[self.at :]))
        assert kind >> 5 == TMessageType.REPLY
        answer = self.struct(result)
        assert self.at == len(self.data), "nothing follows the answer"
        return answer

    def struct(self, made_of: Any) -> Any:
        value = made_of()
        fields = [made_of.thrift_spec[number] for number in sorted(made_of.thrift_spec)]
        if getattr(made_of, "is_union", False):
            field = made_of.thrift_spec[self.zigzag()]
            setattr(value, field[1], self.in_union(field[0], field[2]))
            return value
        for field in (f for f in fields if f[-1]):
            setattr(value, field[1], self.value(field[0], field[2]))
        optional = [f for f in fields if not f[-1]]
        if optional:
            bits = int.from_bytes(self.take((len(optional) + 7) // 8), "big")
            for field in (f for i, f in enumerate(optional) if bits >> i & 1):
                setattr(value, field[1], self.value(field[0], field[2]))
        return value

    def in_union(self, kind: int, held: Any) -> Any:
        if kind == TType.LIST:
            head = self.take(1)[0]
            size = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(*split(held)) for _ in range(size)]
        if kind == TType.MAP:
            size = self.varint()
            if size:
                self.take(1)  # types of keys and values
            return {self.value(*split(held[0])): self.value(*split(held[1])) for _ in range(size)}
        return self.value(kind, held)

    def value(self, kind: int, held: Any) -> Any:
        if kind == TType.BINARY:
            return self.take(self.varint())
        if kind == TType.STRING:
            return self.take(self.varint()).decode()
        if kind == TType.BOOL:
            return self.take(1) == b"\x01"
        if kind == TType.BYTE:
            return int.from_bytes(self.take(1), "big", signed=True)
        if kind in (TType.I16, TType.I32, TType.I64):
            return self.zigzag()
        if kind == TType.DOUBLE:
            return struct.unpack("<d", self.take(8))[0]
        if kind == TType.STRUCT:
            return self.struct(held)
        if kind in (TType.LIST, TType.SET):
            return [self.value(*split(held)) for _ in range(self.zigzag())]
        if kind == TType.MAP:
            size = self.zigzag()
            return {self.value(*split(held[0])): self.value(*split(held[1])) for _ in range(size)}
        raise NotImplementedError(kind)
