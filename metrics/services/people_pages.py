"""One person's page: her labels beside everybody else's, from the latest snapshots."""

from datetime import datetime
from typing import Any, NamedTuple

from django.http import Http404

from annotate.models import Annotator, Collection
from annotate.services.background.workers import worker_is_missing
from metrics.charts import Chart
from metrics.dashboard_charts import Moment, Use, level_use, seconds_over_time, share_over_time
from metrics.models import Snapshot
from metrics.services import closer, dashboard
from metrics.services.closer_page import per_cent
from metrics.services.dashboard import Asked

Value = dict[str, Any]


class PersonPage(NamedTuple):
    """One person; `row` is her line of the dashboard, `more` what the closer look knows, None until there is one."""

    version: str
    worker_missing: bool
    annotator: Annotator
    name: str
    row: Value | None
    more: Value | None
    charts: list[Chart]
    at: datetime | None
    closer_at: datetime | None


def page(*, collection: Collection, pk: int, asked: Asked, now: str) -> PersonPage:
    """What is known of one annotator of the collection; Http404 for any other."""
    annotator = Annotator.objects.filter(collection=collection, pk=pk).select_related("user").first()
    if annotator is None:
        raise Http404
    wanted = ("people", closer.KIND)
    snapshots = {row.kind: row for row in Snapshot.objects.filter(collection=collection, kind__in=wanted)}
    fast, slow = snapshots.get("people"), snapshots.get(closer.KIND)
    row = _of(fast.value["people"], pk) if fast else None
    more = _of(slow.value["people"], pk) if slow else None
    return PersonPage(
        version=now,
        worker_missing=worker_is_missing(),
        annotator=annotator,
        name=annotator.user.username if asked.names and annotator.user else "",
        row=dashboard.person(row, more) if row else None,
        more=_more(more) if more else None,
        charts=_charts(annotator.pseudonym, more, slow.value["levels"]) if more and slow else [],
        at=fast.computed_at if fast else None,
        closer_at=slow.computed_at if slow else None,
    )


def _of(people: list[Value], pk: int) -> Value | None:
    return next((row for row in people if row["annotator"] == pk), None)


def _more(row: Value) -> Value:
    """Numbers for the page: agreement over all steps, golds, times, the effect on alpha."""
    return {name: row[name] for name in ("n_labels", "n_shared", "alpha_without", "drag", "others_seconds", "flags")}


def _charts(pseudonym: str, row: Value, levels: list[list[Any]]) -> list[Chart]:
    own, n = row["shared_levels"], max(sum(row["shared_levels"]), 1)
    uses = [
        Use(name, 100 * mine / n, 100 * others)
        for (_, name, _), mine, others in zip(levels, own, row["others"], strict=True)
    ]
    timed = [(step["at"], step["seconds"]) for step in row["steps"] if step["seconds"] is not None]
    return [
        share_over_time(
            _moments(row["gold_steps"]), id="gold-over-time", title="Golds right over time", axis="Right, %",
            subtitle="Golds in the order they were answered, in equal parts; bars are Wilson's 95 % intervals.",
        ),
        share_over_time(
            _moments(row["steps"]), id="agreement-over-time", title="Agreement with the others over time",
            axis="Equal, %",
            subtitle="Comparisons with another person's label of the same pair that are equal; bars are Wilson's 95 % "
            "intervals, which take comparisons on one pair for independent.",
        ),
        seconds_over_time(timed, others=row["others_seconds"]),
        level_use(uses[::-1] if sum(own) else [], pseudonym=pseudonym),
    ]  # fmt: skip


def _moments(steps: list[Value]) -> list[Moment]:
    return [
        Moment(step["at"], *(per_cent(step[name]) for name in ("share", "low", "high")), step["of"]) for step in steps
    ]
