"""Charts of a public release, beside that of its runs: its levels, its agreement, its pools."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from annotate.core.labels.alpha_marks import AlphaMarks
from annotate.core.levels.level_colours import level_colours
from metrics.charts.charts import WHOLE, Chart, LevelCount, Spec, round3, tooltip_row
from metrics.core.releases.manifest import LevelEntry

MOST_BARS = 100


class AgreementDot(NamedTuple):
    """A share of agreement with its 95 % interval; None without one. basis: what it rests on."""

    name: str
    value: float
    low: float | None
    high: float | None
    basis: str


def entry_colours(levels: Sequence[LevelEntry], *, positive_from: int) -> dict[int, str]:
    """The colour of each grade: that of the scheme, else that of its place among the grades."""
    own_colours = {level.grade: level.colour for level in levels}
    return level_colours(own_colours, positive_from=positive_from)


def agreement_dots(dots: Sequence[AgreementDot], *, marks: AlphaMarks) -> Chart:
    """Measures of agreement on one axis, with intervals; marks : thin lines at those of alpha."""
    names = [dot.name for dot in dots]
    x: Spec = {
        "type": "quantitative",
        "title": None,
        "scale": {"domain": [min([0.0, *(dot.low or 0.0 for dot in dots)]), 1]},
    }
    tooltip = [
        tooltip_row("name", "Measure"),
        tooltip_row("value", "Value", ".3f"),
        tooltip_row("low", "From", ".3f"),
        tooltip_row("high", "To", ".3f"),
        tooltip_row("basis", "Of"),
    ]
    lines = {
        "data": {"values": [{"mark": mark} for mark in marks]},
        "mark": {"type": "rule", "strokeDash": [4, 3], "aria": False},
        "encoding": {"x": {**x, "field": "mark"}, "y": None},
    }
    interval = {
        "mark": {"type": "rule", "color": "@blue", "strokeWidth": 2, "opacity": 0.55},
        "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "tooltip": tooltip},
    }
    dot = {
        "mark": {"type": "point", "filled": True, "size": 80, "color": "@blue"},
        "encoding": {"x": {**x, "field": "value"}, "tooltip": tooltip},
    }
    has_interval = any(row.low is not None for row in dots)
    return Chart(
        id="agreement",
        title="How annotators agree",
        subtitle=(
            f"Dot: the value.{' Line: its 95 % interval.' * has_interval} Dashed: "
            f"{marks.text}, {'conventional' if marks.are_usual else 'its own'} marks for alpha."
        ),
        spec={
            "data": {"values": [row._asdict() for row in dots]},
            "height": {"step": 34},
            "encoding": {"y": {"field": "name", "type": "nominal", "sort": names, "title": None}},
            "layer": [lines, *([interval] if has_interval else []), dot],
        },
        columns=["Measure", "Value", "From", "To", "Of"],
        rows=[
            [row.name, round3(row.value), round3(row.low), round3(row.high), row.basis]
            for row in dots
        ],
    )


def pairs_by_rank(counts: Mapping[str, Mapping[int, int]]) -> Chart:
    """Pairs of pools by the best rank that a pooled run gives them, pool by pool.

    counts : by pool and rank; ranks are joined where there are more than MOST_BARS
    """
    deepest = max((rank for of_pool in counts.values() for rank in of_pool), default=0)
    width = max(1, -(-deepest // MOST_BARS))
    bars: dict[tuple[str, int], int] = {}
    for pool, of_pool in counts.items():
        for rank, n in of_pool.items():
            first = rank - (rank - 1) % width
            bars[pool, first] = bars.get((pool, first), 0) + n
    values = [{"pool": pool, "rank": rank, "n": n} for (pool, rank), n in sorted(bars.items())]
    x = {
        "field": "rank",
        "type": "ordinal",
        "title": "Best rank",
        "axis": {"labelOverlap": True, "labelAngle": 0},
    }
    y = {"field": "n", "type": "quantitative", "title": "Pairs", "axis": WHOLE}
    tooltip = [
        tooltip_row("pool", "Pool"),
        tooltip_row("rank", "Best rank", ",d"),
        tooltip_row("n", "Pairs", ",d"),
    ]
    colour = {"field": "pool", "type": "nominal", "title": None}
    return Chart(
        id="ranks",
        title="How deep the pools go",
        subtitle="Pairs by the best rank that a pooled run gives them"
        + (f", {width} ranks a bar." if width > 1 else "."),
        spec={
            "data": {"values": values},
            "height": 220,
            "mark": "bar",
            "encoding": {
                "x": x,
                "y": y,
                "tooltip": tooltip,
                **({"color": colour} if len(counts) > 1 else {}),
            },
        },
        columns=["Pool", "Best rank", "Pairs"],
        rows=[[row["pool"], row["rank"], row["n"]] for row in values],
    )


def level_counts(levels: Sequence[LevelEntry], *, positive_from: int) -> list[LevelCount]:
    """Counts of the levels of a manifest for `level_distribution`."""
    colours = entry_colours(levels, positive_from=positive_from)
    return [
        LevelCount(level.name, colours[level.grade], level.n_labels, level.n_pairs)
        for level in levels
    ]
