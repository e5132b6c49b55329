"""The report in a real browser: it opens without errors, works, and makes no network requests."""

import re

import pytest

pytestmark = pytest.mark.slow
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture
def page(opened, report):
    return opened(report)


def fitting(page):
    """Claims that the filter lets through, in folded tables too."""
    return page.locator(".claims tbody tr:not([hidden])").count()


def shown(page):
    return page.locator(".claims tbody tr:visible").count()


def test_it_opens_in_silence_and_alone(page, report):
    page.wait_for_load_state("networkidle")
    assert page.said == []
    assert [url for url in page.requested if not url.startswith("data:")] == [report.as_uri()]
    assert report.stat().st_size < 8_000_000


def test_the_verdict_and_a_tile_for_each_figure_come_first(page):
    answers = page.locator(".answers dd").all_inner_texts()
    assert re.match(r"(Yes|Mostly|Not in full): of \d+ passages, \d+ hold in full", answers[0])
    assert answers[1].startswith("Yes: 9 of 9 passages hold")
    assert answers[2].startswith("Do not select confounders by the confounding test")
    assert len(" ".join(answers[2:]).split()) < 50
    tiles = page.locator(".tile")
    assert tiles.count() >= 18
    assert page.evaluate(
        "[...document.querySelectorAll('.tile')].every((t) => document.getElementById(t.hash.slice(1)))"
    )
    box = tiles.last.bounding_box()
    assert box["y"] + box["height"] < DESKTOP["height"]


def test_no_link_is_dead(page):
    links = page.evaluate("[...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href'))")
    known = set(page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)"))
    kinds = ("data:", "https://arxiv.org/abs/1805.07465", "#filter?")
    assert [link for link in links if not link.startswith(kinds) and link[1:] not in known] == []
    assert "https://arxiv.org/abs/1805.07465" in links


def test_all_figures_load_and_have_a_text_of_one_sentence_and_data(page):
    assert page.locator("main figure").count() >= 15
    images = "[...document.querySelectorAll('main figure img')]"
    assert all(page.evaluate(f"{images}.map((i) => i.complete && i.naturalWidth > 100)"))
    assert all(20 < length < 300 for length in page.evaluate(f"{images}.map((i) => i.alt.length)"))
    assert page.locator("#fig08_simstudy .download").count() >= 4


def test_a_download_is_the_table(page, tmp_path):
    with page.expect_download() as waiting:
        page.locator("#filter .download").click()
    waiting.value.save_as(tmp_path / "claims.csv")
    text = (tmp_path / "claims.csv").read_text()
    assert text.replace('"', "").startswith("id,place,statement")
    assert text.count("\n") > 100


def test_claims_are_folded_and_a_tile_opens_its_figure(page):
    assert shown(page) == 0
    page.locator(".tile", has_text="Fig. 8").first.click()
    page.locator("#fig08_simstudy .claims").wait_for()
    assert shown(page) == page.locator("#fig08_simstudy .claims tbody tr").count() > 25


def test_the_filter(page):
    everything = fitting(page)
    assert everything > 100
    page.fill("#claim-text", "thm2-")
    page.locator("#claim-thm2-dummy").wait_for()
    assert fitting(page) == shown(page) == 4
    assert page.inner_text("#claim-count").startswith("4 of 1")
    page.select_option("#claim-verdict", "not reproduced")
    assert fitting(page) == 2
    page.fill("#claim-text", "no such words")
    assert fitting(page) == 0
    page.click("#claim-clear")
    assert (fitting(page), shown(page)) == (everything, 0)


def test_the_filter_is_kept_in_the_address(page, browser):
    page.select_option("#claim-figure", "Fig. 8")
    page.fill("#claim-text", "power")
    found = fitting(page)
    assert page.url.endswith("#filter?figure=Fig.+8&text=power")
    again = browser.new_page(viewport=DESKTOP)
    again.goto(page.url)
    assert (fitting(again), again.input_value("#claim-text")) == (found, "power")
    again.click("#claim-clear")
    assert again.url.endswith("#figures")
    again.close()


def rate(page):
    """Number of data sets and rate in the summary of the explorer."""
    words = page.inner_text("#ex-summary").split()
    return int(words[0].replace(",", "")), float(words[-4])


def test_the_explorer_shows_where_a_test_has_power(page):
    page.select_option("#ex-y", "response_p")
    everything, overall = rate(page)
    rates = [float(text.split()[0]) for text in page.locator("#ex-bins td:nth-child(3)").all_inner_texts()]
    assert len(rates) == 8
    assert rates[0] < overall < rates[-1]
    page.fill("#ex-level", "1")
    assert rate(page) == (everything, 1.0)


def test_the_explorer_filters_by_keyboard_and_by_drag(page):
    page.select_option("#ex-y", "response_p")
    everything, overall = rate(page)
    page.fill("#ex-from", "0.6")
    page.keyboard.press("Enter")
    page.locator("#ex-to").focus()
    few, high = rate(page)
    assert few < everything
    assert high > overall
    page.select_option("#ex-x", "rho")  # the filter on beta stays
    assert rate(page) == (few, high)
    page.click("#ex-clear")
    page.select_option("#ex-x", "beta")
    page.locator("#ex-chart").scroll_into_view_if_needed()
    box = page.locator("#ex-chart").bounding_box()
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 100)
    page.mouse.up()
    assert rate(page)[0] < 0.6 * everything
    assert float(page.input_value("#ex-from")) < float(page.input_value("#ex-to"))


def test_a_data_set_has_its_row_and_the_command_that_recomputes_it(page):
    page.fill("#ex-row", "17")
    assert "permconf replay exp1 17" in page.inner_text("#ex-detail")
    page.select_option("#ex-y", "observed")
    page.locator("#ex-chart").click(position={"x": 200, "y": 100})
    number = page.input_value("#ex-row")
    assert f"permconf replay exp1 {number}" in page.inner_text("#ex-detail")
    assert page.locator("#ex-chart .ring").count() == 1


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
def test_nothing_overflows_the_screen_and_a_phone_has_a_short_page(page, viewport):
    page.set_viewport_size(viewport)
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    assert viewport != PHONE or page.evaluate("document.documentElement.scrollHeight") < 25_000
    page.fill("#claim-text", "Fig. 8")
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_dark_mode_follows_the_system(page):
    colours = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        colours.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        colours.append(page.evaluate("getComputedStyle(document.querySelector('.zoom img')).filter"))
    assert (colours[0], colours[1]) == ("rgb(255, 255, 255)", "none")
    assert colours[2] != colours[0]
    assert "invert" in colours[3]


def test_print_is_short_and_has_no_control_and_no_ledger(page):
    page.set_viewport_size({"width": 690, "height": 900})  # of A4
    page.emulate_media(media="print")
    for hidden in (".filter", "nav", "#explorer", "#deviations", ".claims"):
        assert not page.locator(hidden).first.is_visible()
    assert page.locator("#not-holding li").first.is_visible()
    pdf = page.pdf(prefer_css_page_size=True)
    assert 5 < pdf.count(b"/Type /Page\n") <= 20
