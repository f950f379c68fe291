"""Cached rows equal those first made, as old as if made now; others can be made beside them."""

from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.utils import timezone

from metrics.services.numbers import refresh
from tests import campaigns, cast
from tests.metrics import studies
from tests.tables import fixture_cache
from tests.tables.soundness import is_sound
from tests.tables.table_cleanup import empty_tables

pytestmark = pytest.mark.django_db(transaction=True)
make = campaigns.campaign.__wrapped__


def rows():
    """Every row of the product's tables, by model and key."""
    models = [
        model
        for label in ("annotate", "pooling", "metrics")
        for model in apps.get_app_config(label).get_models()
    ]
    return {
        (model.__name__, row["pk"]): row
        for model in models
        for row in model.objects.values("pk", *columns(model))
    }


def columns(model):
    return [field.attname for field in model._meta.concrete_fields]


def test_a_copy_has_the_rows_that_were_made_and_its_moments_come_later_by_as_much_as_it_does(
    monkeypatch,
):
    now = timezone.now()
    monkeypatch.setattr(fixture_cache, "timezone", SimpleNamespace(now=lambda: now))
    copied = fixture_cache.cached_rows(make)
    original, before = copied("made"), rows()
    empty_tables()
    now += timedelta(hours=2)
    again = copied("made")
    after = rows()
    assert (again, set(after)) == (original, set(before))
    assert len({name for name, _ in after}) > 40
    shifts = set()
    for key, row in after.items():
        for field, value in row.items():
            if isinstance(value, datetime):
                shifts.add(value - before[key][field])
            else:
                assert value == before[key][field], (key, field)
    assert shifts == {timedelta(hours=2)}


def test_the_numbers_of_a_copy_are_those_that_are_computed_anew():
    copied = fixture_cache.cached_rows(make)
    for _ in range(2):
        empty_tables()
        collection = copied("made").collection
        refresh.refresh(collection=collection)
        before = studies.numbers(collection)
        assert before["scores"]
        refresh.rebuild(collection=collection)
        # with their hashes, whatever moment their inputs come from
        assert studies.numbers(collection) == before


def test_people_go_on_in_a_copy_and_others_can_stand_beside_it():
    copied = fixture_cache.cached_rows(make)
    for _ in range(2):
        empty_tables()
        campaign = copied("made")
    for collection in (campaign.collection, make("other").collection):
        campaigns.judge_batch(cast.annotator(collection))
        assert is_sound()


def test_what_is_made_beside_others_is_made_anew():
    copied = fixture_cache.cached_rows(make)
    first_collection = copied("made").collection
    empty_tables()
    person = cast.user()
    new_collection = copied("made").collection
    assert new_collection.pk > first_collection.pk
    assert type(person).objects.filter(pk=person.pk).exists()
    empty_tables()
    assert [copied("made").collection, copied("other").collection.slug] == [
        first_collection,
        "other",
    ]
    assert is_sound()
