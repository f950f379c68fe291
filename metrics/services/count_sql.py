"""What each block of pairs adds to the counts, in SQL; see tallies.py for the counts' names."""

import re

from metrics.models import BLOCK_SIZE

_LABELS = "('label', 'import')"  # the purposes of seats whose judgments enter agreement
_PLANNED = "('first', 'double')"  # why a label was asked for whatever other people said of the pair
_ROUNDS = "('pool', 'import')"  # the kinds of rounds that want them
_ASKED = "= ANY(%(pairs)s::bigint[])"


def _by_block(columns: str, source: str, *, n: str = "count(*)", key: str) -> str:
    """Rows of block, key, n, each key once a block: numbers are grouped before they are put into words."""
    places = ", ".join(str(2 + place) for place in range(columns.count(",") + 1))
    return f"""
        SELECT block, {key}, n::bigint
        FROM (SELECT pair_id / {BLOCK_SIZE} AS block, {columns}, {n} AS n {source} GROUP BY 1, {places}) grouped"""  # noqa: S608


_ADDENDS = [
    _by_block("true", f"FROM annotate_judgment WHERE collection_id = %(collection)s AND pair_id {_ASKED}",
              key="'judgments'"),
    _by_block("n_planned, grades", "FROM given", key="format('given %%s %%s', n_planned, grades)"),
    _by_block("query_id, n_planned, grades",
              "FROM given JOIN annotate_pair pair ON pair.id = given.pair_id WHERE n_labels > 1",
              key="format('several %%s %%s %%s', query_id, n_planned, grades)"),
    _by_block("annotator_id, purpose, grade", "FROM said",
              key="format('said %%s %%s %%s', annotator_id, purpose, grade)"),
    _by_block("annotator_id, tenths", "FROM said WHERE tenths IS NOT NULL AND purpose <> 'training'",
              key="format('time %%s %%s', annotator_id, tenths)"),
    _by_block("annotator_id, said.grade, gold.grade AS truth",
              "FROM said JOIN annotate_gold gold USING (pair_id)"
              " WHERE said.purpose = 'gold' AND gold.retired_at IS NULL",
              key="format('gold %%s %%s %%s', annotator_id, grade, truth)"),
    _by_block("annotator_id, query_id, said.grade AS earlier, again.grade AS later",
              "FROM said JOIN said again USING (pair_id, annotator_id)"
              " JOIN annotate_pair pair ON pair.id = said.pair_id"
              " WHERE said.purpose = 'label' AND again.purpose = 'repeat'",
              key="format('repeat %%s %%s %%s %%s', annotator_id, query_id, earlier, later)"),
    _by_block("annotator_id", "FROM beside WHERE n_pair > 1", n="sum(n_pair - 1)",
              key="format('shared %%s', annotator_id)"),
    _by_block("annotator_id", "FROM beside WHERE n_grade > 1", n="sum(n_grade - 1)",
              key="format('equal %%s', annotator_id)"),
    _by_block("status, grade",
              f"FROM annotate_resolution WHERE collection_id = %(collection)s AND pair_id {_ASKED}",
              key="format('resolution %%s %%s', status, coalesce(grade::text, '-'))"),
    _by_block("round_id, state", "FROM named", key="format('pairs %%s %%s', round_id, state)"),
    _by_block("state", "FROM wanted", key="format('wanted %%s', state)"),
    _by_block("round_id, state = 'done' AS is_done",
              f"FROM annotate_seat WHERE collection_id = %(collection)s AND pair_id {_ASKED}"
              f" AND purpose IN {_LABELS} AND state IN ('free', 'held', 'done')",
              key="format('%%s %%s', CASE WHEN is_done THEN 'done' ELSE 'left' END, round_id)"),
    _by_block("reference_set_id, label.grade, resolution.grade AS said",
              "FROM annotate_resolution resolution JOIN annotate_pair pair ON pair.id = resolution.pair_id"
              " JOIN annotate_referencelabel label USING (query_id, document_id)"
              f" WHERE resolution.collection_id = %(collection)s AND pair_id {_ASKED}"
              " AND resolution.grade IS NOT NULL",
              key="format('conflict %%s %%s %%s', reference_set_id, grade, said)"),
]  # fmt: skip

# Common table expressions; the last, counted (block, key, n), is what there is to count. Parameters: collection, and
# pairs: the keys of the pairs to count.
COUNTS_OF_SOME = f"""
    said AS MATERIALIZED (
        SELECT seat.pair_id, seat.id, seat.number, seat.purpose, judgment.annotator_id, level.grade,
               (judgment.active_ms + 50) / 100 AS tenths, seat.why IN {_PLANNED} AS is_planned
        FROM annotate_seat seat JOIN annotate_judgment judgment ON judgment.id = seat.judgment_id
        JOIN annotate_level level ON level.id = judgment.level_id
        WHERE seat.collection_id = %(collection)s AND seat.state = 'done' AND seat.pair_id {_ASKED}),
    label AS (
        SELECT * FROM said WHERE purpose IN {_LABELS}),
    given AS (
        SELECT pair_id, string_agg(grade::text, ' ' ORDER BY is_planned DESC, number, id) AS grades,
               count(*) FILTER (WHERE is_planned) AS n_planned, count(*) AS n_labels
        FROM label GROUP BY pair_id),
    beside AS (
        SELECT pair_id, annotator_id, count(*) OVER (PARTITION BY pair_id) AS n_pair,
               count(*) OVER (PARTITION BY pair_id, grade) AS n_grade FROM label),
    named AS MATERIALIZED (
        SELECT standing.pair_id, standing.round_id, round.kind, standing.state
        FROM annotate_pairstate standing JOIN annotate_round round ON round.id = standing.round_id
        WHERE standing.collection_id = %(collection)s AND standing.pair_id {_ASKED}),
    wanted AS (  -- left out is a pair that every round leaves out; otherwise all rounds say the same of it
        SELECT pair_id, coalesce(min(state) FILTER (WHERE state <> 'left_out'), 'left_out') AS state
        FROM named WHERE kind IN {_ROUNDS} GROUP BY pair_id),
    counted (block, key, n) AS ({" UNION ALL ".join(_ADDENDS)})
"""  # noqa: S608 - own text

COUNTS_OF_ALL = re.sub(rf"AND \S+ {re.escape(_ASKED)}", "", COUNTS_OF_SOME)
