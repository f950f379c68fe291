"""The likeness of runs: table and heat map."""

from collections.abc import Sequence
from itertools import combinations

from annotate.core.phrases import count_of, counted
from metrics.charts.analyses.nouns import Nouns
from metrics.charts.axes import BESIDE_NAMES, TWO_LINES, WRAPPED, column_axis
from metrics.charts.charts import Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, interval_text
from metrics.core.analyses.pool.run_likeness import RunPairLikeness

MOST_RUNS = 25  # of the map
MOST_WITH_NUMBERS = 12  # runs whose cells have room for a number
FEWEST = 30  # groups of queries from which on two runs are said to be alike


def likeness_columns(title: str, *, k: int, p: float, depth: int) -> list[Column]:
    """The columns of the table; title : of the queries; k, p, depth : see `likeness_result`."""
    return [
        Column("run", "Run"),
        Column("other_run", "Other run"),
        Column("n_queries", f"{title} of both"),
        Column("n_groups", "Groups of these"),
        Column("overlap", f"Overlap of the first {k}", 3),
        Column("low", "95 % from", 3),
        Column("high", "to", 3),
        Column("rbo", f"RBO, p = {p:g}, extrapolated from rank {depth}", 3),
        Column("rbo_truncated", f"RBO, p = {p:g}, sum to rank {k}", 3),
        Column("tau", "Kendall's tau", 3),
        Column("n_tau", f"{title} with a tau"),
        Column("best_in_other", "Rank of its best in the other run", 1),
        Column("others_best", "Rank of the other's best in it", 1),
    ]


def likeness_cells(pair: RunPairLikeness, names: Sequence[str]) -> list[Cell]:
    """A line of the table."""
    cells: list[Cell] = [names[pair.first], names[pair.second], pair.n, pair.n_groups]
    cells += [pair.overlap, *pair.interval, pair.rbo, pair.truncated, pair.tau, pair.n_tau]
    return [*cells, pair.first_in_second, pair.second_in_first]


def likeness_result(
    pairs: Sequence[RunPairLikeness],
    *,
    names: Sequence[str],
    k: int,
    p: float,
    depth: int,
    nouns: Nouns,
) -> AnalysisResult:
    """The likeness of every two runs; two runs or more.

    k : of the overlap and of the truncated sum of rank-biased overlap; p : of the latter
    depth : the ranks that are compared
    """
    notes = list(nouns.notes)
    if len(names) > MOST_RUNS:
        notes.append(f"Map: the first {MOST_RUNS} of {counted(len(names), 'run')} by name.")
    if apart := sum(not pair.n for pair in pairs):
        verb = "answers" if apart == 1 else "answer"
        notes.append(
            f"{counted(apart, 'pair')} of runs {verb} none of the {nouns.queries} in common: no "
            "likeness is defined."
        )
    return AnalysisResult(
        headline=_headline(pairs, names=names, k=k, nouns=nouns),
        reading=(
            f"In each cell of the map the share of their first {k} targets that two runs both "
            f"hold, as a mean over the {nouns.queries} that both answer: 1 where they hold the "
            "same ones, in any order, as a run does with itself. Where both rankings are shorter, "
            "it is the share of the longer one. Rank-biased overlap also minds the order and "
            f"weighs the top most, here with p = {p:g}. Extrapolated it carries the agreement on "
            f"below rank {depth} and is 1 for a run with itself; its truncated sum ends at rank "
            f"{k}, whatever depth is read, and is less. Kendall's tau is of the order of shared "
            "targets alone. A best target's rank is one more than the ranks looked at where the "
            "other run lacks it there. None of this needs labels: alike runs may be right or wrong "
            "together."
        ),
        extent=f"{counted(len(names), 'run')}, their first {depth} ranks, and {nouns.extent}",
        columns=likeness_columns(nouns.title, k=k, p=p, depth=depth),
        rows=[likeness_cells(pair, names) for pair in pairs],
        spec=_map(pairs, names=names, k=k),
        notes=notes,
    )


def _headline(
    pairs: Sequence[RunPairLikeness], *, names: Sequence[str], k: int, nouns: Nouns
) -> str:
    """The two runs that are most alike, and how much the least alike are."""
    comparisons = [(pair.overlap, pair) for pair in pairs if pair.overlap is not None]
    if not comparisons:
        return f"No two of these runs answer one of the {nouns.queries} in common"
    share, most = max(comparisons, key=lambda row: row[0])
    first, second = names[most.first], names[most.second]
    extent = count_of(most.n, nouns.queries)
    if most.n_groups < FEWEST:
        return (
            f"{counted(len(comparisons), 'pair')} of runs compared; {first} and {second} share "
            f"{100 * share:.1f} % of their first {k} targets over only {extent}"
        )
    text = (
        f"{first} and {second} share {100 * share:.1f} % of their first {k} targets "
        f"({interval_text(most.interval.per_cent, digits=1)}) over {extent}"
    )
    if len(comparisons) == 1:
        return text
    least, last = min(comparisons, key=lambda row: row[0])
    n_equal = sum(round(value - share, 9) == 0 for value, _ in comparisons) - 1
    if n_equal == len(comparisons) - 1:
        return f"{text}, as any two of these runs do"
    if n_equal:
        text += f", as {counted(n_equal, 'other pair')} of runs, and more than all others"
    else:
        text += ", more than any other two of these runs"
    if last.n_groups < FEWEST:
        return text
    pair = f"{names[last.first]} and {names[last.second]}"
    return f"{text}; {pair} share the least, {100 * least:.1f} %"


def _map(pairs: Sequence[RunPairLikeness], *, names: Sequence[str], k: int) -> Spec | None:
    """A cell for each two runs in either order; None where none have a query in common."""
    map_names = names[:MOST_RUNS]
    by_runs = {(pair.first, pair.second): pair for pair in pairs}
    values = [
        {"first": names[row], "second": names[column]}
        | {"overlap": pair.overlap, "rbo": pair.rbo, "n": pair.n}
        for i, j in combinations(range(len(map_names)), 2)
        for row, column in ((i, j), (j, i))
        if (pair := by_runs[i, j]).overlap is not None
    ]
    if not values:
        return None
    # by definition: a run holds what it holds itself
    values += [{"first": name, "second": name, "overlap": 1, "rbo": 1} for name in map_names]
    sort = {"domain": list(map_names)}
    encoding: Spec = {
        "x": {"field": "second", "type": "nominal", "title": None, "scale": sort},
        "y": {"field": "first", "type": "nominal", "title": None, "scale": sort},
    }
    pixels = BESIDE_NAMES / len(map_names)
    encoding["x"]["axis"] = column_axis(map_names, pixels=pixels, is_above=True)
    step = 34 if len(map_names) <= MOST_WITH_NUMBERS else 20
    encoding["y"]["axis"] = WRAPPED if step >= TWO_LINES else {"labelLimit": 110}
    colour = {
        "field": "overlap",
        "type": "quantitative",
        "title": f"Overlap of the first {k}",
        "scale": {"domain": [0, 1]},
        "legend": {"format": ".1f"},
    }
    tooltip = [
        tooltip_row("first", "Run"),
        tooltip_row("second", "Other run"),
        tooltip_row("overlap", "Overlap", ".3f"),
        tooltip_row("rbo", "Rank-biased overlap", ".3f"),
        tooltip_row("n", "Queries of both", ",d"),
    ]
    square = {"type": "rect", "stroke": "@surface", "strokeWidth": 2}
    layers: list[Spec] = [{"mark": square, "encoding": {"color": colour, "tooltip": tooltip}}]
    if len(map_names) <= MOST_WITH_NUMBERS:
        ink = {"condition": {"test": "datum.overlap > 0.6", "value": "@surface"}, "value": "@ink"}
        number = {"field": "overlap", "format": ".2f"}
        layers.append({"mark": {"type": "text"}, "encoding": {"text": number, "color": ink}})
    return {
        "data": {"values": values},
        "height": {"step": step},
        "encoding": encoding,
        "layer": layers,
    }
