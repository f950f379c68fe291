"""The command that opens pools takes every parameter and option, and tells the price first where asked."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotate.models import QuerySet, QuerySetItem
from pooling.models import Pool
from tests.pooling import making

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def made():
    made = making.collection()
    making.run(made, "a", {0: [1, 2, 3], 1: [4, 5, 6]})
    making.run(made, "b", {0: [2, 7, 1], 1: [4, 8, 9]})
    return made


def call(made, *args):
    out = StringIO()
    call_command("open_pool", made.slug, *map(str, args), stdout=out)
    return out.getvalue()


def test_the_price_is_told_and_nothing_is_opened(made):
    told = call(made, "--depth", 2, "--preview", "--rate", 1000, "--currency", "GBP")
    assert told == (
        "6 pairs: 6 new, 0 asked by other pools, 0 judged already; 6 labels and 0 golds, 0.0 hours, 15 GBP.\n"
    )
    assert Pool.objects.count() == 0


def test_choices_and_options_are_options_of_their_names(made):
    told = call(made, "--strategy", "take-n", "--n", 2, "--fusion", "combmnz", "--negatives", 1)
    assert told == 'Pool "take-n n 2, fusion combmnz, negatives 1" is open: 6 pairs, 6 seats.\n'
    assert Pool.objects.get().parameters == {"n": 2, "depth": 100, "fusion": "combmnz", "negatives": 1}
    with pytest.raises(CommandError, match="Fusion is one of: rrf"):
        call(made, "--strategy", "take-n", "--fusion", "best")


def test_a_query_set_chooses_the_runs_of_its_direction(made):
    making.run(made, "back", {1: [0]}, "reverse")
    some = QuerySet.objects.create(collection=made, name="some", direction="forward")
    QuerySetItem.objects.create(query_set=some, item=made.items.get(external_id="q1"))
    assert "30 pairs" in call(made, "--strategy", "exhaustive", "--query-set", "some", "--name", "all")
    assert set(Pool.objects.get().runs.values_list("name", flat=True)) == {"a", "b"}
