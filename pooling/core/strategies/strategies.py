"""Pool strategies, which choose the pairs worth judging: all of them in one table.

A new strategy is a function and one entry in STRATEGIES.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from pooling.core.strategies.fusion import FUSIONS, take_n_by_fusion
from pooling.core.strategies.parameters import (
    ChoiceParameter,
    NumberParameter,
    Parameter,
    Value,
    Values,
    complete_values,
)
from pooling.core.strategies.random_strategies import (
    ALLOCATIONS,
    STRATA,
    depth_k_of_sample,
    stratified,
)
from pooling.core.strategies.selections import ChosenPairs, Material, StrategyError
from pooling.core.strategies.undrawn_strategies import adds, depth_k, exhaustive

MAX_SEED = 2**63 - 1  # the largest that a seed's column holds

Choose = Callable[[Material, Values, np.random.Generator], ChosenPairs]


class Strategy(NamedTuple):
    """A way to choose pairs: its name for people, one sentence, its parameters and its function.

    reach : how far down rankings it looks: the name of a parameter, or a rank
    needs : its input beside the runs: names of fields of Material; "scores" of the runs
    needs_runs, needs_query_set : whether there must be runs, a query set
    order : the live order in which its pairs are handed out (see live_orders.ORDERS); "" for
        one fixed before anybody judges
    """

    label: str
    sentence: str
    parameters: tuple[Parameter, ...]
    choose: Choose
    reach: str | int = "depth"
    needs: frozenset[str] = frozenset()
    needs_runs: bool = True
    needs_query_set: bool = False
    order: str = ""


_DEPTH = NumberParameter(
    "depth", "Depth", 1, 1000, 10, "How many of each run's first results are taken."
)
_AHEAD = NumberParameter(
    "ahead",
    "Handed out ahead",
    1,
    1000,
    10,
    "Pairs of each query that come next, in no order: fewer follow the judgments closer, more "
    "let more people work.",
)
_LIVE = (
    "; the order of the queue follows the judgments. Finds relevant pairs early, so the labels "
    "favour these runs."
)


def _live(label: str, sentence: str, order: str) -> Strategy:
    return Strategy(label, f"Depth k, {sentence}{_LIVE}", (_DEPTH, _AHEAD), depth_k, order=order)


STRATEGIES: dict[str, Strategy] = {
    "depth-k": Strategy(
        "Depth k",
        "Every result among the first k of any run, for every query.",
        (_DEPTH,),
        depth_k,
    ),
    "depth-k-sample": Strategy(
        "Depth k on a sample",
        "Depth k, but only for queries drawn at random; scores are then for that sample.",
        (
            _DEPTH,
            NumberParameter("n_sources", "Queries", 1, 1_000_000, 100, "How many are drawn."),
            ChoiceParameter(
                "strata",
                "Strata by",
                STRATA,
                "",
                "Draws from short and long or easy and hard queries apart.",
            ),
            NumberParameter(
                "n_strata", "Strata", 2, 20, 4, "Of almost equal size, where there are strata."
            ),
            ChoiceParameter("allocation", "Drawn from strata", ALLOCATIONS, "proportional"),
        ),
        depth_k_of_sample,
        needs=frozenset({"sources", "lengths"}),
    ),
    "take-n": Strategy(
        "Take n by fusion",
        "The same number of pairs for every query, those that the runs together rank best.",
        (
            NumberParameter("n", "Pairs a query", 1, 1000, 10),
            NumberParameter("depth", "Depth", 1, 1000, 100, "How far down each run fusion looks."),
            ChoiceParameter(
                "fusion", "Fusion", {key: fusion.label for key, fusion in FUSIONS.items()}, "rrf"
            ),
        ),
        take_n_by_fusion,
        needs=frozenset({"scores"}),
    ),
    "stratified": Strategy(
        "Stratified sample",
        "Everything at the top and a random share of what is below, for estimates such as "
        "xinfAP. From its opening on the leaderboard estimates or marks what looks at the part "
        "that is drawn from, AP and nDCG first of all.",
        (
            NumberParameter("top", "All down to rank", 1, 1000, 10),
            NumberParameter("depth", "Depth", 1, 1000, 100, "Where the part that is sampled ends."),
            NumberParameter("share", "Share drawn below", 0.001, 1.0, 0.1),
        ),
        stratified,
    ),
    "adds": Strategy(
        "What runs add",
        "Results among the first k of the runs you tick that no pool holds yet: the price of "
        "adding a system.",
        (_DEPTH,),
        adds,
        needs=frozenset({"pool_pairs"}),
    ),
    "exhaustive": Strategy(
        "Everything",
        "Every document for every query of a query set, whether a run found it or not.",
        (NumberParameter("limit", "At most pairs", 1, 1_000_000, 50_000),),
        exhaustive,
        reach=1000,
        needs=frozenset({"sources", "targets"}),
        needs_runs=False,
        needs_query_set=True,
    ),
    "move-to-front": _live(
        "Move to front", "handed out run by run, staying with one while it finds", "move-to-front"
    ),
    "maxmean": _live(
        "MaxMean", "handed out from the run with the largest share of finds so far", "maxmean"
    ),
    "thompson": _live(
        "Thompson", "handed out from runs drawn by what is known of their finds", "thompson"
    ),
}


def choose(
    strategy: str, material: Material, values: Mapping[str, object], *, seed: int
) -> ChosenPairs:
    """Choose the pairs of a strategy from the runs.

    The same arguments always choose the same pairs. Raises StrategyError for an unknown strategy,
    for values that `check_values` refuses, and for too many pairs.
    """
    complete = check_values(strategy, values)
    return STRATEGIES[strategy].choose(material, complete, np.random.default_rng(seed))


def check_values(strategy: str, values: Mapping[str, object]) -> dict[str, Value]:
    """Return the strategy's parameters, each in its range, or its default. Raises StrategyError."""
    if strategy not in STRATEGIES:
        raise StrategyError(
            "", f'There is no strategy "{strategy}"; there are: {", ".join(STRATEGIES)}.'
        )
    parameters = STRATEGIES[strategy].parameters
    unknown = sorted(set(values) - {parameter.name for parameter in parameters})
    if unknown:
        raise StrategyError(unknown[0], f"{strategy} takes no parameter {unknown[0]}.")
    return complete_values(parameters, values)


def depth_of(strategy: str, values: Values) -> int:
    """The depth to which a strategy reads rankings."""
    reach = STRATEGIES[strategy].reach
    return reach if isinstance(reach, int) else int(values[reach])
