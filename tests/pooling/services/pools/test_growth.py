"""Large pools and files of labels are read as much a pair as small ones.

Whatever the planner knows of them.

No autovacuum runs in tests, so nobody tells the planner of tables that grow. What is read for
nothing shows in rows sooner than in pages: 150 of them stand on one. To see these tests fail: let
`planner_statistics.analyse_underestimated_tables` do nothing, let `rounds._drop_excluded` be one
UPDATE, let `pair_creation._FIND` be a join, or let the round lead `bulk_seats._UNTOUCHED`.
"""

from collections.abc import Callable
from functools import partial
from io import BytesIO

import psycopg
import pytest
from django.db import connection

from annotate.core.files.judgments.judgment_formats import JudgmentColumns
from annotate.models import Level, Resolution, Round
from annotate.services import seating
from annotate.services.storage import bulk_copy
from pooling.services.pools import pools
from tests import cast
from tests.judgment_imports import import_judgments
from tests.pooling import large
from tests.pooling.large import Read
from tests.seeding import restart_for_test
from tests.tables.table_cleanup import empty_tables

pytestmark = pytest.mark.django_db(transaction=True)
WORK = (pools.open_pool, pools.close_pool, pools.reopen_pool)
MOST = 5  # times the reading, for 4 times the pairs


@pytest.fixture(autouse=True)
def nothing_stays_known():
    """What the planner was told is not known to the tests that come after."""
    yield
    large.nothing_is_known()


def reading_of_pools(n_queries: int) -> dict[str, Read]:
    """Count the reads of each kind of work on a pool, of twenty pairs a query."""
    pool = large.draft(n_queries)
    spent = {work.__name__: spent_by(partial(work, pool=pool)) for work in WORK}
    assert (pool.state, pool.pool_pairs.count()) == ("open", n_queries * large.DEPTH)
    return spent


def reading_of_labels(n_queries: int) -> dict[str, Read]:
    """Count the reads of importing twenty labels a query, which then follow a policy."""
    collection, n_pairs = large.draft(n_queries).collection, n_queries * large.DEPTH
    lines = [
        f"ann,q{pair % n_queries + 1},d{pair % large.N_DOCUMENTS + 1},{pair % 2}"
        for pair in range(n_pairs)
    ]
    stream = BytesIO("\n".join(["annotator,query,document,grade", *sorted(set(lines))]).encode())
    load = partial(
        import_judgments,
        collection=collection,
        stream=stream,
        file_name="labels.csv",
        name="labels",
        columns=JudgmentColumns(),
    )
    spent = {"import": spent_by(load)}
    round_ = Round.objects.get(collection=collection)
    seating.round_policies.begin_following(round_=round_, policy=cast.policy(collection))
    round_.refresh_from_db()
    spent["follow"] = spent_by(partial(seating.round_policies.finish_following, round_=round_))
    assert Resolution.objects.filter(collection=collection).count() == n_pairs
    return spent


def spent_by(work: Callable[[], object]) -> Read:
    """Count the rows and pages that a piece of work reads."""
    before = large.read()
    work()
    return Read(*(after - then for after, then in zip(large.read(), before, strict=True)))


PLANNERS = (large.tables_count_as_empty, large.nothing_is_known, large.another_round_is_known)
CASES = [
    *(pytest.param(reading_of_pools, planner) for planner in PLANNERS),
    pytest.param(reading_of_labels, PLANNERS[0]),
    *(pytest.param(reading_of_labels, planner, marks=pytest.mark.full) for planner in PLANNERS[1:]),
]


@pytest.mark.parametrize(("reading", "planner"), CASES)
def test_four_times_the_pairs_are_read_at_most_five_times(reading, planner, monkeypatch):
    monkeypatch.setattr(bulk_copy, "BLOCK", 100)  # what is read once a block shows in 120 of them
    planner()
    few = reading(150)
    planner()
    many = reading(600)
    times = {
        work: [big / small for big, small in zip(many[work], few[work], strict=True)]
        for work in few
    }
    assert {work: ratios for work, ratios in times.items() if max(ratios) > MOST} == {}


def test_rows_that_earlier_tests_deleted_are_not_read(service_home):
    """Whatever transaction of another database still keeps them; their keys were the same."""
    with psycopg.connect(service_home.database_url("postgres")) as other_session:
        other_session.execute("SELECT pg_current_xact_id()")
        for _ in range(5):
            restart_for_test()
            cast.collection("earlier")
            empty_tables()
        restart_for_test()
        large.nothing_is_known()
        level = Level.objects.filter(pk=cast.collection("present").levels.earliest("pk").pk)
        with connection.cursor() as cursor:
            cursor.execute("SET enable_seqscan = off")
            spent = spent_by(lambda: [level.get() for _ in range(400)])
            cursor.execute("RESET enable_seqscan")
    assert 400 <= spent.rows < 600
