"""Charts of the dashboard's details and of one person's page, beside those of charts.py."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from metrics.charts.axes import BESIDE_NAMES, column_axis
from metrics.charts.charts import WHOLE, Chart, Spec, one_decimal, round3, tooltip_row

N_LABELS = {
    "field": "key",
    "type": "ordinal",
    "title": "Labels on the pair",
    "axis": {"labelAngle": 0},
}
PER_CENT = {"type": "quantitative", "scale": {"domain": [0, 100]}}
DAY = 86_400_000  # milliseconds
MAX_MARKS = 7


class LabelCountAgreement(NamedTuple):
    """Agreement on the pairs with one number of labels; shares of 1, None where undefined."""

    n_labels: int
    n_pairs: int
    unanimous_share: float | None
    alpha: float | None
    low: float | None
    high: float | None


class SharePoint(NamedTuple):
    """A share in per cent of n trials with its interval, until `at`: milliseconds since 1970."""

    at: int
    share: float | None
    low: float | None
    high: float | None
    n: int


class LevelUse(NamedTuple):
    """A level's per cent of one person's labels, and of the others' labels of the same pairs."""

    level: str
    own_percent: float
    others_percent: float


def by_number_of_labels(sizes: Sequence[LabelCountAgreement], *, level: str) -> Chart:
    """Agreement rate and alpha by number of labels (FIRE, Figure 7)."""
    names = ["Pairs unanimous", f"Alpha, {level}"]
    y = {"type": "quantitative", "title": None}
    colour = {"field": "kind", "type": "nominal", "scale": {"domain": names}, "title": None}
    tooltip = [
        tooltip_row("kind", "Number"),
        tooltip_row("key", "Labels"),
        tooltip_row("value", "Value", ".3f"),
        tooltip_row("pairs", "Pairs", ",d"),
    ]
    whisker = {
        "transform": [{"filter": "isValid(datum.low)"}],
        "mark": {"type": "rule", "strokeWidth": 2},
        "encoding": {"y": {**y, "field": "low"}, "y2": {"field": "high"}},
    }
    point = {
        "transform": [{"filter": "isValid(datum.value)"}],
        "mark": {"type": "point", "size": 70},
        "encoding": {"y": {**y, "field": "value"}, "shape": colour, "tooltip": tooltip},
    }
    return Chart(
        id="by-labels",
        title="Agreement by number of labels",
        subtitle=(
            "Pairs with exactly so many labels, all labels; bars are 95 % bootstrap intervals of "
            "alpha. Where a third label is asked for on disagreement, pairs with three are the "
            "hard ones."
        ),
        spec={
            "data": {"values": [value for size in sizes for value in _marks_of(size, names)]},
            "height": 220,
            "encoding": {
                "x": N_LABELS,
                "color": colour,
                "xOffset": {"field": "kind", "sort": names},
            },
            "layer": [whisker, point],
        },
        columns=["Labels", "Pairs", "Unanimous", "Alpha", "From", "To"],
        rows=[
            [
                size.n_labels,
                size.n_pairs,
                *(round3(n) for n in (size.unanimous_share, size.alpha, size.low, size.high)),
            ]
            for size in sizes
        ],
    )


def _marks_of(size: LabelCountAgreement, names: Sequence[str]) -> list[dict[str, Any]]:
    """The values of two marks: the share of unanimous pairs, and alpha with its interval."""
    unanimous_name, alpha_name = names
    return [
        {
            "key": size.n_labels,
            "kind": unanimous_name,
            "value": size.unanimous_share,
            "pairs": size.n_pairs,
        },
        {
            "key": size.n_labels,
            "kind": alpha_name,
            "value": size.alpha,
            "low": size.low,
            "high": size.high,
            "pairs": size.n_pairs,
        },
    ]


def confusion(names: Sequence[str], together: Sequence[Sequence[float]]) -> Chart:
    """Confusion of levels: a row a level, the share of each level among its pairs' other labels."""
    rows = [(name, line, sum(line)) for name, line in zip(names, together, strict=True)]
    values = [
        {"said": level, "beside": other_level, "share": 100 * n / total, "labels": total}
        for level, line, total in rows
        for other_level, n in zip(names, line, strict=True)
        if total
    ]
    order = list(names)[::-1]
    number = {"field": "share", "type": "quantitative", "format": ".1f"}
    # light on dark squares
    ink = {"condition": {"test": "datum.share > 55", "value": "@surface"}, "value": "@ink"}
    return Chart(
        id="confusion",
        title="Which level is taken for which",
        subtitle=(
            "Where one planned label of a pair is the level of the row, how often another one is "
            "that of the column, in per cent; every pair of people counts alike."
        ),
        spec={
            "data": {"values": values},
            "height": {"step": 44},
            "encoding": {
                "x": {
                    "field": "beside",
                    "type": "nominal",
                    "sort": order,
                    "title": "Another label",
                    "axis": column_axis(order, pixels=BESIDE_NAMES / len(order), is_above=True),
                },
                "y": {"field": "said", "type": "nominal", "sort": order, "title": "One label"},
            },
            "layer": [
                _confusion_cells(),
                {"mark": "text", "encoding": {"text": number, "color": ink}},
            ],
        },
        columns=["One label", *(f"Another: {name}, %" for name in order), "Labels"],
        rows=[
            [
                level,
                *(one_decimal(100 * n / total if total else None) for n in line[::-1]),
                round(total),
            ]
            for level, line, total in rows[::-1]
            if values
        ],
    )


def _confusion_cells() -> Spec:
    """Squares, the darker the larger the share."""
    colour = {
        "field": "share",
        "type": "quantitative",
        "legend": None,
        "scale": {"domain": [0, 100], "range": ["@ramp-low", "@ramp-high"]},
    }
    tooltip = [
        tooltip_row("said", "One label"),
        tooltip_row("beside", "Another label"),
        tooltip_row("share", "Per cent", ".1f"),
        tooltip_row("labels", "Labels", ",.0f"),
    ]
    return {
        "mark": {"type": "rect", "stroke": "@surface", "strokeWidth": 2},
        "encoding": {"color": colour, "tooltip": tooltip},
    }


def labels_a_day(days: Sequence[tuple[int, int]]) -> Chart:
    """Labels of each UTC day that had any, the oldest first.

    days : (its beginning in milliseconds since 1970, number of labels)
    """
    values = [{"day": day, "n": n} for day, n in days]
    x = {
        "field": "day",
        "type": "temporal",
        "timeUnit": "utcyearmonthdate",
        "title": None,
        "scale": {"type": "utc"},
        "axis": _axis_of_days(days),
    }
    y = {"field": "n", "type": "quantitative", "title": "Labels", "axis": WHOLE}
    # nothing is taken off the width, of which a year's bars have less than a pixel
    mark = {"type": "bar", "width": {"band": 0.8}, "binSpacing": 0}
    return Chart(
        id="labels-a-day",
        title="Labels a day",
        subtitle="Days by UTC; imports left out.",
        spec={
            "data": {"values": values},
            "height": 160,
            "mark": mark,
            "encoding": {"x": x, "y": y},
        },
        columns=["Day", "Labels"],
        rows=[[_day(day), n] for day, n in days],
    )


def share_over_time(
    moments: Sequence[SharePoint], *, id: str, title: str, subtitle: str, axis: str
) -> Chart:
    """Shares in per cent in the order of time, with 95 % intervals."""
    values = [
        {**moment._asdict(), "step": step}
        for step, moment in enumerate(moments, 1)
        if moment.share is not None
    ]
    x = {
        "field": "step",
        "type": "ordinal",
        "title": "Part of the work, oldest first",
        "axis": {"labelAngle": 0},
    }
    tooltip = [
        {"field": "at", "type": "temporal", "title": "Until", "format": "%-d %b %H:%M"},
        tooltip_row("share", axis, ".1f"),
        tooltip_row("n", "Of", ",d"),
    ]
    return Chart(
        id=id,
        title=title,
        subtitle=subtitle,
        spec={
            "data": {"values": values},
            "height": 180,
            "encoding": {"x": x},
            "layer": [
                {
                    "mark": {"type": "rule", "color": "@blue", "strokeWidth": 2, "opacity": 0.55},
                    "encoding": {
                        "y": {**PER_CENT, "field": "low", "title": axis},
                        "y2": {"field": "high"},
                    },
                },
                {
                    "mark": {"type": "line", "color": "@blue", "point": True},
                    "encoding": {"y": {**PER_CENT, "field": "share"}, "tooltip": tooltip},
                },
            ],
        },
        columns=["Part", axis, "From", "To", "Of"],
        rows=[
            [row["step"], *(one_decimal(row[name]) for name in ("share", "low", "high")), row["n"]]
            for row in values
        ],
    )


def seconds_over_time(steps: Sequence[tuple[int, float]], *, others_median: float | None) -> Chart:
    """Median active seconds of each part of the work; a dashed line is everybody else's median."""
    values = [{"step": step, "seconds": seconds} for step, (_, seconds) in enumerate(steps, 1)]
    x = {
        "field": "step",
        "type": "ordinal",
        "title": "Part of the work, oldest first",
        "axis": {"labelAngle": 0},
    }
    y = {"type": "quantitative", "title": "Seconds a label"}
    line = {
        "mark": {"type": "line", "color": "@blue", "point": True},
        "encoding": {"x": x, "y": {**y, "field": "seconds"}},
    }
    rule = {
        "mark": {"type": "rule", "color": "@ink-3", "strokeDash": [4, 4], "aria": False},
        "encoding": {"y": {"datum": others_median}},
    }
    note = (
        ""
        if others_median is None
        else f" The dashed line is the others' median, {others_median:.1f} s."
    )
    return Chart(
        id="seconds",
        title="Active time a label",
        subtitle=f"Median of each part of the work.{note}",
        spec={
            "data": {"values": values},
            "height": 180,
            "layer": [line] if others_median is None else [line, rule],
        },
        columns=["Part", "Median seconds"],
        rows=[[row["step"], one_decimal(row["seconds"])] for row in values],
    )


def level_use(uses: Sequence[LevelUse], *, pseudonym: str) -> Chart:
    """Shares of the levels in one person's labels, and in the others' labels of the same pairs."""
    names = [use.level for use in uses]
    people = [pseudonym, "Others"]
    values = [
        {"level": use.level, "who": name, "share": share}
        for use in uses
        for name, share in zip(people, (use.own_percent, use.others_percent), strict=True)
    ]
    return Chart(
        id="level-use",
        title="Use of the levels",
        subtitle="Share of each level, on the pairs that somebody else labelled, too.",
        spec={
            "data": {"values": values},
            "height": {"step": 18, "for": "offset"},
            "mark": "bar",
            "encoding": {
                "y": {"field": "level", "type": "nominal", "sort": names, "title": None},
                "yOffset": {"field": "who", "type": "nominal", "sort": people},
                "x": {"field": "share", "type": "quantitative", "title": "Labels, %"},
                "color": {
                    "field": "who",
                    "type": "nominal",
                    "sort": people,
                    "title": None,
                    "scale": {"range": ["@blue", "@slate"]},
                },
                "tooltip": [
                    tooltip_row("who", "Who"),
                    tooltip_row("level", "Level"),
                    tooltip_row("share", "Per cent", ".1f"),
                ],
            },
        },
        columns=["Level", f"{pseudonym}, %", "Others, %"],
        rows=[
            [use.level, one_decimal(use.own_percent), one_decimal(use.others_percent)]
            for use in uses
        ],
    )


def _day(milliseconds: int) -> str:
    return str(np.datetime64(milliseconds, "ms").astype("datetime64[D]"))


def _axis_of_days(days: Sequence[tuple[int, int]]) -> Spec:
    """Marks at noon, the middle of a day's bar, whole days apart; weeks, where more than three.

    Left alone, Vega marks hours where days are few, and the beginnings of days, which are beside
    their bars.
    """
    if not days:
        return {}
    first, last = days[0][0], days[-1][0]
    n_days = 1 + (last - first) // DAY
    step = -(-n_days // MAX_MARKS)
    step = step if step <= 3 else 7 * -(-step // 7)
    name = ["%-d %b"] if n_days <= 365 else ["%-d %b", "%Y"]  # beyond a year two days have one name
    lines = ", ".join(f"utcFormat(datum.value, '{line}')" for line in name)
    dates = [_day(day).split("-") for day in range(first, last + 1, step * DAY)]
    return {
        "values": [
            {"year": int(year), "month": int(month), "date": int(day), "hours": 12, "utc": True}
            for year, month, day in dates
        ],
        "labelExpr": f"[{lines}]",
        "labelOverlap": True,
        "labelFlush": False,
    }
