import numpy as np

from permconf.permute.random_streams import Streams, name_code


def test_a_stream_depends_on_every_part_of_its_name():
    base = Streams(1, "exp1", 7).rng("data").random(4)
    others = [
        Streams(2, "exp1", 7).rng("data"),
        Streams(1, "exp2", 7).rng("data"),
        Streams(1, "exp1", 8).rng("data"),
        Streams(1, "exp1", 7).rng("split"),
    ]
    assert all(not np.array_equal(base, other.random(4)) for other in others)
    np.testing.assert_array_equal(base, Streams(1, "exp1", 7).rng("data").random(4))


def test_more_keys_begin_with_the_same_keys():
    streams = Streams(5, "any", 0)
    np.testing.assert_array_equal(streams.keys("restricted/train", 10), streams.keys("restricted/train", 25)[:10])


def test_streams_do_not_change_between_versions():
    assert name_code("exp1") == 1844154827466613479
    assert Streams(20180518, "exp1", 0).keys("data", 1)[0] == np.uint64(753978652307444616)
