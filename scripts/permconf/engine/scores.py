"""What a learner predicts for the test rows, and the forms in which metrics need it."""

import re
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from permconf.data.label_codes import is_reversed
from permconf.data.values import not_numbers, plain_values

NEEDS = ("scores", "order", "probabilities", "probabilities if known")
KINDS = ("value", "log_odds", "probability", "probability_minus_half")
_WORDS = r"(?:p|pr|prob|proba|probability|score|scores|pred|prediction|predicted)"


class Scores(NamedTuple):
    """Scores (m, b) of b responses, or (m, b, K) if there are K > 2 classes.

    `flagged` says which columns (b,) came from a fit that must be reported, such as a separated one. `kind` says what
    the scores of two classes are: "log_odds", "probability" (class 1 is predicted above 1/2), "probability_minus_half"
    or just a "value" (in all but the second, class 1 is predicted above 0). With K > 2 classes the class with the
    largest score is predicted, and scores of any kind but "value" are probabilities. `probabilities` are those of class
    1 (m, b), or of every class (m, b, K), where the learner gives them in addition to its scores.
    """

    values: np.ndarray
    flagged: np.ndarray
    kind: str = "value"
    probabilities: np.ndarray | None = None

    def needed(self, needs: str) -> np.ndarray:
        """The form that a metric needs.

        "scores" are positive where class 1 is predicted; "order" is any increasing scale; "probabilities" are those of
        class 1, or of every class; "probabilities if known" are these, or else the order. With K > 2 classes the order
        is that of the probabilities, where there are any.
        """
        if needs == "probabilities if known":
            needs = "order" if self.probabilities is None and self.kind == "value" else "probabilities"
        if needs == "probabilities":
            return self._probabilities()
        if needs == "order" and self.values.ndim == 3 and self.probabilities is not None:
            return self.probabilities
        centred = needs == "scores" and self.kind == "probability" and self.values.ndim == 2
        return self.values - 0.5 if centred else self.values

    def first(self) -> "Scores":
        """The scores of the first response, without keeping those of the others in memory."""
        known = None if self.probabilities is None else self.probabilities[:, :1].copy()
        return self._replace(values=self.values[:, :1].copy(), flagged=self.flagged[:1].copy(), probabilities=known)

    def take(self, rows: np.ndarray) -> "Scores":
        known = None if self.probabilities is None else self.probabilities[rows]
        return self._replace(values=self.values[rows], probabilities=known)

    def _probabilities(self):
        if self.probabilities is not None:
            return self.probabilities
        if self.kind == "value":
            raise ValueError("it needs probabilities, but there are scores only; choose a learner with predict_proba")
        if self.values.ndim == 3 or self.kind == "probability":
            return self.values
        if self.kind == "probability_minus_half":
            return self.values + 0.5
        from scipy.special import expit  # slow to import, and few steps need it

        return expit(self.values)


def joined(parts: list[Scores]) -> Scores:
    values, flagged, kinds, probabilities = zip(*parts, strict=True)
    known = None if probabilities[0] is None else np.concatenate(probabilities, axis=1)
    return Scores(np.concatenate(values, axis=1), np.concatenate(flagged), kinds[0], known)


def class_scores(codes: np.ndarray, classes: int) -> np.ndarray:
    """Predicted class codes as a score for each of the classes on a new last axis: 1 for the predicted one, else 0."""
    return (codes[..., None] == np.arange(classes)).astype(np.float64)


def predicted_classes(scores: np.ndarray) -> np.ndarray:
    """Class codes (m, b) from scores (m, b) of two classes, or (m, b, K) of more."""
    return scores > 0 if scores.ndim == 2 else scores.argmax(axis=2)


def given_scores(scores: Any, labels: np.ndarray | None, rows: int) -> Scores:
    """Predictions made elsewhere, one for each row, as the scores of one response.

    `labels` are the classes of the response, None if it is numeric; then scores are predicted numbers. For two
    classes scores are probabilities of the second one if all are between 0 and 1, else they predict it where they are
    positive. Predicted classes, and a column of scores for each class (`in_class_order`), are understood too. `Scores`
    stay as they are.
    """
    if isinstance(scores, Scores):
        if scores.values.shape[:2] != (rows, 1):
            raise ValueError(f"scores must be those of one response with {rows} rows, not {scores.values.shape[:2]}")
        return scores
    scores, classes = checked_scores(scores, labels, rows), 0 if labels is None else labels.size
    if scores.ndim == 2 and scores.shape[1] not in (1, classes):
        raise ValueError(f"scores must have one column, or one for each class of y, not {scores.shape[1]}")
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.ndim == 1 and labels is not None and _are_classes(scores, known := _as_scores(labels, scores)):
        return _of_classes(scores, known)
    scores = scores.astype(float)
    _check_rows(~np.isfinite(scores), "infinite")
    if scores.ndim == 2:
        return _of_columns(scores)
    return _one(scores, "probability" if classes and _shares(scores) else "value")


def checked_scores(scores: Any, labels: np.ndarray | None, rows: int) -> np.ndarray:
    """Scores (m,) or (m, K) in the order of classes: numbers, none of them missing, or texts that are all labels."""
    scores = np.asarray(in_class_order(plain_values(scores), labels))
    if scores.ndim not in (1, 2) or not scores.size:
        raise ValueError(
            f"scores must be a vector or an (m, K) matrix with a column per class, not of shape {scores.shape}"
        )
    if len(scores) != rows:
        raise ValueError(f"scores have {len(scores)} rows where {rows} are needed, one for each row of y")
    if scores.dtype.kind in "OU":
        import pandas as pd  # slow to import, and studies have arrays of numbers

        _check_rows(pd.isna(scores) | (np.char.strip(scores.astype(str)) == ""), "missing")
        return _read(scores, () if labels is None else labels.tolist())
    if scores.dtype.kind not in "biuf":
        raise ValueError("scores must be real numbers or predicted classes")
    _check_rows(np.isnan(scores), "missing")
    return scores


def _check_rows(wrong, what):
    """Raise ValueError if a row of scores is wrong."""
    found = np.flatnonzero(wrong.reshape(len(wrong), -1).any(axis=1))
    if found.size:
        raise ValueError(
            f"scores have {what} values in {found.size} of {len(wrong)} rows, the first is row {found[0]}; drop those"
            " rows or replace the values"
        )


def _read(scores, labels):
    """Objects and texts as numbers, or as they are if all of a vector are labels."""
    plain, known = np.array(scores.tolist()), scores.ndim == 1 and labels
    if plain.dtype.kind in "biuf" or (known and set(plain.tolist()) <= set(labels)):
        return plain
    texts = scores.astype(str)
    if wrong := not_numbers(texts.ravel().tolist()):
        first = next((text for text in wrong if text not in labels), wrong[0])
        classes = f", or predicted classes of y ({', '.join(map(repr, labels))})" if known else ""
        raise ValueError(
            f"scores hold text that is no number: {first!r} in row {np.argwhere(texts == first)[0, 0]}; give numbers"
            f" with a decimal point and without signs such as %{classes}"
        )
    return texts.astype(float)


def in_class_order(scores: Any, labels: np.ndarray | None) -> Any:
    """Scores; a column for each class is in the order of `labels`.

    Columns of a DataFrame that are named after the classes ("ill", "p_ill", "score ill", "ill prob") are matched by
    name. Others are taken by place, in the sorted order of the classes.
    """
    if labels is None or np.ndim(scores) != 2 or np.shape(scores)[1] != labels.size or labels.size < 2:
        return scores
    order = [1, 0] if is_reversed(labels) else list(range(labels.size))
    columns = getattr(scores, "columns", None)
    if columns is not None and list(columns) != list(range(labels.size)):  # the names of nameless columns
        order = _named_after(columns, labels) or order
    return np.asarray(scores)[:, order]


def _named_after(columns, labels):
    """The place of the column of every class; None if no column is named after one."""
    places = [[k for k, name in enumerate(columns) if is_named_after(name, label)] for label in labels.tolist()]
    lacking = [label for label, found in zip(labels.tolist(), places, strict=True) if not found]
    if lacking and len(lacking) < labels.size:
        raise ValueError(f"scores have no column for class {lacking[0]!r}; name every column after its class, or none")
    found = [place[0] for place in places if len(place) == 1]
    return found if len(set(found)) == labels.size else None


def is_named_after(column: Any, label: Any) -> bool:
    """Whether the name of a column of scores is that of a class, alone or with a word such as "p" or "score"."""
    word, end = re.escape(str(label)), r"[\s_.:=-]+"
    return re.fullmatch(rf"(?:{_WORDS}{end})?{word}(?:{end}{_WORDS})?", str(column), re.I) is not None


def _one(values, kind):
    return Scores(values[:, None], np.zeros(1, bool), kind)


def _shares(scores):
    return bool(np.all((scores >= 0) & (scores <= 1)))


def _as_scores(labels, scores):
    """Labels as numbers, if they are texts of numbers and the scores are numbers."""
    if scores.dtype.kind in "biuf" and labels.dtype.kind not in "biuf":
        with suppress(TypeError, ValueError):
            return labels.astype(float)
    return labels


def _are_classes(scores, labels):
    """Whether scores are predicted classes: always if there are several, or text; numbers 0 and 1 are probabilities."""
    if labels.size > 2 or scores.dtype.kind not in "biuf":
        return True
    return labels.dtype.kind in "biuf" and not _shares(labels) and bool(np.isin(scores, labels).all())


def _of_classes(predicted, labels):
    wrong = np.flatnonzero(~np.isin(predicted, labels))
    if wrong.size:
        raise ValueError(f"scores must be predicted classes of y, but one is {predicted[wrong[:1]].tolist()[0]!r}")
    codes = (predicted[:, None] == labels).argmax(axis=1)
    return _one(codes - 0.5 if labels.size == 2 else class_scores(codes, labels.size), "value")


def _of_columns(scores):
    """Scores from a column for each class: probabilities if they sum to one in every row."""
    kind = "probability" if _shares(scores) and np.allclose(scores.sum(axis=1), 1, atol=1e-6) else "value"
    if scores.shape[1] > 2:
        return _one(scores, kind)
    return _one(scores[:, 1] if kind == "probability" else scores[:, 1] - scores[:, 0], kind)
