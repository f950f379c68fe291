"""A refresh after 200 new labels, a rebuild, and both rooms' pages at the size of FIRE's MSVD study.

27,763 queries, 670 documents, 3 runs, 555,260 pairs, some 660,000 judgments.
Run: python3 manage.py test --heavy -s tests/benchmarks/test_refresh_at_fire_size.py
"""

import time

import pytest
from django.db import connection

from annotate.models import Collection, Role
from annotate.services import seating
from metrics.services import numbers, refresh
from tests import factories

pytestmark = [pytest.mark.heavy, pytest.mark.django_db(transaction=True), pytest.mark.timeout(1800)]
N_QUERIES, N_DOCUMENTS, N_PEOPLE, DEPTH = 27_763, 670, 100, 20
FILL = [
    """INSERT INTO annotate_item (collection_id, side, external_id, split, warning, excluded_reason)
       SELECT %(c)s, 'query', 'q' || i, 'test', '', '' FROM generate_series(1, %(queries)s) i
       UNION ALL SELECT %(c)s, 'document', 'd' || i, 'test', '', '' FROM generate_series(0, %(documents)s - 1) i""",
    """INSERT INTO annotate_queryset (collection_id, name, direction) VALUES (%(c)s, 'all', 'forward')""",
    """INSERT INTO annotate_querysetitem (query_set_id, item_id, part)
       SELECT named.id, item.id, 'source' FROM annotate_queryset named JOIN annotate_item item USING (collection_id)
       WHERE item.side = 'query' AND collection_id = %(c)s""",
    """CREATE TEMPORARY TABLE place AS
       SELECT id, side, (row_number() OVER (PARTITION BY side ORDER BY id) - 1)::int AS n
       FROM annotate_item WHERE collection_id = %(c)s""",
    """INSERT INTO annotate_pair (collection_id, query_id, document_id)
       SELECT %(c)s, q.id, d.id FROM place q CROSS JOIN generate_series(0, %(depth)s - 1) k
       JOIN place d ON d.side = 'document' AND d.n = (q.n * 7 + k) %% %(documents)s WHERE q.side = 'query'""",
    """INSERT INTO annotate_round (collection_id, policy_id, kind, name, state, priority)
       SELECT %(c)s, id, 'import', 'import', 'open', 0 FROM annotate_policy WHERE collection_id = %(c)s""",
    """INSERT INTO annotate_roundpair (round_id, pair_id, n_wanted)
       SELECT round.id, pair.id, 1 FROM annotate_pair pair JOIN annotate_round round USING (collection_id)""",
    """INSERT INTO annotate_annotator (collection_id, pseudonym, origin, external_id)
       SELECT %(c)s, 'P' || i, 'import', 'P' || i FROM generate_series(1, %(people)s) i""",
    """INSERT INTO annotate_judgment (collection_id, pair_id, annotator_id, purpose, level_id, submission_id, reasons,
                                      active_ms)
       SELECT %(c)s, pair.id, who.id, 'import', level.id, gen_random_uuid(), '[]', 2000 + (pair.id * 31 %% 9000)
       FROM annotate_pair pair
       CROSS JOIN LATERAL generate_series(
            1, CASE WHEN pair.id %% 10 = 0 THEN 2 + (pair.id %% 100 < 87)::int ELSE 1 END) k
       JOIN LATERAL (SELECT id FROM annotate_annotator WHERE collection_id = %(c)s
                     OFFSET ((pair.id + 17 * k) %% %(people)s) LIMIT 1) who ON TRUE
       JOIN annotate_level level ON level.collection_id = %(c)s
            AND level.grade = ((pair.id * 2654435761 + k * (pair.id %% 7 / 6) ) %% 11 / 8)::int""",
    """INSERT INTO annotate_seat (collection_id, round_id, pair_id, purpose, number, why, state, annotator_id,
                                  judgment_id, queue_key)
       SELECT %(c)s, round.id, said.pair_id, 'import', row_number() OVER (PARTITION BY said.pair_id ORDER BY said.id),
              'first', 'done', said.annotator_id, said.id, 0
       FROM annotate_judgment said JOIN annotate_round round USING (collection_id)""",
    """INSERT INTO annotate_resolution (pair_id, collection_id, status, grade, n_labels, policy_id)
       SELECT seat.pair_id, %(c)s, 'majority', max(level.grade), count(*), min(round.policy_id)
       FROM annotate_seat seat JOIN annotate_round round ON round.id = seat.round_id
       JOIN annotate_judgment said ON said.id = seat.judgment_id JOIN annotate_level level ON level.id = said.level_id
       GROUP BY seat.pair_id""",
    """INSERT INTO annotate_referenceset (collection_id, name, sha256) VALUES (%(c)s, 'original', '')""",
    """INSERT INTO annotate_referencelabel (reference_set_id, query_id, document_id, grade)
       SELECT named.id, pair.query_id, pair.document_id, 1 FROM annotate_referenceset named
       JOIN (SELECT DISTINCT ON (query_id) query_id, document_id FROM annotate_pair ORDER BY query_id, id) pair
            ON TRUE""",
    """INSERT INTO pooling_run (collection_id, name, direction, system, description, state, file, file_name, sha256,
                                score_type, report, attempts, finished_at)
       SELECT %(c)s, 'system ' || i, 'forward', '', '', 'ready', '', '', '', 'float32', '{}', 1, now()
       FROM generate_series(1, 3) i""",
    """INSERT INTO pooling_ranking (run_id, source_id, targets, scores)
       SELECT run.id, query_id, array_agg(document_id ORDER BY pair.id * (3 + run.id) * 48271 %% 10007),
              array_agg(0::float8) FROM annotate_pair pair CROSS JOIN pooling_run run GROUP BY run.id, query_id""",
    "ANALYZE",
]  # fmt: skip


def fill() -> Collection:
    """The study, written by SQL: making it through the services would take an hour."""
    made = factories.collection("fire")
    sizes = {"queries": N_QUERIES, "documents": N_DOCUMENTS, "people": N_PEOPLE, "depth": DEPTH, "c": made.pk}
    with connection.cursor() as cursor:
        for statement in FILL:
            cursor.execute(statement, sizes)
    return made


def timed(what, call, *arguments, **named):
    begun = time.perf_counter()
    answer = call(*arguments, **named)
    print(f"{what}: {time.perf_counter() - begun:.2f} s")
    return answer


def test_a_refresh_at_fire_size(client):
    made = timed("filling", fill)
    print(f"\n{made.judgments.count():,} judgments of {made.pairs.count():,} pairs")
    timed("rebuild", refresh.rebuild, collection=made)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    for _ in range(3):
        pairs = list(made.pairs.order_by("?").values_list("pk", flat=True)[:200])
        made.resolutions.filter(pair__in=pairs).update(grade=1)
        seating.note_changes(collection_id=made.pk, pair_ids=pairs)
        timed("refresh after 200 labels", refresh.refresh, collection=made)
    for name, kind in numbers.KINDS.items():
        timed(f"  reading what {name} rests on", kind.gather, made)
    client.force_login(factories.member(made, Role.LEAD))
    for path in ("dashboard/", "dashboard/numbers/", "leaderboard/", "downloads/"):
        times = []
        for _ in range(7):
            begun = time.perf_counter()
            assert client.get(f"/c/fire/{path}").status_code == 200
            times.append(time.perf_counter() - begun)
        print(f"{path}: {1000 * sorted(times)[3]:.0f} ms")
    answer = client.get("/c/fire/downloads/qrels/")
    lines = timed("qrels", lambda: sum(piece.count(b"\n") for piece in answer.streaming_content))
    print(f"{lines:,} lines")
