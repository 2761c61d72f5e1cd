"""The exploring notebook in JupyterLab, in a browser: what is chosen changes what is shown."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import synthetic
from browsers import DEADLINE_S, chromium
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

from tests.e2e.conftest import ROOT, ours

PROGRAMS = ("chromium", "chromedriver")
MISSING = [name for name in PROGRAMS if shutil.which(name) is None]
FIGURES = "img.modelstress-figure"

pytestmark = pytest.mark.skipif(
    bool(MISSING), reason=f"no {' and no '.join(MISSING)}; install chromium and chromium-driver"
)


@dataclass
class Lab:
    """A running JupyterLab."""

    address: str
    token: str


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """JupyterLab with the notebook and a tiny study; nothing of it is left afterwards."""
    home = tmp_path / "lab"
    (home / "notebooks").mkdir(parents=True)
    shutil.copy(ROOT / "notebooks" / "explore.ipynb", home / "notebooks")
    synthetic.write_study(home / "data", executions=30)
    settings = home / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    (settings / "notification.jupyterlab-settings").write_text(json.dumps(quiet))
    folders = {"HOME": home, "JUPYTERLAB_SETTINGS_DIR": home / "settings"} | {
        name: home / name.lower()
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    }
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    argv = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root",
        "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={home}", "--LabApp.expose_app_in_browser=True",
    ]  # fmt: skip
    environment = {**os.environ, **{name: str(path) for name, path in folders.items()}}
    environment["JUPYTER_TOKEN"] = token
    with (tmp_path / "lab.log").open("w") as log:
        server = subprocess.Popen(
            argv, cwd=home, env=environment, stdout=log, stderr=log, start_new_session=True
        )
        try:
            _wait_for(port, server, tmp_path / "lab.log")
            yield Lab(f"http://127.0.0.1:{port}/lab/tree/notebooks/explore.ipynb", token)
        finally:
            server.send_signal(signal.SIGTERM)  # it ends its kernels
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)
                server.wait(5)
    left = _gone(tmp_path)
    assert left == []


def _wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + DEADLINE_S
    while time.monotonic() < until:
        assert server.poll() is None, log.read_text()
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail(f"JupyterLab did not listen within {DEADLINE_S} s: {log.read_text()}")


def _gone(folder: Path) -> list[str]:
    """What of our processes is left after a moment."""
    until = time.monotonic() + 10
    while (left := ours(folder)) and time.monotonic() < until:
        time.sleep(0.1)
    return left


@pytest.fixture
def browser(lab: Lab, tmp_path: Path) -> Iterator[webdriver.Chrome]:
    """A browser without a window, so tall that the whole notebook is in sight."""
    with chromium(tmp_path, "1500,5200") as driver:
        yield driver


def _until(browser: webdriver.Chrome, what: str, condition):
    ignored = [StaleElementReferenceException]
    waiting = WebDriverWait(browser, DEADLINE_S, 0.1, ignored_exceptions=ignored)
    return waiting.until(lambda _: condition(), f"{what} within {DEADLINE_S} s")


def _found(browser: webdriver.Chrome, css: str):
    return browser.find_elements(By.CSS_SELECTOR, css)


def _images(browser: webdriver.Chrome) -> list[str]:
    """The data of the figure and of the comparison's curves, as they are shown."""
    shown = _found(browser, FIGURES)
    drawn = [one for one in shown if int(one.get_property("naturalWidth") or 0) > 100]
    return [str(one.get_attribute("src")) for one in drawn]


def _said(browser: webdriver.Chrome) -> str:
    return "\n".join(one.text for one in _found(browser, ".jp-OutputArea-output"))


def _choose(browser: webdriver.Chrome, css: str, option: str, number: int = 0) -> None:
    Select(_found(browser, f"{css} select")[number]).select_by_visible_text(option)


@pytest.mark.timeout(240)
def test_what_is_chosen_changes_what_is_shown(
    lab: Lab, browser: webdriver.Chrome, request: pytest.FixtureRequest
) -> None:
    try:
        _explore(lab, browser)
    except BaseException:
        folder = Path(os.environ.get("MODELSTRESS_SCREENSHOTS", ROOT / ".pytest_cache"))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{request.node.name}.png"
        browser.save_screenshot(str(path))
        print(f"screenshot: {path}")
        raise


def _explore(lab: Lab, browser: webdriver.Chrome) -> None:
    browser.get(f"{lab.address}?token={lab.token}")
    _until(
        browser, "a kernel for the notebook",
        lambda: browser.execute_script(
            "const panel = window.jupyterapp && window.jupyterapp.shell.currentWidget;"
            "const kernel = panel && panel.sessionContext && panel.sessionContext.session"
            " && panel.sessionContext.session.kernel;"
            "return kernel && kernel.status === 'idle';"
        ),
    )  # fmt: skip
    browser.execute_script("window.jupyterapp.commands.execute('notebook:run-all-cells')")
    figure, curves = _until(
        browser, "both figures", lambda: len(found := _images(browser)) == 2 and found
    )
    _until(browser, "the oracle's sentence", lambda: "cannot be asked here" in _said(browser))

    _choose(browser, ".choice-of-measure", "ok executions per second")
    other = _until(
        browser, "another figure", lambda: (now := _images(browser)[0]) != figure and now
    )
    _choose(browser, ".choice-of-colour", "–")
    _until(browser, "a third figure", lambda: _images(browser)[0] not in (figure, other))
    assert _images(browser)[1] == curves

    assert "7 pairs of cells" in _said(browser)
    _choose(browser, ".levels-of-threads", "16", number=1)
    _until(browser, "other curves", lambda: _images(browser)[1] != curves)
    assert "2 pairs of cells" in _said(browser)
    assert "Over invocations (2 starts and 2)" in _said(browser)

    _choose(browser, ".levels-of-protocol", "http", number=1)  # beside tcp
    _until(browser, "a sentence", lambda: "have levels of every factor in common" in _said(browser))
    failed = ".jp-RenderedText[data-mime-type*='error'], .jp-RenderedText[data-mime-type*='stderr']"
    assert [one.text for one in _found(browser, failed)] == []
    if folder := os.environ.get("MODELSTRESS_SCREENSHOTS"):
        browser.save_screenshot(str(Path(folder) / "explore.png"))
