"""Analyses as kept values: their version, and how they are computed."""

import hashlib
import json
from datetime import datetime, timedelta
from typing import NamedTuple

from django.utils import timezone

from annotate.models import Collection, Kept
from annotate.services.background import kept, progress
from annotate.services.background.kept import Computed, Inquiry
from annotate.services.storage.transactions import repeatable_read
from metrics.charts.results import AnalysisResult
from metrics.services.analysis.analyses import AnalysisRequest, NotDefined, ReportProgress
from metrics.services.analysis.choices import KIND, AnalysisSpec
from metrics.services.analysis.register import ANALYSES
from metrics.services.leaderboard.computation import version_of
from pooling.models import Run

RULES = "1"  # changes when the same labels and rankings would give other numbers or words
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
    """The inquiry whose value is this analysis."""
    return Inquiry(collection, KIND, spec.key, spec.as_json())


def look(*, collection: Collection, spec: AnalysisSpec) -> AnalysisAnswer | None:
    """Look at an analysis; None while it is computed for the first time."""
    value = kept.look(inquiry=inquiry_of(collection=collection, spec=spec))
    if value.row is None:
        return None
    return _answer(value.row.value, value.row.computed_at, is_stale=not value.is_fresh)


def compute_now(
    *, collection: Collection, spec: AnalysisSpec, report_progress: ReportProgress
) -> AnalysisAnswer:
    """Compute an analysis from one moment of the database, whatever is kept."""
    with repeatable_read():
        at = timezone.now()
        value = _value(AnalysisRequest(collection, spec, report_progress))
    return _answer(value, at, is_stale=False)


def _answer(value: dict[str, object], at: datetime, *, is_stale: bool) -> AnalysisAnswer:
    reason = str(value.get("reason", ""))
    return AnalysisAnswer(None if reason else AnalysisResult.from_json(value), reason, at, is_stale)


def _version(inquiry: Inquiry) -> str:
    """A hash that changes with labels, rankings, rules and names of the runs. Three queries."""
    runs = inquiry.parameters["scores"]["runs"]
    names = Run.objects.filter(pk__in=runs).order_by("pk").values_list("pk", "name")
    facts = [RULES, version_of(collection=inquiry.collection), list(names) if runs else []]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


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
