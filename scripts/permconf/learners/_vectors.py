"""Vector instructions for inner loops, which numba would not find by itself.

Vectors have the width that suits the algorithm; LLVM splits them into the registers of the processor at hand.
"""

# ruff: noqa: ARG001 (numba passes all arguments to intrinsics)

from functools import partial
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 32  # rows whose sums are found together
UNROLLED = 4  # rows added to them in a turn
EXACT = 128  # largest weight of a node in which single precision tells all gains apart
FEW = 8  # doubles that are compared together
FLATTENED = 4  # bits of a word that are found in a turn
TALL = 6  # rows of a product whose sums are found together, in registers,
WIDE = 128  # and bytes of each

_I16, _I32, _I64, _DOUBLE = ir.IntType(16), ir.IntType(32), ir.IntType(64), ir.DoubleType()
_instruction: Any = intrinsic
_instruction_for_constants: Any = intrinsic(prefer_literal=True)


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
    """Index of the lowest bit set in x; 64 if it is 0."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.uint64(types.uint64), generate


@_instruction
def bits_set(typing_context, x):
    """Number of bits set in x."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@_instruction
def as_integer(typing_context, x):
    """The bits of a double, which have the order of the numbers if these are not negative."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], _I64)

    return types.int64(types.float64), generate


@_instruction
def at_most(typing_context, values, start, limit):
    """A word whose bit i is set if values[start + i] <= limit: 64 bits for integers, FEW for doubles."""
    real = isinstance(values.dtype, types.Float)

    def generate(context, builder, signature, arguments):
        values, start, limit = _with_data(context, builder, signature, arguments)
        vector = ir.VectorType(values.type.pointee, FEW if real else 64)
        compare = builder.fcmp_ordered if real else builder.icmp_signed
        limits = _spread(builder, limit if real else builder.trunc(limit, vector.element), vector)
        bits = builder.bitcast(compare("<=", _loaded(builder, values, start, vector), limits), ir.IntType(vector.count))
        return builder.zext(bits, _I64)

    return types.uint64(values, types.uint64, types.float64 if real else types.int64), generate


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
def largest_gain(typing_context, counts, count, weight, total):
    """The largest gain of `count` cuts, as an integer whose lower half encodes (counting down) the weight left of it.

    counts[i] holds weight and sum left of cut i in 8 bits each, `weight` and `total` are those of the node. A cut with
    nothing to its right is none; the result is negative if there is no other. Entries are padded with such cuts to a
    multiple of eight. Gains are found in single precision, which does not round different ones to the same number if
    `weight` is at most EXACT. Codes are compared as doubles, which have the order of their bits.
    """

    def generate(context, builder, signature, arguments):
        counts, count, weight, total = _with_data(context, builder, signature, arguments)
        short, word, single, real = (ir.VectorType(kind, 8) for kind in (_I16, _I32, ir.FloatType(), _DOUBLE))
        weight, total = (_spread(builder, builder.fptrunc(x, single.element), single) for x in (weight, total))
        interleaved = ir.Constant(ir.VectorType(_I32, 16), [0, 8, 1, 9, 4, 12, 5, 13, 2, 10, 3, 11, 6, 14, 7, 15])
        none = ir.Constant(real, [-1.0] * 8)
        best = cgutils.alloca_once_value(builder, none)
        builder.store(none, best)
        with cgutils.for_range_slice(builder, _I64(0), count, _I64(8)) as (i, _):
            both = builder.zext(_loaded(builder, counts, i, short), word)
            left = builder.and_(both, ir.Constant(word, [255] * 8))
            w = builder.sitofp(left, single)
            s = builder.sitofp(builder.lshr(both, ir.Constant(word, [8] * 8)), single)
            d = builder.fsub(builder.fmul(weight, s), builder.fmul(total, w))
            gain = builder.fdiv(builder.fmul(d, d), builder.fmul(w, builder.fsub(weight, w)))
            high = builder.bitcast(gain, word)
            high = builder.select(builder.fcmp_ordered("<", w, weight), high, ir.Constant(word, [-1] * 8))
            code = builder.bitcast(builder.shuffle_vector(builder.not_(left), high, interleaved), real)
            so_far = builder.load(best)
            builder.store(builder.select(builder.fcmp_ordered(">", code, so_far), code, so_far), best)
        return builder.bitcast(_reduced(builder, "fmax", "v8f64", builder.load(best), fastmath=("nnan",)), _I64)

    return types.int64(counts, types.int64, types.float64, types.float64), generate


@_instruction
def around_cut(typing_context, at, counts, count, weight):
    """Sum left of the cut with `weight` to its left, and the last place before and the first place after it.

    Arguments as in `sums_up_to` and `largest_gain`.
    """

    def generate(context, builder, signature, arguments):
        at, counts, count, weight = _with_data(context, builder, signature, arguments)
        vector, words = ir.VectorType(_I16, LANES), ir.VectorType(_I32, LANES)
        zero, beyond = (ir.Constant(vector, [x] * LANES) for x in (0, 0x7FFF))
        limit = _spread(builder, builder.trunc(weight, _I16), vector)
        results = [cgutils.alloca_once_value(builder, x) for x in (zero, zero, beyond)]
        for result, x in zip(results, (zero, zero, beyond), strict=True):
            builder.store(x, result)
        with cgutils.for_range_slice(builder, _I64(0), count, _I64(LANES)) as (i, _):
            here = builder.trunc(_loaded(builder, at, i, words), vector)
            both = _loaded(builder, counts, i, vector)
            is_left = builder.icmp_signed("<=", builder.and_(both, ir.Constant(vector, [255] * LANES)), limit)
            choices = [(both, zero, ">"), (here, zero, ">"), (beyond, here, "<")]
            for result, (on_left, on_right, better) in zip(results, choices, strict=True):
                x, so_far = builder.select(is_left, on_left, on_right), builder.load(result)
                builder.store(builder.select(builder.icmp_unsigned(better, x, so_far), x, so_far), result)
        kinds = ("umax", "umax", "umin")
        both, before, after = (
            builder.zext(_reduced(builder, kind, f"v{LANES}i16", builder.load(result)), _I64)
            for kind, result in zip(kinds, results, strict=True)
        )
        return context.make_tuple(builder, signature.return_type, [builder.lshr(both, _I64(8)), before, after])

    return types.UniTuple(types.uint64, 3)(at, counts, types.int64, types.uint64), generate


@_instruction_for_constants
def multiply_rows(typing_context, rows, first, column, A, B, out):
    """out = A @ B in a constant number of rows and in WIDE bytes of columns; terms are added one after the other."""

    def generate(context, builder, signature, arguments):
        _, first, column, *values = arguments
        arrays = [
            (kind, context.make_array(kind)(context, builder, v)) for kind, v in zip((A, B, out), values, strict=True)
        ]
        a, b, o = (partial(cgutils.get_item_pointer, context, builder, *array) for array in arrays)
        vector = ir.VectorType(context.get_data_type(out.dtype), 8 * WIDE // out.dtype.bitwidth)
        zero = ir.Constant(vector, [0.0] * vector.count)
        places = [builder.add(first, _I64(i)) for i in range(rows.literal_value)]
        sums = [cgutils.alloca_once_value(builder, zero) for _ in places]
        for total in sums:
            builder.store(zero, total)
        with cgutils.for_range(builder, cgutils.unpack_tuple(builder, arrays[0][1].shape)[1]) as terms:
            j = terms.index
            x = _loaded(builder, b([j, column]), _I64(0), vector)
            for i, total in zip(places, sums, strict=True):
                term = builder.fmul(_spread(builder, builder.load(a([i, j])), vector), x, flags=("contract",))
                builder.store(builder.fadd(builder.load(total), term, flags=("contract",)), total)
        for i, total in zip(places, sums, strict=True):
            _store(builder, builder.load(total), o([i, column]), _I64(0))
        return context.get_dummy_value()

    return types.void(rows, types.int64, types.int64, A, B, out), generate


def _with_data(context, builder, signature, arguments):
    """The arguments, arrays as pointers to their first entry."""
    return [
        context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value
        for kind, value in zip(signature.args, arguments, strict=True)
    ]


def _reduced(builder, kind, suffix, vector, **options):
    """The largest or smallest element of a vector."""
    signature = ir.FunctionType(vector.type.element, [vector.type])
    function = cgutils.get_or_insert_function(builder.module, signature, f"llvm.vector.reduce.{kind}.{suffix}")
    return builder.call(function, [vector], **options)


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
    return {"double": 8, "float": 4}.get(str(vector.element)) or vector.element.width // 8
