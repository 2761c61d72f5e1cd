"""Drivers in Python: a client program that keeps docs/contracts.md, the tool's part left out.

::

    from modelstress.driver import Outcome, run

    class Ledger:
        def open(self, endpoints, who):
            return Account(endpoints.of("writer").url, who)   # has execute(operation) -> Outcome

    run({"ledger": Ledger()})
"""

from modelstress.driver.program import run
from modelstress.driver.spi import (
    Driver,
    DriverError,
    DriverTimeoutError,
    Endpoint,
    Endpoints,
    Operation,
    Options,
    Outcome,
    Session,
    SessionContext,
)

__all__ = [
    "Driver",
    "DriverError",
    "DriverTimeoutError",
    "Endpoint",
    "Endpoints",
    "Operation",
    "Options",
    "Outcome",
    "Session",
    "SessionContext",
    "run",
]
