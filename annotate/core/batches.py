"""What is placed unseen among a batch's candidates, so that nothing a browser receives gives it away.

Whether a card is a check must not hang on anything that its reader can see: how long the batch is, where the card
stands, how many cards have its query. So checks keep a constant share of a batch, and in batches of one query's pairs
after the other a query gets one as often as it has candidates.
"""

from collections.abc import Mapping, Sequence
from math import floor
from random import Random

_STEPS = 2**20


def n_placed(n_wanted: int, *, share: float, seed: int) -> int:
    """How many checks go into a batch: all that are wanted into a full one, as large a share into a smaller one.

    share : candidates of the batch, as a share of a full batch's, in (0, 1]
    seed : decides about fractions, so that the share is exact on average
    """
    dice = (seed % _STEPS) / _STEPS
    return min(n_wanted, floor(n_wanted * share + dice))


def pick_by_query(queries: Sequence[int], available: Mapping[int, Sequence[int]], *, n: int, seed: int) -> list[int]:
    """n of the available checks, each of a query of the batch; a query is as likely as it has candidates.

    queries : (N,) the query of each candidate
    available : the checks of each query
    Returns fewer where the batch's queries have no more, and never more of a query than it has candidates, whose places
    they take.
    """
    rng = Random(seed)  # noqa: S311 - the seed is the secret, a keyed hash
    left = {query: rng.sample(sorted(checks), len(checks)) for query, checks in sorted(available.items())}
    order = list(queries)
    picked: list[int] = []
    while len(picked) < n and any(left.get(query) for query in order):
        query = rng.choice([query for query in order if left.get(query)])
        picked.append(left[query].pop())
        order.remove(query)
    return picked


def leave_places(queries: Sequence[int], golds: Sequence[int], *, grouped: bool, seed: int) -> list[int]:
    """Which candidates stay in a batch once each of its golds has taken the place of one, as places, ascending.

    queries, golds : the query of each candidate, and of each gold
    grouped : whether a gold takes the place of a candidate of its own query
    One candidate stays in any case.
    """
    rng = Random(seed)  # noqa: S311 - the seed is the secret, a keyed hash
    kept = list(range(len(queries)))
    for query in golds:
        places = [place for place in kept if queries[place] == query or not grouped]
        if places and len(kept) > 1:
            kept.remove(rng.choice(places))
    return kept


def n_repeats(share: float, *, n_old: int, n_given: int, n_candidates: int) -> int:
    """How many of a person's own pairs come back in a batch.

    share : of her pairs, in [0, 1], that are to come back
    n_old : her pairs that are old enough; n_given : those that came back already
    Returns what is missing of the share, at most the same share of the batch, rounded up.
    """
    missing = floor(share * n_old + 1e-9) - n_given
    at_most = -floor(-share * n_candidates)
    return max(0, min(missing, at_most))


def n_touched(runs: Sequence[int], size: int) -> int:
    """The most batches of a size that runs of seats can lie in: each begins in one, wherever that stands in it.

    runs : (N,) lengths, 1 or more
    """
    return sum(1 + -(-(length - 1) // size) for length in runs)
