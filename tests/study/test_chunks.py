import pytest

from permconf.study.chunks import BLOCK, chunk_range, chunks


@pytest.mark.parametrize(("datasets", "size"), [(20, 1000), (1000, 17), (1000, 250), (2500, 300), (1, 1)])
def test_chunks_cover_every_data_set_once_and_cross_no_block(datasets, size):
    names = chunks(datasets, size)
    covered = [d for name in names for d in chunk_range(name)]
    assert covered == list(range(datasets))
    for name in names:
        assert len({d // BLOCK for d in chunk_range(name)}) == 1


def test_growth_keeps_the_chunks_of_a_full_block():
    assert set(chunks(1000, 250)) < set(chunks(2000, 250))
