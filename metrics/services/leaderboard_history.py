"""How scores moved while labels arrived: one measure of the kept observations, taken out of them by the database."""

from typing import Any

from django.db.models import F, Func, JSONField, Value

from annotate.models import Collection, Direction
from metrics.charts import Chart
from metrics.leaderboard_charts import score_history
from metrics.services import history
from metrics.services.leaderboard_wanted import Choices

SHOWN = 120  # points of a run; the newest is among them
# Of the rows of metrics.services.history: [run, query set, label source, measure, mean].
PATH = "$.rows[*] ? (@[1] == $set && @[2] == $source && @[3] == $measure)"


def history_of(*, collection: Collection, choices: Choices, measure: str) -> list[Chart]:
    """A chart a direction, of the runs that may be seen; none before there are two points. Two queries a direction.

    What is kept are the usual scores, at the threshold the collection then had: people over one reference set.
    """
    charts = []
    names = {run.pk: run.name for run in choices.runs}
    for query_set in choices.query_sets:
        if query_set.name != choices.wanted.query_set:
            continue
        points = [
            (n, names[row[0]], 100 * row[4])
            for n, rows in _rows(collection, choices, query_set.pk, measure)
            for row in rows
            if row[0] in names and row[4] is not None
        ]
        if len({n for n, *_ in points}) > 1:
            direction = Direction(query_set.direction)
            latest = {run: score for _, run, score in points}  # the newest point of a run is its last one
            shown = sorted(latest, key=lambda run: (-latest[run], run))
            told = {"measure": measure, "direction": direction.label.lower(), "id": f"history-{direction}"}
            told["labels"] = choices.kept_source.label
            charts.append(score_history(points, runs=shown, **told))
    return charts


def _rows(collection: Collection, choices: Choices, query_set: int, measure: str) -> list[tuple[int, list[Any]]]:
    facts = {"set": query_set, "source": choices.kept_source.key, "measure": measure}
    found = Func(
        F("value"),
        Value(facts, output_field=JSONField()),
        function="jsonb_path_query_array",
        arg_joiner=f", '{PATH}'::jsonpath, ",
        output_field=JSONField(),
    )
    kept = history.thinned(collection=collection, kind="scores", shown=SHOWN)
    return list(kept.annotate(found=found).values_list("n_judgments", "found"))
