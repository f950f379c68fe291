"""States of the pairs that a pool would have: labels they have, and labels asked for already."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.labels.keyed_choices import choose_doubles
from annotate.models import Collection, Policy, Round
from annotate.services.storage.number_arrays import statement_columns
from annotate.statements import text_list

_STATES = f"""
    SELECT chosen.position - 1, pair.id, coalesce(resolution.n_labels, 0), coalesce((
        SELECT max(round_pair.n_wanted) FROM annotate_roundpair round_pair
        WHERE round_pair.pair_id = pair.id AND round_pair.dropped_at IS NULL
          AND round_pair.round_id = ANY(ARRAY(
            SELECT id FROM annotate_round round WHERE round.collection_id = %(collection)s
              AND round.kind = 'pool' AND round.state IN {text_list(Round.WANTING)}))), 0),
        coalesce(resolution.status = 'adjudicated', false) OR pair.id IN (
            SELECT pair_id FROM annotate_pairexclusion WHERE collection_id = %(collection)s)
    FROM unnest(%(query)s::bigint[], %(document)s::bigint[])
        WITH ORDINALITY AS chosen(query, document, position)
    JOIN annotate_pair pair ON pair.query_id = chosen.query AND pair.document_id = chosen.document
    LEFT JOIN annotate_resolution resolution ON resolution.pair_id = pair.id
"""  # noqa: S608 - own words


class PairStates(NamedTuple):
    """The state of each of M chosen pairs.

    pair : (M,) its primary key, 0 if it is not stored yet
    n_labels : (M,) labels that count; n_asked : (M,) the most that an open pool wants of it
    is_settled : (M,) whether no label is wanted any more: a lead decided on it, or left it out
    """

    pair: NDArray[np.int64]
    n_labels: NDArray[np.int64]
    n_asked: NDArray[np.int64]
    is_settled: NDArray[np.bool_]

    @property
    def is_waiting(self) -> NDArray[np.bool_]:
        """(M,) whether an open pool asks about it already."""
        return self.n_asked > 0

    @property
    def is_untouched(self) -> NDArray[np.bool_]:
        """(M,) whether it has no label."""
        return self.n_labels == 0

    def n_missing(self, *, policy: Policy, key: bytes) -> NDArray[np.float64]:
        """(M,) labels to give under a policy, beyond those given, or asked for by open pools.

        The share of doubles is taken of the stored pairs and of the others each: of a pair that is
        not stored yet nobody can know whether it will be a double, so that its number is an
        expectation. Labels on disagreement are left out.

        key : the collection's, by which doubles are chosen
        """
        is_stored = self.pair > 0
        doubles = choose_doubles(self.pair[is_stored].tolist(), share=policy.double_share, key=key)
        chances = np.where(is_stored, np.isin(self.pair, list(doubles)), float(policy.double_share))
        n_present = np.maximum(self.n_labels, self.n_asked)
        n_single = np.maximum(0, policy.labels_per_pair - n_present)
        n_double = np.maximum(0, policy.labels_per_pair + 1 - n_present)
        return np.where(self.is_settled, 0.0, (1 - chances) * n_single + chances * n_double)


def pair_states(
    *, collection: Collection, query: NDArray[np.int64], document: NDArray[np.int64]
) -> PairStates:
    """Return the states of these pairs.

    query, document : (M,) primary keys of the items of each pair
    """
    position, *columns = statement_columns(
        _STATES,
        5,
        {"collection": collection.pk, "query": query.tolist(), "document": document.tolist()},
    )
    states = np.zeros((len(columns), len(query)), dtype=np.int64)
    states[:, position] = columns
    pair, n_labels, n_asked, is_settled = states
    return PairStates(pair, n_labels, n_asked, is_settled.astype(bool))
