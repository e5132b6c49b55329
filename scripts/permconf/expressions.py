"""Conditions on named values, such as "beta != 0", read and evaluated without running code of their own."""

import ast
import operator
import warnings
from functools import reduce
from typing import Any

import numpy as np

from permconf.errors import nearest

_OPERATORS: dict[type, Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.And: np.logical_and,
    ast.Or: np.logical_or,
    ast.Not: np.logical_not,
    ast.USub: operator.neg,
}
ALLOWED = "names, numbers, texts, + - * / abs(), == != < <= > >=, in (a, b), and, or, not, and parentheses"


def condition(text, names):
    """A function of a mapping of names to values (or columns of values) that gives whether `text` is true of them.

    Raises ValueError for anything but the expressions of ALLOWED with these names. A name may have dots.
    """
    for name in names_in(text):
        if name not in names:
            raise ValueError(f"{text!r}: unknown name {name!r}{nearest(name, names)}")
    tree = _parsed(text)
    _truth(tree, text, dict.fromkeys(names, np.float64("nan")))  # finds what is not allowed
    if alone := _not_compared(tree):
        raise ValueError(f"{text!r}: {alone[0]} must be compared, such as x < 0.05 or x == 'text'")
    return lambda values: _truth(tree, text, values)


def _not_compared(node):
    """The parts of a condition, between and, or and not, that are no comparisons."""
    match node:
        case ast.BoolOp(values=parts):
            return [found for part in parts for found in _not_compared(part)]
        case ast.UnaryOp(op=ast.Not(), operand=part):
            return _not_compared(part)
    return [] if isinstance(node, ast.Compare) else [ast.unparse(node)]


def _truth(tree, text, values):
    try:
        return np.asarray(_value(tree, text, values)).astype(bool)
    except ZeroDivisionError:
        raise ValueError(f"{text!r} divides by zero") from None
    except TypeError:
        raise ValueError(f"{text!r} takes a text for a number; texts can only be compared by == and !=") from None


def names_in(text):
    """The names in an expression, in order."""
    pending, names = [_parsed(text)], []
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.Name | ast.Attribute):
            names.append(ast.unparse(node))
        else:
            pending += [one for one in ast.iter_child_nodes(node) if not _is_abs(one)]
    return list(dict.fromkeys(names))


def _is_abs(node):
    return isinstance(node, ast.Name) and node.id == "abs"


def _parsed(text):
    try:
        with warnings.catch_warnings(action="error"):  # such as that about 0.05and
            return ast.parse(text, mode="eval").body
    except (SyntaxError, Warning, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{text!r} is no expression") from None


def _value(node, text, values):
    match node:
        case ast.Constant(value=bool() | int() | float() | str()):
            return node.value
        case ast.Name() | ast.Attribute():
            return values[ast.unparse(node)]
        case ast.Call(func=ast.Name(id="abs"), args=[inner], keywords=[]):
            return abs(_value(inner, text, values))
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            return _OPERATORS[type(node.op)](_value(node.operand, text, values))
        case ast.BinOp() if type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](_value(node.left, text, values), _value(node.right, text, values))
        case ast.BoolOp():
            return reduce(_OPERATORS[type(node.op)], (_value(one, text, values) for one in node.values))
        case ast.Compare(left=one, ops=[ast.In() | ast.NotIn() as op], comparators=[ast.Tuple(elts=several)]):
            value = _value(one, text, values)
            found = reduce(np.logical_or, (value == _value(other, text, values) for other in several), False)
            return found if isinstance(op, ast.In) else np.logical_not(found)
        case ast.Compare() if all(type(op) in _OPERATORS for op in node.ops):
            terms = [_value(one, text, values) for one in (node.left, *node.comparators)]
            pairs = zip(node.ops, terms[:-1], terms[1:], strict=True)
            return reduce(np.logical_and, (_OPERATORS[type(op)](one, other) for op, one, other in pairs))
    raise ValueError(f"{text!r} has more than {ALLOWED}")
