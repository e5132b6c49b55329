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
    assert [decimals(*v) for v in ((0.61, 0.71), (2510, 3200), (0.001, 0.0015), (NAN, NAN), (0.5, 0.5 + 6e-15))] == [
        2,
        0,
        4,
        2,
        2,
    ]
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


def test_the_whole_answer(invented):
    assert said(invented()) == (
        "The model reads site, and its AUC looks better for it. Among people alike in diagnosis its scores still vary"
        " with site (p = .001), and it is associated with diagnosis (p < .001). If cases and controls had the same mix"
        " of site, expect an AUC near .66 (.61 to .71), not .80. The model has learned something about diagnosis beyond"
        " site (p = .001); an unmeasured variable could be the reason."
    )


NOTHING_READ, READ = ("site", 0.4, 0.0001, 0.4, "inflates"), ("site", 0.001, 0.001, 0.001, "inflates")


@pytest.mark.parametrize(
    ("row", "values", "verdict", "words"),
    [
        (READ, {"reweighted": 0.86}, "changes", "its AUC looks worse for it"),
        (NOTHING_READ, {}, "changes", "the AUC would be .14 lower (95 % interval .10 to .18)"),
        (READ, {"spread": 0.2}, "too few rows", "Too few rows to tell whether site changes the AUC"),
        (NOTHING_READ, {"spread": 0.2}, "too few rows", "is neither shown nor excluded (p = .40)"),
        (READ, {"reweighted": 0.797, "spread": 0.01}, "no practical difference", "within \u00b1.030"),
        (("site", 0.4, 0.4, 0.001, "unclear"), {"spread": 0.2}, "too few rows", "is not shown here (p = .40)"),
        (
            READ,
            {"reasons": {"reweighted": "cases and controls differ too much"}},
            "changes",
            "Among people for whom both outcomes are plausible given site (site a and b), expect an AUC near .66",
        ),
        (
            READ,
            {"reasons": dict.fromkeys(("reweighted", "overlap", "difference"), "differ too much")},
            "cannot be assessed",
            "cannot be assessed: differ too much.",
        ),
    ],
)
def test_what_the_numbers_support(invented, row, values, verdict, words):
    audit = invented(row, **values)
    assert audit.verdict == verdict
    assert words in said(audit)
    assert "no confounding" not in said(audit)
    assert "no evidence" not in said(audit)
    assert ("The model reads site" in said(audit)) == (verdict == "changes" and row == READ)
    assert (", not .80" in said(audit)) == (verdict == "changes")  # only where the values are shown to differ


def test_a_test_that_could_not_reject_decides(invented):
    audit = invented(("site", 1.0, 1.0, 1.0, "unclear"), attainable_p=1.0)
    assert audit.verdict == "cannot be assessed"
    assert "cannot be assessed: no test could have rejected." in said(audit)


@pytest.mark.parametrize(
    ("role", "words"),
    [
        ("cause", "Part of this model's AUC comes from site."),
        ("mediator", "Site is stated to be a mediator"),
        ("consequence", "Site is stated to be a consequence of diagnosis"),
    ],
)
def test_the_words_follow_a_stated_role(invented, role, words):
    audit = invented()
    assert "state its role" in " ".join(audit.summary().split())
    audit.by_confounder["role"] = role
    assert words in said(audit)
    assert "state its role" not in audit.summary()


def test_a_direction_without_evidence_is_not_named(invented):
    rows = ("site", 0.001, 0.0001, 0.0005, "inflates"), ("age", 0.3, 0.001, 0.3, "masks")
    text = invented(*rows).summary()
    assert re.search(r"^  age .* -$", text, re.MULTILINE)
    assert re.search(r"^  site .* inflates$", text, re.MULTILINE)


def test_several_confounders(invented):
    rows = ("site", 0.002, 0.0001, 0.001, "inflates"), ("age", 0.02, 0.01, 0.03, "masks")
    assert "the AUC would be .14 lower" in said(invented(*rows))  # no one direction
    assert "The model reads site and age" in said(invented(rows[0], (*rows[1][:4], "inflates")))
    assert "still vary with site and age (p at most .030)" in said(invented(*rows))
    rows = ("sex", 0.2, 0.1, 0.001, "unclear"), ("age", 0.1, 0.1, 0.06, "unclear")
    together = invented(*rows, by_confounder=invented(*rows).by_confounder.assign(read_p=0.1))
    assert "vary with sex and age taken together (p = .001); which of them is read is not clear" in said(together)


def test_an_error_as_metric(invented):
    numbers = {"observed": 2859.7, "observed_interval": (2510.0, 3201.0), "reweighted": 3120.2}
    other = {"reweighted_interval": (2700.0, 3600.0), "name": "mse", "larger_is_better": False, "corrected": NAN}
    audit = invented(kind="numeric", spread=100, **numbers, **other)
    assert "its mean squared error looks better for it" in said(audit)
    assert (
        "If diagnosis were unrelated to site, expect a mean squared error near 3,120 (2,700 to 3,600), not 2,860."
        in (said(audit))
    )


@pytest.mark.parametrize(("name", "sign"), [("mean_absolute_error", 1), ("neg_mean_absolute_error", -1)])
def test_the_margin_of_an_error_is_a_share_of_it(invented, name, sign):
    """Also of an error that is not one of ours, and where scikit-learn turns its sign."""
    numbers = {"observed": 50.0 * sign, "reweighted": 50.1 * sign, "spread": 0.5, "observed_interval": (49, 51)}
    assert invented(name=name, larger_is_better=sign < 0, corrected=NAN, **numbers).verdict == "no practical difference"


def test_a_population_of_interest_and_a_response_that_is_not_shown(invented):
    shares = "shares given for the cells of response and confounder"
    assert "In the population of interest, expect an AUC near .66" in said(invented(population=shares))
    assert said(invented(response_p=0.3)).endswith(
        "That it has learned anything about diagnosis beyond site is not shown (p = .30)."
    )


def test_cautions(invented):
    counts = {"rows": 400, "test": 200, "features": 2, "groups": 40}
    table = pd.DataFrame({"observed": [0.71, 0.75], "confounding_p": [0.001, 0.2]})
    claim, row = RecordWise(0.93, (0.90, 0.95), 0.001), ("site", 0.0486, 0.0001, 0.0486, "inflates")
    grouped = {"groups": "subject", "counts": counts, "record_wise": claim}
    for audit, words in (
        (invented(**grouped), "would have claimed AUC .93 (95 % interval .90 to .95, p = .001)"),
        (invented(**grouped), "400 rows in 40 groups (subject);"),
        (invented(row, prediction_error=0.002), "Within Monte Carlo error of .05: p = .049 (prediction)"),
        (
            invented(sensitivity=table),
            "AUC .710 to .750, confounding p from .001 to .20; 1 agree at .05",
        ),
    ):
        assert words in " ".join(audit.summary().split())
        assert words not in " ".join(invented().summary().split())


def test_it_fits_on_a_screen(invented):
    rows = [(f"a confounder with a rather long name {k}", 0.001, 0.001, 0.001, "inflates") for k in range(30)]
    text = invented(*rows, notes=tuple(f"A note that is long enough to be wrapped {k}" for k in range(20))).summary()
    assert len(text.splitlines()) <= 45
    assert max(map(len, text.splitlines())) <= 92
    plain = invented().summary()
    assert len(plain.splitlines()) <= 32
    assert max(map(len, plain.splitlines())) <= 92
