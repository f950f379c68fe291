"""Labels of the pairs that a pool would have: those given, and those asked for already."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.labels.keyed_choices import choose_doubles, double_count
from annotate.core.labels.resolving import n_first
from annotate.models import Collection, Direction, Policy, Round
from annotate.services.seating.seat_plan import label_policy
from annotate.services.storage.number_arrays import copied_columns, statement_columns
from annotate.statements import text_list
from pooling.core.strategies.selections import Pairs

# Free seats stand in rounds that want labels; what somebody holds is hers whatever became of the
# round. A pool that is being opened wants labels before it has seats.
_COUNTS = f"""
    SELECT chosen.position - 1, pair.id, coalesce(resolution.n_labels, 0),
        (SELECT count(*) FROM annotate_seat seat WHERE seat.pair_id = pair.id
           AND seat.purpose = 'label' AND seat.state IN ('free', 'held')),
        coalesce((SELECT max(round_pair.n_wanted) FROM annotate_roundpair round_pair
           WHERE round_pair.pair_id = pair.id AND round_pair.dropped_at IS NULL
             AND round_pair.round_id = ANY(ARRAY(
               SELECT id FROM annotate_round round WHERE round.collection_id = %(collection)s
                 AND round.kind = 'pool' AND round.state IN {text_list(Round.WANTING)}))), 0),
        coalesce(resolution.status IN ('adjudicated', 'escalated'), false) OR pair.id IN (
            SELECT pair_id FROM annotate_pairexclusion WHERE collection_id = %(collection)s)
    FROM unnest(%(query)s::bigint[], %(document)s::bigint[])
        WITH ORDINALITY AS chosen(query, document, position)
    JOIN annotate_pair pair ON pair.query_id = chosen.query AND pair.document_id = chosen.document
    LEFT JOIN annotate_resolution resolution ON resolution.pair_id = pair.id
"""  # noqa: S608 - own words

# The same of all pairs of a collection, where a list of those that are asked about is too long.
_SETTLED = """
    SELECT pair.query_id, pair.document_id FROM annotate_pair pair
    JOIN annotate_resolution resolution ON resolution.pair_id = pair.id
    WHERE pair.collection_id = %(collection)s
      AND (resolution.n_labels > 0 OR resolution.status IN ('adjudicated', 'escalated'))
    UNION ALL SELECT pair.query_id, pair.document_id FROM annotate_pairexclusion exclusion
    JOIN annotate_pair pair ON pair.id = exclusion.pair_id
    WHERE exclusion.collection_id = %(collection)s
"""
_WAITING = f"""
    SELECT DISTINCT pair.query_id, pair.document_id FROM annotate_roundpair round_pair
    JOIN annotate_pair pair ON pair.id = round_pair.pair_id
    JOIN annotate_round round ON round.id = round_pair.round_id
    WHERE round.collection_id = %(collection)s AND round.kind = 'pool'
      AND round_pair.dropped_at IS NULL AND round.state IN {text_list(Round.WANTING)}
"""  # noqa: S608 - own words


class LabelCounts(NamedTuple):
    """The labels of each of M chosen pairs.

    pair : (M,) its primary key, 0 if it is not stored yet
    n_labels : (M,) labels that count; n_seats : (M,) its label seats, free or held
    n_asked : (M,) the most labels that an open pool wants of it
    is_barred : (M,) whether no pool gets labels of it: a lead decided on it, left it out, or is
        asked about it
    """

    pair: NDArray[np.int64]
    n_labels: NDArray[np.int64]
    n_seats: NDArray[np.int64]
    n_asked: NDArray[np.int64]
    is_barred: NDArray[np.bool_]

    @property
    def is_waiting(self) -> NDArray[np.bool_]:
        """(M,) whether an open pool asks about it already."""
        return self.n_asked > 0

    @property
    def is_untouched(self) -> NDArray[np.bool_]:
        """(M,) whether it has no label."""
        return self.n_labels == 0

    def n_missing(self, *, policy: Policy, key: bytes) -> NDArray[np.float64]:
        """(M,) seats that a pool under a policy adds, beyond labels and seats that are there.

        Under a policy that stops early those that are asked for at first; in no case any that a
        disagreement asks for. Of a pair that is not stored yet nobody can know whether it will be
        among the planned doubles: its number is an expectation.

        key : the collection's, by which doubles are chosen
        """
        is_stored = self.pair > 0
        n_pairs, n_new = len(self.pair), int(np.count_nonzero(~is_stored))
        doubles = choose_doubles(self.pair[is_stored].tolist(), share=policy.double_share, key=key)
        n_other_doubles = double_count(n_pairs, share=policy.double_share) - len(doubles)
        chances = np.where(
            is_stored, np.isin(self.pair, list(doubles)), n_other_doubles / max(n_new, 1)
        )
        terms, n_planned = label_policy(policy), policy.labels_per_pair
        n_present = np.maximum(self.n_labels + self.n_seats, self.n_asked)
        n_single = np.maximum(0, n_first(n_planned, terms) - n_present)
        n_double = np.maximum(0, n_first(n_planned + 1, terms) - n_present)
        return np.where(self.is_barred, 0.0, (1 - chances) * n_single + chances * n_double)


def label_counts(
    *, collection: Collection, query: NDArray[np.int64], document: NDArray[np.int64]
) -> LabelCounts:
    """Return the labels of these pairs.

    query, document : (M,) primary keys of the items of each pair
    """
    position, *columns = statement_columns(
        _COUNTS,
        6,
        {"collection": collection.pk, "query": query.tolist(), "document": document.tolist()},
    )
    counts = np.zeros((len(columns), len(query)), dtype=np.int64)
    counts[:, position] = columns
    pair, n_labels, n_seats, n_asked, is_barred = counts
    return LabelCounts(pair, n_labels, n_seats, n_asked, is_barred.astype(bool))


class OldPairs(NamedTuple):
    """The pairs of a collection that are not new to a pool, as pairs of a direction.

    settled_pairs : with a label, perhaps without a grade, or a lead decided on them or left them
        out; some twice
    waiting_pairs : an open pool asks about them
    """

    settled_pairs: Pairs
    waiting_pairs: Pairs


def old_pairs(*, collection: Collection, direction: Direction) -> OldPairs:
    """Read the pairs that are not new to a pool; two queries, whatever their number."""
    names = ("query", "document")
    columns = [
        copied_columns(statement, names, {"collection": collection.pk})
        for statement in (_SETTLED, _WAITING)
    ]
    ends = names if direction == Direction.FORWARD else names[::-1]
    return OldPairs(*(Pairs(*(pairs[end] for end in ends)) for pairs in columns))
