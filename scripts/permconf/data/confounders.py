"""Confounders: each column as given, with its kind, decided here, once and from all rows.

How a confounder is analysed (its treatment) is "levels" (every distinct value is a level), a binning
(`permconf.data.binning`), "smooth" or "auto". With the last two it is *binary* if it has two distinct values,
*categorical* if its values are labels (text, categories, objects that are no numbers or dates, truth values) or whole
numbers or dates with at most ten distinct values, and *numeric* otherwise; with "auto", the default, whole numbers that
look like codes (`permconf.data.codes`) are categorical, too. That is one for all confounders, or one for each: in a
list, or in a mapping by name. Missing or infinite values, wrong lengths and what cannot be binned are errors that name
the column and the row.

Nothing in the data tells a confounder from a mediator or a consequence of the response: `role` is what a user states
about it ("cause" of the response, "mediator" of its effect on the features, or its "consequence"; "" if unknown).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from permconf.data.binning import binned, check_binning, is_binning
from permconf.data.codes import are_codes, note_on_codes
from permconf.data.levels import Levels
from permconf.data.values import MOST_LEVELS, ROWS_PER_LEVEL, clean, coded, not_numbers, numbers, plain_values
from permconf.errors import nearest


@dataclass(frozen=True, eq=False)
class Confounder:
    """One confounder: its name, its kind ("binary", "categorical" or "numeric"), and a number for every row.

    `values` are the numbers of a numeric confounder, and the codes 0, 1, ... of the `levels` of any other. `given` has
    the values as they came; the levels of a confounder in bins are the numbers of its bins. `note` says how whole
    numbers were taken, where that was decided here.
    """

    name: str
    kind: str
    values: np.ndarray
    levels: np.ndarray | None
    treatment: Any
    given: Any
    role: str = ""
    note: str = ""

    @classmethod
    def of(cls, name: str, given: Any, treatment: Any) -> "Confounder":
        """A clean column (`permconf.data.values`), analysed as `treatment` says."""
        title = _title(name)
        if isinstance(treatment, Mapping):
            levels, codes = np.unique(binned(numbers(given, title), treatment), return_inverse=True)
        else:
            levels, codes = coded(given)
        is_label, note = isinstance(treatment, Mapping) or treatment == "levels", ""
        if not is_label and (is_label := _are_labels(given, levels.size)):
            note = _note_on_text(title, levels, len(codes))
        if not is_label and treatment == "auto" and given.dtype.kind in "iuf":
            is_label = are_codes(name, given)
            note = note_on_codes(name, given, as_levels=is_label)
        if is_label:
            return cls(name, _kind(levels), codes, levels, treatment, given, note=note)
        values = numbers(_as_distinct_floats(given, levels.size), title)
        return cls(name, "numeric", values, None, treatment, given, note=note)

    @property
    def unbinned(self) -> np.ndarray | None:
        """The values of a confounder in bins; None for any other."""
        return numbers(self.given, _title(self.name)) if isinstance(self.treatment, Mapping) else None

    @property
    def analysed(self) -> Any:
        """The column as a vector of numbers, or as pandas categories."""
        if self.levels is None:
            return self.values
        import pandas as pd

        return pd.Categorical.from_codes(self.values, categories=pd.Index(self.levels.tolist()))

    def take(self, rows: Any) -> "Confounder":
        """Some rows; codes keep their meaning."""
        given = self.given.iloc[rows].reset_index(drop=True) if hasattr(self.given, "iloc") else self.given[rows]
        return replace(self, values=self.values[rows], given=given)

    def followed_by(self, given: Any) -> "Confounder":
        """These rows, then new ones, analysed as these are."""
        title = _title(self.name)
        both = joined(self.given, clean(given, title, labels=self.levels is not None), title)
        fixed = self.treatment if isinstance(self.treatment, Mapping) else "smooth" if self.levels is None else "levels"
        both = clean(both, title, labels=self.levels is not None)
        if self.levels is None and both.dtype.kind not in "iufMm":
            raise ValueError(f"{title} was numeric in the fit, but some new values are not numbers")
        return replace(Confounder.of(self.name, both, fixed), treatment=self.treatment)

    def present(self) -> "Confounder":
        """The same confounder without levels that have no rows."""
        if self.levels is None or (counts := np.bincount(self.values, minlength=self.levels.size)).all():
            return self
        levels = self.levels[counts > 0]
        return replace(self, values=(np.cumsum(counts > 0) - 1)[self.values], levels=levels, kind=_kind(levels))

    def varying(self) -> "Confounder":
        if self.levels is not None and self.levels.size == 1:
            raise ValueError(f"{_title(self.name)} is constant: every value is {self.levels[0]}; leave it out")
        return self


@dataclass(frozen=True, eq=False)
class Confounders:
    """Columns as they are analysed, and the combination of the categorical ones as codes below `count`.

    `take` keeps the codes, so that those of training and test rows mean the same; `strata` are those of these rows.
    """

    columns: tuple[Confounder, ...]
    codes: np.ndarray
    count: int

    @classmethod
    def of(
        cls,
        given: Any,
        treatment: Any = "auto",
        *,
        rows: int | None = None,
        row_name: Callable[[int], str] = "row {}".format,
    ) -> "Confounders":
        """From a vector, an (m, k) array, a Series, a DataFrame or a mapping of names to vectors.

        `rows`, where given, is the number of rows that the columns must have; `row_name` names a row in an error.
        """
        pairs = _named_columns(given)
        if rows is not None and len(pairs[0][1]) != rows:
            raise ValueError(f"confounders have {len(pairs[0][1])} rows where {rows} are needed")
        treatments = _one_for_each(treatment, [name for name, _ in pairs])
        columns = (
            Confounder.of(name, clean(values, _title(name), row_name=row_name, labels=one == "levels"), one)
            for (name, values), one in zip(pairs, treatments, strict=True)
        )
        return cls.of_columns(tuple(columns))

    @classmethod
    def of_columns(cls, columns: tuple[Confounder, ...]) -> "Confounders":
        """From columns of as many rows."""
        n = len(columns[0].values)
        codes, count = np.zeros(n, np.int64), 1
        for column in columns:
            if column.levels is not None:
                codes, count = codes * column.levels.size + column.values, count * column.levels.size
                if count > 10 * n:  # so that many combinations, most of them without rows, never overflow
                    found, codes = np.unique(codes, return_inverse=True)
                    count = found.size
        return cls(columns, codes, count)

    @classmethod
    def none(cls, rows: int) -> "Confounders":
        """No confounder: all rows are alike."""
        return cls((), np.zeros(rows, np.int64), 1)

    def treated(self, treatment: Any) -> "Confounders":
        """The same confounders, analysed in another way."""
        treatments = _one_for_each(treatment, [column.name for column in self.columns])
        columns = tuple(
            column
            if str(column.treatment) == str(one)
            else replace(Confounder.of(column.name, column.given, one), role=column.role)
            for column, one in zip(self.columns, treatments, strict=True)
        )
        return self if columns == self.columns else self.of_columns(columns)

    def followed_by(self, given: Any, *, rows: int) -> "Confounders":
        """These rows, then new ones, analysed as these are; columns are matched by name if both have names."""
        pairs, names = _named_columns(given), list(self.names)
        new = dict(pairs)
        if set(new) != set(names) and len(new) == len(names) and _nameless(len(new)) in (names, list(new)):
            new = dict(zip(names, new.values(), strict=True))
        if lacking := [name for name in [*names, *new] if name not in new or name not in names]:
            found = "have no" if lacking[0] in names else "have a new"
            raise ValueError(f"confounders {found} column {lacking[0]!r}; give those of the fit: {', '.join(names)}")
        if len(pairs[0][1]) != rows:
            raise ValueError(f"confounders have {len(pairs[0][1])} rows where {rows} are needed")
        return self.of_columns(tuple(column.followed_by(new[column.name]) for column in self.columns))

    def take(self, rows: Any) -> "Confounders":
        return Confounders(tuple(column.take(rows) for column in self.columns), self.codes[rows], self.count)

    def chosen(self, names: list[str]) -> "Confounders":
        return self.of_columns(tuple(column for column in self.columns if column.name in names))

    def present(self) -> "Confounders":
        return self.of_columns(tuple(column.present() for column in self.columns))

    def varying(self) -> "Confounders":
        for column in self.columns:
            column.varying()
        return self

    def with_roles(self, roles: Mapping[str, str]) -> "Confounders":
        """The same confounders with the roles that are stated, by name."""
        columns = tuple(replace(column, role=roles.get(column.name, column.role)) for column in self.columns)
        return replace(self, columns=columns)

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def categorical(self) -> tuple[Confounder, ...]:
        """Columns that have levels."""
        return tuple(column for column in self.columns if column.levels is not None)

    @cached_property
    def strata(self) -> Levels:
        """Rows with the same levels of all categorical confounders; one stratum without any."""
        return Levels.of_codes(self.codes, self.count)

    @cached_property
    def numeric(self) -> np.ndarray:
        """A column for each numeric confounder."""
        columns = [column.values for column in self.columns if column.levels is None]
        return np.column_stack(columns) if columns else np.empty((len(self), 0))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def notes(self) -> tuple[str, ...]:
        """How whole numbers were taken, where that was decided here."""
        return tuple(column.note for column in self.columns if column.note)

    @property
    def numeric_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.levels is None)

    @property
    def has_levels(self) -> bool:
        """Whether all confounders are categorical."""
        return len(self.categorical) == len(self.columns)

    @property
    def stratum_names(self) -> list:
        """The level, or the tuple of levels of several confounders, of each stratum."""
        if not self.categorical:
            return ["all rows"]
        first = np.unique(self.strata.codes, return_index=True)[1]
        levels = [[column.levels.tolist()[column.values[row]] for column in self.categorical] for row in first]  # type: ignore[union-attr]
        return [tuple(names) if len(names) > 1 else names[0] for names in levels]

    @property
    def given(self) -> Any:
        """The confounders as they came: a vector, or a matrix or DataFrame with a column for each."""
        values = [column.given for column in self.columns]
        if all(isinstance(one, np.ndarray) and one.dtype.kind in "biuf" for one in values):
            return values[0] if len(values) == 1 else np.column_stack(values)
        import pandas as pd

        return pd.DataFrame({column.name: column.given for column in self.columns})

    @property
    def labels(self) -> np.ndarray:
        """One categorical confounder by its labels, several by the codes of their combinations."""
        if len(self.columns) == 1 and (levels := self.columns[0].levels) is not None:
            return levels[self.columns[0].values]
        return self.codes


def joined(train: Any, test: Any, name: str = "c") -> Any:
    """The values of the training rows, then those of the test rows: vectors, matrices or pandas objects."""
    train, test = plain_values(train), plain_values(test)
    if hasattr(train, "iloc") and hasattr(test, "iloc"):
        import pandas as pd

        if list(getattr(train, "columns", [])) != list(getattr(test, "columns", [])):
            raise ValueError(f"{name}_train and {name}_test have different columns")
        return pd.concat([train, test], ignore_index=True)
    train, test = (np.asarray(part) if hasattr(part, "iloc") else _as_array(part, name) for part in (train, test))
    if train.shape[1:] != test.shape[1:]:
        shapes = f"shapes {train.shape} and {test.shape}"
        raise ValueError(f"{name}_train and {name}_test have different columns: {shapes}")
    return np.concatenate([train, test])


# ---- columns and what is asked of them -------------------------------------------------------------------------------


def _named_columns(confounders):
    """Pairs of a name and a vector: an array, or a pandas Series where only that can tell numbers from labels."""
    confounders = plain_values(confounders)
    if hasattr(confounders, "columns") and hasattr(confounders, "iloc"):
        names = [str(name) for name in confounders.columns]
        if repeated := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"confounders have several columns named {repeated[0]!r}; give every column its own name")
        pairs = [(name, confounders.iloc[:, j]) for j, name in enumerate(names)]
    elif hasattr(confounders, "iloc"):
        pairs = [("confounder" if confounders.name is None else str(confounders.name), confounders)]
    else:
        array = _as_array(confounders, "confounders")
        columns = [array] if array.ndim == 1 else [array[:, j] for j in range(array.shape[1])]
        pairs = list(zip(_nameless(len(columns)), columns, strict=True))
    if not pairs or not len(pairs[0][1]):
        raise ValueError("confounders are empty; at least one column with rows is needed")
    return pairs


def _nameless(columns):
    """The names of columns that have none of their own."""
    return ["confounder"] if columns == 1 else [f"confounder {j + 1}" for j in range(columns)]


def _as_array(values, name):
    """A vector or matrix; numbers beside labels or None stay what they are."""
    if values is None or isinstance(values, Mapping | set | str | bytes):
        raise ValueError(
            f"{name} must be a vector, an (m, k) array, a Series or a DataFrame, not {type(values).__name__};"
            " put named columns into a DataFrame"
        )
    if hasattr(values, "isna"):  # pandas' own arrays
        import pandas as pd

        return pd.Series(values)
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must have rows of one length; they form no vector and no (m, k) array") from error
    if array.dtype.kind in "US" and not isinstance(values, np.ndarray):
        array = np.asarray(values, object)
    if array.ndim not in (1, 2):
        raise ValueError(f"{name} must be a vector or an (m, k) array, not an array of shape {array.shape}")
    return array


def _one_for_each(treatment, names):
    """The treatment of every column, checked."""
    if isinstance(treatment, Mapping) and not is_binning(treatment, names):
        if unknown := [name for name in treatment if name not in names]:
            raise ValueError(f"unknown confounder {unknown[0]!r}{nearest(unknown[0], names)}")
        if lacking := [name for name in names if name not in treatment]:
            raise ValueError(
                f"confounder has no entry for {lacking[0]!r}; give 'auto', 'levels', 'smooth' or a binning"
            )
        treatment = [treatment[name] for name in names]
    treatments = treatment if isinstance(treatment, list) else [treatment] * len(names)
    if len(treatments) != len(names):
        raise ValueError(f"confounder gives {len(treatments)} binnings, the data have {len(names)} confounders")
    return [check_binning(one) for one in treatments]


# ---- one column ------------------------------------------------------------------------------------------------------


def _title(name):
    return name if name.startswith("confounder") else f"confounder {name!r}"


def _kind(levels):
    return "binary" if levels.size == 2 else "categorical"


def _are_labels(values, distinct):
    """Whether values, with this many distinct ones, are labels rather than numbers."""
    if distinct <= 2 or values.dtype.kind not in "iufMm":
        return True
    return values.dtype.kind != "f" and distinct <= MOST_LEVELS


def _note_on_text(title, levels, rows):
    """A note on labels of which most are numbers; a ValueError if they have too few rows to be labels."""
    if levels.dtype.kind != "U" or levels.size <= MOST_LEVELS:
        return ""
    wrong, sparse = not_numbers(levels.tolist()), levels.size * ROWS_PER_LEVEL > rows
    if 2 * len(wrong) >= levels.size or not (wrong or sparse):
        return ""
    found = f"holds text such as {wrong[0]!r} among numbers" if wrong else "holds numbers written as text"
    if sparse:
        example = "" if wrong else f", such as {levels[0].item()!r}"
        raise ValueError(
            f"{title} {found}{example}; convert it with astype(float), or with astype('category') if they are labels"
        )
    return f"{title[0].upper()}{title[1:]} {found}, so each of its {levels.size} values is a level of its own."


def _as_distinct_floats(values, distinct):
    """Values; whole numbers and dates that are equal as floats, as distances from the smallest one."""
    whole = values.astype(np.int64) if values.dtype.kind in "Mm" else values
    if whole.dtype.kind not in "iu" or np.unique(whole.astype(float)).size == distinct:
        return values
    return whole.astype(np.uint64) - whole.min().astype(np.uint64)  # modulo 2**64, so that nothing overflows
