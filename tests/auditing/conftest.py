"""A small table with two classes, confounders of several kinds, and subjects; audits with invented numbers."""

import numpy as np
import pandas as pd
import pytest

from permconf.auditing.answer import Audit, MetricAnswer
from permconf.reweight.estimates import Estimate, Estimates

NAN = float("nan")
COLUMNS = ["confounder", "p", "association_p", "prediction_p", "sign"]


def metric_answer(spread=0.04, reasons=None, **changes):
    """An AUC that falls from .80 to .66 when rows are reweighted, which is known up to `spread`; `reasons` withhold."""
    rng = np.random.default_rng(1)
    fields = {
        "name": "auc",
        "larger_is_better": True,
        "observed": 0.8012,
        "observed_interval": (0.752, 0.843),
        "corrected": 0.6412,
        "corrected_error": 0.0087,
        "response_p": 0.001,
        "response_error": 0.001,
        "restricted": rng.normal(0.68, 0.02, 999),
        "standard": rng.normal(0.5, 0.03, 999),
    }
    value, interval = changes.pop("reweighted", 0.6604), changes.pop("reweighted_interval", (0.611, 0.707))
    fields |= changes
    change, reasons = fields["observed"] - value, reasons or {}
    sides = {"low": change - spread, "high": change + spread}
    sides |= {"low90": change - 0.8 * spread, "high90": change + 0.8 * spread}
    values = {
        "reweighted": Estimate(value, *interval, size=151.3),
        "overlap": Estimate(0.655, 0.601, 0.706, size=170.2),
        "within": Estimate(0.671, 0.615, 0.724, size=170.2),
        "difference": Estimate(change, **sides),
    }
    estimates = Estimates(
        observed=Estimate(fields["observed"], *fields["observed_interval"]),
        **values | {name: Estimate(reason=reason) for name, reason in reasons.items()},
        against="overlap" if "reweighted" in reasons and "overlap" not in reasons else "reweighted",
        balance=0.51,
        support=pd.DataFrame([("site", NAN, NAN, ("a", "b"))], columns=["confounder", "low", "high", "levels"]),
        by_level=pd.DataFrame(
            [("site", "a", 90, 0.66, 0.55, 0.75), ("site", "b", 110, 0.68, 0.58, 0.77)],
            columns=["confounder", "level", "rows", "value", "low", "high"],
        ),
        left_out=(),
        notes=(),
        weights={},
    )
    return MetricAnswer(**fields, estimates=estimates)


@pytest.fixture
def invented():
    """An audit of one confounder, site, that inflates the AUC; keywords change fields of it or of its first metric.

    Rows are those of the table of confounders (see COLUMNS).
    """

    def audit(*rows, **changes):
        rows = rows or (("site", 0.001, 0.0001, 0.001, "inflates"),)
        of_metric = {name: changes.pop(name) for name in list(changes) if name not in Audit.__dataclass_fields__}
        fields = {
            "metrics": (metric_answer(**of_metric),),
            "association_p": min(row[2] for row in rows),
            "association_error": 0.0001,
            "prediction_p": min(row[3] for row in rows),
            "prediction_error": 0.0003,
            "confounding_p": min(row[1] for row in rows),
            "confounding_error": 0.0003,
            "sign": rows[0][4],
            "by_confounder": pd.DataFrame(rows, columns=COLUMNS).assign(
                kind="binary",
                read_p=[row[3] for row in rows],
                read_sign=[row[4] for row in rows],
                shape="linear",
                attainable_p=0.0002,
                reason="",
                role="",
            ),
            "attainable_p": 0.0002,
            "response": "diagnosis",
            "confounders": tuple(row[0] for row in rows),
            "features": ("x1", "x2"),
            "groups": None,
            "kind": "two classes",
            "classes": ("well", "ill"),
            "learner": "logistic",
            "split": "hold-out set of 200 rows",
            "adjustment": "none",
            "population": "confounders and response independent, with the margins of the sample",
            "counts": {"rows": 400, "train": 200, "test": 200, "features": 2, "dropped": 0, "fixed_rows": 0},
            "permutations": 999,
            "test_permutations": 9999,
            "seed": 0,
            "predictions": pd.DataFrame({"row": [0], "fold": [0], "response": [1], "score": [0.3]}),
            "record_wise": None,
            "sensitivity": None,
            "notes": (),
        }
        return Audit(**fields | changes)

    return audit


@pytest.fixture
def predictions_only(invented):
    """An audit of predictions made elsewhere: nothing was fitted."""
    unknown = dict.fromkeys(("corrected", "corrected_error", "response_p", "response_error"), NAN)
    counts = {"rows": 200, "train": 0, "test": 200, "features": 0, "dropped": 0, "fixed_rows": 0}
    return invented(
        **unknown,
        restricted=None,
        standard=None,
        features=(),
        learner="predictions in column 'score'",
        split="all rows",
        permutations=0,
        counts=counts,
    )


def make_table(rows=120, seed=1):
    """Rows in order of their subjects, three of each; sex and ill are constant within subjects."""
    rng = np.random.default_rng(seed)
    subject = np.arange(rows) // 3
    count = subject.max() + 1
    sex = rng.choice(["f", "m"], count)
    ill = rng.random(count) < np.where(sex == "m", 0.7, 0.3)
    frame = pd.DataFrame(rng.normal(size=(rows, 3)), columns=["a", "b", "c"])
    frame["a"] += 0.8 * ill[subject] + 0.8 * (sex[subject] == "m")
    frame["site"] = rng.choice(["u", "v", "w"], rows)
    frame["age"] = rng.normal(50, 10, rows).round(1)
    return frame.assign(sex=sex[subject], ill=np.where(ill, "yes", "no")[subject], subject=subject)


@pytest.fixture
def data():
    """The table, fresh for every test."""
    return make_table()


@pytest.fixture
def options():
    """Options of an audit of the table that takes little time."""
    return {"response": "ill", "confounders": "sex", "features": ["a", "b", "c"], "permutations": 19}
