"""What any strategy's pairs may go through before they are a pool; source is the query here, target the document."""

import numpy as np
from numpy.typing import NDArray

from pooling.core.parameters import Number, Parameter, Text
from pooling.core.selections import (
    NO_RANK,
    Chosen,
    Integers,
    Layout,
    Pairs,
    Undrawn,
    is_first,
    is_in,
    place_in_group,
    take,
)

CHECK_STRATUM = 10  # is added to the stratum of a pair that is there to check the reference
NEGATIVE_STRATUM = 20
CUT_STRATUM = 30  # of what a budget cut that else was sure to be taken
OPTIONS: tuple[Parameter, ...] = (
    Text("trusted", "Trusted reference set", 60, sentence="Pairs it labels are left out."),
    Number("check_share", "Share kept as a check", 0.0, 1.0, 0.0, "Of the pairs the trusted reference set labels."),
    Number("budget", "At most pairs a query", 0, 10_000, 0, "0: no limit. The best ranked stay."),
    Number("negatives", "Random negatives a query", 0, 100, 0, "Drawn from what no run holds near its top."),
    Number("outside", "Outside every run's top", 1, 1000, 25, "Where random negatives come from."),
    Number("rate", "Pay an hour", 0.0, 10_000.0, 0.0, "0: no price is shown."),
    Text("currency", "Currency", 3, "EUR"),
)


def without_trusted(chosen: Chosen, trusted: Pairs, *, share: float, rng: np.random.Generator) -> Chosen:
    """The pairs without those that are labelled already, of which round(share * N) of N stay, drawn at random.

    Those have a stratum of their own, and the chance of that draw times the one they had. What is labelled and not
    kept was not drawn of that stratum; where nothing is kept, it is in no stratum.
    """
    labelled = is_in(chosen.source, chosen.target, trusted)
    rows = np.flatnonzero(labelled)
    n_kept = int(share * len(rows) + 0.5)
    kept = rng.choice(rows, n_kept, replace=False)
    stratum, probability = chosen.stratum.copy(), chosen.probability.copy()
    stratum[kept] += CHECK_STRATUM
    probability[kept] *= n_kept / max(len(rows), 1)
    stays = ~labelled
    stays[kept] = True
    undrawn = chosen.undrawn
    if undrawn is not None or n_kept:
        rest = undrawn or Undrawn(*np.empty((3, 0), dtype=np.int64))
        dropped = Undrawn(chosen.source[~stays], chosen.target[~stays], chosen.stratum[~stays] + CHECK_STRATUM)
        is_labelled = is_in(rest.source, rest.target, trusted)
        rest = rest._replace(stratum=np.where(is_labelled, rest.stratum + CHECK_STRATUM, rest.stratum))
        undrawn = joined(rest, dropped) if n_kept else rows_undrawn(rest, ~is_labelled)
    return take(chosen._replace(stratum=stratum, probability=probability, undrawn=undrawn), stays)


def at_most(chosen: Chosen, budget: int, *, rng: np.random.Generator) -> Chosen:
    """At most `budget` pairs of each query: those that were sure to be taken first, by best rank, then drawn ones.

    Ties are settled at random. Of drawn pairs a random part stays, and their chance shrinks by that part, so that they
    still stand for all they were drawn from; the others were not drawn then. Sure ones that go are, beside drawn ones,
    in a stratum of which nothing was drawn.
    """
    is_drawn = chosen.probability < 1
    order = np.lexsort((rng.random(len(is_drawn)), np.where(is_drawn, 0, chosen.best_rank), is_drawn, chosen.source))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = place_in_group(chosen.source[order])
    stays = place < budget
    queries, query = np.unique(chosen.source, return_inverse=True)
    whole, part = (np.bincount(query[rows], minlength=len(queries)) for rows in (is_drawn, is_drawn & stays))
    share = (part / np.maximum(whole, 1))[query]
    undrawn = chosen.undrawn
    if undrawn is not None:
        stratum = np.where(is_drawn, chosen.stratum, CUT_STRATUM)[~stays]
        undrawn = joined(undrawn, Undrawn(chosen.source[~stays], chosen.target[~stays], stratum))
    probability = np.where(is_drawn, chosen.probability * share, 1.0)
    return take(chosen._replace(probability=probability, undrawn=undrawn), stays)


def with_negatives(chosen: Chosen, near: Pairs, documents: Integers, *, n: int, rng: np.random.Generator) -> Chosen:
    """The pairs, and for each of their queries n more, drawn alike from all that are neither chosen nor `near`.

    near : pairs near the top of any run; documents : all there are, ascending. A query with fewer than n left gives all
    of them. They have a stratum of their own and the chance n / (documents left).
    """
    queries = np.unique(chosen.source)
    taken = _places_taken(chosen, near, queries, documents)
    left = len(documents) - np.bincount(taken.source, minlength=len(queries))
    query, nth = draw_distinct(left, n, rng=rng)
    # The u-th document that is not taken lies past those taken ones, of rank j among them, whose place - j is <= u.
    width = len(documents) + 1
    passed = taken.source * width + taken.target - place_in_group(taken.source)
    before = np.searchsorted(taken.source, query)
    place = nth + np.searchsorted(passed, query * width + nth, side="right") - before
    chance = np.minimum(n / np.maximum(left, 1), 1.0)[query]
    ones = np.ones(len(query), dtype=np.int64)
    drawn = (queries[query], documents[place], NO_RANK * ones, NEGATIVE_STRATUM * ones, chance)
    columns = [np.concatenate(both) for both in zip(chosen[:5], drawn, strict=True)]
    order = np.lexsort((columns[1], columns[0]))
    return Chosen(*(column[order] for column in columns), drawn=chosen.drawn, undrawn=chosen.undrawn)  # type: ignore[arg-type]


def joined(first: Undrawn, second: Undrawn) -> Undrawn:
    """Both, by source and target."""
    columns = [np.concatenate(both) for both in zip(first, second, strict=True)]
    return rows_undrawn(Undrawn(*columns), np.lexsort((columns[1], columns[0])))


def rows_undrawn(undrawn: Undrawn, rows: NDArray[np.bool_] | Integers) -> Undrawn:
    """Some of them."""
    return Undrawn(*(column[rows] for column in undrawn))


def draw_distinct(sizes: Integers, n: int, *, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """From each 0, 1, ... size - 1, min(n, size) different numbers, every set alike. Floyd's algorithm, side by side.

    Returns the index of the size and the number, one row a draw.
    """
    drawn = np.full((len(sizes), n), -1, dtype=np.int64)
    for step in range(n):
        last = sizes - n + step
        guess = rng.integers(0, np.maximum(last, 0), endpoint=True)
        again = (drawn[:, :step] == guess[:, None]).any(axis=1)
        drawn[:, step] = np.where(last < 0, -1, np.where(again, last, guess))
    index, column = np.nonzero(drawn >= 0)
    return index, drawn[index, column]


def _places_taken(chosen: Chosen, near: Pairs, queries: Integers, documents: Integers) -> Pairs:
    """What cannot be drawn: places among the queries and the documents, by both, none twice."""
    source = np.concatenate([chosen.source, near.source])
    target = np.concatenate([chosen.target, near.target])
    here = np.isin(source, queries) & np.isin(target, documents)
    first, second = np.searchsorted(queries, source[here]), np.searchsorted(documents, target[here])
    layout = Layout([first], [second])
    codes = np.sort(layout.codes(first, second))
    return layout.pairs(codes[is_first(codes)])
