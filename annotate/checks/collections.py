"""Collections: their scheme and versions, and that no row of one points into another."""

from annotate.checks.check import Check, query

# Rows that name their collection, and what they point to: (table, column, table pointed to).
BELONGS = [
    ("annotate_pair", "query_id", "annotate_item"),
    ("annotate_pair", "document_id", "annotate_item"),
    ("annotate_seat", "pair_id", "annotate_pair"),
    ("annotate_seat", "round_id", "annotate_round"),
    ("annotate_seat", "annotator_id", "annotate_annotator"),
    ("annotate_judgment", "pair_id", "annotate_pair"),
    ("annotate_judgment", "annotator_id", "annotate_annotator"),
    ("annotate_judgment", "level_id", "annotate_level"),
    ("annotate_judgment", "guidelines_id", "annotate_guidelines"),
    ("annotate_round", "policy_id", "annotate_policy"),
    ("annotate_batch", "annotator_id", "annotate_annotator"),
    ("annotate_gold", "pair_id", "annotate_pair"),
    ("annotate_report", "pair_id", "annotate_pair"),
    ("annotate_report", "annotator_id", "annotate_annotator"),
    ("annotate_resolution", "pair_id", "annotate_pair"),
    ("annotate_resolution", "policy_id", "annotate_policy"),
    ("annotate_change", "pair_id", "annotate_pair"),
    ("annotate_reviewaction", "pair_id", "annotate_pair"),
    ("annotate_reviewaction", "item_id", "annotate_item"),
    ("annotate_reviewaction", "annotator_id", "annotate_annotator"),
    ("annotate_reviewaction", "batch_id", "annotate_batch"),
    ("annotate_pairexclusion", "pair_id", "annotate_pair"),
]


def rows_pointing_outside(table: str, column: str, target: str) -> str:
    """Return the statement that finds rows which point into another collection."""
    return f"""
        SELECT format('{table}.{column} = %s: collection %s points into %s',
                      row.{column}, row.collection_id, target.collection_id)
        FROM {table} row JOIN {target} target ON target.id = row.{column}
        WHERE row.collection_id <> target.collection_id"""  # noqa: S608 - names from the table above


CHECKS = [
    Check(
        "annotate.collections-apart",
        "A row and what it points to are of one collection.",
        query(" UNION ALL ".join(rows_pointing_outside(*row) for row in BELONGS)),
    ),
    Check(
        "annotate.duplicates-of-originals",
        "What a duplicate repeats is no duplicate itself.",
        query("""
        SELECT format('item %s repeats %s, which repeats %s', copy.item_id, copy.original_id,
                      original.original_id)
        FROM annotate_duplicate copy
        JOIN annotate_duplicate original ON original.item_id = copy.original_id"""),
    ),
    Check(
        "annotate.rounds-apart",
        "A round names pairs of its own collection.",
        query("""
        SELECT format('round %s, pair %s', round.id, pair.id) FROM annotate_roundpair round_pair
        JOIN annotate_round round ON round.id = round_pair.round_id
          JOIN annotate_pair pair ON pair.id = round_pair.pair_id
        WHERE round.collection_id <> pair.collection_id"""),
    ),
    Check(
        "annotate.batches-apart",
        "A batch hands out seats of its own collection.",
        query("""
        SELECT format('batch %s, seat %s', batch.id, seat.id) FROM annotate_handout hand_out
        JOIN annotate_batch batch ON batch.id = hand_out.batch_id
        JOIN annotate_seat seat ON seat.id = hand_out.seat_id
        WHERE batch.collection_id <> seat.collection_id"""),
    ),
    Check(
        "annotate.pair-sides",
        "A pair is a query and a document.",
        query("""
        SELECT format('pair %s is a %s and a %s', pair.id, query.side, document.side)
        FROM annotate_pair pair
        JOIN annotate_item query ON query.id = pair.query_id
        JOIN annotate_item document ON document.id = pair.document_id
        WHERE query.side <> 'query' OR document.side <> 'document'"""),
    ),
    Check(
        "annotate.reference-sides",
        "A reference names a query and a document of its collection.",
        query("""
        SELECT format('reference label %s', label.id) FROM annotate_referencelabel label
        JOIN annotate_referenceset reference_set ON reference_set.id = label.reference_set_id
        JOIN annotate_item query ON query.id = label.query_id
        JOIN annotate_item document ON document.id = label.document_id
        WHERE query.side <> 'query' OR document.side <> 'document'
           OR query.collection_id <> reference_set.collection_id
           OR document.collection_id <> reference_set.collection_id"""),
    ),
    Check(
        "annotate.queryset-sides",
        "A query set holds sources, and a gallery targets, of its direction.",
        query("""
        SELECT format('query set %s, item %s', query_set.id, item.id)
        FROM annotate_querysetitem member
        JOIN annotate_queryset query_set ON query_set.id = member.query_set_id
        JOIN annotate_item item ON item.id = member.item_id
        WHERE item.collection_id <> query_set.collection_id
           OR (item.side = 'query')
              <> ((query_set.direction = 'forward') = (member.part = 'source'))"""),
    ),
    Check(
        "annotate.levels",
        "A collection has 2 to 7 levels and is positive from one above the lowest.",
        query("""
        SELECT format('collection %s: %s levels, positive from %s',
                      collection.slug, count(level.id), collection.positive_from)
        FROM annotate_collection collection
        LEFT JOIN annotate_level level ON level.collection_id = collection.id
        GROUP BY collection.id
        HAVING count(level.id) NOT BETWEEN 2 AND 7 OR min(level.grade) >= collection.positive_from
            OR NOT bool_or(level.grade = collection.positive_from)"""),
    ),
    Check(
        "annotate.gold-grade",
        "A gold's grade is in the scheme, and on the side that it says.",
        query("""
        SELECT format('gold %s: grade %s, positive %s', gold.id, gold.grade, gold.is_positive)
        FROM annotate_gold gold
        JOIN annotate_collection collection ON collection.id = gold.collection_id
        WHERE gold.is_positive <> (gold.grade >= collection.positive_from)
           OR NOT EXISTS (SELECT FROM annotate_level level
                          WHERE level.collection_id = gold.collection_id
                            AND level.grade = gold.grade)"""),
    ),
    Check(
        "annotate.reference-grade",
        "A reference label's grade is in the scheme.",
        query("""
        SELECT format('reference label %s: grade %s', label.id, label.grade)
        FROM annotate_referencelabel label
        JOIN annotate_referenceset reference_set ON reference_set.id = label.reference_set_id
        WHERE NOT EXISTS (SELECT FROM annotate_level level
                          WHERE level.collection_id = reference_set.collection_id
                            AND level.grade = label.grade)"""),
    ),
    Check(
        "annotate.policy-versions",
        "Policies of a collection count from version 1 without a gap.",
        query("""
        SELECT format('collection %s', collection.slug) FROM annotate_collection collection
        LEFT JOIN annotate_policy version ON version.collection_id = collection.id
        GROUP BY collection.id
        HAVING count(version.id) = 0 OR max(version.version) <> count(version.id)"""),
    ),
    Check(
        "annotate.guidelines-versions",
        "Guidelines of a collection count from version 1 without a gap.",
        query("""
        SELECT format('collection %s', collection.slug) FROM annotate_collection collection
        LEFT JOIN annotate_guidelines version ON version.collection_id = collection.id
        GROUP BY collection.id
        HAVING count(version.id) = 0 OR max(version.version) <> count(version.id)"""),
    ),
    Check(
        "annotate.member-annotator",
        "Who holds the role of annotator has an annotator.",
        query("""
        SELECT format('user %s in collection %s', member.user_id, member.collection_id)
        FROM annotate_membership member
        WHERE member.role = 'annotator'
          AND NOT EXISTS (SELECT FROM annotate_annotator ann
                          WHERE ann.user_id = member.user_id
                            AND ann.collection_id = member.collection_id)"""),
    ),
    Check(
        "annotate.collection-key",
        "A collection's secret has 32 bytes.",
        query("""
        SELECT format('collection %s', slug) FROM annotate_collection WHERE length(key) <> 32"""),
    ),
]
