"""The screenful draws the conclusion that the numbers support, and no other."""

import re

import pandas as pd
import pytest

from permconf.auditing.answer import RecordWise
from permconf.auditing.conclusion import conclusion
from permconf.auditing.phrases import between, decimals, error, listed, metric_name, p_equals, p_value, shortened, value

NAN = float("nan")


def said(audit):
    """The sentences on one line."""
    return " ".join(str(conclusion(audit)).split())


def test_numbers():
    shown = {0.0001: "< .001", 0.0: "< .001", 0.0035: ".0035", 0.0382: ".038", 0.04996: ".050", 0.0501: ".0501"}
    shown |= {0.05: ".050", 0.1: ".10", 0.316: ".32", 0.997: "> .99", 1.0: "1", NAN: "-"}
    assert [p_value(p) for p in shown] == list(shown.values())
    assert [p_equals(p) for p in (0.0001, 0.02)] == ["p < .001", "p = .020"]
    shown = {0.0087: ".009", 0.00002: "2e-05", 0.96: "1", 1.0: "1", 130.0: "100", 12345.0: "10,000", NAN: "-"}
    assert [error(v) for v in shown] == list(shown.values())
    assert [decimals(*v) for v in ((0.61, 0.71), (2510, 3200), (0.001, 0.0015), (NAN, NAN))] == [2, 0, 4, 2]
    assert [value(v, 2) for v in (0.66, -0.12, 1.5, 2860.4, NAN)] == [".66", "-.12", "1.50", "2,860.40", "-"]
    shown = {(0.611, 0.707): ".61 to .71", (-0.001, 0.004): ".00 to .00", (NAN, NAN): "-"}
    assert [between(v, 2) for v in shown] == list(shown.values())
    assert metric_name("balanced_accuracy") == "balanced accuracy"
    shown = {"a": "a", "abcde": "a, b, c and 2 more", "abcd": "a, b, c and d"}
    assert [listed(list(names)) for names in shown] == list(shown.values())


def test_long_names_are_cut_in_the_middle_and_remain_distinct(invented):
    long = "self_reported_sex_at_birth_of_participant"
    assert shortened([long, "age"], 30) == ["self_reported_...f_participant", "age"]
    alike = [long, long.replace("_at_", "_by_"), long]
    assert shortened(alike, 30) == [f"self_reporte...participant ({k})" for k in (1, 2, 1)]
    assert listed(["p = .010", "p = .010"]) == "p = .010 and p = .010"
    text = invented((long, 0.001, 0.001, 0.001, "inflates")).summary()
    assert "confounded by self_reported_...f_participant?" in text
    assert "Is self_rep...icipant associated with diagnosis?" in text
    text = invented(*((name, 0.001, 0.001, 0.001, "inflates") for name in alike[:2])).summary()
    assert re.search(r"^  self_reporte\.\.\.participant \(2\)  ", text, re.MULTILINE)


def test_both_links(invented):
    assert said(invented()) == (
        "The predictions carry information about site beyond what diagnosis explains (p = .001), and site is associated"
        " with diagnosis (p < .001): site inflates the AUC. Where diagnosis is independent of site, the same classifier"
        " scores .66 (95 % interval .61 to .71) instead of .80. The AUC is better than site alone explains (p = .001)."
    )


@pytest.mark.parametrize(
    ("row", "changes", "verdict", "words"),
    [
        (("site", 0.4, 0.0001, 0.4, "inflates"), {}, "association", "no evidence of confounding by site"),
        (
            ("site", 0.4, 0.4, 0.001, "unclear"),
            {},
            "predictions",
            "the AUC is inflated or masked here",
        ),
        (("site", 0.4, 0.4, 0.3, "unclear"), {}, "none", "no evidence of confounding by site"),
        (("site", 0.001, 0.001, 0.001, "masks"), {"reweighted": 0.86}, "masks", "site lowers the AUC, which masks"),
        (("site", 0.001, 0.001, 0.001, "unclear"), {}, "confounded", "better or worse is unclear"),
        (("site", 0.001, 0.001, 0.001, "inflates"), {"reweighted": 0.81}, "inflates", "do not show how large"),
    ],
)
def test_what_the_numbers_support(invented, row, changes, verdict, words):
    audit = invented(row, **changes)
    assert conclusion(audit).verdict == verdict
    assert words in said(audit)
    assert "no confounding" not in said(audit)
    if verdict in ("association", "predictions", "none"):
        assert "Confounding is not ruled out" in said(audit)
        assert "site inflates" not in said(audit)


def test_a_direction_without_evidence_is_not_named(invented):
    rows = ("site", 0.001, 0.0001, 0.0005, "inflates"), ("age", 0.3, 0.001, 0.3, "masks")
    text = invented(*rows).summary()
    assert re.search(r"^  age .* -$", text, re.MULTILINE)
    assert re.search(r"^  site .* inflates$", text, re.MULTILINE)


def test_several_confounders(invented):
    rows = ("site", 0.002, 0.0001, 0.001, "inflates"), ("age", 0.02, 0.01, 0.001, "masks")
    assert conclusion(invented(*rows)).verdict == "confounded"
    assert "site inflates the AUC, age lowers the AUC, which masks performance" in said(invented(*rows))
    assert "(both links: adjusted p = .002 and p = .020)" in said(invented(*rows))
    both = [(name, 0.01, 0.01, 0.01, "inflates") for name in ("site", "age")]
    assert (
        "about site and age beyond what diagnosis explains, and each is associated with diagnosis: site and age inflate"
        in said(invented(*both))
    )


def test_links_of_different_confounders(invented):
    rows = ("sex", 1.0, 1.0, 0.0016, "unclear"), ("age", 0.076, 0.0009, 0.038, "inflates")
    audit = invented(*rows)
    assert conclusion(audit).verdict == "apart"
    assert "smallest adjusted p = .076, for age" in said(audit)
    assert "As a set, sex and age are associated with diagnosis" in said(audit)


def test_an_error_as_metric(invented):
    numbers = {"observed": 2859.7, "observed_interval": (2510.0, 3201.0), "reweighted": 3120.2}
    numbers |= {"reweighted_interval": (2700.0, 3600.0), "name": "mse", "larger_is_better": False, "corrected": NAN}
    audit = invented(kind="numeric", **numbers)
    assert "site lowers the mean squared error, so that it looks better than it is" in said(audit)
    assert "the same model scores 3,120 (95 % interval 2,700 to 3,600) instead of 2,860" in said(audit)
    masked = invented(("site", 0.001, 0.001, 0.001, "masks"), kind="numeric", **numbers | {"reweighted": 2700.0})
    assert "site inflates the mean squared error, which masks performance" in said(masked)


def test_a_population_of_interest_and_no_evidence_of_more_than_the_confounder(invented):
    shares = "shares given for the cells of response and confounder"
    assert "In the population of interest, the same classifier scores .66" in said(invented(population=shares))
    nothing = "There is no evidence that the AUC is better than site alone explains (p = .30)."
    assert said(invented(response_p=0.3)).endswith(nothing)


def test_predictions_only(predictions_only):
    text = predictions_only.summary()
    assert "alone explains" not in text
    assert "corrected" not in text
    assert "the same predictions score .66" in said(predictions_only)
    assert "nan" not in text.lower()


def test_cautions(invented):
    counts = {"rows": 400, "test": 200, "features": 2, "groups": 40}
    table = pd.DataFrame({"observed": [0.71, 0.75], "confounding_p": [0.001, 0.2]})
    claim, row = RecordWise(0.93, (0.90, 0.95), 0.001), ("site", 0.0486, 0.0001, 0.0486, "inflates")
    grouped = {"groups": "subject", "counts": counts, "record_wise": claim}
    for audit, words in (
        (invented(**grouped), "would have claimed AUC .93 (95 % interval .90 to .95, p = .001)"),
        (invented(**grouped), "400 rows in 40 groups (subject);"),
        (invented(effective_size=11.6), "its weights are worth 12 of 200 rows"),
        (invented(row, prediction_error=0.002), "Within Monte Carlo error of .05: p = .049 (prediction)"),
        (
            invented(sensitivity=table),
            "AUC .710 to .750, both links p from .001 to .20; 1 agree at .05",
        ),
    ):
        assert words in " ".join(audit.summary().split())
        assert words not in " ".join(invented().summary().split())


def test_no_line_breaks_inside_a_p_value(invented):
    for k in range(30):
        note = f"A note {'x' * k} with some more words, so that its line ends near p < .001 or 95 % of it"
        assert not re.search(r"(p|p [=<>]|95)\n", invented(notes=(note,)).summary())


def test_it_fits_on_a_screen(invented):
    rows = [(f"a confounder with a rather long name {k}", 0.001, 0.001, 0.001, "inflates") for k in range(30)]
    text = invented(*rows, notes=tuple(f"A note that is long enough to be wrapped {k}" for k in range(20))).summary()
    assert len(text.splitlines()) <= 45
    assert max(map(len, text.splitlines())) <= 92
    plain = invented().summary()
    assert len(plain.splitlines()) <= 25
    assert max(map(len, plain.splitlines())) <= 92
