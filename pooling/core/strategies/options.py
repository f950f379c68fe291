"""Options of all strategies, applied to the pairs before they are a pool.

Source is the query, target the document.
"""

import numpy as np
from numpy.typing import NDArray

from annotate.core.labels.originals import Originals
from annotate.core.number_sets import is_first
from pooling.core.strategies.parameters import NumberParameter, Parameter, TextParameter
from pooling.core.strategies.selections import (
    NO_RANK,
    ChosenPairs,
    Integers,
    Layout,
    Pairs,
    UndrawnStratumPairs,
    is_in,
    position_in_group,
    take,
)

CHECK_STRATUM = 10  # added to the stratum of a pair that is there to check the reference
NEGATIVE_STRATUM = 20
CUT_STRATUM = 30  # of pairs that were sure to be taken and that a budget cut
OPTIONS: tuple[Parameter, ...] = (
    TextParameter("trusted", "Trusted reference set", 60, sentence="Pairs it labels are left out."),
    NumberParameter(
        "check_share",
        "Share kept as a check",
        0.0,
        1.0,
        0.0,
        "Of the pairs the trusted reference set labels.",
    ),
    NumberParameter(
        "budget", "At most pairs a query", 0, 10_000, 0, "0: no limit. The best ranked stay."
    ),
    NumberParameter(
        "negatives",
        "Random negatives a query",
        0,
        100,
        0,
        "Drawn from what no run holds near its top.",
    ),
    NumberParameter(
        "outside", "Outside every run's top", 1, 1000, 25, "Where random negatives come from."
    ),
    NumberParameter("rate", "Pay an hour", 0.0, 10_000.0, 0.0, "0: no price is shown."),
    TextParameter("currency", "Currency", 3, "EUR"),
)


def with_originals(pairs: ChosenPairs, originals: Originals) -> ChosenPairs:
    """The pairs and, of those that repeat others, the pairs of originals, with the better rank."""
    if not originals:
        return pairs
    source, target = originals.of(pairs.source), originals.of(pairs.target)
    is_repeat = (source != pairs.source) | (target != pairs.target)
    rows = np.concatenate([np.arange(len(is_repeat)), np.flatnonzero(is_repeat)])
    source = np.concatenate([pairs.source, source[is_repeat]])
    target = np.concatenate([pairs.target, target[is_repeat]])
    order = np.lexsort((pairs.best_rank[rows], target, source))
    source, target, rows = source[order], target[order], rows[order]
    first = np.ones(len(source), dtype=bool)
    first[1:] = (source[1:] != source[:-1]) | (target[1:] != target[:-1])
    rows = rows[first]
    return pairs._replace(
        source=source[first],
        target=target[first],
        best_rank=pairs.best_rank[rows],
        stratum=pairs.stratum[rows],
        probability=pairs.probability[rows],
    )


def is_repeat_of(pairs: Pairs, wanted_pairs: Pairs, originals: Originals) -> NDArray[np.bool_]:
    """(M,) mask of the pairs of duplicates whose pair of originals is among the wanted ones."""
    source, target = originals.of(pairs.source), originals.of(pairs.target)
    is_duplicate = (source != pairs.source) | (target != pairs.target)
    return is_duplicate & is_in(source, target, wanted_pairs)


def without_trusted(
    pairs: ChosenPairs, trusted_pairs: Pairs, *, share: float, rng: np.random.Generator
) -> ChosenPairs:
    """The pairs without those labelled already, of which round(share * N) of N stay, at random.

    Those have a stratum of their own, and the chance of that draw times the one they had. Labelled
    pairs that do not stay were not drawn of that stratum; if none stays, they are in no stratum.
    """
    has_label = is_in(pairs.source, pairs.target, trusted_pairs)
    rows = np.flatnonzero(has_label)
    n_checks = int(share * len(rows) + 0.5)
    check_rows = rng.choice(rows, n_checks, replace=False)
    stratum, probability = pairs.stratum.copy(), pairs.probability.copy()
    stratum[check_rows] += CHECK_STRATUM
    probability[check_rows] *= n_checks / max(len(rows), 1)
    stays = ~has_label
    stays[check_rows] = True
    undrawn = pairs.undrawn
    if undrawn is not None or n_checks:
        own_undrawn = undrawn or UndrawnStratumPairs(*np.empty((3, 0), dtype=np.int64))
        dropped_pairs = UndrawnStratumPairs(
            pairs.source[~stays], pairs.target[~stays], pairs.stratum[~stays] + CHECK_STRATUM
        )
        is_labelled = is_in(own_undrawn.source, own_undrawn.target, trusted_pairs)
        own_undrawn = own_undrawn._replace(
            stratum=np.where(is_labelled, own_undrawn.stratum + CHECK_STRATUM, own_undrawn.stratum)
        )
        undrawn = (
            join_undrawn(own_undrawn, dropped_pairs)
            if n_checks
            else rows_undrawn(own_undrawn, ~is_labelled)
        )
    return take(pairs._replace(stratum=stratum, probability=probability, undrawn=undrawn), stays)


def at_most(pairs: ChosenPairs, budget: int, *, rng: np.random.Generator) -> ChosenPairs:
    """At most `budget` pairs of each query: the sure ones by best rank, then drawn ones.

    Ties are settled at random. Of drawn pairs a random part stays, and their chance shrinks by that
    part, so that they still stand for all they were drawn from; the others were not drawn then.
    Sure ones that go are, beside drawn ones, in a stratum of which nothing was drawn.
    """
    is_drawn = pairs.probability < 1
    order = np.lexsort(
        (
            rng.random(len(is_drawn)),
            np.where(is_drawn, 0, pairs.best_rank),
            is_drawn,
            pairs.source,
        )
    )
    position = np.empty(len(order), dtype=np.int64)
    position[order] = position_in_group(pairs.source[order])
    stays = position < budget
    queries, query = np.unique(pairs.source, return_inverse=True)
    whole, part = (
        np.bincount(query[rows], minlength=len(queries)) for rows in (is_drawn, is_drawn & stays)
    )
    share = (part / np.maximum(whole, 1))[query]
    undrawn = pairs.undrawn
    if undrawn is not None:
        stratum = np.where(is_drawn, pairs.stratum, CUT_STRATUM)[~stays]
        undrawn = join_undrawn(
            undrawn, UndrawnStratumPairs(pairs.source[~stays], pairs.target[~stays], stratum)
        )
    probability = np.where(is_drawn, pairs.probability * share, 1.0)
    return take(pairs._replace(probability=probability, undrawn=undrawn), stays)


def with_negatives(
    pairs: ChosenPairs, near_pairs: Pairs, documents: Integers, *, n: int, rng: np.random.Generator
) -> ChosenPairs:
    """The pairs, and for each of their queries n more, drawn alike from all the others.

    Not from `near_pairs`, though.

    near_pairs : pairs near the top of any run; documents : all there are, ascending

    A query with fewer than n left gives all of them. They have a stratum of their own and the
    chance n / (documents left).
    """
    queries = np.unique(pairs.source)
    undrawable = _undrawable_pairs(pairs, near_pairs, queries, documents)
    n_left = len(documents) - np.bincount(undrawable.source, minlength=len(queries))
    query, nth = draw_distinct(n_left, n, rng=rng)
    # The u-th drawable document lies past the undrawable ones, j-th of them, whose index - j <= u.
    width = len(documents) + 1
    codes = undrawable.source * width + undrawable.target - position_in_group(undrawable.source)
    before = np.searchsorted(undrawable.source, query)
    position = nth + np.searchsorted(codes, query * width + nth, side="right") - before
    chance = np.minimum(n / np.maximum(n_left, 1), 1.0)[query]
    ones_column = np.ones(len(query), dtype=np.int64)
    both = ChosenPairs(
        np.concatenate([pairs.source, queries[query]]),
        np.concatenate([pairs.target, documents[position]]),
        np.concatenate([pairs.best_rank, NO_RANK * ones_column]),
        np.concatenate([pairs.stratum, NEGATIVE_STRATUM * ones_column]),
        np.concatenate([pairs.probability, chance]),
        drawn_sources=pairs.drawn_sources,
        undrawn=pairs.undrawn,
    )
    return take(both, np.lexsort((both.target, both.source)))


def join_undrawn(first: UndrawnStratumPairs, second: UndrawnStratumPairs) -> UndrawnStratumPairs:
    """Join both, by source and target."""
    columns = [np.concatenate(both) for both in zip(first, second, strict=True)]
    return rows_undrawn(UndrawnStratumPairs(*columns), np.lexsort((columns[1], columns[0])))


def rows_undrawn(
    undrawn: UndrawnStratumPairs, rows: NDArray[np.bool_] | Integers
) -> UndrawnStratumPairs:
    """Select some undrawn pairs."""
    return UndrawnStratumPairs(*(column[rows] for column in undrawn))


def draw_distinct(
    sizes: Integers, n: int, *, rng: np.random.Generator
) -> tuple[Integers, Integers]:
    """From each 0, 1, ... size - 1, min(n, size) different numbers, every set alike.

    Floyd's algorithm, side by side. Returns the index of the size and the number, one row a draw.
    """
    draws = np.full((len(sizes), n), -1, dtype=np.int64)
    for step in range(n):
        last = sizes - n + step
        guess = rng.integers(0, np.maximum(last, 0), endpoint=True)
        again = (draws[:, :step] == guess[:, None]).any(axis=1)
        draws[:, step] = np.where(last < 0, -1, np.where(again, last, guess))
    index, column = np.nonzero(draws >= 0)
    return index, draws[index, column]


def _undrawable_pairs(
    pairs: ChosenPairs, near_pairs: Pairs, queries: Integers, documents: Integers
) -> Pairs:
    """Pairs that cannot be drawn, as indices into queries and documents, ascending, none twice."""
    source = np.concatenate([pairs.source, near_pairs.source])
    target = np.concatenate([pairs.target, near_pairs.target])
    is_inside = np.isin(source, queries) & np.isin(target, documents)
    first, second = (
        np.searchsorted(queries, source[is_inside]),
        np.searchsorted(documents, target[is_inside]),
    )
    layout = Layout([first], [second])
    codes = np.sort(layout.codes(first, second))
    return layout.pairs(codes[is_first(codes)])
