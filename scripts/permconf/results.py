"""What all results share: names that scipy uses, other forms, and a sentence where somebody tries a wrong name."""

import json
import math
from collections.abc import Iterator
from dataclasses import fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

from permconf.errors import nearest

if TYPE_CHECKING:
    import pandas as pd


def also(*paths: str, doc: str = "") -> Any:
    """An attribute that stands for another one, such as "headline.observed"; for several, a tuple of them."""
    return property(attrgetter(*paths), doc=doc or f"`{', '.join(paths)}`, by another name.")


class Result:
    """Base of results, which are frozen dataclasses; `result["name"]`, `list` and `dict` work as for `to_dict`."""

    HINTS: ClassVar[dict[str, str]] = {}  # the sentence for a name that people try from habit

    def to_dict(self) -> dict:
        """The fields but arrays, as numbers, texts and lists that JSON can hold; what is not defined is None."""
        named: Any = fields(self)  # type: ignore[arg-type]
        return json_safe({one.name: getattr(self, one.name) for one in named if "ndarray" not in str(one.type)})

    def to_json(self) -> str:
        """`to_dict` as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    def to_frame(self) -> "pd.DataFrame":
        """One row with the numbers and texts."""
        import pandas as pd

        return pd.DataFrame([{name: value for name, value in self.to_dict().items() if _is_scalar(value)}])

    def summary(self) -> str:
        """The numbers and texts, one on each line, then the tables."""
        found = self.to_dict()
        lines = [f"{name:<20} {_shown(value)}".rstrip() for name, value in found.items() if _is_scalar(value)]
        tables = [getattr(self, name).to_string(index=False) for name, value in found.items() if _is_table(value)]
        return "\n\n".join(["\n".join([type(self).__name__, *lines]), *tables])

    def __getattr__(self, name: str) -> Any:
        kind = type(self)
        known = [one for one in (*dir(kind), *getattr(kind, "__dataclass_fields__", ())) if not one.startswith("_")]
        hint = f"; {kind.HINTS[name]}" if name in kind.HINTS else nearest(name, known)
        raise AttributeError(f"{'an' if kind.__name__[0] in 'AE' else 'a'} {kind.__name__} has no {name!r}{hint}")

    def keys(self) -> list[str]:
        """The names of `to_dict`."""
        return list(self.to_dict())

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __getitem__(self, name: str) -> Any:
        found = self.to_dict()
        try:
            return found[name] if name in found and not hasattr(self, name) else getattr(self, name)
        except (AttributeError, TypeError) as error:
            raise KeyError(str(error)) from None


def _is_scalar(value):
    return value is None or isinstance(value, str | int | float)


def _is_table(value):
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _shown(value):
    return "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def json_safe(value: Any) -> Any:
    """What JSON can hold: a table is a list of its rows; NaN and infinity are None."""
    if hasattr(value, "columns"):
        return [json_safe(row) for row in value.to_dict("records")]
    if isinstance(value, dict):
        return {" and ".join(key) if isinstance(key, tuple) else str(key): json_safe(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [json_safe(one) for one in value]
    if isinstance(value, Result):
        return value.to_dict()
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)
