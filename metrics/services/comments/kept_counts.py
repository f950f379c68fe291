"""Counts of the labels that meet the filters as kept values: of a large study they take seconds."""

import hashlib
import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db.models import Count, Max

from annotate.models import Annotator, Collection, Item, Judgment, JudgmentEvent, Kept, Level
from annotate.services.background import kept
from annotate.services.background.kept import Computed, Inquiry
from metrics.explorer_state import DEPTHS
from metrics.forms.comment_filters import CommentFilters, CommentKind, LabelState
from metrics.services.comments.counts import level_counts
from metrics.services.comments.matching import matching_labels
from metrics.services.leaderboard.computation import version_of
from pooling.models import Run

RULES = "1"  # changes when the same labels would have other counts
KIND = "comments"
MIN_INTERVAL = timedelta(seconds=60)  # between two counts of the same filters
# after which they are counted again even though their version did not change
REFRESH_AFTER = timedelta(minutes=10)
MAX_AGE = timedelta(days=1)
MAX_VALUES = 200  # of a collection; the oldest are deleted


def inquiry_of(*, collection: Collection, filters: CommentFilters) -> Inquiry:
    """The inquiry whose value are the counts of these filters, wherever a page begins."""
    parameters = {
        "words": sorted(filters.words),
        "kind": filters.kind.value,
        "level": filters.level and filters.level.pk,
        "reason": filters.reason,
        "run": filters.run and filters.run.pk,
        "depth": filters.depth if filters.run else None,
        "query": filters.query and filters.query.pk,
        "purpose": filters.purpose,
        "state": filters.state.value,
    }
    text = json.dumps([RULES, parameters], sort_keys=True)
    return Inquiry(collection, KIND, hashlib.sha256(text.encode()).hexdigest(), parameters)


def _version(inquiry: Inquiry) -> str | None:
    """A hash that changes with labels, what became of them, their words, ranks and exclusions.

    None once the run is deleted. Seven queries.
    """
    collection, run = inquiry.collection, inquiry.parameters["run"]
    if run is not None and not Run.objects.filter(pk=run).exists():
        return None
    judgments = Judgment.objects.filter(collection=collection).order_by("-pk")
    # of whatever collection: to join them with the judgments of one takes longer than to count
    events = JudgmentEvent.objects.order_by("-pk")
    left_out = Item.objects.filter(collection=collection).left_out()
    facts = [
        version_of(collection=collection),
        judgments.values_list("pk", flat=True).first(),
        events.values_list("pk", flat=True).first(),
        # whoever is erased has no account any more, and no comments
        Annotator.objects.filter(collection=collection, user=None).count(),
        *map(str, left_out.aggregate(n=Count("pk"), at=Max("excluded_at")).values()),
    ]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


@kept.keeps(
    KIND,
    version=_version,
    fresh_for=REFRESH_AFTER,
    request_lasts=MIN_INTERVAL,
    rests=True,
    drop_after=MAX_AGE,
    at_most=MAX_VALUES,
)
def compute(inquiry: Inquiry, row: Kept | None) -> Computed:
    """Count the labels that meet the filters of an inquiry, by level and reason."""
    parts = matching_labels(inquiry.collection, _filters_of(inquiry.parameters))
    return Computed(level_counts(parts))


def _filters_of(parameters: Mapping[str, Any]) -> CommentFilters:
    level, query, run = (parameters[name] for name in ("level", "query", "run"))
    return CommentFilters(
        words=tuple(parameters["words"]),
        kind=CommentKind(parameters["kind"]),
        level=level and Level.objects.get(pk=level),
        reason=parameters["reason"],
        run=run and Run.objects.get(pk=run),
        depth=parameters["depth"] or DEPTHS[1],
        query=query and Item.objects.get(pk=query),
        purpose=parameters["purpose"],
        state=LabelState(parameters["state"]),
    )
