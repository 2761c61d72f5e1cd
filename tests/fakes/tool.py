#!/usr/bin/env python3
"""A tool that keeps docs/contracts.md, in Python: server and client in one program.

What goes wrong is asked for by options of the server (``ServerConfig.options``) and of the driver
(``Workload.options``). A query "executes" by sleeping; its answer is the operation's parameters
``count`` and ``digest``, asked from the server over TCP, so a dead server is an error.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import itertools
import json
import os
import queue
import signal
import socket
import socketserver
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, NoReturn

OUTCOMES = ["", "ok", "incorrect", "error", "timeout", "unfinished", "rejected", "aborted"]
PHASES = ["warmup", "measure", "cooldown"]
COLUMNS = [
    ("intended_start_ns", "int64", "q"), ("start_ns", "int64", "q"), ("duration_ns", "int64", "q"),
    ("verify_ns", "int64", "q"), ("result_digest", "uint64", "Q"), ("bytes_sent", "int64", "q"),
    ("bytes_received", "int64", "q"), ("sequence", "int32", "i"), ("items", "int32", "i"),
    ("result_count", "int32", "i"), ("invocation", "int16", "h"), ("client", "int16", "h"),
    ("thread", "int16", "h"), ("operation", "uint16", "H"), ("phase", "uint8", "B"),
    ("outcome", "uint8", "B"),
]  # fmt: skip
CODES = {"outcome": "outcome", "operation": "operation", "phase": "phase"}
RECORD = struct.Struct("<" + "".join(code for _, _, code in COLUMNS))


def say(word: str, **data: object) -> None:
    os.write(1, f"{word} {json.dumps(data)}\n".encode())  # whole lines, from any thread


def fail(code: int, sentence: str) -> NoReturn:
    print(f"error: {sentence}", file=sys.stderr, flush=True)
    os._exit(code)


class Answer(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        for line in self.rfile:
            with contextlib.suppress(IndexError):
                DEATHS.pop().start()
            if next(QUERIES) == DIES_AT.get("query"):
                DIES_AT["how"]()
            hang = HANGS.get("hang")
            if hang is not None:
                hang.perhaps()
            self.wfile.write(line)
            if LEAKS:
                KEPT.append(Path(__file__).open())  # noqa: SIM115


class Hang:
    """Lets so many answers pass and then none; the first ``hangs`` starts of a server have one."""

    def __init__(self, options: dict, notes: Path) -> None:
        self.left, self.busy = int(options.get("hang_after", 0)), options.get("hang_busy")
        self.notes = notes
        self.guard = threading.Lock()

    def perhaps(self) -> None:
        with self.guard:
            self.left -= 1
            if self.left == -1:
                with self.notes.open("a") as notes:
                    notes.write("x")
            hangs = self.left < 0
        while hangs:
            if not self.busy:
                time.sleep(0.1)


HANGS: dict[str, Hang] = {}
DEATHS: list[threading.Timer] = []  # begins at the first query, however long a start takes
DIES_AT: dict[str, Any] = {}  # at which query, however slow everything is
QUERIES = itertools.count(1)
LEAKS: list[bool] = []


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 100  # a stopped server takes no more connections than this


def serve(config: dict) -> None:
    options = config["options"]
    if options.get("fail"):
        fail(int(options["fail"]), "told to fail")
    if options.get("never_ready"):
        print("error: waiting for something", file=sys.stderr, flush=True)
        time.sleep(600)
    if options.get("silent_end"):
        sys.exit(6)
    check_store(config)
    work = Path(config["work"])
    resumed = config.get("resume") and not options.get("forget_resume")
    if work.is_dir() and any(work.iterdir()) and not resumed:
        fail(6, f"{work} is not empty")
    (work / "copy").write_text("private copy of the store")
    if options.get("write_store"):
        (Path(config["store"]) / "lock").write_text(str(os.getpid()))
    if options.get("grandchild"):
        subprocess.Popen(["sleep", "600"], start_new_session=bool(options.get("escape")))
    if options.get("temporary"):
        fd, name = tempfile.mkstemp()
        os.close(fd)
        (Path(config["store"]).parent / "temporary").write_text(name)
    if options.get("litter"):
        KEPT.append(Path("litter").open("w"))  # noqa: SIM115
    notes = Path(config["store"]).parent / "hung"
    if (len(notes.read_text()) if notes.is_file() else 0) < int(options.get("hangs", 0)):
        HANGS["hang"] = Hang(options, notes)
    LEAKS.extend([True] * bool(options.get("leak")))
    servers = {name: listen(config, port) for name, port in config["ports"].items()}
    signal.signal(
        signal.SIGTERM,
        signal.SIG_IGN if options.get("ignore_term") else lambda *_: os._exit(143),
    )
    died = Path(config["store"]).parent / "died"  # a letter for every death
    if len(died.read_text() if died.is_file() else "") < int(options.get("die_times", 99)):
        if query := int(options.get("die_at_query", 0)):
            DIES_AT.update(query=query, how=lambda: die(options, died))
        if seconds := float(options.get("die_after_s", 0)):
            DEATHS.append(threading.Timer(seconds, lambda: die(options, died)))
    time.sleep(float(options.get("ready_delay_s", 0)))
    endpoints = {
        name: f"tcp://{config['bind']}:{server.server_address[1]}"
        for name, server in servers.items()
    }
    if options.get("extra_protocol"):
        endpoints["http"] = "http://127.0.0.1:1"
    say("READY", endpoints=endpoints, pid=os.getpid())
    if options.get("chatter"):
        print("started", flush=True)
    for server in servers.values():
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    while True:
        time.sleep(600)


def die(options: dict, died: Path) -> None:
    """End in the middle of it all: killed, or by an exit code of its own after some last words."""
    with died.open("a") as file:
        file.write("x")
    if "die_code" in options:
        print(options.get("die_words", ""), file=sys.stderr, flush=True)
        os._exit(int(options["die_code"]))
    os.kill(os.getpid(), int(options.get("die_signal", signal.SIGKILL)))


def check_store(config: dict) -> None:
    options, ids = config["options"], Path(config["store"]) / "ids.mssf"
    if not ids.is_file() and not options.get("no_store_check"):
        fail(4, f"{config['store']}: no store")
    elsewhere = ids.with_name("elsewhere")
    if elsewhere.is_file() and not Path(elsewhere.read_text()).exists():
        fail(4, "the model is gone")
    if options.get("lock_store"):
        lock = (Path(config["store"]) / "ids.mssf").open()
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            fail(6, "the store is in use")
        KEPT.append(lock)
    damaged = ids.is_file() and ids.read_bytes()[:4] == b"MSSF" and len(ids.read_bytes()) % 16
    if damaged and not options.get("no_damage_check"):
        fail(4, f"{ids} is damaged")


def listen(config: dict, port: int) -> Server:
    options = config["options"]
    address = "0.0.0.0" if options.get("all_interfaces") else config["bind"]
    try:
        return Server((address, port), Answer)
    except OSError as error:
        if options.get("other_port"):
            return Server((address, 0), Answer)
        return fail(6 if options.get("wrong_code") else 5, f"port {port}: {error.strerror}")


ELEMENTS = 5
MODEL = b"a model\n" * 10 + b"its end"
KEPT: list[object] = []
KEYS = {
    "tool", "backend", "model", "store", "work", "bind", "ports", "attributes", "options", "resume",
}  # fmt: skip


def load(config: dict) -> None:
    """Write ids.mssf for a model that consists of ``MODEL``."""
    options, store = config["options"], Path(config["store"])
    unknown = set(config) - KEYS
    if unknown and not options.get("accept_unknown"):
        fail(2, f"unknown key {'' if options.get('vague') else unknown}")
    model = Path(config["model"])
    if not model.is_file() and not options.get("no_model_check"):
        fail(3, f"{model} is missing")
    if model.is_file() and model.read_bytes() != MODEL and not options.get("no_model_check"):
        fail(3, f"{model} is truncated")
    if options.get("single_file") and model.name == "model.json":
        fail(3, f"{model} is no model file")
    if options.get("not_restartable") and store.exists():
        fail(6, f"{store} exists")
    store.mkdir(parents=True, exist_ok=True)
    say("PROGRESS", done=0, total=ELEMENTS)
    if options.get("chatter"):
        print("loading", flush=True)
    time.sleep(0.05)
    header = {
        "record_size": 16,
        "columns": [
            {"name": "id", "type": "int64", "offset": 0},
            {"name": "index", "type": "int64", "offset": 8},
        ],
        "dictionaries": {},
        "meta": {},
    }
    text = json.dumps(header).encode()
    text += b" " * (-(12 + len(text)) % 64)
    count = ELEMENTS - bool(options.get("drop_id"))
    same = bool(options.get("same_id"))
    records = b"".join(struct.pack("<qq", 0 if same else i, i) for i in range(count))
    data = b"MSSF" + struct.pack("<II", 1, len(text)) + text + records
    (store / "ids.mssf").write_bytes(data)
    if options.get("no_copy"):
        (store / "elsewhere").write_text(str(model))
    say("PROGRESS", done=ELEMENTS, total=ELEMENTS)


class Client:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self.workload = json.loads(Path(arguments.workload).read_text())
        self.options = self.workload["options"]
        if self.options.get("refuse"):
            fail(2, f"{arguments.workload}: field 'options' is wrong")
        self.addresses = self.parsed(self.named(arguments.endpoint))
        self.held: str | None = None
        self.under_way = self.answered = self.given_up = 0
        self.words: queue.Queue[str] = queue.Queue()
        self.threads = arguments.threads
        self.operations = self.workload["operations"]
        self.timeout_s = self.workload["timeout_ms"] / 1000
        self.out = Path(arguments.out).open("wb", buffering=0)  # noqa: SIM115
        self.guard = threading.Lock()
        self.over = threading.Event()
        self.tickets = 0
        self.busy = False
        self.detailed: set[str] = set()
        self.first = self.sliced = self.warmed = self.executed = 0
        header = {
            "format": 2,
            "record_size": RECORD.size,
            "columns": [],
            "dictionaries": {
                "outcome": OUTCOMES,
                "operation": [o["name"] for o in self.workload["operations"]],
                "phase": PHASES,
            },
            "meta": {},
        }
        offset = 0
        for name, kind, code in COLUMNS:
            column = {"name": name, "type": kind, "offset": offset}
            header["columns"].append(
                column | ({"dictionary": CODES[name]} if name in CODES else {})
            )
            offset += struct.calcsize("<" + code)
        text = json.dumps(header).encode()
        text += b" " * (-(12 + len(text)) % 64)
        self.out.write(b"MSSF" + struct.pack("<II", 1, len(text)) + text)

    @staticmethod
    def named(endpoints: list[str]) -> dict[str, str]:
        """Node to its URL, from ``NODE=URL`` or the URL of a server that has no other name."""
        found = {}
        for endpoint in endpoints:
            node, equals, url = endpoint.partition("=")
            found |= {node: url} if equals and "://" not in node else {"server": endpoint}
        return found

    @staticmethod
    def parsed(endpoints: dict[str, str]) -> list[tuple[str, int]]:
        pairs = [url.removeprefix("tcp://").rsplit(":", 1) for url in endpoints.values()]
        return [(host, int(port)) for host, port in pairs]

    def record(
        self, thread: int, sequence: int, phase: str, start: int, outcome: str, intended: int
    ) -> bytes:
        number = sequence % len(self.operations)
        parameters = self.operations[number]["parameters"]
        wrong = self.options.get("wrong_every")
        count = int(parameters.get("count", 0)) + bool(wrong and sequence % int(wrong) == 0)
        good = outcome == "ok"
        begin = intended or start
        values = {
            "intended_start_ns": begin - int(self.options.get("late_ns", 0)),
            "start_ns": start, "duration_ns": time.monotonic_ns() - begin,
            "verify_ns": int(self.options.get("verify_ns", 1000)),
            "result_digest": int(parameters.get("digest", 0)) if good else 0,
            "bytes_sent": 10, "bytes_received": 20, "sequence": sequence, "items": count,
            "result_count": count if good else 0, "invocation": self.workload["invocation"],
            "client": self.workload["client"], "thread": thread, "operation": number,
            "phase": PHASES.index(phase), "outcome": OUTCOMES.index(outcome),
        }  # fmt: skip
        return RECORD.pack(*(values[name] for name, _, _ in COLUMNS))

    def execute(self, operation: dict) -> str:
        try:
            limit = 600 if self.options.get("endless") else self.timeout_s
            if self.options.get("leak"):
                KEPT.append(socket.create_connection(self.addresses[0]))
            if self.options.get("leak_threads"):
                threading.Thread(target=self.over.wait, daemon=True).start()
            for address in self.addresses:
                with socket.create_connection(address, timeout=limit) as link:
                    link.sendall(b"query\n")
                    self.receive(link, limit)
            busy_until = time.monotonic() + float(self.options.get("spin_s", 0))
            while time.monotonic() < busy_until:
                pass
            self.over.wait(float(self.options.get("sleep_s", 0.002)))
            if ")))" in operation["text"] and not self.options.get("swallow"):
                raise ValueError("malformed")
        except TimeoutError as late:
            return self.explain(operation, "timeout", str(late))
        except (OSError, ValueError) as error:
            if self.options.get("swallow_io"):
                return "ok"
            return self.explain(operation, "error", f"cannot query: {error}")
        return "ok"

    def receive(self, link: socket.socket, limit: float) -> None:
        deadline = time.monotonic() + limit
        link.settimeout(0.02)
        while not self.over.is_set():
            if self.held:
                with self.guard:
                    self.given_up += 1
                raise TimeoutError(self.held)
            try:
                if not link.recv(100):
                    raise ConnectionError("closed by the server")
                return
            except TimeoutError:
                if time.monotonic() > deadline:
                    raise TimeoutError("no answer") from None

    def explain(self, operation: dict, outcome: str, message: str) -> str:
        message = f"{self.options.get('detail', '')}{message}"
        if message not in self.detailed and not self.options.get("mute"):
            self.detailed.add(message)
            say("DETAIL", operation=operation["name"], outcome=outcome, message=message)
        return outcome

    def begin(self) -> bool:
        """Wait while the load is held; False when it never goes on."""
        while True:
            with self.guard:
                if not self.held:
                    self.under_way += 1
                    return True
            if self.over.is_set():
                return False
            time.sleep(0.01)

    def loop(self, thread: int, phase: str, total: int) -> None:
        while not self.over.is_set():
            with self.guard:
                ticket = self.tickets
                self.tickets += 1
            if ticket >= total:
                return
            intended = self.arrival(ticket) if phase == "measure" else 0
            if not self.begin():
                return
            start = time.monotonic_ns()
            if ticket == int(self.options.get("die_at", -1)) and phase == "measure":
                os.kill(os.getpid(), signal.SIGKILL)
            if ticket == int(self.options.get("full_at", -1)) and phase == "measure":
                fail(7, "the disk is full")
            outcome = (
                "unfinished"
                if self.over.is_set()
                else self.execute(self.operations[ticket % len(self.operations)])
            )
            if self.over.is_set():
                outcome = "unfinished"
            with self.guard:
                self.under_way -= 1
                self.answered += outcome != "timeout"
            if ticket == int(self.options.get("forget", -1)) and phase == "measure":
                continue
            with self.guard:
                number = ticket + (self.first if phase == "measure" else 0)
                self.out.write(self.record(thread, number, phase, start, outcome, intended))
            self.over.wait(self.operations[0].get("think_ms", 0) / 1000)

    def arrival(self, ticket: int) -> int:
        """Wait for the intended start of an execution in an open loop; 0 in a closed one."""
        if self.workload["mode"]["kind"] != "open":
            return 0
        intended = self.begun + int(1e9 * ticket / self.workload["mode"]["rate_per_s"])
        self.over.wait(max(0, intended - time.monotonic_ns()) / 1e9)
        return intended

    def phase(self, name: str, total: int) -> None:
        self.tickets, self.busy, self.begun = 0, True, time.monotonic_ns()
        workers = [
            threading.Thread(target=self.loop, args=(n, name, total)) for n in range(self.threads)
        ]
        for worker in workers:
            worker.start()
        while any(worker.is_alive() for worker in workers):
            counts = {"answered": self.answered, "under_way": self.under_way}
            if self.options.get("old"):  # a client program from before there were restarts
                counts = {}
            say("PROGRESS", phase=name, done=min(self.tickets, total), total=total, **counts)
            for worker in workers:
                worker.join(0.1)
        self.busy = False
        if self.over.is_set():
            sys.exit(143)

    def listen(self) -> None:
        """Read the controller's words; those that may come at any time are answered here."""
        for line in sys.stdin:
            word, _, rest = line.strip().partition(" ")
            if word == "PING":
                say("PONG", clock_ns=time.monotonic_ns() + int(self.options.get("skew_ns", 0)))
            elif word == "WEDGED" and not self.options.get("deaf"):
                with self.guard:
                    self.given_up, self.held = 0, json.loads(rest)["reason"]
                while self.under_way:
                    time.sleep(0.01)
                say("HELD", timeouts=self.given_up)
            elif word == "RESUME":
                said = json.loads(rest)
                endpoints = said.get("endpoints") or {"server": said["endpoint"]}
                self.addresses, self.held = self.parsed(endpoints), None
            else:
                self.words.put(word)
        if not self.busy:
            os._exit(143)
        self.over.set()
        self.words.put("")

    def end(self) -> None:
        if not self.busy:
            os._exit(143)
        self.over.set()

    def share(self, whole: int, number: int) -> int:
        """Of a number, what one slice has."""
        slices = self.workload.get("slices") or 1
        return whole // slices + (number < whole % slices)

    def slice(self) -> bool:
        """Measure one slice of the window; whether it was the last."""
        executions, slices = self.workload["executions"], self.workload.get("slices")
        share = self.share(executions, self.sliced)
        self.sliced += 1
        self.phase("measure", share)
        self.first += share
        say("WINDOW", clock_ns=time.monotonic_ns())
        if slices:
            say("SLICED", executions=share, cooldown=0)
        if self.sliced < (slices or 1):
            return False
        say("DONE", executions=executions, cooldown=0)
        return True

    def talk(self) -> None:
        signal.signal(signal.SIGTERM, lambda *_: self.end())
        time.sleep(float(self.options.get("ready_delay_s", 0)) * self.workload["client"])
        say("READY", pid=os.getpid(), clock_ns=time.monotonic_ns())
        if self.options.get("stray"):
            print("a library talks", flush=True)
        threading.Thread(target=self.listen, daemon=True).start()
        while word := self.words.get():
            if word == "WARM":
                if self.options.get("hang_in_warmup"):
                    self.execute(self.operations[0])
                    self.over.wait(600)
                warmup = self.workload["warmup"]
                share = self.share(warmup["executions"], self.warmed)
                self.phase("warmup", share)
                self.warmed, self.executed = self.warmed + 1, self.executed + share
                steady = {"steady": True, "change": 0.0} if "steady" in warmup else {}
                say("WARMED", executions=self.executed, seconds=0.0, **steady)
                while steady and self.words.empty():
                    self.phase("warmup", self.threads)
                # its last execution of a warm-up takes longer than another client's
                time.sleep(float(self.options.get("linger_s", 0)) * self.workload["client"])
            elif word == "PAUSE":
                say("PAUSED")
            elif word == "GO":
                time.sleep(float(self.options.get("go_delay_s", 0)) * self.workload["client"])
                if self.slice():
                    return
        sys.exit(143)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("verb", choices=["load", "serve", "client"])
    for name in ("config", "driver", "workload", "out"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--endpoint", action="append")
    parser.add_argument("--threads", type=int)
    arguments = parser.parse_args()
    if arguments.verb == "client":
        Client(arguments).talk()
    else:
        config = json.loads(Path(arguments.config).read_text())
        {"load": load, "serve": serve}[arguments.verb](config)


if __name__ == "__main__":
    main()
