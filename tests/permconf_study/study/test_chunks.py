import pytest

from permconf_study.study.chunks import block_of, blocks, chunk_range, chunks


@pytest.mark.parametrize(("datasets", "size"), [(20, 1000), (1000, 17), (1000, 250), (2500, 300), (1, 1)])
def test_chunks_cover_every_data_set_once_and_cross_no_block(datasets, size):
    names = chunks(datasets, size)
    covered = [d for name in names for d in chunk_range(name)]
    assert covered == list(range(datasets))
    for name in names:
        assert {f"{d // 1000:03d}" for d in chunk_range(name)} == {block_of(name)}
    assert blocks(datasets) == sorted({block_of(name) for name in names})


def test_growth_keeps_the_chunks_of_a_full_block():
    assert set(chunks(1000, 250)) < set(chunks(2000, 250))
