"""Class codes of large matrices of labels: few labels, all of them in the first column, as in permuted responses.

To sort such a matrix, or to compare its objects one by one, would take longer than to fit all of its columns.
"""

import numpy as np

MOST_LABELS = 10  # that every entry is compared with
_BLOCK = 2**14  # texts that are compared at a time, so that they stay in the cache


def places(y, labels):
    """Place among the labels, which are of the type of y, of every entry of y; None if one is not among them."""
    if len(labels) > MOST_LABELS:
        return None
    if y.dtype.kind == "U" and (telling := _telling_characters(labels)):
        return _places_of_texts(np.ascontiguousarray(y), labels, telling[0])
    place, known = np.zeros(y.shape, np.uint8), np.zeros(y.shape, bool)
    for k, label in enumerate(labels):
        same = np.asarray(y == label, bool)
        known |= same
        if k:
            place += np.uint8(k) * same
    return place if known.all() else None


def places_of_objects(y, objects):
    """For every entry of y a place where the vector `objects` has the same object, not just an equal one; or None."""
    addresses, first = np.unique(_addresses(objects), return_index=True)
    place = places(_addresses(y), addresses)
    return None if place is None else first[place]


def _addresses(objects):
    return np.ndarray(objects.shape, np.uintp, np.ascontiguousarray(objects))


def _telling_characters(labels):
    """Places of characters in which all labels differ."""
    return [k for k, column in enumerate(_characters(labels).T) if np.unique(column).size == len(labels)]


def _places_of_texts(y, labels, telling):
    """Places by a telling character; then all texts are compared with the labels found."""
    characters = _characters(y)
    place = places(characters[:, telling], _characters(labels)[:, telling])
    if place is None:
        return None
    for first in range(0, y.size, _BLOCK):
        block = slice(first, first + _BLOCK)
        if not np.array_equal(_characters(labels.take(place[block])), characters[block]):
            return None
    return place.reshape(y.shape)


def _characters(texts):
    """A row for each text."""
    return np.ndarray((texts.size, texts.dtype.itemsize // 4), np.uint32, texts)
