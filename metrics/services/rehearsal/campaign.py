"""The demo "Shapes, in progress": five days of a campaign by simulated people, half-way through.

All of it goes through the services that people use. Its moments are moved at the end, so that pace,
curves and forecast are those of people and not of a program. Until then it has no members, so that
the site's administrator alone sees it; a start that meets it half-made deletes it and begins anew.
"""

import hashlib
from collections.abc import Callable

from django.db import transaction

from annotate.models import Collection, Role, User
from annotate.services.background import kept
from annotate.services.background.workers import try_lock_subject
from annotate.services.collection.lifecycle.purging import purge_collection
from annotate.services.people.accounts import join
from annotate.services.storage.moments import move_moments, require_mover
from metrics.services.numbers.guards import check_guards
from metrics.services.numbers.refresh import refresh, refresh_lock
from metrics.services.rehearsal.campaign_days import N_LABELS, CampaignDays
from metrics.services.rehearsal.clock import WorkingClock
from metrics.services.rehearsal.demo import load_folds, load_shapes, load_training_texts

SLUG, NAME = "shapes-in-progress", "Shapes, in progress"
UNFINISHED_NAME = f"{NAME} (being made)"  # the sign of a campaign that no start has finished
DESCRIPTION = (
    "Captions and small scenes. Twelve simulated people gave its labels: they were drawn from a "
    "truth that is known, within minutes, and their moments spread over five days."
)
SEED = 7
THE_ONLY_ONE = 0  # key of its lock: there is no row before it is begun


class CampaignUnderWay(Exception):
    """Another process is making the campaign; nothing was changed."""


def ensure_campaign(
    *,
    seed: int = SEED,
    n_labels: int = N_LABELS,
    report_progress: Callable[[int], None] = lambda n: None,
) -> Collection | None:
    """Make the campaign unless it is there; None if it was there already.

    seed : of everything that is drawn, but for which of the free pairs a person is handed
    report_progress : called with the number of labels after each batch
    Raises NotOwner where the database's role may not move moments, CampaignUnderWay while another
    process makes it, and what loading files raises.
    """
    require_mover()
    with try_lock_subject("campaign", THE_ONLY_ONE) as is_ours:
        if not is_ours:
            raise CampaignUnderWay
        return _make_campaign(seed, n_labels, report_progress)


def _make_campaign(
    seed: int, n_labels: int, report_progress: Callable[[int], None]
) -> Collection | None:
    collection = Collection.objects.filter(slug=SLUG).first()
    if collection is not None:
        if not collection.is_rehearsal or collection.name != UNFINISHED_NAME:
            return None
        purge_collection(collection=collection)
    clock = WorkingClock()
    collection = load_shapes(slug=SLUG, name=UNFINISHED_NAME, is_rehearsal=True)
    load_training_texts(collection=collection)
    load_folds(collection=collection)
    # doubles and golds are chosen by the key: the same in every campaign of this seed
    collection.key = hashlib.sha256(f"campaign {seed}".encode()).digest()
    collection.save(update_fields=["key"])
    # nobody else refreshes its numbers meanwhile, so that its history has the same points each time
    with refresh_lock(collection, waits=True):
        days = CampaignDays(collection=collection, clock=clock, seed=seed)
        for n_labels_now in days.simulate(n_labels=n_labels):
            report_progress(n_labels_now)
        refresh(collection=collection)
        check_guards(collection=collection)
        kept.delete_all(collection=collection)
        clock.note()
        _finish(collection, clock)
    return collection


@transaction.atomic
def _finish(collection: Collection, clock: WorkingClock) -> None:
    """Move the moments, name the collection, and let the accounts named as roles join."""
    move_moments(collection=collection, checkpoints=clock.checkpoints())
    Collection.objects.filter(pk=collection.pk).update(name=NAME, description=DESCRIPTION)
    for role in Role:
        for user in User.objects.filter(username=role.value):
            join(collection=collection, user=user, role=role)
    collection.refresh_from_db()
