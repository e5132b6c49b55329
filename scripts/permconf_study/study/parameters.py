"""Parameters of a scenario: fixed, varied between data sets, or derived from others.

A parameter is a number, or a mapping with one key: `range`, `integers` (Latin hypercube), `uniform` (independent
draws), `values` (taken in turn), or a derivation `equal`, `sum`, `product`, `one_minus` of other parameters. A scenario
may also list `rows` of parameters, each a mapping of names to numbers: data set i takes row i modulo their number.
"""

import numpy as np

from permconf.errors import nearest

SPREADS = ("range", "integers", "uniform", "values")
LARGEST = 1e15  # larger whole numbers are not exact in floating point
DERIVATIONS = ("equal", "sum", "product", "one_minus")


def check_parameter(name, spec, parameters):
    """Raise ValueError, naming key and value, if the specification of a parameter is invalid."""
    where = f"data.parameters.{name}"
    if _is_number(spec):
        return
    if not isinstance(spec, dict) or len(spec) != 1:
        raise ValueError(f"{where} must be a number or one of {', '.join(SPREADS + DERIVATIONS)}, not {spec!r}")
    ((kind, value),) = spec.items()
    if kind in ("range", "integers", "uniform"):
        numbers = isinstance(value, list) and len(value) == 2 and all(_is_number(v, kind == "integers") for v in value)
        if not numbers:
            kinds = "two whole numbers" if kind == "integers" else "two numbers"
            raise ValueError(f"{where}.{kind} must be {kinds}, not {value!r}")
        if value[0] > value[1]:
            raise ValueError(f"{where}.{kind} must go from low to high, not {value!r}")
    elif kind == "values":
        if not (isinstance(value, list) and value and all(_is_number(v) for v in value)):
            raise ValueError(f"{where}.values must be a list of numbers, not {value!r}")
    elif kind in DERIVATIONS:
        _check_derivation(where, kind, value, parameters)
    else:
        raise ValueError(f"{where}: unknown {kind!r}{nearest(kind, SPREADS + DERIVATIONS)}")


def _check_derivation(where, kind, value, parameters):
    terms = [value] if kind == "equal" else value
    if not isinstance(terms, list) or not terms:
        expected = "a name" if kind == "equal" else "a list of names or numbers"
        raise ValueError(f"{where}.{kind} must be {expected}, not {value!r}")
    sources = {k for k, s in parameters.items() if not isinstance(s, dict) or set(s) <= set(SPREADS)}
    for term in terms:
        if not (_is_number(term) or (isinstance(term, str) and term in sources)):
            raise ValueError(
                f"{where}.{kind}: {term!r} is not a parameter given by number or range{nearest(term, sources)}"
            )


def check_rows(rows, parameters):
    """Raise ValueError if a row lacks a parameter that other rows give, or gives a derived one."""
    for name in dict.fromkeys(name for row in rows for name in row):
        spec = parameters.get(name)
        if isinstance(spec, dict) and set(spec) & set(DERIVATIONS):
            raise ValueError(f"data.rows gives {name!r}, which data.parameters derives from others")
        for number, row in enumerate(rows):
            if name not in row and spec is None:
                raise ValueError(
                    f"data.rows.{number} lacks {name!r}, which other rows give but data.parameters does not"
                )


def _is_number(value, whole=False):
    """Whether a value is a number of reasonable size."""
    kind = int if whole else (int, float)
    return isinstance(value, kind) and not isinstance(value, bool) and abs(value) <= LARGEST


def bounds(spec, parameters):
    """Smallest and largest value of a parameter; for a derived one, those that its terms allow."""
    if not isinstance(spec, dict):
        return spec, spec
    ((kind, value),) = spec.items()
    if kind in SPREADS:
        return min(value), max(value)
    terms = [value] if kind == "equal" else value
    ends = [bounds(parameters[t], parameters) if isinstance(t, str) else (t, t) for t in terms]
    if kind == "product":
        low, high = 1.0, 1.0
        for end in ends:
            corners = [one * other for one in (low, high) for other in end]
            low, high = min(corners), max(corners)
        return low, high
    low, high = (sum(end[k] for end in ends) for k in (0, 1))
    return (1 - high, 1 - low) if kind == "one_minus" else (low, high)


def hypercube_names(parameters):
    """Names of the parameters in the Latin hypercube."""
    return [name for name, spec in parameters.items() if isinstance(spec, dict) and {"range", "integers"} & spec.keys()]


def combinations(parameters, rows=()):
    """Number of combinations of the rows and of the parameters given as `values`."""
    numbers = [len(s["values"]) for s in parameters.values() if isinstance(s, dict) and "values" in s]
    return int(np.prod([max(1, len(rows)), *numbers]))


def varied_parameters(data):
    """The parameters by which the data sets of a scenario are divided into cells."""
    by_values = [name for name, spec in data["parameters"].items() if isinstance(spec, dict) and "values" in spec]
    return tuple(dict.fromkeys([*by_values, *(name for row in data.get("rows", ()) for name in row)]))


def derived(spec, columns):
    """A parameter computed from others: {equal: a}, {sum: [a, b]}, {product: [...]} or {one_minus: [...]}."""
    ((rule, names),) = spec.items()
    terms = [columns[t] if isinstance(t, str) else t for t in (names if isinstance(names, list) else [names])]
    if rule == "equal":
        return terms[0]
    if rule == "sum":
        return sum(terms)
    if rule == "one_minus":
        return 1 - sum(terms)
    return np.prod(np.broadcast_arrays(*terms), axis=0)
