"""The page of an audit in a real browser: it opens without errors or requests, and fits every screen and paper."""

import json

import numpy as np
import pandas as pd
import pytest

from permconf import audit

pytestmark = pytest.mark.slow
DESKTOP, PHONE, SMALL = ({"width": width, "height": 900} for width in (1400, 390, 320))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The page of a small audit with long names."""
    rng = np.random.default_rng(0)
    site = rng.integers(0, 2, 200)
    ill = rng.uniform(size=200) < 0.2 + 0.6 * site
    table = pd.DataFrame(
        {"x": rng.normal(site + ill), "z": rng.normal(size=200), "age_at_first_visit": rng.normal(size=200)}
    )
    table["scanner manufacturer and field strength"] = np.where(site, "north", "south")
    table["diagnosis_at_the_end_of_follow_up"] = np.where(ill, "ill", "well")
    names = ["scanner manufacturer and field strength", "age_at_first_visit"]
    answer = audit(table, response="diagnosis_at_the_end_of_follow_up", confounders=names, permutations=19)
    path = tmp_path_factory.mktemp("audit") / "audit.html"
    answer.save(path)
    return path


@pytest.fixture
def page(opened, saved):
    return opened(saved)


def test_it_opens_in_silence_and_alone(page, saved):
    page.wait_for_load_state("networkidle")
    assert page.said == []
    assert [url for url in page.requested if not url.startswith("data:")] == [saved.as_uri()]


def test_the_figures_load_and_have_a_text(page):
    images = page.evaluate("[...document.images].map((i) => [i.complete && i.naturalWidth > 100, i.alt.length > 20])")
    assert images == [[True, True]] * 3  # values, confounders, levels


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE, SMALL], ids=["desktop", "phone", "small"])
def test_nothing_overflows_the_screen(page, viewport):
    page.set_viewport_size(viewport)
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_dark_and_print(page):
    colour = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(colour) == "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(colour) != "rgb(255, 255, 255)"
    page.emulate_media(color_scheme="dark", media="print")
    assert page.evaluate(colour) == "rgb(255, 255, 255)"


def test_machines_find_the_numbers(page, tmp_path):
    embedded = json.loads(page.evaluate("document.getElementById('audit').textContent"))
    with page.expect_download() as waiting:
        page.get_by_text("audit.json").click()
    waiting.value.save_as(tmp_path / "audit.json")
    assert json.loads((tmp_path / "audit.json").read_text()) == embedded
    assert embedded["metric"] == "auc"
