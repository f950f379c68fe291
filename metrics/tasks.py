"""Background tasks of metrics; each is safe to run twice."""

from celery import shared_task
from django.db.models import QuerySet

from annotate.models import Collection
from annotate.task_queue import enqueue_on_commit
from metrics.models import Plan
from metrics.services.downloads import downloads
from metrics.services.mails import lead_mails
from metrics.services.mails.alarm_mails import ALARM_MAIL
from metrics.services.mails.concern_mails import CONCERN_MAIL
from metrics.services.numbers import guards, refresh_tries
from metrics.services.numbers import refresh as refreshing
from metrics.services.plans import plans
from metrics.services.scores import model_resolutions

GATHERING_SECONDS = 1.5  # in which changes are gathered into one refresh
# As often as CELERY_BEAT_SCHEDULE says. Mails expire by then: else one a sweep would queue behind a
# server that hangs.
SWEEP_SECONDS = 5


@shared_task
def refresh(*, collection_id: int) -> None:
    """Bring a collection's numbers up to date, a moment later if a refresh is under way already."""
    for collection in _unpaused_collection(collection_id):
        if refreshing.refresh(collection=collection) is None:
            enqueue_on_commit(refresh, countdown=GATHERING_SECONDS, collection_id=collection_id)
        else:
            _enqueue_due(collection)


def _unpaused_collection(collection_id: int) -> QuerySet[Collection]:
    """The collection, or none where its refreshes are paused after failures."""
    paused_collections = refresh_tries.paused_collections()
    return Collection.objects.filter(pk=collection_id).exclude(pk__in=paused_collections)


def _enqueue_due(collection: Collection) -> None:
    """Enqueue what new labels make due: looks of guards and plans, mails, a model's resolutions."""
    enqueue_on_commit(look_at_people, collection_id=collection.pk)
    if lead_mails.is_due(ALARM_MAIL, collection=collection):
        enqueue_on_commit(mail_alarms, collection_id=collection.pk)
    if model_resolutions.is_due(collection=collection):
        enqueue_on_commit(
            resolve_by_model,
            countdown=model_resolutions.GATHERING_SECONDS,
            collection_id=collection.pk,
        )
    for plan_id in plans.plans_due(collection=collection):
        enqueue_on_commit(take_look, plan_id=plan_id)


@shared_task
def resolve_by_model(*, collection_id: int) -> None:
    """Let a model of the annotators resolve the pairs of a collection whose policy asks for it."""
    for collection in Collection.objects.filter(pk=collection_id):
        model_resolutions.resolve_by_model(collection=collection)


@shared_task
def look_at_people(*, collection_id: int) -> None:
    """Let the guards look at the people of a collection; leads are sent a mail about new names."""
    for collection in Collection.objects.filter(pk=collection_id):
        guards.check_guards(collection=collection)
        if lead_mails.is_due(CONCERN_MAIL, collection=collection):
            enqueue_on_commit(mail_concerns, collection_id=collection_id)


@shared_task
def mail_concerns(*, collection_id: int) -> None:
    """Send the leads a mail about the people whom guards have named."""
    for collection in Collection.objects.filter(pk=collection_id):
        lead_mails.send(CONCERN_MAIL, collection=collection)


@shared_task
def mail_alarms(*, collection_id: int) -> None:
    """Send the leads a mail about the alarms that rose."""
    for collection in Collection.objects.filter(pk=collection_id):
        lead_mails.send(ALARM_MAIL, collection=collection)


@shared_task
def take_look(*, plan_id: int) -> None:
    """Take the look that a plan has reached."""
    for plan in Plan.objects.filter(pk=plan_id, ended_at=None).select_related(
        "collection", "query_set"
    ):
        plans.take_look(plan=plan)


@shared_task
def sweep_plans() -> None:
    """Enqueue the looks that the broker lost; apart from the other sweep, as it counts pairs."""
    for plan_id in plans.plans_due():
        enqueue_on_commit(take_look, plan_id=plan_id)


@shared_task
def sweep() -> None:
    """Enqueue refreshes and mails that the broker may have lost; delete old files."""
    for collection_id in refreshing.collections_due():
        enqueue_on_commit(refresh, collection_id=collection_id)
    _enqueue_mails()
    downloads.expire()


def _enqueue_mails() -> None:
    for mail, task in ((CONCERN_MAIL, mail_concerns), (ALARM_MAIL, mail_alarms)):
        for collection_id in lead_mails.collections_due(mail):
            enqueue_on_commit(task, expires=SWEEP_SECONDS, collection_id=collection_id)
