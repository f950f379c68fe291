"""The history of alpha and of scores: observations, a point after enough new judgments or time."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, QuerySet, Window
from django.db.models.functions import Mod, RowNumber
from django.utils import timezone

from annotate.models import Collection
from metrics.models import Observation, Score, Snapshot
from metrics.services.scores.measuring import AUXILIARY

Alphas = dict[str, dict[str, dict[str, Any]]]
GROWTH = 1.005  # a new point after half a per cent more judgments,
PAUSE = timedelta(minutes=1)  # or after this time
LABELS = ("planned", "all")  # which labels alpha is of; the first is the headline
MAX_POINTS = 300  # points of a chart; more lie on one another


def observe(*, collection: Collection, n_judgments: int) -> bool:
    """Store alpha and the scores of this moment; False if the last point is too near for another.

    n_judgments : judgments ever given, counting or not

    A second point at the same number of judgments (after an undo, a withdrawal) replaces the first.
    """
    last = Observation.objects.filter(collection=collection).order_by("-n_judgments").first()
    if last is not None:
        has_grown_little = last.n_judgments < n_judgments < last.n_judgments * GROWTH
        if has_grown_little and timezone.now() - last.at < PAUSE:
            return False
    Observation.objects.bulk_create(
        (
            Observation(
                collection=collection,
                kind=kind,
                n_judgments=n_judgments,
                value=value,
                at=timezone.now(),
            )
            for kind, value in (
                ("agreement", _agreement(collection)),
                ("scores", _scores(collection)),
            )
        ),
        update_conflicts=True,
        unique_fields=["collection", "kind", "n_judgments"],
        update_fields=["value", "at"],
    )
    return True


def points(*, collection: Collection, kind: str) -> list[Observation]:
    """Return the observations of one kind, oldest first, as many as a chart can show.

    Two queries.
    """
    return list(thinned(collection=collection, kind=kind, max_points=MAX_POINTS))


def thinned(
    *, collection: Collection, kind: str, max_points: int = MAX_POINTS
) -> QuerySet[Observation]:
    """Return the observations, oldest first, evenly thinned to `max_points`, the newest kept.

    One query, and a second when it is read, whose answer stays small however long a campaign lasts.
    """
    observations = Observation.objects.filter(collection=collection, kind=kind)
    step = max(1, -(-observations.count() // max_points))
    newest_first = Window(RowNumber(), order_by=F("n_judgments").desc())
    thinned_observations = (
        observations.annotate(rank=newest_first)
        .annotate(remainder=Mod(F("rank") - 1, step))
        .filter(remainder=0)
    )
    return thinned_observations.order_by("n_judgments")


def newest_before(*, collection: Collection, kind: str, moment: datetime) -> Observation | None:
    """Return the newest observation of a moment or before it; one query."""
    observations = Observation.objects.filter(collection=collection, kind=kind, at__lte=moment)
    return observations.order_by("-n_judgments").first()


def alphas_of(point: Observation) -> Alphas:
    """Return alpha by LABELS, then by level of measurement; a point may lack either.

    Old points, of before planned labels were counted apart, hold alpha of all labels alone, by
    level.
    """
    return point.value if set(point.value) <= set(LABELS) else {"all": point.value}


def _agreement(collection: Collection) -> Alphas:
    """Return alpha of planned and of all labels by level, with its interval and number of pairs."""
    snapshot = Snapshot.objects.filter(collection=collection, kind="agreement").first()
    names = ("value", "low", "high", "n_pairable_units")
    alphas = {labels: snapshot.value[labels] if snapshot else {} for labels in LABELS}
    return {
        labels: {level: {name: alpha[name] for name in names} for level, alpha in levels.items()}
        for labels, levels in alphas.items()
    }


def _scores(collection: Collection) -> dict[str, Any]:
    """Return the mean per run and measure, as [run, query set, label source, measure, mean]."""
    scores = (
        Score.objects.usual()
        .filter(run__collection=collection)
        .exclude(measure__in=AUXILIARY)
        .order_by("pk")
    )
    columns = ("run", "query_set", "label_source", "measure", "mean")
    return {"columns": list(columns), "rows": [list(row) for row in scores.values_list(*columns)]}
