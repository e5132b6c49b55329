"""The page stands alone, holds every number, and no text of a user breaks it; files are written by suffix."""

import json
import re

import pandas as pd
import pytest

from permconf.auditing.conclusion import conclusion
from permconf.auditing.methods_text import REFERENCES, methods, references
from permconf.auditing.page import notebook, page
from permconf.auditing.summary import setting


@pytest.fixture
def html(invented):
    return page(invented(notes=("A note.",)))


def test_it_stands_alone_and_the_answer_comes_first(html, invented):
    assert not re.search(r"(?:src|href)=\"(?!data:|#)|@import|url\(", html)
    assert 'http-equiv="Content-Security-Policy" content="default-src \'none\'' in html
    audit = invented()
    assert html.index("Confounding changes the AUC") < html.index("<img") < html.index("<h2>Numbers")
    found = conclusion(audit)
    for text in (found.headline, found.reading, found.expected, found.response, setting(audit), "A note."):
        assert text in html.replace("&lt;", "<").replace("\u00a0", " ")
    assert "<h3>By level</h3>" in html
    assert "p\u00a0=\u00a0.001" in html  # no line break inside


def test_the_data_are_embedded(html, invented):
    embedded = re.search(r'<script type="application/json" id="audit">(.*?)</script>', html, re.DOTALL)[1]
    assert json.loads(embedded) == json.loads(json.dumps(invented(notes=("A note.",)).to_dict()))


def test_names_of_a_user_do_not_break_it(invented):
    nasty = "<script>alert(1)</script> & \"site\" 'x'"
    text = page(invented((nasty, 0.001, 0.001, 0.001, "inflates"), response="</script><b>y", notes=("<i>note</i>",)))
    assert "<script>alert" not in text
    assert "<b>y" not in text
    assert "<i>note" not in text
    assert text.count("</script>") == 1


def test_predictions_only(predictions_only):
    text = page(predictions_only)
    assert "orrected" not in text.replace("corrected_error", "").replace('"corrected"', "")
    assert "nan" not in re.sub(r"base64,[^\"]*", "", text).lower().replace("finance", "")


def test_a_notebook_shows_the_answer(invented):
    text = notebook(invented())
    assert invented()._repr_html_() == text
    assert "The model reads site" in text
    assert ".660" in text
    assert len(text) < 5000


# ---- for a paper -----------------------------------------------------------------------------------------------------


def test_methods_cite_what_was_used(invented, predictions_only):
    one = methods(invented())
    assert "(Chaibub Neto 2018)" in one
    assert "Berrett" not in one
    assert "Westfall" not in one
    assert "Li et al. 2018" in one
    several = invented(("site", 0.1, 0.1, 0.1, "unclear"), ("age", 0.1, 0.1, 0.1, "unclear"))
    assert "Westfall and Young 1993" in methods(several)
    assert "Holm 1979" in methods(several)
    several.by_confounder.loc[1, "kind"] = "numeric"
    assert "Berrett et al. 2020" in methods(several)
    assert "numeric confounders (age)" in methods(several)
    assert "refitted" not in methods(predictions_only)
    assert "Chaibub" not in methods(predictions_only)
    cited = [REFERENCES[key] for key in ("permconf", "Li et al. 2018", "van Elteren 1960")]
    assert sorted(references(predictions_only)) == sorted(cited)


# ---- files -----------------------------------------------------------------------------------------------------------


def test_formats_by_suffix(invented, tmp_path):
    audit = invented()
    starts = {"html": b"<!DOCTYPE html>", "json": b"{", "csv": b"metric,observed", "png": b"\x89PNG", "pdf": b"%PDF"}
    for suffix, start in starts.items():
        audit.save(tmp_path / f"audit.{suffix}")
        assert (tmp_path / f"audit.{suffix}").read_bytes().startswith(start)
    assert json.loads((tmp_path / "audit.json").read_text())["confounding_p"] == 0.001
    assert pd.read_csv(tmp_path / "audit.csv")["reweighted"].tolist() == [0.6604]
    audit.save(str(tmp_path / "again.html"))
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "audit.html").read_bytes()


def test_other_files_are_refused(invented, tmp_path):
    with pytest.raises(ValueError, match=r"saved as .html, .json, .csv, .png, .pdf, not as 'audit.docx'"):
        invented().save(tmp_path / "audit.docx")
    with pytest.raises(ValueError, match="there is no folder"):
        invented().save(tmp_path / "nowhere" / "audit.html")
