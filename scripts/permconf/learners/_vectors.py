"""Vector instructions for inner loops, which numba would not find by itself.

Vectors are as wide as the algorithm likes; LLVM splits them into the registers of the processor at hand.
"""

# ruff: noqa: ARG001 (numba passes all arguments to intrinsics)

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 32  # rows whose sums are found together
UNROLLED = 8  # rows added to them in a turn

_I16, _I32, _I64, _DOUBLE = ir.IntType(16), ir.IntType(32), ir.IntType(64), ir.DoubleType()
_instruction: Any = intrinsic


@_instruction
def borrowed(typing_context, arrays):
    """A tuple of arrays without reference counting, which would double the time."""

    def generate(context, builder, signature, arguments):
        result = arguments[0]
        for i, kind in enumerate(arrays):
            view = context.make_array(kind)(context, builder, builder.extract_value(result, i))
            view.meminfo = view.meminfo.type(None)
            result = builder.insert_value(result, view._getvalue(), i)
        return result

    return arrays(arrays), generate


@_instruction
def trailing_zeros(typing_context, x):
    """Index of the lowest bit set in x, which is not 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.uint64(types.uint64), generate


@_instruction
def as_integer(typing_context, x):
    """The bits of a double, which have the order of the numbers if these are not negative."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], _I64)

    return types.int64(types.float64), generate


@_instruction
def at_most(typing_context, values, start, limit):
    """A word whose bit i is set if values[start + i] <= limit."""

    def generate(context, builder, signature, arguments):
        values, start, limit = _with_data(context, builder, signature, arguments)
        vector = ir.VectorType(_DOUBLE, 64)
        compared = builder.fcmp_ordered("<=", _loaded(builder, values, start, vector), _spread(builder, limit, vector))
        return builder.bitcast(compared, _I64)

    return types.uint64(values, types.uint64, types.float64), generate


@_instruction
def sums_up_to(typing_context, at, added, count, sums):
    """sums[i] becomes the sum of added[j] over all j < count with at[j] <= at[i], both of 16 bits.

    `at` and `added` hold every number twice, in both halves of 32 bits, from where it is cheapest to spread. Both are
    padded, with 0x7FFF7FFF to LANES entries more and with 0 to UNROLLED more.
    """

    def generate(context, builder, signature, arguments):
        at, added, count, sums = _with_data(context, builder, signature, arguments)
        vector, pairs, words = ir.VectorType(_I16, LANES), ir.VectorType(_I32, LANES // 2), ir.VectorType(_I32, LANES)
        zero = ir.Constant(vector, [0] * LANES)

        def both_halves(array, j):
            return builder.bitcast(_spread(builder, builder.load(builder.gep(array, [j])), pairs), vector)

        with cgutils.for_range_slice(builder, _I64(0), count, _I64(LANES)) as (i, _):
            here = builder.trunc(_loaded(builder, at, i, words), vector)
            total = cgutils.alloca_once_value(builder, zero)
            builder.store(zero, total)
            with cgutils.for_range_slice(builder, _I64(0), count, _I64(UNROLLED)) as (first, _):
                for u in range(UNROLLED):
                    j = builder.add(first, _I64(u))
                    beyond = builder.icmp_signed(">", both_halves(at, j), here)
                    term = builder.select(beyond, zero, both_halves(added, j))
                    builder.store(builder.add(builder.load(total), term), total)
            _store(builder, builder.load(total), sums, i)
        return context.get_dummy_value()

    return types.void(at, added, types.int64, sums), generate


@_instruction
def largest_gain(typing_context, counts, count, weight, total, low):
    """The largest gain among `count` cuts, as an integer whose `low` bits encode (counting down) the weight left of it.

    counts[i] holds weight and sum left of cut i in 8 bits each, `weight` and `total` are those of the node. A cut with
    nothing to its right is none; -1 if there is no other. Entries are padded with such cuts to a multiple of eight.
    """

    def generate(context, builder, signature, arguments):
        counts, count, *whole = _with_data(context, builder, signature, arguments)
        short, word, long, real = (ir.VectorType(kind, 8) for kind in (_I16, _I32, _I64, _DOUBLE))
        weight, total, low = (_spread(builder, x, kind) for x, kind in zip(whole, (real, real, long), strict=True))
        none = ir.Constant(long, [-1] * 8)
        best = cgutils.alloca_once_value(builder, none)
        builder.store(none, best)
        with cgutils.for_range_slice(builder, _I64(0), count, _I64(8)) as (i, _):
            both = builder.zext(_loaded(builder, counts, i, short), word)
            left = builder.and_(both, ir.Constant(word, [255] * 8))
            w = builder.sitofp(left, real)
            s = builder.sitofp(builder.lshr(both, ir.Constant(word, [8] * 8)), real)
            d = builder.fsub(builder.fmul(weight, s), builder.fmul(total, w))
            gain = builder.fdiv(builder.fmul(d, d), builder.fmul(w, builder.fsub(weight, w)))
            high = builder.and_(builder.bitcast(gain, long), builder.not_(low))
            code = builder.or_(high, builder.sub(low, builder.zext(left, long)))
            code = builder.select(builder.fcmp_ordered("<", w, weight), code, none)
            so_far = builder.load(best)
            builder.store(builder.select(builder.icmp_signed(">", code, so_far), code, so_far), best)
        maximum = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_I64, [long]), "llvm.vector.reduce.smax.v8i64"
        )
        return builder.call(maximum, [builder.load(best)])

    return types.int64(counts, types.int64, types.float64, types.float64, types.int64), generate


def _with_data(context, builder, signature, arguments):
    """The arguments, arrays as pointers to their first entry."""
    return [
        context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value
        for kind, value in zip(signature.args, arguments, strict=True)
    ]


def _spread(builder, value, vector):
    """A vector with `value` everywhere."""
    nothing = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(nothing, value, _I32(0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(_I32, vector.count), [0] * vector.count))


def _loaded(builder, array, start, vector):
    place = builder.bitcast(builder.gep(array, [start]), vector.as_pointer())
    return builder.load(place, align=_size(vector))


def _store(builder, value, array, start):
    place = builder.bitcast(builder.gep(array, [start]), value.type.as_pointer())
    builder.store(value, place, align=_size(value.type))


def _size(vector):
    """Bytes of an element."""
    return 8 if vector.element == _DOUBLE else vector.element.width // 8
