"""The cost of judging a query: its pairs, those of them that are new, time and pay."""

from collections.abc import Sequence

import numpy as np

from annotate.core.number_sets import difference, distinct
from annotate.models import Collection, Direction, QuerySet
from annotate.services.collection.duplicates import originals_of
from annotate.services.policy.costs import policy_cost
from metrics.charts.analyses.judging_pace import JudgingPace
from metrics.charts.analyses.planner.plans import JudgingCost
from pooling.core.strategies.selections import Layout, known_rows
from pooling.models import Run
from pooling.services.pools.label_counts import old_pairs
from pooling.services.runs.rankings import left_out_keys, load_top

DEPTH = 10  # ranks of each run that are judged, as FIRE proposes


def pace_of(collection: Collection) -> JudgingPace:
    """The work of a new pair at the present policy and pace; five queries."""
    cost = policy_cost(collection.policies.latest("version"))
    return JudgingPace(cost.labels, cost.golds, cost.seconds, cost.is_measured)


def judging_cost(*, runs: Sequence[Run], query_set: QuerySet) -> JudgingCost:
    """Count the pairs of the first ranks of one run or more as a pool of them would.

    Pairs of duplicates are those of their originals, each once. Nine queries, and two for each run.
    """
    collection = query_set.collection
    leave_out = left_out_keys(collection=collection)
    tops = [
        load_top(run=run, depth=DEPTH, query_set=query_set, leave_out=leave_out) for run in runs
    ]
    n_queries = len(distinct(np.concatenate([top.source for top in tops])))
    originals = originals_of(collection=collection)
    source, target = (
        originals.of(np.concatenate(columns))
        for columns in zip(*(known_rows(top)[:2] for top in tops), strict=True)
    )
    old = old_pairs(collection=collection, direction=Direction(query_set.direction))
    layout = Layout(*zip((source, target), *old, strict=True))
    pairs = distinct(layout.codes(source, target))
    unlabelled = difference(pairs, layout.codes(*old.settled_pairs))
    n_new = len(difference(unlabelled, layout.codes(*old.waiting_pairs)))
    pay = collection.hourly_pay
    return JudgingCost(
        n_pairs=len(pairs),
        n_new=n_new,
        n_waiting=len(unlabelled) - n_new,
        n_queries=n_queries,
        n_runs=len(runs),
        depth=DEPTH,
        pace=pace_of(collection),
        hourly_pay=None if pay is None else float(pay),
        currency=collection.currency,
    )
