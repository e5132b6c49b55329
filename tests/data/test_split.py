import numpy as np
import pytest

from permconf.data.split import Split, encode_response


def test_split_takes_rows():
    X, y = np.arange(6.0).reshape(3, 2), np.array([7, 8, 9])
    split = Split.of(X, y, -y, [2, 0], [1])
    np.testing.assert_array_equal(split.X_train, [[4, 5], [0, 1]])
    np.testing.assert_array_equal(split.y_train, [9, 7])
    np.testing.assert_array_equal(split.c_test, [-8])


def test_encode_response():
    train, test = encode_response(np.array(["b", "a", "c"]), np.array(["c", "a"]), "classification")
    assert (list(train), list(test), train.dtype) == ([1, 0, 2], [2, 0], np.uint8)
    with pytest.raises(ValueError, match=r"classes \['c'\] are in the test set only"):
        encode_response(np.array(["b", "a"]), np.array(["c", "a"]), "classification")
    train, _ = encode_response([1, 2], [3, 4], "regression")
    assert train.dtype == np.float64


def test_too_many_classes_ask_for_regression(rng):
    y = rng.standard_normal(400)
    with pytest.raises(ValueError, match="has 400 classes; use a regression metric"):
        encode_response(y[:200], y[200:], "classification")


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, float, str, object])
@pytest.mark.parametrize("order", ["C", "F"])
def test_labels_are_encoded_as_by_sorting(dtype, order):
    """Also those that are not in the first column."""
    for train, test in (
        ([[0, 1], [1, 0], [1, 1]], [[1, 0], [1, 1]]),
        ([[1, 1], [1, 1]], [[1, 0], [1, 1]]),
        ([[1], [1]], [[1], [1]]),
        ([[0], [0]], [[0], [0]]),
        ([[0, 2], [1, 1], [2, 0]], [[1, 2], [0, 0]]),
        ([[0, 2], [1, 1], [0, 0]], [[1, 2], [0, 0]]),
    ):
        train, test = np.array(train, dtype, order=order), np.array(test, dtype, order=order)
        sorted_codes = np.split(np.unique(np.r_[train.ravel(), test.ravel()], return_inverse=True)[1], [train.size])
        for found, codes, given in zip(
            encode_response(train, test, "classification"), sorted_codes, (train, test), strict=True
        ):
            expected = codes.reshape(given.shape)
            np.testing.assert_array_equal(found, expected)
            assert found.dtype == np.uint8
            assert found.flags["C_CONTIGUOUS"]


@pytest.mark.parametrize("labels", [["case", "control"], ["ab", "ba", "aa"], ["xa", "xb"], ["", "z"]])
@pytest.mark.parametrize("dtype", [str, object, bytes])
def test_texts_are_encoded_as_by_sorting(rng, labels, dtype):
    """Permuted ones, one that differs from a label in one character, and equal texts that are different objects."""
    labels = np.array(labels).astype(dtype) if dtype is not object else np.array(labels, object)
    Y = labels[rng.integers(0, len(labels), (30, 20))]
    other, copied = Y.copy(), np.array([bytes(y) if dtype is bytes else "".join([*y]) for y in Y.ravel()], Y.dtype)
    other[3, 7] = other[3, 7][:-1] + (b"!" if dtype is bytes else "!")
    for given in (Y, other, copied.reshape(Y.shape)):
        classes, codes = np.unique(given, return_inverse=True)
        train, test = encode_response(given, given[:, ::-1], "classification")
        np.testing.assert_array_equal(train, codes.reshape(Y.shape))
        np.testing.assert_array_equal(test, train[:, ::-1])
        assert classes.size == train.max() + 1
