"""A run file of any length is read within fixed memory."""

import pytest

from tests.pooling.services.runs import large_runs

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]


def beyond_idle(tmp_path, n_queries: int, depth: int, n_documents: int) -> float:
    """MiB that reading a run takes at most beyond what a worker has that waits."""
    path = tmp_path / f"{n_queries}.run"
    large_runs.write_run(path, n_queries, depth, n_documents)
    collection = large_runs.collection(n_queries, n_documents)
    figures = large_runs.ingest_in_process(large_runs.received(collection, path))
    assert figures["state"] == "ready", figures["report"]
    assert figures["report"]["n_kept"] == n_queries * depth
    return figures["peak"] - figures["idle"]


@pytest.mark.heavy
def test_three_times_the_lines_take_no_more_memory(tmp_path):
    once, thrice = (beyond_idle(tmp_path, n_queries, 400, 20_000) for n_queries in (1_000, 3_000))
    # Both long enough that all blocks and batches that may wait do; at most 25 bytes for each of
    # 800,000 lines more.
    assert thrice < once + 20
    assert thrice < 100


@pytest.mark.heavy
@pytest.mark.timeout(1800)
def test_seven_million_lines_of_a_million_documents_take_less_than_150_mib(tmp_path):
    assert beyond_idle(tmp_path, 6_980, 1_000, 1_000_000) < 150
