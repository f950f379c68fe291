"""SQL of the counts of each block of pairs; see tallies.py for the counts' names."""

import re

from annotate.models import Round, Seat
from annotate.statements import text_list
from metrics.models import BLOCK_SIZE

_LABELS = text_list(Seat.FOR_LABELS)  # the purposes of seats whose judgments enter agreement
_ROUND_KINDS = text_list(Round.FOR_LABELS)  # the kinds of rounds that want such labels
_REQUESTED_PAIRS = "= ANY(%(pairs)s::bigint[])"


def _by_block(columns: str, source: str, *, n: str = "count(*)", key: str) -> str:
    """SQL for rows of block, key, n, each key once a block.

    Numbers are grouped before they are formatted as text.
    """
    positions = ", ".join(str(2 + position) for position in range(columns.count(",") + 1))
    return f"""
        SELECT block, {key}, n::bigint FROM (
            SELECT pair_id / {BLOCK_SIZE} AS block, {columns}, {n} AS n
            {source} GROUP BY 1, {positions}) grouped"""  # noqa: S608 - own words


_COUNT_QUERIES = [
    _by_block(
        "true",
        (
            "FROM annotate_judgment WHERE collection_id = %(collection)s AND pair_id "
            f"{_REQUESTED_PAIRS}"
        ),
        key="'judgments'",
    ),
    _by_block(
        "n_planned, grades", "FROM pair_grades", key="format('given %%s %%s', n_planned, grades)"
    ),
    _by_block(
        "query_id, n_planned, grades",
        (
            "FROM pair_grades JOIN annotate_pair pair ON pair.id = pair_grades.pair_id WHERE "
            "n_labels > 1"
        ),
        key="format('several %%s %%s %%s', query_id, n_planned, grades)",
    ),
    _by_block(
        "annotator_id, purpose, grade",
        "FROM seat_judgment",
        key="format('said %%s %%s %%s', annotator_id, purpose, grade)",
    ),
    _by_block(
        "annotator_id, tenths",
        "FROM seat_judgment WHERE tenths IS NOT NULL AND purpose <> 'training'",
        key="format('time %%s %%s', annotator_id, tenths)",
    ),
    _by_block(
        "annotator_id, seat_judgment.grade, gold.grade AS truth",
        "FROM seat_judgment JOIN annotate_gold gold USING (pair_id)"
        " WHERE seat_judgment.purpose = 'gold' AND gold.retired_at IS NULL",
        key="format('gold %%s %%s %%s', annotator_id, grade, truth)",
    ),
    _by_block(
        "annotator_id, query_id, first_judgment.grade AS earlier, repeat_judgment.grade AS later",
        (
            "FROM seat_judgment first_judgment JOIN seat_judgment repeat_judgment USING (pair_id, "
            "annotator_id) JOIN annotate_pair pair ON pair.id = first_judgment.pair_id WHERE "
            "first_judgment.purpose = 'label' AND repeat_judgment.purpose = 'repeat'"
        ),
        key="format('repeat %%s %%s %%s %%s', annotator_id, query_id, earlier, later)",
    ),
    _by_block(
        "annotator_id",
        "FROM label_neighbours WHERE n_pair > 1",
        n="sum(n_pair - 1)",
        key="format('shared %%s', annotator_id)",
    ),
    _by_block(
        "annotator_id",
        "FROM label_neighbours WHERE n_grade > 1",
        n="sum(n_grade - 1)",
        key="format('equal %%s', annotator_id)",
    ),
    _by_block(
        "status, grade",
        (
            "FROM annotate_resolution WHERE collection_id = %(collection)s AND pair_id "
            f"{_REQUESTED_PAIRS}"
        ),
        key="format('resolution %%s %%s', status, coalesce(grade::text, '-'))",
    ),
    _by_block("round_id, state", "FROM round_pair", key="format('pairs %%s %%s', round_id, state)"),
    _by_block("state", "FROM wanted_pair", key="format('wanted %%s', state)"),
    _by_block(
        "round_id, state = 'done' AS is_done",
        f"FROM annotate_seat WHERE collection_id = %(collection)s AND pair_id {_REQUESTED_PAIRS}"
        f" AND purpose IN {_LABELS} AND state IN ('free', 'held', 'done')",
        key="format('%%s %%s', CASE WHEN is_done THEN 'done' ELSE 'left' END, round_id)",
    ),
    _by_block(
        "reference_set_id, label.grade, resolution.grade AS people_grade",
        (
            "FROM annotate_resolution resolution JOIN annotate_pair pair ON pair.id = "
            "resolution.pair_id JOIN annotate_referencelabel label USING (query_id, document_id) "
            f"WHERE resolution.collection_id = %(collection)s AND pair_id {_REQUESTED_PAIRS} AND "
            "resolution.grade IS NOT NULL"
        ),
        key="format('conflict %%s %%s %%s', reference_set_id, grade, people_grade)",
    ),
]

# Common table expressions; the last, pair_count (block, key, n), has the counts. Parameters:
# collection, and pairs: the keys of the pairs to count.
COUNTS_OF_SOME = f"""
    seat_judgment AS MATERIALIZED (
        SELECT pair_id, seat_id, number, purpose, annotator_id, grade, is_label, is_planned,
               (active_ms + 50) / 100 AS tenths
        FROM annotate_countingjudgment judgment
        WHERE collection_id = %(collection)s AND judgment.pair_id {_REQUESTED_PAIRS}),
    counting_label AS (
        SELECT * FROM seat_judgment WHERE is_label),
    pair_grades AS (
        SELECT pair_id,
               string_agg(grade::text, ' ' ORDER BY is_planned DESC, number, seat_id) AS grades,
               count(*) FILTER (WHERE is_planned) AS n_planned, count(*) AS n_labels
        FROM counting_label GROUP BY pair_id),
    label_neighbours AS (
        SELECT pair_id, annotator_id, count(*) OVER (PARTITION BY pair_id) AS n_pair,
               count(*) OVER (PARTITION BY pair_id, grade) AS n_grade FROM counting_label),
    round_pair AS MATERIALIZED (
        SELECT pair_state.pair_id, pair_state.round_id, round.kind, pair_state.state
        FROM annotate_pairstate pair_state
        JOIN annotate_round round ON round.id = pair_state.round_id
        WHERE pair_state.collection_id = %(collection)s
            AND pair_state.pair_id {_REQUESTED_PAIRS}),
    -- left out if every round leaves the pair out; else its state is the same in all rounds
    wanted_pair AS (
        SELECT pair_id, coalesce(min(state) FILTER (WHERE state <> 'left_out'), 'left_out') AS state
        FROM round_pair WHERE kind IN {_ROUND_KINDS} GROUP BY pair_id),
    pair_count (block, key, n) AS ({" UNION ALL ".join(_COUNT_QUERIES)})
"""  # noqa: S608 - own text

COUNTS_OF_ALL = re.sub(rf"AND \S+ {re.escape(_REQUESTED_PAIRS)}", "", COUNTS_OF_SOME)
