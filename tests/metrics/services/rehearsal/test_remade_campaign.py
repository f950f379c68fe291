"""A campaign that was left half-made: nobody sees it, and the next start makes it anew, alike.

Each step is committed, as in life.
"""

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from annotate.models import Collection, Judgment, Membership
from annotate.services.background.workers import LOCKS
from annotate.services.collection.lifecycle.purging import purge_collection
from annotate.services.storage.collection_rows import NotOwner
from metrics.services.rehearsal.campaign import NAME, SLUG, UNFINISHED_NAME, ensure_campaign
from tests import cast
from tests.seeding import MODULE_KEYS, restart_numbers
from tests.servers.databases import connection_parameters


def digest(collection):
    """All that was said, by whom, of which pair, in which order."""
    rows = Judgment.objects.filter(collection=collection).order_by("pk")
    columns = ("annotator__pseudonym", "pair__query__external_id", "pair__document__external_id")
    return list(rows.values_list(*columns, "purpose", "level__grade", "reasons", "active_ms"))


class PowerFailure(Exception):
    """The end of a campaign that is being made."""


@pytest.mark.full
@pytest.mark.django_db(transaction=True)
def test_a_campaign_that_was_left_half_made_is_made_anew_and_the_same(media_root):
    def fail(n_labels):
        if n_labels >= 20:
            raise PowerFailure

    restart_numbers(MODULE_KEYS)
    ensure_campaign(n_labels=40)
    first = digest(Collection.objects.get(slug=SLUG))
    purge_collection(collection=Collection.objects.get(slug=SLUG))
    with pytest.raises(PowerFailure):
        ensure_campaign(n_labels=40, report_progress=fail)
    half_made = Collection.objects.get(slug=SLUG)
    assert half_made.name == UNFINISHED_NAME
    assert 20 <= Judgment.objects.filter(purpose="label").count() < 40
    assert not Membership.objects.exists()  # nobody but an administrator sees it
    restart_numbers(MODULE_KEYS)
    collection = ensure_campaign(n_labels=40)
    assert collection == Collection.objects.get() and collection.name == NAME
    assert digest(collection) == first
    call_command("fsck")


@pytest.mark.django_db
def test_a_role_that_may_not_move_moments_makes_nothing():
    with connection.cursor() as cursor:
        cursor.execute("CREATE ROLE visitor")
        cursor.execute("GRANT ALL ON ALL TABLES IN SCHEMA public TO visitor")
    with pytest.raises(NotOwner), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL ROLE visitor")
        ensure_campaign()
    assert not Collection.objects.exists()


@pytest.mark.django_db
def test_a_collection_of_people_is_not_taken_for_one_that_was_left_half_made():
    collection = cast.collection(SLUG)
    Collection.objects.filter(pk=collection.pk).update(name=UNFINISHED_NAME)
    assert ensure_campaign(n_labels=1) is None
    assert Collection.objects.filter(pk=collection.pk).exists()


@pytest.mark.django_db
def test_a_campaign_that_another_process_is_making_stays_as_it_is():
    cast.collection(SLUG, is_rehearsal=True, n_queries=1)
    Collection.objects.filter(slug=SLUG).update(name=UNFINISHED_NAME)
    with psycopg.connect(**connection_parameters()) as session:
        session.execute("SELECT pg_advisory_lock(%s, 0)", [LOCKS["campaign"]])
        with pytest.raises(CommandError, match=r"is making .* nothing was changed"):
            call_command("load_demo", "--campaign")
    collection = Collection.objects.get()
    assert (collection.name, collection.items.count()) == (UNFINISHED_NAME, 1)
