"""The scoreboard in a browser: use case 1 of skoll-ccmperf by keyboard, widths, hostile words."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import space_samples
from browsers import chromium, errors, requested
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

from modelstress.config.project import Project
from modelstress.report.scoreboard.board import reader_of
from modelstress.report.scoreboard.export import export
from tests.integration.scoreboard.conftest import PROFILE

STUDY = space_samples.STUDY
POOL, WATCH = "threadPerConnectionPolicy", "threadPoolWatchConnection"
WIDTHS = (1280, 400)
MOST_TABS = 80
HOSTILE = "<script>document.title='owned'</script>\"'><img src=x onerror=document.title='owned'>"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    with chromium(tmp_path_factory.mktemp("browser"), "1280,900") as driver:
        yield driver


def width(browser: webdriver.Chrome, pixels: int) -> None:
    size = {"width": pixels, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def words(browser: webdriver.Chrome, css: str = "body") -> str:
    return " ".join(browser.find_element(By.CSS_SELECTOR, css).text.split())


def press(browser: webdriver.Chrome, *keys: str) -> None:
    ActionChains(browser).send_keys(*keys).perform()


def focused(browser: webdriver.Chrome) -> webdriver.remote.webelement.WebElement:
    return browser.switch_to.active_element


def tab_to(browser: webdriver.Chrome, css: str) -> None:
    """Press Tab until what a selector finds has the focus, and can be seen to have it."""
    wanted = browser.find_element(By.CSS_SELECTOR, css)
    for _ in range(MOST_TABS):
        press(browser, Keys.TAB)
        if focused(browser) == wanted:
            assert wanted.value_of_css_property("outline-style") == "solid"
            return
    pytest.fail(f"{css} cannot be reached with Tab")


def loaded(browser: webdriver.Chrome, address: str) -> None:
    """Wait for the page of an address."""
    waiting = WebDriverWait(browser, 30, 0.1)
    waiting.until(lambda _: browser.current_url == address)
    waiting.until(lambda _: browser.execute_script("return document.readyState") == "complete")


def effects(browser: webdriver.Chrome, part: str = "#effects") -> dict[str, bool]:
    """Options with a chart, and whether they are marked."""
    found = browser.find_elements(By.CSS_SELECTOR, f"{part} li.effect")
    return {
        one.find_element(By.TAG_NAME, "h3").text.rstrip("* \u00a0").replace("\n", ""):
        bool(one.find_elements(By.CSS_SELECTOR, ".star"))
        for one in found
    }  # fmt: skip


def picture(browser: webdriver.Chrome, name: str) -> None:
    """Keep a picture of the whole page, where somebody wants to look at it."""
    if folder := os.environ.get("MODELSTRESS_SCREENSHOTS"):
        height = browser.execute_script("return document.documentElement.scrollHeight")
        here = browser.execute_script("return innerWidth")
        size = {"width": here, "height": height, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.save_screenshot(str(Path(folder) / f"{name}-{here}.png"))
        width(browser, here)


def fits(browser: webdriver.Chrome) -> bool:
    """Whether the page itself needs no horizontal scrolling, and nothing sticks out of it."""
    return bool(browser.execute_script(
        "const wide = document.documentElement.clientWidth;"
        "const inside = e => e.closest('.scroll, pre, .skip, .hidden, svg');"
        "const out = [...document.querySelectorAll('body *')].filter(e => !inside(e)"
        " && e.getBoundingClientRect().right > wide + 1);"
        "return document.documentElement.scrollWidth <= wide && out.length === 0;"
    ))  # fmt: skip


@pytest.mark.parametrize("pixels", WIDTHS)
def test_use_case_1_by_keyboard(browser: webdriver.Chrome, address: str, pixels: int) -> None:
    width(browser, pixels)
    browser.get(address)
    assert fits(browser)
    # begins with workload, platform, version and metric
    first = [legend.text for legend in browser.find_elements(By.TAG_NAME, "legend")]
    assert first == ["Workload", "Platform, version and metric", "Options"]
    assert "All options are open" in words(browser, "#choose")
    tab_to(browser, "a.skip")
    press(browser, Keys.ENTER)
    tab_to(browser, "select[name='operation']")
    press(browser, "c")  # as lists do: the level that begins so
    tab_to(browser, f"select[name='{WATCH}']")
    press(browser, "0")
    tab_to(browser, "button[type='submit']")
    press(browser, Keys.ENTER)
    WebDriverWait(browser, 30).until(lambda _: "?" in browser.current_url)

    # the distribution of what is chosen against the whole space, and starred main effects
    assert f"Chosen: {WATCH} 0. 8 of 16 cells fit" in words(browser, "#choose")
    legend = words(browser, "#distribution .legend")
    assert "the whole space, 16 cells" in legend and "what is chosen, 8 cells" in legend
    assert len(browser.find_elements(By.CSS_SELECTOR, "#distribution path")) == 2
    told = effects(browser)
    assert told[POOL] and told["protocol"]
    assert not told["threadPolicy"] and not told["oneCallPerConnection"]
    assert fits(browser)
    picture(browser, "chosen")

    # the better level of the strongest option is fixed from its graph, and all runs again
    slow = float(re.search(r"what is chosen.*? median is ([\d.]+)", legend)[1])
    tab_to(browser, f"a[aria-label='Fix {POOL} to 1']")
    press(browser, Keys.ENTER)
    WebDriverWait(browser, 30).until(lambda _: POOL + "=1" in browser.current_url)
    legend = words(browser, "#distribution .legend")
    fast = float(re.search(r"what is chosen.*? median is ([\d.]+)", legend)[1])
    assert fast < slow
    left = browser.find_elements(By.CSS_SELECTOR, "#effects h3")
    assert all(POOL not in heading.text for heading in left)

    # the settings that were chosen first are revisited: with the pool off, watching does nothing
    revisited = effects(browser, "#revisit")
    assert set(revisited) == {POOL, WATCH} and revisited[POOL] and not revisited[WATCH]
    tab_to(browser, f"a[aria-label='Leave {WATCH} open']")
    press(browser, Keys.ENTER)
    WebDriverWait(browser, 30).until(lambda _: WATCH not in browser.current_url)
    assert f"Chosen: {POOL} 1. 8 of 16 cells fit" in words(browser, "#choose")

    # and what to measure next is there to be copied
    profile = browser.find_element(By.CSS_SELECTOR, "pre[aria-label='Profile']").text
    assert f"{POOL}: [1]" in profile and "profile: demo-refined" in profile
    assert fits(browser) and errors(browser) == []
    picture(browser, "revisited")


@pytest.mark.parametrize("pixels", WIDTHS)
def test_the_whole_space_is_readable_and_asks_no_other_host(
    browser: webdriver.Chrome, address: str, pixels: int
) -> None:
    width(browser, pixels)
    requested(browser)
    browser.get(address)
    hosts = {urlsplit(one).netloc for one in requested(browser)}
    assert hosts == {urlsplit(address).netloc}
    assert fits(browser) and errors(browser) == []
    assert "45 measured" in words(browser, "#progress")
    assert "protocol unix, oneCallPerConnection 0" in words(browser, "#failing")
    assert "16 of 16 planned cells" in words(browser, "#coverage")
    assert (
        browser.execute_script(  # nothing is too small to be read
            "return Math.min(...[...document.querySelectorAll('body *')].filter(e => e.textContent)"
            ".map(e => parseFloat(getComputedStyle(e).fontSize)))"
        )
        >= 12
    )
    regions = browser.find_elements(By.CSS_SELECTOR, ".scroll, pre")
    assert all(one.get_attribute("tabindex") == "0" for one in regions)  # scrolled by keys
    picture(browser, "whole")


def test_fields_have_labels_and_the_page_has_landmarks(
    browser: webdriver.Chrome, address: str
) -> None:
    browser.get(address)
    for select in browser.find_elements(By.TAG_NAME, "select"):
        assert select.accessible_name
    for link in browser.find_elements(By.CSS_SELECTOR, "main a"):
        assert link.accessible_name or not link.is_displayed()
    for chart in browser.find_elements(By.CSS_SELECTOR, "svg[role='img']"):
        assert len(chart.accessible_name) > 10
    for landmark in ("main", "nav", "header", "h1"):
        assert len(browser.find_elements(By.TAG_NAME, landmark)) == 1
    assert browser.find_element(By.TAG_NAME, "html").get_attribute("lang") == "en"


def test_a_page_works_without_its_script(browser: webdriver.Chrome, address: str) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(f"{address}?protocol=unix")
        assert "Chosen: protocol unix" in words(browser, "#choose")
        assert effects(browser)[POOL]
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_a_refusal_is_a_page(browser: webdriver.Chrome, address: str) -> None:
    browser.get(f"{address}?protocol=<script>document.title='owned'</script>")
    assert "has no level" in words(browser) and browser.title == "Scoreboard: 400"
    browser.find_element(By.LINK_TEXT, "The whole space").click()
    loaded(browser, address)
    errors(browser)  # the browser logs the 400


@pytest.fixture(scope="module")
def exported(space_project: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of data with a level that would run a script, and with a very long one."""
    folder = tmp_path_factory.mktemp("exported")
    shutil.copytree(space_project.root / "data", folder / "data")
    hostile = reader_of(space_project, STUDY, PROFILE, folder / "data")
    hostile.planned, others = hostile.planned[2:], hostile.planned[:2]
    for file in (folder / "data").rglob("cell.json"):
        record = json.loads(file.read_text(encoding="utf-8"))
        if record["cell"] in {one.cell for one in others}:
            record["levels"] |= {"protocol": HOSTILE, "threadPolicy": "long" * 100}
            file.write_text(json.dumps(record), encoding="utf-8")
    export(hostile.read(), folder / "pages", 1)
    return folder / "pages"


@pytest.mark.parametrize("pixels", WIDTHS)
def test_exported_pages_show_hostile_words_and_run_none(
    browser: webdriver.Chrome, exported: Path, pixels: int
) -> None:
    width(browser, pixels)
    requested(browser)
    browser.get((exported / "index.html").as_uri())
    assert HOSTILE in browser.find_element(By.ID, "effects").get_property("textContent")
    assert "owned" not in browser.title
    assert browser.find_elements(By.CSS_SELECTOR, "script, [onerror], form") == []
    assert browser.find_element(By.TAG_NAME, "h1").value_of_css_property("font-size") == "25.6px"
    assert fits(browser)
    picture(browser, "hostile")
    browser.find_element(By.CSS_SELECTOR, "a[aria-label^='Fix protocol to <script>']").click()
    assert HOSTILE in browser.find_element(By.ID, "choose").get_property("textContent")
    assert "owned" not in browser.title and fits(browser)
    assert {urlsplit(one).scheme for one in requested(browser)} == {"file"}
    assert errors(browser) == []
