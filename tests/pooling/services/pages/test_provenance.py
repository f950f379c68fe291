"""The origin of pairs, from the rankings' arrays."""

import pytest
from django.db import connection
from django.db.models import prefetch_related_objects

from annotate.models import Pair, Role
from pooling.models import Run
from pooling.pair_filter import PairFilter
from pooling.services.pages import pool_pairs, provenance
from tests import campaigns, cast
from tests.pooling import factories

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


def pair_of(collection, query, document):
    return Pair.objects.get(
        collection=collection, query__external_id=query, document__external_id=document
    )


def runs_and_ranks(pair, viewer=None):
    return [
        (run_rank.run.name, run_rank.rank)
        for run_rank in provenance.origin(pair=pair, viewer=viewer).run_ranks
    ]


def test_a_pair_tells_its_runs_and_ranks_in_both_directions_and_its_pools(
    django_assert_num_queries, collection
):
    run_a = factories.run(collection, "A", {0: [5, 6, 1], 1: [1]})
    factories.run(collection, "B", {0: [5, 6], 1: [1]})
    back = factories.run(collection, "C", {1: [2, 0], 2: [0]}, "reverse")
    factories.opened(collection, [run_a, back], depth=3)
    pair = pair_of(collection, "q0", "d1")
    with django_assert_num_queries(4):
        pair_origin = provenance.origin(pair=pair, viewer=None)
    assert [(run_rank.run.name, run_rank.rank) for run_rank in pair_origin.run_ranks] == [
        ("C", 2),
        ("A", 3),
    ]
    assert provenance.sentence(pair_origin) == (
        'in runs C rank 2, A rank 3; pooled in "first" (depth-k, depth 3), best rank 2'
    )


def test_a_pair_that_nothing_holds_says_nothing(collection):
    keys = [collection.items.get(external_id=name) for name in ("q0", "d0")]
    pair = Pair.objects.create(collection=collection, query=keys[0], document=keys[1])
    assert provenance.sentence(provenance.origin(pair=pair, viewer=None)) == ""


def test_a_hidden_run_is_told_to_who_uploaded_it_alone(collection):
    ada, bob = (cast.member(collection, Role.RESEARCHER) for _ in range(2))
    public, secret = (
        factories.run(collection, "A", {0: [1]}),
        factories.run(collection, "S", {0: [2, 1]}),
    )
    factories.opened(collection, [public], depth=1)
    Run.objects.filter(pk=secret.pk).update(is_hidden=True, uploaded_by=ada)
    pair = pair_of(collection, "q0", "d1")
    assert (runs_and_ranks(pair, ada), runs_and_ranks(pair, bob)) == (
        [("A", 1), ("S", 2)],
        [("A", 1)],
    )


def test_the_answer_reads_the_index_on_sources_and_not_the_table(collection):
    factories.opened(collection, [factories.run(collection, "A", {0: [1]})], depth=1)
    pair = pair_of(collection, "q0", "d1")
    runs = list(collection.runs.values_list("pk", flat=True))
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        values = {
            "pair": [pair.pk],
            "query": [pair.query_id],
            "document": [pair.document_id],
            "forward": runs,
            "reverse": runs,
            "left_out": [],
        }
        cursor.execute("EXPLAIN " + provenance._RUN_RANKS, values)
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "Seq Scan on pooling_ranking" not in plan


def lines_of(pool, **filters):
    page = pool_pairs.pairs_of(pool=pool, pair_filter=PairFilter(**filters), viewer=None)
    return {
        (line.row.pair.query.external_id, line.row.pair.document.external_id): line
        for line in page.lines
    }


def test_the_pairs_of_a_pool_are_filtered_by_state_run_and_query(collection):
    run_a, run_b = (
        factories.run(collection, "A", {0: [1, 2, 3]}),
        factories.run(collection, "B", {0: [4], 1: [1]}),
    )
    back = factories.run(collection, "C", {2: [0]}, "reverse")
    pool = factories.opened(collection, [run_a, run_b, back], depth=2)
    judge = cast.annotator(collection)
    campaigns.judge(next(iter(_batch(judge))), 1)
    everything = lines_of(pool)
    assert set(everything) == {("q0", "d1"), ("q0", "d2"), ("q0", "d4"), ("q1", "d1")}
    judged = set(lines_of(pool, state="complete"))
    assert len(judged) == 1
    assert set(lines_of(pool, state="untouched")) == set(everything) - judged
    (line,) = (everything[pair] for pair in judged)
    assert (line.state_text, line.grade_text) == ("Complete", "grade 1, single")
    assert set(lines_of(pool, run=run_a)) == {("q0", "d1"), ("q0", "d2")}
    assert set(lines_of(pool, run=back)) == {("q0", "d2")}
    assert set(lines_of(pool, query="q1")) == {("q1", "d1")}
    assert lines_of(pool, state="disputed") == lines_of(pool, state="left_out") == {}


def test_a_page_costs_the_same_however_many_pairs_and_the_next_begins_where_it_ended(
    django_assert_num_queries,
):
    collection = factories.collection(n_queries=4, n_documents=30)
    runs = [
        factories.run(collection, name, {q: list(range(30)) for q in range(4)}) for name in "AB"
    ]
    pool = factories.opened(collection, runs, depth=30)
    assert pool.work is not None  # known to whoever shows the pool
    with django_assert_num_queries(7):
        page = pool_pairs.pairs_of(pool=pool, pair_filter=PairFilter(), viewer=None)
    pair_ids = [line.row.pair_id for line in page.lines]
    while page.next:
        page = pool_pairs.pairs_of(pool=pool, pair_filter=PairFilter(after=page.next), viewer=None)
        pair_ids += [line.row.pair_id for line in page.lines]
    assert pair_ids == sorted(pool.pool_pairs.values_list("pair_id", flat=True))
    assert len(pair_ids) == 120


def _batch(annotator):
    from_it = campaigns.claiming.current_batch(annotator=annotator).hand_outs
    rows = list(from_it.select_related("seat", "batch__annotator__user"))
    prefetch_related_objects(rows, "seat__pair")
    return rows
