"""Vector instructions for matrices whose rows are tiles: TILE numbers, one for each of the responses fitted together.

They are written for single and double precision alike. All arrays are addressed as flat ones, and no sum depends on
another column of the tile.
"""

# ruff: noqa: ARG001 (numba passes all arguments to intrinsics)

import math
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from permconf.learners._vectors import _spread, _with_data

TILE = 16
ROWS = 4  # of a matrix product that is found in registers
LINK_LIMIT = 30.0  # beyond it R treats a fitted probability as 0 or 1

_I64 = ir.IntType(64)
_instruction: Any = intrinsic


class _Precision:
    """Numbers of a precision, as vectors of 64 bytes."""

    def __init__(self, kind):
        single = kind.dtype == types.float32
        self.number = ir.FloatType() if single else ir.DoubleType()
        self.bytes, self.lanes = (4, 16) if single else (8, 8)
        self.vector = ir.VectorType(self.number, self.lanes)
        self.bits = ir.VectorType(ir.IntType(8 * self.bytes), self.lanes)
        self.digits, self.exponent = (23, 127) if single else (52, 1023)
        self.terms = 7 if single else 11  # of the series of exp
        self.log2 = (
            (0.693359375, -2.12194440e-4) if single else (6.93147180369123816490e-01, 1.90821492927058770002e-10)
        )

    def constant(self, value):
        return ir.Constant(self.vector, [value] * self.lanes)

    def load(self, builder, array, start):
        place = builder.bitcast(builder.gep(array, [start]), self.vector.as_pointer())
        return builder.load(place, align=self.bytes)

    def store(self, builder, value, array, start):
        place = builder.bitcast(builder.gep(array, [start]), self.vector.as_pointer())
        builder.store(value, place, align=self.bytes)

    def halves(self):
        """First columns of the vectors that make up a tile."""
        return [_I64(first) for first in range(0, TILE, self.lanes)]


def _fused(builder, a, b, c):
    return builder.fadd(builder.fmul(a, b, flags=("contract",)), c, flags=("contract",))


def _largest(builder, a, b):
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def _smallest(builder, a, b):
    return builder.select(builder.fcmp_ordered("<", a, b), a, b)


def _row(builder, start, k):
    """Start of the tile that is k rows behind `start`."""
    return builder.add(start, builder.mul(k, _I64(TILE)))


@_instruction
def add_product(typing_context, A, start, row_stride, stride, count, B, b, C, c):
    """Add ROWS rows of A times `count` tiles of B to tiles of C; B is read from b, C is written from c.

    Entry k of row u of A is A[start + u * row_stride + k * stride].
    """

    def generate(context, builder, signature, arguments):
        A, start, row_stride, stride, count, B, b, C, c = _with_data(context, builder, signature, arguments)
        real = _Precision(signature.args[0])
        for half in real.halves():
            places = [builder.add(c, builder.add(half, _I64(u * TILE))) for u in range(ROWS)]
            totals = [cgutils.alloca_once(builder, real.vector) for _ in range(ROWS)]
            for place, total in zip(places, totals, strict=True):
                builder.store(real.load(builder, C, place), total)
            with cgutils.for_range(builder, count) as loop:
                tile = real.load(builder, B, builder.add(half, _row(builder, b, loop.index)))
                at = builder.add(start, builder.mul(loop.index, stride))
                for u, total in enumerate(totals):
                    a = builder.load(builder.gep(A, [builder.add(at, builder.mul(row_stride, _I64(u)))]))
                    term = _fused(builder, _spread(builder, a, real.vector), tile, builder.load(total))
                    builder.store(term, total)
            for place, total in zip(places, totals, strict=True):
                real.store(builder, builder.load(total), C, place)
        return context.get_dummy_value()

    integer = types.int64
    return types.void(A, integer, integer, integer, integer, B, integer, C, integer), generate


@_instruction
def to_residuals(typing_context, links, count, signs, start, summary):
    """Turn `count` tiles of linear predictors into residuals y - mu; `signs`, read from `start`, has 2y - 1.

    With sign s, a residual is s / (1 + exp(s link)). The three tiles of `summary` are brought up to date: the largest
    absolute residual, the sum of the weights w = mu (1 - mu), and that of w link^2. Rows with sign 0 do not count.

    exp(x) = 2**k exp(r) with r = x - k log 2: a polynomial for exp(r), the exponent field of a number for 2**k.
    """

    def generate(context, builder, signature, arguments):
        links, count, signs, start, summary = _with_data(context, builder, signature, arguments)
        real = _Precision(signature.args[0])
        one, limit = real.constant(1.0), real.constant(LINK_LIMIT)
        shift = real.constant(1.5 * 2.0**real.digits)  # adding it rounds to an integer in the low bits
        high, low = (real.constant(-part) for part in real.log2)
        for half in real.halves():
            places = [builder.add(half, _I64(u * TILE)) for u in range(3)]
            largest, weights, squares = (cgutils.alloca_once(builder, real.vector) for _ in range(3))
            for place, value in zip(places, (largest, weights, squares), strict=True):
                builder.store(real.load(builder, summary, place), value)
            with cgutils.for_range(builder, count) as loop:
                place = _row(builder, half, loop.index)
                s = real.load(builder, signs, builder.add(start, place))
                x = builder.fmul(s, real.load(builder, links, place))
                x = _largest(builder, _smallest(builder, x, limit), real.constant(-LINK_LIMIT))
                rounded = _fused(builder, x, real.constant(math.log2(math.e)), shift)
                k = builder.fsub(rounded, shift)
                r = _fused(builder, k, low, _fused(builder, k, high, x))
                series = real.constant(1.0 / math.factorial(real.terms))
                for power in range(real.terms - 1, -1, -1):
                    series = _fused(builder, series, r, real.constant(1.0 / math.factorial(power)))
                bits = builder.add(
                    builder.bitcast(rounded, real.bits), ir.Constant(real.bits, [real.exponent] * real.lanes)
                )
                bits = builder.shl(bits, ir.Constant(real.bits, [real.digits] * real.lanes))
                odds = _fused(builder, series, builder.bitcast(bits, real.vector), one)
                residual = builder.fdiv(s, odds)
                real.store(builder, residual, links, place)
                size = _largest(builder, residual, builder.fneg(residual))
                weight = builder.fmul(size, builder.fsub(one, size))
                builder.store(_largest(builder, size, builder.load(largest)), largest)
                builder.store(builder.fadd(weight, builder.load(weights)), weights)
                builder.store(_fused(builder, builder.fmul(x, x), weight, builder.load(squares)), squares)
            for place, value in zip(places, (largest, weights, squares), strict=True):
                real.store(builder, builder.load(value), summary, place)
        return context.get_dummy_value()

    return types.void(links, types.int64, signs, types.int64, summary), generate


@_instruction
def products(typing_context, A, a, B, b, count, out):
    """out[c] becomes the sum over `count` tiles of A (from a) times B (from b), column by column."""

    def generate(context, builder, signature, arguments):
        A, a, B, b, count, out = _with_data(context, builder, signature, arguments)
        real = _Precision(signature.args[0])
        for half in real.halves():
            total = cgutils.alloca_once(builder, real.vector)
            builder.store(real.constant(0.0), total)
            with cgutils.for_range(builder, count) as loop:
                left, right = (
                    real.load(builder, array, builder.add(half, _row(builder, start, loop.index)))
                    for array, start in ((A, a), (B, b))
                )
                builder.store(_fused(builder, left, right, builder.load(total)), total)
            real.store(builder, builder.load(total), out, half)
        return context.get_dummy_value()

    return types.void(A, types.int64, B, types.int64, types.int64, out), generate


@_instruction
def add_scaled(typing_context, scale, A, a, B, b, count):
    """Add scale[c] times `count` tiles of A (from a) to those of B (from b)."""

    def generate(context, builder, signature, arguments):
        scale, A, a, B, b, count = _with_data(context, builder, signature, arguments)
        real = _Precision(signature.args[0])
        for half in real.halves():
            factor = real.load(builder, scale, half)
            with cgutils.for_range(builder, count) as loop:
                place = builder.add(half, _row(builder, b, loop.index))
                added = real.load(builder, A, builder.add(half, _row(builder, a, loop.index)))
                real.store(builder, _fused(builder, factor, added, real.load(builder, B, place)), B, place)
        return context.get_dummy_value()

    return types.void(scale, A, types.int64, B, types.int64, types.int64), generate
