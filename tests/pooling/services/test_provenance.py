"""Where a pair comes from, answered from the rankings' arrays."""

import pytest
from django.db import connection

from annotate.models import Pair
from pooling.services import provenance
from tests.pooling import making

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path


def test_a_pair_tells_its_runs_and_ranks_in_both_directions_and_its_pools(django_assert_num_queries):
    made = making.collection()
    one = making.run(made, "A", {0: [5, 6, 1], 1: [1]})
    making.run(made, "B", {0: [5, 6], 1: [1]})
    back = making.run(made, "C", {1: [2, 0], 2: [0]}, "reverse")
    making.opened(made, [one, back], depth=3)
    pair = Pair.objects.get(query__external_id="q0", document__external_id="d1")
    with django_assert_num_queries(1):
        found = [(row.run.name, row.rank) for row in provenance.rankings_with(pair=pair)]
    assert found == [("C", 2), ("A", 3)]
    assert provenance.sentence(pair=pair) == ('in runs C rank 2, A rank 3; pooled in "first" (depth-k), best rank 2')


def test_a_pair_that_nothing_holds_says_nothing():
    made = making.collection()
    keys = [made.items.get(external_id=name) for name in ("q0", "d0")]
    pair = Pair.objects.create(collection=made, query=keys[0], document=keys[1])
    assert provenance.sentence(pair=pair) == ""


def test_the_answer_reads_the_index_on_sources_and_not_the_table():
    made = making.collection()
    keys = [made.items.get(external_id=name) for name in ("q0", "d0")]
    pair = Pair.objects.create(collection=made, query=keys[0], document=keys[1])
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    plan = provenance.rankings_with(pair=pair).explain()
    assert "Seq Scan on pooling_ranking" not in plan
