"""The rank correlations of measures over runs: table and heat map."""

from collections.abc import Sequence
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np

from annotate.core.phrases import counted
from metrics.charts.analyses.measures.run_scores import RunScores
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Column
from metrics.core.analyses.measures.run_orders import PairOrders, pair_orders
from metrics.core.measures.measure_correlations import measure_correlations

CORRELATION_TITLES = {
    "tau-b": "Kendall's tau-b",
    "tau": "Kendall's tau",
    "tau-ap": "tau-AP, symmetric",
    "spearman": "Spearman's rho",
}


class MeasurePair(NamedTuple):
    """Two measures over the runs that have both: number of runs, correlations, pairs of runs."""

    first: str
    second: str
    n_runs: int
    correlations: dict[str, float | None]
    orders: PairOrders


def correlations_result(scores: RunScores) -> AnalysisResult:
    """The rank correlation of every two measures over the runs; two measures or more."""
    averages, pairs = scores.scores, []
    for i, j in combinations(range(len(scores.columns)), 2):
        both = averages[:, [i, j]]
        both = both[np.isfinite(both).all(axis=1)]
        values = {
            name: float(measure_correlations(both, method=name)[0, 1])
            for name in CORRELATION_TITLES
        }
        pair = MeasurePair(
            scores.columns[i],
            scores.columns[j],
            len(both),
            {name: value if np.isfinite(value) else None for name, value in values.items()},
            pair_orders(both[:, 0].tolist(), both[:, 1].tolist()),
        )
        pairs.append(pair)
    return AnalysisResult(
        headline=_correlation_headline(scores, pairs),
        reading=(
            "In each cell Kendall's tau-b of the runs' order by two measures: 1 where they order "
            "all pairs of runs alike, -1 where all the other way round, and blank where one of "
            "them is the same for all runs. It is of the runs that have both, describes these, and "
            "has no interval; of few runs one pair moves it far."
        ),
        extent=scores.whole_extent,
        columns=[
            Column("measure", "Measure"),
            Column("other_measure", "Other measure"),
            Column("n_runs", "Runs"),
            *(
                Column(name.replace("-", "_"), title, 3)
                for name, title in CORRELATION_TITLES.items()
            ),
            Column("n_same", "Pairs of runs in the same order"),
            Column("n_opposite", "In opposite orders"),
            Column("n_tied", "Equal by one of the two"),
        ],
        rows=[
            [pair.first, pair.second, pair.n_runs, *pair.correlations.values(), *pair.orders]
            for pair in pairs
        ],
        spec=_correlation_map(scores.columns, pairs),
        notes=scores.notes,
    )


def _correlation_headline(scores: RunScores, pairs: Sequence[MeasurePair]) -> str:
    """The two measures that agree least; or that none is defined."""
    taus = [(tau, pair) for pair in pairs if (tau := pair.correlations["tau-b"]) is not None]
    if not taus:
        return f"No two of these measures can be compared over {scores.n_runs}"
    if not any(pair.orders.opposite for pair in pairs):
        return f"No two of these measures order a pair of the {scores.n_runs} against one another"
    tau, pair = min(taus, key=lambda row: row[0])
    n_equal = sum(round(value - tau, 9) == 0 for value, _ in taus) - 1
    verb = ("agree" if tau > 0 else "disagree") if len(taus) == n_equal + 1 else "agree least"
    if n_equal:
        verb += f", as {'does' if n_equal == 1 else 'do'} {counted(n_equal, 'other pair')},"
    n_opposite = pair.orders.opposite
    are = "is in the opposite order" if n_opposite == 1 else "are in opposite orders"
    return (
        f"{pair.first} and {pair.second} {verb} on the order of {counted(pair.n_runs, 'run')} with "
        f"a tau-b of {tau:.2f}: {n_opposite:,} of {counted(sum(pair.orders), 'pair')} of runs {are}"
    )


def _correlation_map(names: Sequence[str], pairs: Sequence[MeasurePair]) -> Spec | None:
    """A cell for every two measures in either order; None where no correlation is defined."""
    cells = [
        {"first": first, "second": second, "tau": tau}
        for pair in pairs
        if (tau := pair.correlations["tau-b"]) is not None
        for first, second in permutations((pair.first, pair.second))
    ]
    if not cells:
        return None
    sort = list(names)
    encoding: Spec = {
        "x": {"field": "second", "type": "nominal", "title": None, "scale": {"domain": sort}},
        "y": {"field": "first", "type": "nominal", "title": None, "scale": {"domain": sort}},
    }
    encoding["x"]["axis"] = {"orient": "top", "labelAngle": -45 if len(names) > 4 else 0}
    colour = {
        "field": "tau",
        "type": "quantitative",
        "title": "tau-b",
        "scale": {"domain": [-1, 1]},
        "legend": {"format": ".1f"},
    }
    tooltip = [
        tooltip_row("first", "Measure"),
        tooltip_row("second", "Other measure"),
        tooltip_row("tau", "tau-b", ".3f"),
    ]
    return {
        "data": {"values": cells},
        "height": {"step": 34},
        "encoding": encoding,
        "layer": [
            {
                "mark": {"type": "rect", "stroke": "@surface", "strokeWidth": 2},
                "encoding": {"color": colour, "tooltip": tooltip},
            },
            {
                "mark": {"type": "text"},
                "encoding": {
                    "text": {"field": "tau", "format": ".2f"},
                    "color": {
                        "condition": {"test": "datum.tau > 0.2", "value": "@surface"},
                        "value": "@ink",
                    },
                },
            },
        ],
    }
