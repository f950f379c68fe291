"""Analyses as kept values: their version, and how they are computed."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Count, Max
from django.utils import timezone

from annotate.models import (
    Collection,
    Duplicate,
    Import,
    Kept,
    PairExclusion,
    Part,
    Policy,
    Preview,
)
from annotate.services.background import kept, progress
from annotate.services.background.kept import Computed, Inquiry
from annotate.services.storage.transactions import repeatable_read
from metrics.charts.results import AnalysisResult
from metrics.score_files.requests import NotDefined, ReportProgress
from metrics.services.analysis.analyses import AnalysisRequest
from metrics.services.analysis.choices import KIND, AnalysisSpec
from metrics.services.analysis.measures.system_runs import partners_of
from metrics.services.analysis.register import ANALYSES
from metrics.services.leaderboard.computation import version_of
from metrics.services.numbers.refresh import waits_for_refresh
from pooling.models import Pool, Run

RULES = "8"  # changes when the same labels and rankings would give other numbers or words
# after which a value is computed again even though its version did not change
REFRESH_AFTER = timedelta(minutes=10)
MAX_AGE = timedelta(days=1)
MAX_VALUES = 400  # of a collection; the oldest are deleted


class AnalysisAnswer(NamedTuple):
    """The result of an analysis, or the reason why there is none, at a moment.

    reason : empty where there is a result
    """

    result: AnalysisResult | None
    reason: str
    computed_at: datetime
    is_stale: bool


def inquiry_of(*, collection: Collection, spec: AnalysisSpec) -> Inquiry:
    """The inquiry whose value is this analysis; one of other rules may have another form."""
    key = hashlib.sha256(f"{RULES} {spec.key}".encode()).hexdigest()
    return Inquiry(collection, KIND, key, spec.as_json())


def look(
    *,
    collection: Collection,
    specs: Sequence[AnalysisSpec],
    runs: Sequence[Run],
    most_rows: int | None = None,
) -> list[AnalysisAnswer | None]:
    """Look at some analyses; None for each that is computed for the first time.

    Seven queries, one for each, and two for those of files. runs : those of the specs, at least
    most_rows : of each table only the first ones are read; None for all
    """
    waits = waits_for_refresh(collection=collection)  # first: they may be counted now
    inputs_version = _inputs_version(collection)
    partners = partners_of(collection=collection, runs=runs)
    answers: list[AnalysisAnswer | None] = []
    for spec in specs:
        spec_runs = [run for run in runs if run.pk in spec.scores.runs]
        facts = [inputs_version, _files_version(collection, spec)]
        version = _version_of(facts, spec_runs, partners)
        inquiry = inquiry_of(collection=collection, spec=spec)
        view = kept.look(inquiry=inquiry, version=version, most_rows=most_rows)
        if view.row is None:
            answers.append(None)
            continue
        is_stale = waits or view.row.version != version
        answers.append(_answer(view.row, is_stale=is_stale))
    return answers


def compute_now(
    *, collection: Collection, spec: AnalysisSpec, report_progress: ReportProgress
) -> AnalysisAnswer:
    """Compute an analysis from one moment of the database, whatever is kept."""
    with repeatable_read():
        at = timezone.now()
        value = _value(AnalysisRequest(collection, spec, report_progress))
    return _answer(Kept(value=value, computed_at=at), is_stale=False)


def _answer(row: Kept, *, is_stale: bool) -> AnalysisAnswer:
    reason = row.value.get("reason", "")
    result = None if reason else AnalysisResult.from_json(row.value)
    return AnalysisAnswer(result, reason, row.computed_at, is_stale)


def _version(inquiry: Inquiry) -> str:
    """The version of the inputs; eleven queries at most."""
    keys = inquiry.parameters["scores"]["runs"]
    runs = list(Run.objects.filter(pk__in=keys)) if keys else []
    partners = partners_of(collection=inquiry.collection, runs=runs)
    spec = AnalysisSpec.from_json(dict(inquiry.parameters))
    facts = [_inputs_version(inquiry.collection), _files_version(inquiry.collection, spec)]
    return _version_of(facts, runs, partners)


def _inputs_version(collection: Collection) -> str:
    """A text that changes with each input: labels, imports, exclusions, pools, policy, pay, marks.

    Seven queries. Items and their texts come by imports alone.
    """
    imports = Import.objects.filter(collection=collection)
    newest = imports.aggregate(at=Max("work__finished_at"))["at"]
    marks = Duplicate.objects.filter(collection=collection).aggregate(n=Count("pk"), at=Max("at"))
    exclusions = PairExclusion.objects.filter(collection=collection)
    facts = [RULES, version_of(collection=collection), newest, *marks.values()]
    facts += exclusions.aggregate(n=Count("pk"), at=Max("at")).values()
    facts += Policy.objects.filter(collection=collection).aggregate(at=Max("version")).values()
    pools = Pool.objects.filter(collection=collection).order_by("pk", "runs")
    facts += pools.values_list("pk", "state", "runs")
    facts += [collection.hourly_pay, collection.currency, collection.alpha_marks]
    return " ".join(map(str, facts))


def _files_version(collection: Collection, spec: AnalysisSpec) -> str:
    """A text that changes with what workers read from files; "" for analyses of none.

    Two queries. The last files are read long after their import is done.
    """
    if not ANALYSES[spec.name].of_files:
        return ""
    previews = Preview.objects.filter(collection=collection, start=None)  # of images
    facts = previews.aggregate(n=Count("pk"), n_rasters=Count("raster"), at=Max("made_at"))
    n_unread = Part.objects.unread().filter(item__collection=collection).count()
    return " ".join(map(str, [n_unread, *facts.values()]))


def _version_of(
    facts: Sequence[str], runs: Sequence[Run], partners: Mapping[int, Sequence[Run]]
) -> str:
    """A hash that changes with the inputs, and with the names of the runs and their use.

    partners : of each run those of the other direction, which are measured beside it
    """
    measured_runs = {run.pk: run for run in runs}
    measured_runs |= {partner.pk: partner for run in runs for partner in partners[run.pk]}
    of_runs = sorted(
        (run.pk, run.name, run.system, run.team, run.is_hidden, str(run.retired_at))
        for run in measured_runs.values()
    )
    return hashlib.sha256(json.dumps([*facts, of_runs]).encode()).hexdigest()


@kept.keeps(
    KIND,
    version=_version,
    fresh_for=REFRESH_AFTER,
    drop_after=MAX_AGE,
    at_most=MAX_VALUES,
)
def compute(inquiry: Inquiry, row: Kept | None) -> Computed:
    """Compute an analysis."""

    def report_progress(n_done: int, total: int, unit: str) -> None:
        progress.advance(job=inquiry.job, n_done=n_done, total=total, unit=unit)

    spec = AnalysisSpec.from_json(dict(inquiry.parameters))
    return Computed(_value(AnalysisRequest(inquiry.collection, spec, report_progress)))


def _value(request: AnalysisRequest) -> dict[str, object]:
    """The result as JSON, or the reason why there is none."""
    try:
        return ANALYSES[request.spec.name].find(request).as_json()
    except NotDefined as reason:
        return {"reason": str(reason)}
