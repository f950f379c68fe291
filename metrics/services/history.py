"""The history of alpha and of scores: kept observations, a point whenever enough has happened."""

from datetime import timedelta
from typing import Any

from django.db.models import F, QuerySet, Window
from django.db.models.functions import Mod, RowNumber
from django.utils import timezone

from annotate.models import Collection
from metrics.models import Observation, Score, Snapshot
from metrics.services.measuring import BESIDE

Alphas = dict[str, dict[str, dict[str, Any]]]
GROWTH = 1.005  # a new point after half a per cent more judgments,
PAUSE = timedelta(minutes=1)  # or after this time
LABELS = ("planned", "all")  # which labels alpha is of; the first is the headline
SHOWN = 300  # points of a chart; more lie on one another


def observe(*, collection: Collection, n_judgments: int) -> bool:
    """Keep alpha and the scores as they stand; False when the last point is too near to keep another.

    n_judgments : judgments ever given, counting or not

    A second point at the same number of judgments (after an undo, a withdrawal) replaces the first.
    """
    last = Observation.objects.filter(collection=collection).order_by("-n_judgments").first()
    if last is not None and _is_near(last, n_judgments):
        return False
    Observation.objects.bulk_create(
        (
            Observation(collection=collection, kind=kind, n_judgments=n_judgments, value=value, at=timezone.now())
            for kind, value in (("agreement", _agreement(collection)), ("scores", _scores(collection)))
        ),
        update_conflicts=True,
        unique_fields=["collection", "kind", "n_judgments"],
        update_fields=["value", "at"],
    )
    return True


def points(*, collection: Collection, kind: str) -> list[Observation]:
    """The kept observations of one kind, oldest first, as many as a chart can show. Two queries."""
    return list(thinned(collection=collection, kind=kind, shown=SHOWN))


def thinned(*, collection: Collection, kind: str, shown: int = SHOWN) -> QuerySet[Observation]:
    """The kept observations, oldest first, evenly thinned to at most `shown`, the newest kept.

    One query, and a second when it is read, whose answer stays small however long a campaign lasts.
    """
    kept = Observation.objects.filter(collection=collection, kind=kind)
    step = max(1, -(-kept.count() // shown))
    newest_first = Window(RowNumber(), order_by=F("n_judgments").desc())
    found = kept.annotate(place=newest_first).annotate(rest=Mod(F("place") - 1, step)).filter(rest=0)
    return found.order_by("n_judgments")


def alphas_of(point: Observation) -> Alphas:
    """Alpha by which labels it is of, then by level of measurement; a point may lack either.

    Points of before planned labels were counted apart hold alpha of all labels alone, by level.
    """
    return point.value if set(point.value) <= set(LABELS) else {"all": point.value}


def _is_near(last: Observation, n_judgments: int) -> bool:
    has_grown_little = last.n_judgments < n_judgments < last.n_judgments * GROWTH
    return has_grown_little and timezone.now() - last.at < PAUSE


def _agreement(collection: Collection) -> Alphas:
    """Alpha of planned labels and of all on each level of measurement, with its interval and the pairs it rests on."""
    snapshot = Snapshot.objects.filter(collection=collection, kind="agreement").first()
    wanted = ("value", "low", "high", "n_pairable_units")
    found = {labels: snapshot.value[labels] if snapshot else {} for labels in LABELS}
    return {
        labels: {level: {name: alpha[name] for name in wanted} for level, alpha in levels.items()}
        for labels, levels in found.items()
    }


def _scores(collection: Collection) -> dict[str, Any]:
    """The mean of each measure of each run, as [run, query set, label source, measure, mean]."""
    scores = Score.objects.filter(run__collection=collection).exclude(measure__in=BESIDE).order_by("pk")
    columns = ("run", "query_set", "label_source", "measure", "mean")
    return {"columns": list(columns), "rows": [list(row) for row in scores.values_list(*columns)]}
