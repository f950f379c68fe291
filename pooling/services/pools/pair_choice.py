"""Choice of a pool's (query, document) pairs by a strategy from runs of both directions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotate.core.labels.originals import NO_ORIGINALS, Originals
from annotate.models import Collection, Direction, QuerySet, Side
from annotate.services.collection.duplicates import originals_of
from pooling.core.strategies import options, strategies
from pooling.core.strategies.parameters import Value
from pooling.core.strategies.selections import (
    ChosenPairs,
    DrawnSources,
    Integers,
    Material,
    Pairs,
    RankedPairs,
    StrategyError,
    UndrawnStratumPairs,
    known_rows,
    truncate,
)
from pooling.models import Run
from pooling.services.pools import materials
from pooling.services.pools.checks import (
    PoolError,
    check_parameters,
    reach_of,
    refuse_below_best,
    refuse_too_many,
    split_values,
)
from pooling.services.runs.rankings import left_out_keys, load_top


class PairChoice(NamedTuple):
    """Pairs of a pool by query and document ascending, and the input they were chosen from.

    query, document : (M,) item keys; best_rank, stratum, probability : (M,) as in
        selections.ChosenPairs
    tops : the rows of each run that the strategy used, in the order of `runs`
    drawn_sources : source items of each direction that were drawn, for strategies that draw some
    originals : of the duplicates whose pairs may repeat others; none where pairs were drawn
    undrawn : by query and document, the other pairs in the strata, where pairs were drawn; None too
        for a pool in both directions, whose samples have no strata in common
    """

    query: Integers
    document: Integers
    best_rank: Integers
    stratum: Integers
    probability: NDArray[np.float64]
    runs: Sequence[Run]
    tops: Sequence[RankedPairs]
    drawn_sources: Mapping[Direction, DrawnSources]
    originals: Originals
    undrawn: UndrawnStratumPairs | None = None

    def asked_pairs(self, pairs: Pairs) -> Pairs:
        """The pairs with originals in the place of duplicates, some more than once."""
        return Pairs(self.originals.of(pairs.source), self.originals.of(pairs.target))

    def without_repeats(self) -> "PairChoice":
        """The choice without pairs that repeat others of it, which nobody is asked about."""
        pairs = Pairs(self.query, self.document)
        rows = ~options.is_repeat_of(pairs, pairs, self.originals)
        return self._replace(
            query=self.query[rows],
            document=self.document[rows],
            best_rank=self.best_rank[rows],
            stratum=self.stratum[rows],
            probability=self.probability[rows],
        )


def choose_pairs(
    *,
    collection: Collection,
    strategy: str,
    parameters: Mapping[str, object],
    runs: Sequence[Run],
    query_set: QuerySet | None = None,
    seed: int = 0,
) -> PairChoice:
    """Choose the pairs of a pool.

    Both directions give pairs of the same items: the better rank stays, chances are joined. Pairs
    that repeat others are there with these, which are judged in their place. Raises PoolError.
    """
    complete = check_parameters(
        collection=collection,
        strategy=strategy,
        parameters=parameters,
        runs=runs,
        query_set=query_set,
        seed=seed,
    )
    values, option_values = split_values(strategy, complete)
    runs = sorted(runs, key=lambda run: run.pk)
    depth, reach = strategies.depth_of(strategy, values), reach_of(strategy, values, option_values)
    refuse_too_many(runs, reach)
    refuse_below_best(runs, reach)
    needs = strategies.STRATEGIES[strategy].needs
    deep_tops = _load_tops(collection, runs, query_set, reach, with_scores="scores" in needs)
    tops = [truncate(top, depth) for top in deep_tops]
    choices = {
        direction: _choose(strategy, material, values, seed)
        for direction, material in _materials(collection, runs, tops, query_set, needs)
    }
    chosen_pairs = _merge_directions(choices)
    originals = _originals(collection, chosen_pairs)
    pairs = _with_options(
        chosen_pairs,
        collection=collection,
        option_values=option_values,
        near_pairs=_near_pairs(runs, deep_tops, depth=int(option_values["outside"])),
        originals=originals,
        seed=seed,
    )
    pairs = options.with_originals(pairs, originals)
    return PairChoice(
        *pairs[:5], runs, tops, _drawn_sources(choices), originals, undrawn=pairs.undrawn
    )


def _originals(collection: Collection, pairs: ChosenPairs) -> Originals:
    """The originals of duplicates; none for drawn pairs, each of which stands for others."""
    if pairs.undrawn is not None or np.any(pairs.probability < 1):
        return NO_ORIGINALS
    return originals_of(collection=collection)


def _load_tops(
    collection: Collection,
    runs: Sequence[Run],
    query_set: QuerySet | None,
    depth: int,
    *,
    with_scores: bool,
) -> list[RankedPairs]:
    """The rows of each run down to a depth, without items that are left out."""
    left_out = left_out_keys(collection=collection)
    return [
        load_top(
            run=run,
            depth=depth,
            query_set=query_set,
            leave_out=left_out,
            with_scores=with_scores,
        )
        for run in runs
    ]


def _materials(
    collection: Collection,
    runs: Sequence[Run],
    tops: Sequence[RankedPairs],
    query_set: QuerySet | None,
    needs: frozenset[str],
) -> Iterator[tuple[Direction, Material]]:
    """The input of a strategy with these needs, for each direction in which it chooses pairs.

    These are the directions of the runs, without runs that of the query set.
    """
    directions = {run.direction for run in runs} or {
        query_set.direction if query_set else Direction.FORWARD
    }
    for direction in Direction:
        if direction not in directions:
            continue
        own = [top for run, top in zip(runs, tops, strict=True) if run.direction == direction]
        yield (
            direction,
            materials.gather_material(
                collection=collection,
                direction=direction,
                runs=own,
                query_set=query_set,
                needs=needs,
            ),
        )


def _choose(
    strategy: str, material: Material, values: Mapping[str, Value], seed: int
) -> ChosenPairs:
    try:
        return strategies.choose(strategy, material, values, seed=seed)
    except StrategyError as error:
        raise PoolError(error.field, str(error)) from error


def _with_options(
    pairs: ChosenPairs,
    *,
    collection: Collection,
    option_values: Mapping[str, Value],
    near_pairs: Pairs,
    originals: Originals,
    seed: int,
) -> ChosenPairs:
    """Apply the options to the pairs, each with a random generator of its own."""
    rngs = [np.random.default_rng([seed, number]) for number in range(1, 4)]
    if option_values["trusted"]:
        trusted_pairs = materials.labelled_pairs(
            collection=collection, reference_set=str(option_values["trusted"])
        )
        pairs = options.without_trusted(
            pairs, trusted_pairs, share=float(option_values["check_share"]), rng=rngs[0]
        )
    if option_values["budget"]:
        pairs = options.at_most(pairs, int(option_values["budget"]), rng=rngs[1])
    if option_values["negatives"]:
        # a duplicate of what a run holds is no random negative
        documents = np.setdiff1d(
            materials.items_of(collection=collection, side=Side.DOCUMENT), originals.item
        )
        near_pairs = Pairs(originals.of(near_pairs.source), originals.of(near_pairs.target))
        pairs = options.with_negatives(
            pairs, near_pairs, documents, n=int(option_values["negatives"]), rng=rngs[2]
        )
    return pairs


def _near_pairs(runs: Sequence[Run], tops: Sequence[RankedPairs], *, depth: int) -> Pairs:
    """The pairs of all rows down to a depth, some more than once."""
    run_pairs = [as_pairs(run, truncate(top, depth)) for run, top in zip(runs, tops, strict=True)]
    return (
        Pairs(*(np.concatenate(columns) for columns in zip(*run_pairs, strict=True)))
        if run_pairs
        else Pairs()
    )


def pair_codes(query: Integers, document: Integers, *, width: int) -> Integers:
    """Return one number a pair; width : more than any document key."""
    return query * width + document


def as_pairs(run: Run, top: RankedPairs) -> Pairs:
    """The query and the document of each row of a run whose target is known."""
    top = known_rows(top)
    return (
        Pairs(top.source, top.target)
        if run.direction == Direction.FORWARD
        else Pairs(top.target, top.source)
    )


def _drawn_sources(choices: Mapping[Direction, ChosenPairs]) -> dict[Direction, DrawnSources]:
    """The source items of each direction that were drawn, where some were."""
    return {
        direction: choice.drawn_sources
        for direction, choice in choices.items()
        if choice.drawn_sources is not None
    }


def _with_sides_swapped(pairs: ChosenPairs) -> ChosenPairs:
    undrawn = pairs.undrawn and UndrawnStratumPairs(
        pairs.undrawn.target, pairs.undrawn.source, pairs.undrawn.stratum
    )
    return pairs._replace(source=pairs.target, target=pairs.source, undrawn=undrawn)


def _merge_directions(directed_choices: Mapping[Direction, ChosenPairs]) -> ChosenPairs:
    """The pairs of all directions as queries and documents: none twice, with the better rank."""
    choices = [
        choice if direction == Direction.FORWARD else _with_sides_swapped(choice)
        for direction, choice in directed_choices.items()
    ]
    query, document, rank, stratum, probability = (
        np.concatenate(columns) for columns in zip(*(choice[:5] for choice in choices), strict=True)
    )
    order = np.lexsort((rank, document, query))
    query, document, rank = query[order], document[order], rank[order]
    first = np.ones(len(query), dtype=bool)
    first[1:] = (query[1:] != query[:-1]) | (document[1:] != document[:-1])
    starts = np.flatnonzero(first)
    # Both directions draw apart from each other: a pair is missed when each of them misses it.
    miss_probability = (
        np.multiply.reduceat(1 - probability[order], starts) if len(starts) else np.empty(0)
    )
    undrawn = choices[0].undrawn if len(choices) == 1 else None
    return ChosenPairs(
        query[first],
        document[first],
        rank[first],
        stratum[order][first],
        1 - miss_probability,
        undrawn=undrawn,
    )
