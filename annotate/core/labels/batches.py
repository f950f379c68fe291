"""Hidden checks in a batch: nothing that a browser receives tells them from the candidates.

Whether a card is a check must not depend on anything that the annotator can see: the length of the
batch, the card's position, the number of cards with its query. So checks keep a constant share of
a batch, and where a batch goes query by query, a query gets checks as often as it has candidates.
"""

from collections.abc import Mapping, Sequence
from math import floor
from random import Random

_STEPS = 2**20


def n_checks(n_requested: int, *, share: float, seed: int) -> int:
    """Number of checks for a batch: all requested ones if it is full, else as large a share.

    share : candidates of the batch, as a share of a full batch's, in (0, 1]
    seed : rounds fractions, so that the share is exact on average
    """
    draw = (seed % _STEPS) / _STEPS
    return min(n_requested, floor(n_requested * share + draw))


def pick_by_query(
    queries: Sequence[int], available: Mapping[int, Sequence[int]], *, n: int, seed: int
) -> list[int]:
    """Pick n available checks of the batch's queries; a query's chance is its number of candidates.

    queries : (N,) the query of each candidate
    available : the checks of each query
    Returns fewer than n where the batch's queries have no more, and never more checks of a query
    than it has candidates, whose places they take.
    """
    rng = Random(seed)  # noqa: S311 - the seed is the secret, a keyed hash
    unpicked_checks = {
        query: rng.sample(sorted(checks), len(checks))
        for query, checks in sorted(available.items())
    }
    queries_left = list(queries)
    picks: list[int] = []
    while len(picks) < n and any(unpicked_checks.get(query) for query in queries_left):
        query = rng.choice([query for query in queries_left if unpicked_checks.get(query)])
        picks.append(unpicked_checks[query].pop())
        queries_left.remove(query)
    return picks


def remaining_candidates(
    queries: Sequence[int], golds: Sequence[int], *, grouped: bool, seed: int
) -> list[int]:
    """Positions of the candidates left in a batch after each gold has replaced one, ascending.

    queries, golds : the query of each candidate, and of each gold
    grouped : whether a gold replaces a candidate of its own query
    At least one candidate stays.
    """
    rng = Random(seed)  # noqa: S311 - the seed is the secret, a keyed hash
    positions = list(range(len(queries)))
    for query in golds:
        removable = [
            position for position in positions if queries[position] == query or not grouped
        ]
        if removable and len(positions) > 1:
            positions.remove(rng.choice(removable))
    return positions


def n_repeats(share: float, *, n_old_pairs: int, n_repeated: int, n_candidates: int) -> int:
    """Number of an annotator's own pairs that a batch shows her again.

    share : share of her pairs that is repeated, in [0, 1]
    n_old_pairs : her pairs that are old enough; n_repeated : pairs already shown again
    Returns the number missing from the share, at most the same share of the batch, rounded up.
    """
    n_missing = floor(share * n_old_pairs + 1e-9) - n_repeated
    limit = -floor(-share * n_candidates)
    return max(0, min(n_missing, limit))


def max_batches(runs: Sequence[int], size: int) -> int:
    """Largest number of batches of a size that runs of seats can touch, wherever each run begins.

    runs : (N,) lengths, 1 or more
    """
    return sum(1 + -(-(length - 1) // size) for length in runs)
