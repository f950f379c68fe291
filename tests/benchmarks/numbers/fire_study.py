"""A study of the size of FIRE's on MSVD, or of TREC's, by SQL: by services it takes an hour."""

from typing import NamedTuple

from django.db import connection
from django.db.models import F
from django.utils import timezone

from annotate.models import Collection, Round
from pooling.models import Pool, Run
from tests import cast

N_QUERIES, N_PEOPLE = 27_763, 100


class StudySize(NamedTuple):
    """The size of a study; depth : documents of a query, all judged and in every run."""

    queries: int
    documents: int
    depth: int
    runs: int


FIRE = StudySize(N_QUERIES, 670, 20, 3)
FILL = [
    """INSERT INTO annotate_item (collection_id, side, external_id, split, warning, excluded_reason)
       SELECT %(c)s, 'query', 'q' || i, 'test', '', '' FROM generate_series(1, %(queries)s) i
       UNION ALL SELECT %(c)s, 'document', 'd' || i, 'test', '', ''
       FROM generate_series(0, %(documents)s - 1) i""",
    """INSERT INTO annotate_queryset (collection_id, name, direction)
       VALUES (%(c)s, 'all', 'forward')""",
    """INSERT INTO annotate_querysetitem (query_set_id, item_id, part)
       SELECT query_set.id, item.id, 'source' FROM annotate_queryset query_set
       JOIN annotate_item item USING (collection_id)
       WHERE item.side = 'query' AND collection_id = %(c)s""",
    "DROP TABLE IF EXISTS numbered_item, person",
    """CREATE TEMPORARY TABLE numbered_item AS
       SELECT id, side, (row_number() OVER (PARTITION BY side ORDER BY id) - 1)::int AS n
       FROM annotate_item WHERE collection_id = %(c)s""",
    """INSERT INTO annotate_pair (collection_id, query_id, document_id)
       SELECT %(c)s, q.id, d.id FROM numbered_item q CROSS JOIN generate_series(0, %(depth)s - 1) k
       JOIN numbered_item d ON d.side = 'document' AND d.n = (q.n * 7 + k) %% %(documents)s
       WHERE q.side = 'query'""",
    """INSERT INTO annotate_round (collection_id, policy_id, kind, name, state, priority)
       SELECT %(c)s, id, 'import', 'import', 'open', 0 FROM annotate_policy
       WHERE collection_id = %(c)s""",
    """INSERT INTO annotate_roundpair (round_id, pair_id, n_wanted)
       SELECT round.id, pair.id, 1 FROM annotate_pair pair
       JOIN annotate_round round USING (collection_id)
       WHERE collection_id = %(c)s""",
    """INSERT INTO annotate_annotator (collection_id, pseudonym, origin, external_id)
       SELECT %(c)s, 'P' || i, 'import', 'P' || i FROM generate_series(1, %(people)s) i""",
    """CREATE TEMPORARY TABLE person AS
       SELECT id, (row_number() OVER (ORDER BY id) - 1)::int AS n FROM annotate_annotator
       WHERE collection_id = %(c)s""",
    "ANALYZE",
    """INSERT INTO annotate_judgment (collection_id, pair_id, annotator_id, purpose, level_id,
                                      submission_id, reasons, active_ms)
       SELECT %(c)s, pair.id, person.id, 'import', level.id, gen_random_uuid(),
              CASE WHEN level.grade = 0 AND pair.id %% 3 = 0 THEN '["colour"]' ELSE '[]' END::jsonb,
              800 + (pair.id * 31 %% 137) * (pair.id * 17 %% 113)
       FROM annotate_pair pair
       CROSS JOIN LATERAL generate_series(
            1, CASE WHEN pair.id %% 10 = 0 THEN 2 + (pair.id %% 100 < 87)::int ELSE 1 END) k
       JOIN person ON person.n = (pair.id + 17 * k) %% %(people)s
       JOIN annotate_level level ON level.collection_id = %(c)s
            AND level.grade = ((pair.id * 2654435761 + k * (pair.id %% 7 / 6) ) %% 11 / 8)::int
       WHERE pair.collection_id = %(c)s""",
    """INSERT INTO annotate_seat (collection_id, round_id, pair_id, purpose, number, why, state,
                                  annotator_id, judgment_id, queue_key)
       SELECT %(c)s, round.id, judgment.pair_id, 'import',
              row_number() OVER (PARTITION BY judgment.pair_id ORDER BY judgment.id),
              'first', 'done', judgment.annotator_id, judgment.id, 0
       FROM annotate_judgment judgment JOIN annotate_round round USING (collection_id)
       WHERE collection_id = %(c)s""",
    """INSERT INTO annotate_resolution (pair_id, collection_id, status, grade, n_labels,
                                        is_complete, policy_id)
       SELECT seat.pair_id, %(c)s, 'majority', max(level.grade), count(*), true,
              min(round.policy_id)
       FROM annotate_seat seat JOIN annotate_round round ON round.id = seat.round_id
       JOIN annotate_judgment judgment ON judgment.id = seat.judgment_id
       JOIN annotate_level level ON level.id = judgment.level_id
       WHERE seat.collection_id = %(c)s GROUP BY seat.pair_id""",
    """INSERT INTO annotate_referenceset (collection_id, name, sha256)
       VALUES (%(c)s, 'original', '')""",
    """INSERT INTO annotate_referencelabel (reference_set_id, query_id, document_id, grade)
       SELECT reference_set.id, pair.query_id, pair.document_id, 1
       FROM annotate_referenceset reference_set
       JOIN (SELECT DISTINCT ON (query_id) query_id, document_id FROM annotate_pair
             WHERE collection_id = %(c)s ORDER BY query_id, id) pair
            ON reference_set.collection_id = %(c)s""",
    """INSERT INTO pooling_ranking (run_id, source_id, targets, scores)
       SELECT run.id, query_id,
              array_agg(document_id
                        ORDER BY pair.id %% 100003 * (3 + run.id %% 1009) * 48271 %% 10007),
              array_agg(0::float8)
       FROM annotate_pair pair JOIN pooling_run run USING (collection_id)
       WHERE collection_id = %(c)s GROUP BY run.id, query_id""",
    "ANALYZE",
]
N_FOLDS, POOL_DEPTH, N_REVERSE, REVERSE_DEPTH = 5, 10, 3, 20
ADD_BOTH_DIRECTIONS = [
    """INSERT INTO annotate_queryset (collection_id, name, direction)
       VALUES (%(c)s, 'all', 'reverse')""",
    """INSERT INTO annotate_queryset (collection_id, name, direction)
       SELECT %(c)s, 'fold ' || fold, direction FROM generate_series(1, %(folds)s) fold
       CROSS JOIN (VALUES ('forward'), ('reverse')) of_direction (direction)""",
    """INSERT INTO annotate_querysetitem (query_set_id, item_id, part)
       SELECT query_set.id, item.id, 'source' FROM annotate_queryset query_set
       JOIN annotate_item item USING (collection_id)
       WHERE collection_id = %(c)s AND item.split = 'test'
         AND (item.side = 'query') = (direction = 'forward')
         AND (query_set.name = 'fold ' || 1 + item.id %% %(folds)s
              OR query_set.name = 'all' AND direction = 'reverse')""",
    """INSERT INTO pooling_ranking (run_id, source_id, targets, scores)
       SELECT run.id, document_id, array_agg(query_id ORDER BY place), array_agg(-place::float8)
       FROM pooling_run run JOIN (
            SELECT run.id AS run_id, document_id, query_id,
                   row_number() OVER (PARTITION BY run.id, document_id
                                      ORDER BY pair.id %% 100003 * (3 + run.id %% 1009)) AS place
            FROM annotate_pair pair JOIN pooling_run run USING (collection_id)
            WHERE collection_id = %(c)s AND direction = 'reverse'
       ) best ON best.run_id = run.id AND place <= %(reverse_depth)s
       GROUP BY run.id, document_id""",
    """INSERT INTO annotate_referenceset (collection_id, name, sha256)
       SELECT %(c)s, name, '' FROM (VALUES ('coco'), ('cxc'), ('eccv')) of_protocol (name)""",
    """INSERT INTO annotate_referencelabel (reference_set_id, query_id, document_id, grade)
       SELECT new.id, query_id, document_id, grade FROM annotate_referencelabel label
       JOIN annotate_referenceset original ON original.id = label.reference_set_id
            AND original.name = 'original'
       JOIN annotate_referenceset new USING (collection_id)
       WHERE new.name <> 'original' AND collection_id = %(c)s""",
]
ADD_POOL_PAIRS = """
    INSERT INTO pooling_poolpair (pool_id, pair_id, best_rank, stratum, inclusion_probability)
    SELECT %(pool)s, pair.id, min(place), 0, 1 FROM pooling_ranking ranking
    JOIN pooling_run run ON run.id = ranking.run_id AND run.direction = 'forward'
    CROSS JOIN unnest(targets[:%(pool_depth)s]) WITH ORDINALITY AS top (target_id, place)
    JOIN annotate_pair pair ON pair.query_id = source_id AND pair.document_id = target_id
    WHERE run.collection_id = %(c)s GROUP BY pair.id
"""


def fill(slug: str, *, scale: float = 1, size: StudySize = FIRE) -> Collection:
    """Create an open import round: 20 pairs a query, 1 to 3 labels each, a reference set and runs.

    A third of the labels of the lowest level has a reason.

    scale : queries, and with them pairs and judgments, in units of the size's
    """
    collection = cast.collection(slug)
    for number in range(size.runs):
        Run.objects.create(
            collection=collection,
            name=f"system {number}",
            direction="forward",
            state="ready",
            finished_at=timezone.now(),
        )
    sizes = {
        "queries": round(scale * size.queries),
        "documents": size.documents,
        "people": N_PEOPLE,
        "depth": size.depth,
        "c": collection.pk,
    }
    with connection.cursor() as cursor:
        for statement in FILL:
            cursor.execute(statement, sizes)
    return collection


def add_pool_and_reverse(collection: Collection) -> None:
    """Give a filled study an opened pool, runs of the other direction, folds, and more references.

    The references are those that published protocols go by.
    """
    runs = list(collection.runs.order_by("pk"))
    collection.runs.update(system=F("name"))
    for run in runs[:N_REVERSE]:
        Run.objects.create(
            collection=collection,
            name=f"{run.name}, texts of documents",
            system=run.name,
            direction="reverse",
            state="ready",
            finished_at=timezone.now(),
        )
    pool = Pool.objects.create(
        collection=collection,
        name="pool",
        strategy="depth-k",
        parameters={"depth": POOL_DEPTH},
        state=Pool.State.OPEN,
        round=Round.objects.get(collection=collection),
        opened_at=timezone.now(),
    )
    pool.runs.set(runs)
    sizes = {"c": collection.pk, "folds": N_FOLDS, "reverse_depth": REVERSE_DEPTH}
    with connection.cursor() as cursor:
        for statement in ADD_BOTH_DIRECTIONS:
            cursor.execute(statement, sizes)
        cursor.execute(
            ADD_POOL_PAIRS, {"c": collection.pk, "pool": pool.pk, "pool_depth": POOL_DEPTH}
        )
        cursor.execute("ANALYZE")
