"""A study under way, as large as FIRE's on MSVD, written by SQL: the ground of a lead's pages."""

from typing import NamedTuple

from django.db import connection

from annotate.models import Annotator, Collection, Item
from tests import cast

N_QUERIES, N_DOCUMENTS, DEPTH = 27_763, 670, 20
# annotators, labels of each; a fourth gave every tenth pair a second label
N_PEOPLE, N_LABELS = 3, 20_000
FILL = [
    """INSERT INTO annotate_item (collection_id, side, external_id, split, warning, excluded_reason)
       SELECT %(c)s, 'query', 'q' || i, 'test', '', '' FROM generate_series(1, %(queries)s) i
       UNION ALL SELECT %(c)s, 'document', 'd' || i, 'test', '', ''
       FROM generate_series(0, %(documents)s - 1) i""",
    """INSERT INTO annotate_part (item_id, position, kind, text, path)
       SELECT id, 0, 'text', 'text of ' || external_id, '' FROM annotate_item
       WHERE collection_id = %(c)s""",
    "DROP TABLE IF EXISTS numbered_item, person, new_label",
    """CREATE TEMPORARY TABLE numbered_item AS
       SELECT id, side, (row_number() OVER (PARTITION BY side ORDER BY id) - 1)::int AS n
       FROM annotate_item WHERE collection_id = %(c)s""",
    # the first document is in every fifth query's list: an item of 5,553 pairs
    """INSERT INTO annotate_pair (collection_id, query_id, document_id)
       SELECT %(c)s, q.id, d.id FROM numbered_item q CROSS JOIN generate_series(0, %(depth)s - 1) k
       JOIN numbered_item d ON d.side = 'document'
            AND d.n = CASE WHEN k = 0 AND q.n %% 5 = 0 THEN 0
                      ELSE 1 + (q.n * 7 + k) %% (%(documents)s - 1) END
       WHERE q.side = 'query'""",
    """INSERT INTO annotate_round (collection_id, policy_id, kind, name, state, priority)
       SELECT %(c)s, id, 'pool', 'pool', 'open', 0 FROM annotate_policy
       WHERE collection_id = %(c)s""",
    """INSERT INTO annotate_annotator (collection_id, pseudonym, origin, external_id)
       SELECT %(c)s, 'P' || i, 'person', '' FROM generate_series(0, %(people)s) i""",
    """CREATE TEMPORARY TABLE person AS
       SELECT id, substr(pseudonym, 2)::int AS n FROM annotate_annotator
       WHERE collection_id = %(c)s""",
    # labels: number of the labelled pair, annotator, number of the label within the pair, and grade
    """CREATE TEMPORARY TABLE new_label AS
       WITH chosen AS (
           SELECT id AS pair_id, (row_number() OVER (ORDER BY id %% 9, id) - 1)::int AS n
           FROM annotate_pair WHERE collection_id = %(c)s ORDER BY 2 LIMIT %(labelled)s
       )
       SELECT pair_id, chosen.n, k AS number, person.id AS annotator_id,
              CASE WHEN k = 2 AND chosen.n %% 30 = 0 THEN 2 - chosen.n %% 60 / 30 * 2
                   ELSE chosen.n %% 60 / 30 * 2 END AS grade,
              row_number() OVER (PARTITION BY person.id ORDER BY chosen.n) - 1 AS at
       FROM chosen CROSS JOIN LATERAL generate_series(1, 1 + (chosen.n %% 10 = 0)::int) k
       JOIN person ON person.n = CASE WHEN k = 2 THEN %(people)s ELSE chosen.n %% %(people)s END""",
    """INSERT INTO annotate_roundpair (round_id, pair_id, n_wanted)
       SELECT round.id, pair.id,
              1 + EXISTS (SELECT FROM new_label WHERE pair_id = pair.id AND number = 2)::int
       FROM annotate_pair pair JOIN annotate_round round USING (collection_id)
       WHERE collection_id = %(c)s""",
    """INSERT INTO annotate_batch (collection_id, annotator_id, number, opened_at, finished_at,
                                   settled_at, verdict)
       SELECT %(c)s, annotator_id, 1 + at / 100, now(), now(), now(), '' FROM new_label
       GROUP BY 2, 3""",
    """INSERT INTO annotate_seat (collection_id, round_id, pair_id, purpose, number, why, state,
                                  annotator_id, queue_key, leased_until)
       SELECT %(c)s, round.id, pair_id, 'label', new_label.number, 'first', 'held',
              annotator_id, 0, now()
       FROM new_label JOIN annotate_round round ON round.collection_id = %(c)s
       UNION ALL SELECT %(c)s, round.id, pair.id, 'label', 1, 'first', 'free', NULL, pair.id, NULL
       FROM annotate_pair pair JOIN annotate_round round USING (collection_id)
       WHERE collection_id = %(c)s
             AND NOT EXISTS (SELECT FROM new_label WHERE pair_id = pair.id)""",
    """INSERT INTO annotate_handout (batch_id, seat_id, position, token, answered_at)
       SELECT batch.id, seat.id, 1 + at %% 100, gen_random_uuid(), now() FROM new_label
       JOIN annotate_batch batch ON batch.annotator_id = new_label.annotator_id
            AND batch.number = 1 + at / 100
       JOIN annotate_seat seat ON seat.pair_id = new_label.pair_id
            AND seat.annotator_id = new_label.annotator_id""",
    """INSERT INTO annotate_judgment (collection_id, pair_id, annotator_id, hand_out_id, purpose,
                                      level_id, submission_id, reasons, active_ms)
       SELECT %(c)s, new_label.pair_id, new_label.annotator_id, hand_out.id, 'label', level.id,
              gen_random_uuid(), '[]', 1000
       FROM new_label JOIN annotate_seat seat ON seat.pair_id = new_label.pair_id
            AND seat.annotator_id = new_label.annotator_id
       JOIN annotate_handout hand_out ON hand_out.seat_id = seat.id
       JOIN annotate_level level ON level.collection_id = %(c)s AND level.grade = new_label.grade
       ORDER BY new_label.at""",
    """UPDATE annotate_seat seat SET state = 'done', leased_until = NULL, judgment_id = judgment.id
       FROM annotate_judgment judgment
       WHERE judgment.pair_id = seat.pair_id AND judgment.annotator_id = seat.annotator_id
             AND judgment.collection_id = %(c)s""",
    """INSERT INTO annotate_resolution (pair_id, collection_id, status, grade, n_labels,
                                        is_complete, policy_id)
       SELECT pair_id, %(c)s,
              CASE WHEN count(*) = 1 THEN 'single' WHEN min(grade) = max(grade) THEN 'agreed'
                   ELSE 'disputed' END,
              CASE WHEN min(grade) = max(grade) THEN min(grade) END, count(*), count(*) > 1,
              min(policy.id)
       FROM new_label JOIN annotate_policy policy ON policy.collection_id = %(c)s
       GROUP BY pair_id""",
    "UPDATE annotate_collection SET scheme_frozen_at = now() WHERE id = %(c)s",
    "ANALYZE",
]


class ReviewStudy(NamedTuple):
    """The collection, an annotator with 20,000 labels, and an item with 5,553 pairs."""

    collection: Collection
    annotator: Annotator
    item: Item


def fill(slug: str, *, scale: float = 1) -> ReviewStudy:
    """Create 555,260 pairs in an open pool: 60,000 labelled, of these 6,000 twice, 2,000 disputed.

    scale : factor of all these numbers
    """
    collection = cast.collection(
        slug, grades=3, tie="dispute", ceiling=2, gold_positives=0, gold_negatives=0
    )
    sizes = {
        "queries": round(scale * N_QUERIES),
        "documents": N_DOCUMENTS,
        "depth": DEPTH,
        "people": N_PEOPLE,
        "labelled": N_PEOPLE * round(scale * N_LABELS),
        "c": collection.pk,
    }
    with connection.cursor() as cursor:
        for statement in FILL:
            cursor.execute(statement, sizes)
    return ReviewStudy(
        collection,
        collection.annotators.get(pseudonym="P0"),
        Item.objects.get(collection=collection, external_id="d0"),
    )
