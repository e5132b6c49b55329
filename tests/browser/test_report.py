"""The report in a real browser: it opens without errors, works, and makes no network requests."""

import pytest

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture
def page(browser, report):
    """The report, opened from disk; what the console said and what was requested are kept."""
    opened = browser.new_page(viewport=DESKTOP)
    opened.said, opened.requested = [], []
    opened.on("console", lambda message: opened.said.append(message.text))
    opened.on("pageerror", lambda error: opened.said.append(str(error)))
    opened.on("request", lambda request: opened.requested.append(request.url))
    opened.goto(report.as_uri())
    yield opened
    opened.close()


def shown(page):
    return page.locator(".claims tbody tr:visible").count()


def test_it_opens_in_silence_and_alone(page, report):
    page.wait_for_load_state("networkidle")
    assert page.said == []
    assert [url for url in page.requested if not url.startswith("data:")] == [report.as_uri()]
    assert report.stat().st_size < 10_000_000


def test_all_figures_load_and_have_a_text_and_data(page):
    figures = page.locator("#figures figure")
    assert figures.count() >= 15
    loaded = page.evaluate(
        "[...document.querySelectorAll('#figures img')].map((i) => i.complete && i.naturalWidth > 100)"
    )
    assert all(loaded)
    assert all(page.evaluate("[...document.querySelectorAll('#figures img')].map((i) => i.alt.length > 30)"))
    assert page.locator("#fig08_simstudy .download").count() >= 4


def test_a_download_is_the_table(page, tmp_path):
    with page.expect_download() as waiting:
        page.locator("#claims .download").click()
    waiting.value.save_as(tmp_path / "claims.csv")
    text = (tmp_path / "claims.csv").read_text()
    assert text.replace('"', "").startswith("id,place,statement")
    assert text.count("\n") > shown(page)


def test_the_filter(page):
    everything = shown(page)
    assert everything > 100
    page.fill("#claim-text", "thm2-")
    assert shown(page) == 4
    assert page.inner_text("#claim-count") == f"{shown(page)} of {everything}"
    page.select_option("#claim-verdict", "not reproduced")
    assert shown(page) == 3
    page.fill("#claim-text", "no such words")
    assert shown(page) == 0
    page.locator(".tile.not-testable").click()
    assert shown(page) == int(page.locator(".tile.not-testable strong").inner_text())


def test_the_slider_by_keyboard_and_by_pointer(page):
    rates = page.locator("#at-alpha tbody")
    before = rates.inner_text()
    assert page.inner_text("#alpha-value") == "0.05"
    page.focus("#alpha")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#alpha-value") == page.inner_text("#alpha-caption") == "0.055"
    page.keyboard.press("End")
    assert page.inner_text("#alpha-value") == "1"
    assert rates.inner_text() != before
    assert rates.inner_text().count("1.000 (") == 8  # every test rejects at level 1
    page.locator("#charts svg").first.hover(position={"x": 200, "y": 100})
    assert 0.2 < float(page.inner_text("#alpha-value")) < 0.6


def test_a_figure_is_enlarged_and_put_away_by_keyboard(page):
    page.locator("#fig08_simstudy .zoom").focus()
    page.keyboard.press("Enter")
    page.locator(".stage img[style]").wait_for()
    fitted = page.evaluate("document.querySelector('.stage img').clientWidth")
    page.keyboard.press("+")
    assert page.evaluate("document.querySelector('.stage img').clientWidth") > 1.4 * fitted
    page.keyboard.press("Escape")
    assert not page.evaluate("document.getElementById('viewer').open")


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE, {"width": 320, "height": 640}])
def test_nothing_overflows_the_screen(page, viewport):
    page.set_viewport_size(viewport)
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_in_print_every_claim_is_there_and_no_control(page):
    page.emulate_media(media="print")
    assert not page.locator(".filter").is_visible()
    assert not page.locator("nav").is_visible()
    assert shown(page) > 100
