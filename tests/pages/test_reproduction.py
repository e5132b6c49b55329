from permconf.pages.reproduction import record
from permconf.paper.claims.ledger import COLUMNS, markdown
from permconf.paper.claims.verdicts import NOT_REPRODUCED, REPRODUCED

CLAIM = dict.fromkeys(COLUMNS, "") | {"statement": "The mean is one.", "estimate": 1.0, "low": 0.9, "high": 1.1}


def test_the_record_names_what_does_not_hold():
    rows = [CLAIM | {"id": name, "verdict": name, "expected": REPRODUCED} for name in (REPRODUCED, NOT_REPRODUCED)]
    page = record(rows, {"date": "today"})
    assert "- date: today" in page
    assert page.count(f"({NOT_REPRODUCED}): The mean is one.") == 1
    assert f"({REPRODUCED}): The mean is one." not in page
    assert markdown(rows) in page
