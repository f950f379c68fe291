"""The topics that decide between the two best runs: table, and the lead as topics are left out."""

from metrics.charts.analyses.systems.topic_table import TopicTable
from metrics.charts.charts import WHOLE, Spec, tooltip_row
from metrics.charts.results import AnalysisResult, Cell, Column, interval_text, number_text
from metrics.core.analyses.systems.deciding_topics import DecidingTopics
from metrics.core.statistics.intervals import Interval

MOST_POINTS = 200
MARKED = 60  # points that can be told apart


def deciding_topics_result(
    table: TopicTable, topics: DecidingTopics, *, leader: str, second: str, interval: Interval
) -> AnalysisResult:
    """The topics by their influence on the lead of the best run over the second.

    interval : of the lead, at 95 %
    """
    number_of_topic = {
        t: n for n, t in enumerate(topics.for_leader[: topics.n_to_turn or 0].tolist(), 1)
    }
    rows: list[list[Cell]] = [
        [
            table.topics[t],
            float(topics.difference[t]),
            float(topics.lead_without[t]),
            number_of_topic.get(t),
            int(topics.n_turned[t]),
        ]
        for t in topics.by_influence.tolist()
    ]
    n_runs = len(table.runs)
    notes = list(table.notes)
    if table.unit != table.noun:
        notes.append(f"The {table.noun} are left out one by one, not by group.")
    return AnalysisResult(
        headline=_headline(table, topics, leader, second, interval),
        reading=(
            f"The difference is {leader} less {second} on one of the {table.noun}, above 0 where "
            f"{leader} is better; the lead is their mean difference without it. Those that change "
            f"the lead most stand first. The chart leaves out those that favour {leader} most, one "
            "after the other: no smaller set turns the order. Pairs are those of the "
            f"{n_runs * (n_runs - 1) // 2:,} of all runs that change order without it."
        ),
        extent=table.whole_extent,
        columns=[
            Column("topic", "Topic"),
            Column("difference", "Difference", 4),
            Column("lead_without", "Lead without it", 5),
            Column("left_out_as", "Place among those that turn the order"),
            Column("n_turned", "Pairs of runs that change order"),
        ],
        rows=rows,
        spec=_lead_line(table, topics),
        notes=notes,
    )


def _headline(
    table: TopicTable, topics: DecidingTopics, leader: str, second: str, interval: Interval
) -> str:
    n = f"{len(table.topics):,} {table.noun}"
    if not topics.lead:
        return f"The two best runs, {leader} and {second}, have the same mean on {n}"
    sentence = f"{leader} leads {second} by {number_text(topics.lead, 4)}"
    if not table.are_too_few:
        sentence += f" ({interval_text(interval, digits=4)})"
    if topics.n_to_turn is None:
        return f"{sentence}, and is worse on none of the {n}"
    without = f"the {topics.n_to_turn:,} that favour it most"
    if topics.n_to_turn == 1:
        without = "the one that favours it most"
    return f"{sentence} on {n}; without {without} {second} would be ahead"


def _lead_line(table: TopicTable, topics: DecidingTopics) -> Spec:
    """The lead by number of topics left out, thinned, with the first one below 0."""
    n = len(topics.leads_left)
    step = -(-n // MOST_POINTS)
    sizes = sorted({*range(0, n, step), n - 1, *([topics.n_to_turn] if topics.n_to_turn else [])})
    values = [
        {"n": size, "lead": float(f"{topics.leads_left[size]:.6g}")}
        | ({"topic": table.topics[topics.for_leader[size - 1]]} if size else {})
        for size in sizes
    ]
    x: Spec = {"field": "n", "type": "quantitative", "axis": WHOLE}
    x["title"] = f"{table.noun.capitalize()} left out"
    y = {"field": "lead", "type": "quantitative", "title": f"Lead in {table.score}"}
    tooltip = [
        tooltip_row("n", "Left out", ",d"),
        tooltip_row("topic", "The last of them"),
        tooltip_row("lead", "Lead", ".5f"),
    ]
    layers: list[Spec] = [
        {
            "mark": {"type": "rule", "color": "@ink", "aria": False},
            "encoding": {"y": {"datum": 0}},
        },
        {
            "mark": {"type": "line", "color": "@blue", "point": len(values) <= MARKED},
            "encoding": {"x": x, "y": y, "tooltip": tooltip},
        },
    ]
    if topics.n_to_turn:
        where = {"filter": {"field": "n", "equal": topics.n_to_turn}}
        layers += [
            {
                "transform": [where],
                "mark": {"type": "point", "shape": "diamond", "size": 120, "color": "@amber"},
                "encoding": {"x": x, "y": y, "tooltip": tooltip},
            },
            {
                "transform": [where],
                "mark": {"type": "text", "align": "left", "dx": 9, "dy": -9},
                "encoding": {"x": x, "y": y, "text": {"value": "the order turns"}},
            },
        ]
    return {"data": {"values": values}, "height": 260, "layer": layers}
