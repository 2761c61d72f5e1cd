#!/usr/bin/env python3
"""A client program in Python whose driver does what an operation's parameters say."""

from __future__ import annotations

import sys
import threading
import time

from modelstress.driver import DriverError, DriverTimeoutError, Outcome, run


class Scripted:
    def __init__(self) -> None:
        self.hang = threading.Event()

    def open(self, endpoints, who):
        refused = who.options.values.get("open")
        if refused == "error":
            raise DriverError("no connection") from OSError(99, "Cannot assign requested address")
        if refused == "timeout":
            raise DriverTimeoutError("nobody opened")
        if refused == "hang":
            self.hang.wait()
        return Session(self, endpoints, who)


class Session:
    def __init__(self, driver, endpoints, who):
        self.driver, self.endpoints, self.who = driver, endpoints, who

    def execute(self, operation):
        asked = operation.parameters
        print(f"a driver may print: {operation.name}")
        if "say" in asked:
            nodes = {name: endpoint.url for name, endpoint in self.endpoints.nodes.items()}
            print(
                f"{operation.name} {self.who.thread} {self.who.session} {self.who.seed} {nodes}",
                file=sys.stderr,
                flush=True,
            )
        time.sleep(asked.get("ms", 0) / 1000)
        if "think" in asked:
            self.who.think(asked["think"])
        if asked.get("hang") and self.endpoints.first.port == 1:
            self.driver.hang.wait()
        if "raise" in asked:
            raise RuntimeError("it broke") from ValueError("a cause")
        if "return" in asked:
            return asked["return"]
        kind = asked.get("outcome", "ok")
        if kind == "ok":
            return Outcome.ok(
                count=asked.get("count", 0), ids=asked.get("ids"), attempts=asked.get("attempts", 1)
            )
        return getattr(Outcome, kind)(f"{kind} was asked for", attempts=asked.get("attempts", 1))


if __name__ == "__main__":
    run({"scripted": Scripted()})
