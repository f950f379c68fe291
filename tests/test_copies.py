"""What is copied is what was made, as old as if it were made now, and more can be made beside it."""

from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.utils import timezone

from metrics.services import refresh
from tests import campaigns, cast, copies
from tests.lasting import empty_tables
from tests.metrics import studies
from tests.sound import sound

pytestmark = pytest.mark.django_db(transaction=True)
make = campaigns.campaign.__wrapped__


def rows():
    """Every row of the product's tables, by model and key."""
    ours = [model for label in ("annotate", "pooling", "metrics") for model in apps.get_app_config(label).get_models()]
    return {(model.__name__, row["pk"]): row for model in ours for row in model.objects.values("pk", *columns(model))}


def columns(model):
    return [field.attname for field in model._meta.concrete_fields]


def test_a_copy_has_the_rows_that_were_made_and_its_moments_come_later_by_as_much_as_it_does(monkeypatch):
    now = timezone.now()
    monkeypatch.setattr(copies, "timezone", SimpleNamespace(now=lambda: now))
    copied = copies.copied(make)
    made, before = copied("made"), rows()
    empty_tables()
    now += timedelta(hours=2)
    again = copied("made")
    after = rows()
    assert (again, set(after)) == (made, set(before))
    assert len({name for name, _ in after}) > 40
    apart = set()
    for key, row in after.items():
        for field, value in row.items():
            if isinstance(value, datetime):
                apart.add(value - before[key][field])
            else:
                assert value == before[key][field], (key, field)
    assert apart == {timedelta(hours=2)}


def test_the_numbers_of_a_copy_are_those_that_are_computed_anew():
    copied = copies.copied(make)
    for _ in range(2):
        empty_tables()
        collection = copied("made").collection
        refresh.refresh(collection=collection)
        before = studies.numbers(collection)
        assert before["scores"]
        refresh.rebuild(collection=collection)
        assert studies.numbers(collection) == before  # with their hashes, whatever moment their inputs come from


def test_people_go_on_in_a_copy_and_others_can_stand_beside_it():
    copied = copies.copied(make)
    for _ in range(2):
        empty_tables()
        campaign = copied("made")
    for collection in (campaign.collection, make("other").collection):
        campaigns.judge_batch(cast.annotator(collection))
        assert sound()


def test_what_is_made_beside_others_is_made_anew():
    copied = copies.copied(make)
    kept = copied("made").collection
    empty_tables()
    person = cast.user()
    made = copied("made").collection
    assert made.pk > kept.pk
    assert type(person).objects.filter(pk=person.pk).exists()
    empty_tables()
    assert [copied("made").collection, copied("other").collection.slug] == [kept, "other"]
    assert sound()
