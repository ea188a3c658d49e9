"""The page in a real browser: filters, search, deep links, keyboard, size; and that nothing scanned runs."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from shoal.report import render
from tools.browser import options

from .conftest import everything
from .test_html import SCRIPT, many

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver

COUNT = 50_000
Open = Callable[[str], "WebDriver"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebDriver]:
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and driver):
        (pytest.fail if os.environ.get("CI") else pytest.skip)("Chromium and its driver are not installed; tools/system.sh does it")
    from selenium import webdriver

    wanted = options(tmp_path_factory.mktemp("profile"), "--window-size=1200,900")
    wanted.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    found = webdriver.Chrome(options=wanted, service=webdriver.ChromeService(driver))
    found.set_page_load_timeout(60)
    found.set_script_timeout(60)
    yield found
    found.quit()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("pages")
    for name, run in (("large", many(everything(), COUNT)), ("small", many(everything(), 120))):
        (folder / f"{name}.html").write_text(render("html", run), encoding="utf-8")
    return {path.stem: path.as_uri() for path in folder.iterdir()}


@pytest.fixture
def open(browser: WebDriver, pages: dict[str, str]) -> Iterator[Open]:
    """`open("small#rule=…")`; whatever a test did, the page must not have complained and nothing scanned may have run."""

    def go(name: str) -> WebDriver:
        page, _, fragment = name.partition("#")
        browser.get("about:blank")
        browser.get(pages[page] + (f"#{fragment}" if fragment else ""))
        return browser

    yield go
    assert browser.get_log("browser") == []
    assert browser.title.startswith("shoal audit")
    assert browser.execute_script("return document.querySelectorAll('script').length") == 2


def status(browser: WebDriver, words: str) -> None:
    """Wait until the count says so."""
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 20, 0.05).until(lambda page: text(page, "#status") == words, f"never {words!r}: {text(browser, '#status')!r}")


def text(browser: WebDriver, selector: str) -> str:
    return str(browser.execute_script("return document.querySelector(arguments[0])?.textContent ?? ''", selector))


def cards(browser: WebDriver) -> list[str]:
    found: list[str] = browser.execute_script("return [...document.querySelectorAll('#list .card')].map((card) => card.innerText)")
    return found


def field(browser: WebDriver, name: str) -> Any:
    return browser.find_element("css selector", f"[name={name}]")


def choose(browser: WebDriver, name: str, value: str) -> None:
    from selenium.webdriver.support.ui import Select

    Select(field(browser, name)).select_by_value(value)


def test_filters_search_and_address(open: Open) -> None:
    page = open("small")
    status(page, "120 findings")
    choose(page, "severity", "error")
    status(page, "40 of 120 findings")
    assert "severity=error" in page.current_url and len(cards(page)) == 40 and all("error" in card for card in cards(page))
    choose(page, "owner", "@team/one")
    status(page, "5 of 120 findings")
    choose(page, "folder", "team1/conf")
    status(page, "5 of 120 findings")
    field(page, "q").send_keys("NUMBER15 timeout")
    status(page, "1 of 120 findings")
    address = page.current_url
    page.find_element("css selector", "button[type=reset]").click()
    status(page, "120 findings")
    page.get("about:blank")
    page.get(address)
    status(page, "1 of 120 findings")
    assert field(page, "q").get_attribute("value") == "NUMBER15 timeout" and "number15" in cards(page)[0]


def test_links_filter_and_lead_to_findings(open: Open) -> None:
    page = open("small")
    page.find_element("css selector", "table a[href='#rule=made-up-rule']").click()
    status(page, "40 of 120 findings")
    assert page.switch_to.active_element.get_attribute("id") == "findings"
    page.back()
    status(page, "120 findings")
    page.execute_script("document.querySelector('svg.wide a[href*=\"team3\"]').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    status(page, "17 of 120 findings")
    page = open(f"small#finding-{119:020x}")
    assert page.switch_to.active_element.get_attribute("id") == f"finding-{119:020x}"
    assert "number119" in page.switch_to.active_element.text
    page = open("small#finding-gone")
    status(page, "That finding is not in this report. 120 findings are listed.")


def test_hostile_names_stay_text(open: Open) -> None:
    page = open("small#q=script")
    status(page, "120 findings")  # it stands in every excerpt
    field(page, "q").send_keys(" number7")
    status(page, "11 of 120 findings")
    page = open(f"small#finding-{7:020x}")
    assert SCRIPT in text(page, f"#finding-{7:020x} h3")
    page = open(f"small#finding-{8:020x}")
    assert SCRIPT in text(page, f"#finding-{8:020x} figcaption") and "</script><!--" in text(page, f"#finding-{8:020x} pre")
    page = open("small#q=%3Cimg%20src%3Dx%20onerror%3Ddocument.title%3D1%3E&folder=%22%3E%3Cscript%3E")
    status(page, "0 of 120 findings")


def test_script_draws_what_the_page_had(open: Open, pages: dict[str, str]) -> None:
    """Without scripts the page reads the same: the first cards are equal word for word."""
    page = open("small")
    drawn = cards(page)[:50]
    page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page.get(pages["small"])
        listed = [card.text for card in page.find_elements("css selector", "#list .card")[:5]]
        assert "Without scripts" in page.find_element("tag name", "main").text
        assert not page.find_element("id", "filters").is_displayed()
    finally:
        page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert [card.split() for card in drawn[:5]] == [card.split() for card in listed]


def test_fifty_thousand_findings(open: Open) -> None:
    page = open("large")
    status(page, "50,000 findings")
    assert len(cards(page)) == 50 and text(page, "#page") == "Page 1 of 1,000"
    page.find_element("id", "next").click()
    assert text(page, "#page") == "Page 2 of 1,000" and "page=2" in page.current_url
    field(page, "q").send_keys("number49999")
    status(page, "1 of 50,000 findings")
    page = open(f"large#finding-{43_210:020x}")
    assert "number43210" in page.switch_to.active_element.text


def test_keyboard_labels_and_headings(open: Open) -> None:
    from selenium.webdriver.common.keys import Keys

    page = open("small")
    page.find_element("tag name", "body").send_keys(Keys.TAB)
    assert page.switch_to.active_element.text == "To the findings"
    page.switch_to.active_element.send_keys(Keys.ENTER)
    assert page.switch_to.active_element.get_attribute("id") == "findings"
    status(page, "120 findings")
    unnamed = page.execute_script(
        "return [...document.querySelectorAll('input, select, button')].filter((e) => !(e.labels?.length || e.textContent.trim())).length"
    )
    doubled = page.execute_script(
        "const ids = [...document.querySelectorAll('[id]')].map((e) => e.id); return ids.length - new Set(ids).size"
    )
    levels = page.execute_script("return [...document.querySelectorAll('h1, h2, h3')].map((e) => Number(e.tagName[1]))")
    assert (unnamed, doubled, levels[0]) == (0, 0, 1)
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(open: Open, scheme: str) -> None:
    """All text at 4.5 : 1 at least against what is behind it (WCAG 2.2, 1.4.3)."""
    page = open("small")
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    low = page.execute_script(CONTRAST)
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert low == []


def test_phone_and_print(open: Open) -> None:
    page = open("small")
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True})
    wide = page.execute_script("return document.documentElement.scrollWidth - innerWidth")
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert wide <= 0
    pdf = page.print_page()
    assert len(pdf) > 10_000
    status(page, "120 findings")
    assert len(cards(page)) == 50  # as it was before printing


CONTRAST = """
const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; }
  return [255, 255, 255]; };
const low = new Set();
for (const e of document.querySelectorAll("body *")) {
  if (!e.checkVisibility() || ![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
  const svg = e.closest("svg");
  const front = parse(svg ? getComputedStyle(e).fill : getComputedStyle(e).color);
  const back = svg ? parse(getComputedStyle(e.closest("a").querySelector("rect")).fill) : behind(e);
  const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
  if ((a + 0.05) / (b + 0.05) < 4.5) low.add(`${e.tagName}.${e.className.baseVal ?? e.className}: ${front} on ${back}`);
}
return [...low];
"""
