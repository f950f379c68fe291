"""What runs in the background for metrics; all of it safe to run twice."""

from typing import Any

from celery import shared_task

from annotate.models import Collection
from annotate.queue import enqueue_on_commit
from metrics.models import Plan
from metrics.services import (
    closer,
    downloads,
    exploring_disagreement,
    favour,
    leaderboard_views,
    modelling,
    plans,
    refresh_tries,
)
from metrics.services import refresh as refreshing
from metrics.services.leaderboard_wanted import Wanted
from pooling.models import Pool

WAIT = 1.5  # seconds in which what changes is gathered into one refresh


@shared_task
def refresh(*, collection_id: int) -> None:
    """Bring a collection's numbers up to date, a moment later when somebody is at it already."""
    for collection in Collection.objects.filter(pk=collection_id).exclude(pk__in=refresh_tries.waiting()):
        if refreshing.refresh(collection=collection) is None:
            enqueue_on_commit(refresh, countdown=WAIT, collection_id=collection_id)
        else:
            _ask_for_what_is_due(collection)


def _ask_for_what_is_due(collection: Collection) -> None:
    """Ask for what new numbers may call for: a model's resolutions, a look of the plan."""
    if modelling.due(collection=collection):
        enqueue_on_commit(resolve_by_model, countdown=modelling.WAIT, collection_id=collection.pk)
    for plan_id in plans.due(collection=collection):
        enqueue_on_commit(take_look, plan_id=plan_id)


@shared_task
def resolve_by_model(*, collection_id: int) -> None:
    """Let a model of the annotators resolve the pairs of a collection whose policy asks for it."""
    for collection in Collection.objects.filter(pk=collection_id):
        modelling.resolve_by_model(collection=collection)


@shared_task
def study_pool(*, pool_id: int) -> None:
    """Compute what a pool favours, for whoever looks at it."""
    for pool in Pool.objects.filter(pk=pool_id).select_related("collection", "query_set"):
        favour.study_pool(pool=pool)


@shared_task
def look_closer(*, collection_id: int) -> None:
    """Compute what needs every label at once, for whoever looks at the dashboard."""
    for collection in Collection.objects.filter(pk=collection_id):
        closer.look(collection=collection)


@shared_task
def count_disagreement(*, collection_id: int) -> None:
    """Count on which queries people disagree, for whoever looks at them in that order."""
    for collection in Collection.objects.filter(pk=collection_id):
        exploring_disagreement.count_disagreement(collection=collection)


@shared_task
def show_board(*, collection_id: int, wanted: dict[str, Any]) -> None:
    """Compute a leaderboard or a comparison, for whoever looks at it."""
    for collection in Collection.objects.filter(pk=collection_id):
        leaderboard_views.compute(collection=collection, wanted=Wanted.from_json(wanted))


@shared_task
def take_look(*, plan_id: int) -> None:
    """Decide at the look that a plan has reached."""
    for plan in Plan.objects.filter(pk=plan_id, ended_at=None).select_related("collection", "query_set"):
        plans.take_look(plan=plan)


@shared_task
def sweep_plans() -> None:
    """Ask for the looks that the broker lost; apart from the other sweep, as it counts pairs."""
    for plan_id in plans.due():
        enqueue_on_commit(take_look, plan_id=plan_id)


@shared_task
def sweep() -> None:
    """Ask for the refreshes that nobody asked for, as the broker may have lost them; delete old files."""
    for collection_id in refreshing.due():
        enqueue_on_commit(refresh, collection_id=collection_id)
    downloads.expire()
