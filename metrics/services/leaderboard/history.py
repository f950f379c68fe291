"""History of scores while labels arrived: one measure, extracted by the database."""

from typing import Any

from django.db.models import F, Func, JSONField, Value

from annotate.models import Collection, Direction
from metrics.charts.charts import Chart
from metrics.charts.leaderboard import score_history
from metrics.services.leaderboard.choices.choices import Choices
from metrics.services.numbers import history

MAX_POINTS = 120  # points of a run; the newest is among them
# The rows of metrics.services.numbers.history are [run, query set, label source, measure, mean].
PATH = "$.rows[*] ? (@[1] == $set && @[2] == $source && @[3] == $measure)"


def history_of(*, collection: Collection, choices: Choices, measure: str) -> list[Chart]:
    """Return a chart per direction of the visible runs; none before there are two points.

    Two queries per direction. Observations hold the usual scores, people over one reference set, at
    the threshold that the collection had at the time.
    """
    charts = []
    names = {run.pk: run.name for run in choices.runs}
    for query_set in choices.query_sets:
        if query_set.name != choices.spec.query_set:
            continue
        points = [
            (n, names[row[0]], 100 * row[4])
            for n, rows in _rows(collection, choices, query_set.pk, measure)
            for row in rows
            if row[0] in names and row[4] is not None
        ]
        if len({n for n, *_ in points}) > 1:
            direction = Direction(query_set.direction)
            # the newest point of a run is its last one
            latest = {run: score for _, run, score in points}
            best_first = sorted(latest, key=lambda run: (-latest[run], run))
            labels_of_chart = {
                "measure": measure,
                "direction": direction.label.lower(),
                "id": f"history-{direction}",
            }
            labels_of_chart["labels"] = choices.stored_source.label
            charts.append(score_history(points, runs=best_first, **labels_of_chart))
    return charts


def _rows(
    collection: Collection, choices: Choices, query_set: int, measure: str
) -> list[tuple[int, list[Any]]]:
    facts = {"set": query_set, "source": choices.stored_source.key, "measure": measure}
    observation_rows = Func(
        F("value"),
        Value(facts, output_field=JSONField()),
        function="jsonb_path_query_array",
        arg_joiner=f", '{PATH}'::jsonpath, ",
        output_field=JSONField(),
    )
    observations = history.thinned(collection=collection, kind="scores", max_points=MAX_POINTS)
    return list(observations.annotate(rows=observation_rows).values_list("n_judgments", "rows"))
