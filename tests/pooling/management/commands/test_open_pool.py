"""The command that opens pools takes every parameter and option, and tells the price if asked."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotate.models import QuerySet, QuerySetItem
from annotate.services.supervision import archiving
from pooling.models import Pool
from tests import cast
from tests.pooling import factories

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("media_root", "two_runs"),
]


def call(collection, *args):
    out = StringIO()
    call_command("open_pool", collection.slug, *map(str, args), stdout=out)
    return out.getvalue()


def test_the_price_is_told_and_nothing_is_opened(collection):
    output = call(collection, "--depth", 2, "--preview", "--rate", 1000, "--currency", "GBP")
    assert output == (
        "6 pairs: 6 new, 0 asked by other pools, 0 judged already; 6 labels and 0 golds, 0.0 "
        "hours, 15 GBP.\n"
    )
    assert Pool.objects.count() == 0


def test_choices_and_options_are_options_of_their_names(collection):
    output = call(
        collection, "--strategy", "take-n", "--n", 2, "--fusion", "combmnz", "--negatives", 1
    )
    assert output == 'Pool "take-n n 2, fusion combmnz, negatives 1" is open: 6 pairs, 6 seats.\n'
    assert Pool.objects.get().parameters == {
        "n": 2,
        "depth": 100,
        "fusion": "combmnz",
        "negatives": 1,
    }
    with pytest.raises(CommandError, match="Fusion is one of: rrf"):
        call(collection, "--strategy", "take-n", "--fusion", "best")


def test_a_query_set_chooses_the_runs_of_its_direction(collection):
    factories.run(collection, "back", {1: [0]}, "reverse")
    some = QuerySet.objects.create(collection=collection, name="some", direction="forward")
    QuerySetItem.objects.create(query_set=some, item=collection.items.get(external_id="q1"))
    assert "30 pairs" in call(
        collection, "--strategy", "exhaustive", "--query-set", "some", "--name", "all"
    )
    assert set(Pool.objects.get().runs.values_list("name", flat=True)) == {"a", "b"}


def test_no_pool_is_opened_in_an_archived_collection(collection):
    archiving.archive_collection(collection=collection, by=cast.user())
    with pytest.raises(CommandError, match=r"was archived on .* nothing is uploaded or opened"):
        call(collection, "--depth", 2)
    assert Pool.objects.count() == 0
