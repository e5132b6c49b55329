"""A gate for pipelines: does an audit meet a condition under which it should fail?"""

from permconf.expressions import condition, names_in


def failures(conditions, audit):
    """A sentence for each condition, such as "confounding_p < 0.05", that holds or rests on a value that is withheld.

    Names are those of `Audit.to_dict`; with dots inside it: `counts.test`, `metrics.auc.observed`,
    `by_confounder.site.read_p`.
    """
    found = dict(_flat(audit.to_dict()))
    return [sentence for text in conditions if (sentence := _failure(text, found))]


def check(conditions):
    """Raise ValueError if one cannot be read, whatever the names are."""
    for text in conditions:
        names = names_in(text)
        condition(text, names)
        if not names:
            raise ValueError(f"{text!r} uses no value of the audit, such as confounding_p")


def _failure(text, found):
    is_true, used = condition(text, found), names_in(text)
    for name in used:
        if found[name] is None:
            reason = found.get(f"{name}_reason") or "it could not be computed"
            return f"{text!r} cannot be judged, which counts as a failure: {name} is withheld ({reason})"
    shown = ", ".join(f"{name} = {_shown(found[name])}" for name in used)
    return f"{text!r} is true: {shown}" if is_true(found) else ""


def _shown(value):
    return f"{value:.4g}" if isinstance(value, float) else repr(value)


def _flat(value, path=()):
    """Numbers, texts and nulls by their dotted names; a row of a table has the name that stands first in it."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _flat(one, (*path, name))
    elif isinstance(value, list):
        for row in value:
            if isinstance(row, dict) and row:
                yield from _flat(row, (*path, str(next(iter(row.values())))))
    elif path:
        yield ".".join(path), value
