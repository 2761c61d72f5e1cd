"""Pages as a reader sees them: Chromium without a window, and a server for built pages."""

from __future__ import annotations

import functools
import http.server
import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

DEADLINE_S = 60


def needed() -> None:
    """Skip where there is no browser; ``.ci/run`` installs one."""
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        pytest.skip("needs Debian's chromium and chromium-driver")


@contextmanager
def chromium(folder: Path, size: str) -> Iterator[webdriver.Chrome]:
    """A browser without a window (``size``: width,height) that logs messages and requests."""
    needed()
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for argument in (
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--no-first-run", f"--window-size={size}", f"--user-data-dir={folder / 'browser'}",
    ):  # fmt: skip
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options, Service(shutil.which("chromedriver")))
    try:
        driver.set_page_load_timeout(DEADLINE_S)
        yield driver
    finally:
        driver.quit()


def errors(browser: webdriver.Chrome) -> list[str]:
    """What the pages complained about since it was asked last."""
    return [one["message"] for one in browser.get_log("browser") if one["level"] == "SEVERE"]


def requested(browser: webdriver.Chrome) -> list[str]:
    """Addresses that were asked for since it was asked last."""
    events = [json.loads(one["message"])["message"] for one in browser.get_log("performance")]
    return [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder's files."""
    handler = functools.partial(_Silent, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
