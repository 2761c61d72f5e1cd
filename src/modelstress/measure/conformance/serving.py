"""Checks of ``serve``."""

from __future__ import annotations

import hashlib
import ipaddress
import os
import socket
from contextlib import suppress
from pathlib import Path

from modelstress.hosts import ProcessProgram
from modelstress.measure import procfs
from modelstress.measure.conformance.bench import Bench, Serving, expect

CHATTER_S = 1.0
"""How long a second line of standard output is waited for."""
LISTEN = "0A"
"""State of a listening socket in ``/proc/net/tcp``."""


def refuses_a_missing_store(bench: Bench) -> str:
    """Exit code 4."""
    folder = bench.place("missing-store")
    ended = bench.run("serve", bench.serve_config(folder, folder / "no-such-store"))
    ended.expect_code(4, "missing store")
    return f"refused: {ended.error}"


def refuses_a_damaged_store(bench: Bench) -> str:
    """Exit code 4 when every file of the store is cut in half."""
    store = bench.copy_of_store("damaged")
    for file in (p for p in store.rglob("*") if p.is_file()):
        os.truncate(file, file.stat().st_size // 2)
    ended = bench.run("serve", bench.serve_config(bench.place("damaged"), store))
    ended.expect_code(4, "store whose files are cut in half")
    return f"refused: {ended.error}"


def refuses_unknown_keys(bench: Bench) -> str:
    """Exit code 2, with the key in the sentence."""
    ended = bench.run("serve", bench.serve_config(bench.place("unknown-key"), nosuchkey=1))
    ended.expect_code(2, "unknown key in the configuration")
    expect("nosuchkey" in (ended.error or ""), f"the sentence does not name the key: {ended.error}")
    return f"refused: {ended.error}"


def refuses_a_busy_port(bench: Bench) -> str:
    """Exit code 5 for each protocol."""
    errors = []
    for protocol in bench.tool.protocols:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            ports = {protocol: taken.getsockname()[1]}
            ended = bench.run("serve", bench.serve_config(bench.place("busy"), ports=ports))
        ended.expect_code(5, f"busy {protocol} port")
        errors.append(str(ended.error))
    return f"refused: {'; '.join(errors)}"


def says_ready_once(bench: Bench) -> str:
    """One line of standard output, with the endpoints of the asked protocols."""
    with bench.serving() as server:
        endpoints = server.ready.endpoints
        tool_protocols, ready_protocols = set(bench.tool.protocols), set(endpoints)
        expect(
            ready_protocols == tool_protocols,
            f"READY has endpoints for {sorted(ready_protocols)}, asked were "
            f"{sorted(tool_protocols)}",
        )
        family = procfs.processes([server.program.pid])
        expect(server.ready.pid in family, f"READY has pid {server.ready.pid}, not the server's")
        first = server.program.lines.read(CHATTER_S)
    more = [] if first is None else [first]
    while (line := server.program.lines.next()) is not None:
        more.append(line)
    expect(not more, f"standard output has more lines than READY: {more[:2]}")
    return f"endpoints {endpoints}"


def serves_what_is_asked(bench: Bench) -> str:
    """Each protocol on its own, when the tool has several."""
    if len(bench.tool.protocols) == 1:
        return "there is one protocol only"
    for protocol in bench.tool.protocols:
        with bench.serving(ports={protocol: 0}) as server:
            ready_protocols = list(server.ready.endpoints)
            expect(
                ready_protocols == [protocol],
                f"asked for {protocol} only, READY has {ready_protocols}",
            )
    return f"served alone: {', '.join(bench.tool.protocols)}"


def listens_on_loopback_only(bench: Bench) -> str:
    """No listening TCP socket on any other address."""
    with bench.serving() as server:
        addresses = _listening(server.program)
    expect(bool(addresses), "no listening TCP socket was found")
    open_to_all = [
        a for a in addresses if not ipaddress.ip_address(a.rpartition(":")[0]).is_loopback
    ]
    expect(not open_to_all, f"listens beyond the loopback interface: {', '.join(open_to_all)}")
    return f"listens on {', '.join(addresses)}"


def stops_and_leaves_nothing(bench: Bench) -> str:
    """SIGTERM ends it in time, with its processes; it writes below its work folder only."""
    with bench.serving() as server:
        elsewhere = _written_elsewhere(server)
        family = set(procfs.processes([server.program.pid]))
        server.program.terminate()
        code = server.program.wait(bench.tool.stop_timeout_s)
        expect(code is not None, f"still runs {bench.tool.stop_timeout_s} s after SIGTERM")
        expect(code in (0, 143), f"exit code {code} after SIGTERM instead of 143 or 0")
        left = [pid for pid in family if procfs.process(pid)]
        expect(not left, f"left processes behind: {left}")
        expect(not elsewhere, f"writes files outside its work folder: {', '.join(elsewhere)}")
        for where in ("cwd", "tmp"):
            litter = sorted(p.name for p in (server.folder / where).iterdir())
            expect(not litter, f"leaves files in its {where} folder: {', '.join(litter)}")
    return f"exit code {code}, no process and no file outside its work folder"


def leaves_the_store_alone(bench: Bench) -> str:
    """The content of the loaded store is the same after serving as before."""
    before = _digest(bench.store)
    with bench.serving() as server:
        bench.drive(server.addresses(), bench.probe(), executions=6)
    expect(_digest(bench.store) == before, "serving changed files of the loaded store")
    return "same content before and after"


def two_are_independent(bench: Bench) -> str:
    """Two servers on one store; the one answers when the other is killed."""
    operations = bench.probe()
    with bench.serving() as first, bench.serving() as second:
        expect(first.endpoint != second.endpoint, "both servers have the same endpoint")
        first.program.stop(0)
        run = bench.drive(second.addresses(), operations, executions=len(operations))
    outcomes = set(run.samples["outcome"].to_pylist())
    wrong = outcomes - {"ok", "rejected", "aborted"}
    expect("ok" in outcomes and not wrong, f"after the first was killed: {sorted(outcomes)}")
    return "the second answers after the first was killed"


def _listening(program: ProcessProgram) -> list[str]:
    """Addresses (``ip:port``) of all listening TCP sockets of the program's processes."""
    inodes = set()
    for pid in procfs.processes([program.pid]):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                target = str(link.readlink())
                if target.startswith("socket:["):
                    inodes.add(target[8:-1])
    addresses = []
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            lines = Path(f"/proc/{program.pid}/net/{table}").read_text().splitlines()[1:]
            for fields in (line.split() for line in lines):
                if fields[3] == LISTEN and fields[9] in inodes:
                    addresses.append(_address(fields[1]))
    return sorted(addresses)


def _address(text: str) -> str:
    """``0100007F:1F90`` is 127.0.0.1:8080: words of 4 bytes in the machine's order."""
    digits, _, port = text.partition(":")
    words = bytes.fromhex(digits)
    packed = b"".join(words[i : i + 4][::-1] for i in range(0, len(words), 4))
    address = ipaddress.ip_address(packed)
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return f"{address}:{int(port, 16)}"


def _written_elsewhere(server: Serving) -> list[str]:
    """Regular files open for writing that lie neither in the work folder nor are the log."""
    files = set()
    for pid in procfs.processes([server.program.pid]):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                file = link.readlink()
                info = Path(f"/proc/{pid}/fdinfo/{link.name}").read_text()
                flags = int(info.partition("flags:")[2].split()[0], 8)
                if (
                    flags & os.O_ACCMODE != os.O_RDONLY
                    and file.is_file()
                    and file != server.log
                    and not file.is_relative_to(server.work)
                ):
                    files.add(str(file))
    return sorted(files)


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(p for p in folder.rglob("*") if p.is_file()):
        digest.update(f"{file.relative_to(folder)}\0".encode() + file.read_bytes())
    return digest.hexdigest()


WITHOUT_STORE = (
    ("serve refuses an unknown configuration key", refuses_unknown_keys),
    ("serve refuses a busy port", refuses_a_busy_port),
    ("serve says READY exactly once", says_ready_once),
    ("serve serves the protocols that are asked for", serves_what_is_asked),
    ("serve listens on loopback only", listens_on_loopback_only),
    ("serve stops on SIGTERM and leaves nothing", stops_and_leaves_nothing),
    ("two servers are independent", two_are_independent),
)
"""Of tools that start empty."""

CHECKS = (
    ("serve refuses a missing store", refuses_a_missing_store),
    ("serve refuses a damaged store", refuses_a_damaged_store),
    ("serve refuses a busy port", refuses_a_busy_port),
    ("serve says READY exactly once", says_ready_once),
    ("serve serves the protocols that are asked for", serves_what_is_asked),
    ("serve listens on loopback only", listens_on_loopback_only),
    ("serve stops on SIGTERM and leaves nothing", stops_and_leaves_nothing),
    ("serve leaves the store unchanged", leaves_the_store_alone),
    ("two servers on one store are independent", two_are_independent),
)
