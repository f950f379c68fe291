"""The explorer at FIRE's MSVD size: 27,763 queries, 670 documents, 3 runs, 660,000 judgments.

With BENCHMARK_SCALES=0.1,1 a tenth as well.
Run: python3 manage.py test --heavy -s tests/benchmarks/numbers/test_explorer_at_fire_size.py
"""

import os
import time

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.models import Role
from metrics.services.explorer import disagreement as explorer_disagreement
from metrics.services.numbers import refresh
from tests import cast, works
from tests.benchmarks.numbers.fire_study import N_QUERIES, fill

pytestmark = [pytest.mark.heavy, pytest.mark.django_db(transaction=True), pytest.mark.timeout(7200)]
SCALES = [float(scale) for scale in os.environ.get("BENCHMARK_SCALES", "1").split(",")]
N_REQUESTS = 40
WORDS = (
    "a man woman dog cat is are playing cutting riding walking guitar ball bike onion street red "
    "small two the"
)
# A caption of eight words a query, one of twenty a document; and the reverse direction, with a run.
MORE = [
    """INSERT INTO annotate_part (item_id, position, kind, text, path)
       SELECT item.id, 0, 'text', (
           SELECT string_agg(
               (string_to_array(%(words)s, ' '))[1 + (item.id * 7919 * k / 3 + k * k) %% 20], ' ')
           FROM generate_series(1, CASE item.side WHEN 'query' THEN 8 ELSE 20 END) k), ''
       FROM annotate_item item WHERE collection_id = %(c)s""",
    """INSERT INTO annotate_queryset (collection_id, name, direction)
       VALUES (%(c)s, 'all', 'reverse')""",
    """INSERT INTO annotate_querysetitem (query_set_id, item_id, part)
       SELECT query_set.id, item.id, 'source' FROM annotate_queryset query_set
       JOIN annotate_item item USING (collection_id)
       WHERE item.side = 'document' AND collection_id = %(c)s
             AND query_set.direction = 'reverse'""",
    """INSERT INTO pooling_run (collection_id, name, direction, state, finished_at, system,
           team, paper, tags, description, is_hidden, file, file_name, sha256, score_type, report,
           attempts, marks_due)
       SELECT %(c)s, 'back', 'reverse', 'ready', now(), '', '', '', '{}', '', false, '', '', '',
           'float32', '{}', 0, false""",
    """INSERT INTO pooling_ranking (run_id, source_id, targets, scores)
       SELECT run.id, document_id, array_agg(query_id ORDER BY pair.id * 48271 %% 10007),
              array_agg(0::float8)
       FROM annotate_pair pair JOIN pooling_run run USING (collection_id)
       WHERE collection_id = %(c)s AND run.name = 'back' GROUP BY run.id, document_id""",
    "ANALYZE",
]


def pages(n_queries: int) -> list[tuple[str, dict[str, object]]]:
    """The requests: each order at its start and middle, reverse direction, deep pages, searches."""
    middle = f"q{n_queries // 2}"
    orders = ["loaded", "random", "disagreed", "gained", "unjudged"]
    first_pages = [
        (f"{order}, {where}", {"order": order, **({"q": middle} if where == "within" else {})})
        for order in orders
        for where in ("first", "within")
    ]
    return [
        *first_pages,
        ("top 100", {"q": middle, "depth": 100}),
        ("only differing", {"q": middle, "show": "differing"}),
        ("document to query", {"direction": "reverse", "q": "d300"}),
        (
            "document to query, top 100",
            {"direction": "reverse", "q": "d300", "depth": 100, "order": "disagreed"},
        ),
        ("search, a usual word", {"search": "dog"}),
        ("search, three words", {"search": "dog street onion"}),
        ("search, an id", {"search": middle}),
        ("search, nothing found", {"search": "zebra"}),
        ("search, and most gained", {"search": "dog ball", "order": "gained"}),
    ]


@pytest.mark.parametrize("scale", SCALES)
def test_the_explorer_at_fire_size(client, scale):
    study = fill(f"fire{scale:g}".replace(".", "-"), scale=scale)
    with connection.cursor() as cursor:
        for statement in MORE:
            cursor.execute(statement, {"c": study.pk, "words": WORDS})
    refresh.rebuild(collection=study)
    start = time.perf_counter()
    works.compute_anew(explorer_disagreement.inquiry_of(collection=study))
    print(f"\n{scale:g} x: {study.judgments.count():,} judgments of {study.pairs.count():,} pairs")
    print(
        f"  counting where people disagree, in the background: {time.perf_counter() - start:.2f} s"
    )
    client.force_login(cast.member(study, Role.RESEARCHER))
    for name, parameters in pages(round(scale * N_QUERIES)):
        address = f"/c/{study.slug}/results/explorer/"
        client.get(address, parameters)
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(address, parameters)
            assert answer.status_code == 200
            n_queries = len(queries)
        times = []
        for _ in range(N_REQUESTS):
            start = time.perf_counter()
            client.get(address, parameters)
            times.append(1000 * (time.perf_counter() - start))
        median, high = np.quantile(times, [0.5, 0.95])
        size = len(answer.content) / 1024
        print(
            f"  {name:28} median {median:4.0f} ms, p95 {high:4.0f} ms, "
            f"{n_queries} queries, {size:4.0f} KiB"
        )
