"""Collections with runs, made through the services that people use."""

from django.core.files.uploadedfile import SimpleUploadedFile

from annotate.models import Collection, Direction, ReferenceSet
from pooling.models import Pool, Run
from pooling.services.pools import pools
from pooling.services.runs import runs
from tests import cast

Ranked = dict[int, list[int]]


def collection(n_queries: int = 4, n_documents: int = 30, **policy: object) -> Collection:
    """A collection with items q0... and d0..., no golds wanted unless the policy says so."""
    policy = {"gold_positives": 0, "gold_negatives": 0, **policy}
    return cast.collection(n_queries=n_queries, n_documents=n_documents, **policy)


def lines(ranked: Ranked, direction: str = Direction.FORWARD) -> bytes:
    """A TREC run of numbered items."""
    first, second = ("q", "d") if direction == Direction.FORWARD else ("d", "q")
    return "".join(
        f"{first}{source} Q0 {second}{target} {rank} {-rank} tag\n"
        for source, targets in ranked.items()
        for rank, target in enumerate(targets, 1)
    ).encode()


def run(
    collection: Collection, name: str, ranked: Ranked, direction: str = Direction.FORWARD
) -> Run:
    """A run that is ready."""
    upload = SimpleUploadedFile(f"{name}.run", lines(ranked, direction))
    received = runs.receive_run(
        collection=collection, name=name, direction=direction, upload=upload, is_done_here=True
    ).run
    runs.read_here(run=received)
    assert received.state == "ready", received.report["errors"]
    return received


def draft(
    collection: Collection,
    of: list[Run],
    name: str = "first",
    strategy: str = "depth-k",
    **parameters: float,
) -> Pool:
    """A pool that is not open yet."""
    return pools.create_pool(
        collection=collection,
        name=name,
        strategy=strategy,
        parameters=parameters or {"depth": 2},
        runs=of,
        seed=1,
    )


def opened(collection: Collection, of: list[Run], **options: object) -> Pool:
    """A pool that is open."""
    pool = draft(collection, of, **options)
    pools.open_pool(pool=pool)
    assert pool.state == "open", pool.work.error
    return pool


def reference(collection: Collection, pairs: list[tuple[int, int]], grade: int = 1) -> ReferenceSet:
    """A reference set of numbered items."""
    return cast.reference(
        collection, {(f"q{query}", f"d{document}"): grade for query, document in pairs}
    )


def external_ids(rows) -> set[tuple[str, str]]:
    """Pairs as the ids of their items; rows : a queryset of rows with a pair."""
    return set(rows.values_list("pair__query__external_id", "pair__document__external_id"))
