"""The demo that the first start loads: complete, and the same when loaded again.

Its accounts have their roles.
"""

from itertools import product

import pytest
from django.core.management import call_command
from django.test import override_settings

from annotate.models import (
    Collection,
    Gold,
    Item,
    Membership,
    Part,
    QuerySet,
    ReferenceLabel,
    Seat,
)
from annotate.services.collection.media import find_file
from annotate.services.people.accounts import ensure_demo_accounts
from pooling.models import Pool, PoolPair, Ranking, Run
from tests.tables.table_cleanup import module_rows

pytestmark = pytest.mark.django_db
ROLES = ("annotator", "lead", "researcher")


@pytest.fixture(scope="module")
def loaded(django_db_setup, django_db_blocker, tmp_path_factory):
    """The demo, loaded before there is an account."""
    folder = tmp_path_factory.mktemp("media")
    with module_rows(django_db_blocker), override_settings(MEDIA_ROOT=folder):
        call_command("load_demo")
        yield folder


@pytest.fixture
def demo(loaded, settings):
    """The demo after the first start, which makes the accounts first."""
    settings.MEDIA_ROOT = loaded
    ensure_demo_accounts(passwords=dict.fromkeys((*ROLES, "admin"), "a long demo password"))
    call_command("load_demo")
    return Collection.objects.get(slug="shapes")


def test_the_demo_is_ready_to_be_judged(demo):
    assert Item.objects.filter(collection=demo).count() == 400
    assert ReferenceLabel.objects.filter(reference_set__name="original").count() == 200
    assert set(Run.objects.values_list("state", flat=True)) == {"ready"}
    assert (
        sorted(Run.objects.values_list("direction", flat=True)) == ["forward"] * 3 + ["reverse"] * 3
    )
    pool = Pool.objects.get(collection=demo)
    assert (pool.state, pool.strategy) == ("open", "depth-k")
    assert (
        Seat.objects.filter(collection=demo, state="free").count() >= pool.pool_pairs.count() > 4000
    )
    assert set(Gold.objects.values_list("is_positive", flat=True)) == {True, False}
    assert {
        query_set.direction for query_set in QuerySet.objects.filter(collection=demo, name="all")
    } == {
        "forward",
        "reverse",
    }
    missing = [
        part.path
        for part in Part.objects.exclude(path="")
        if not find_file(collection=demo, path=part.path)
    ]
    assert missing == []


def test_each_account_named_as_a_role_holds_all_three(demo):
    roles_held = Membership.objects.filter(collection=demo).values_list("user__username", "role")
    assert sorted(roles_held) == sorted(product(ROLES, ROLES))
    names = demo.annotators.order_by("user__username").values_list("user__username", flat=True)
    assert list(names) == list(ROLES)
    assert demo.name == "Shapes, yours" and not demo.is_rehearsal


def test_the_truth_of_the_study_is_not_among_its_reference_sets(demo):
    assert demo.reference_sets.get().name == "original"


def test_accounts_that_had_one_role_get_the_others_at_the_next_start(demo, capsys):
    capsys.readouterr()
    Membership.objects.filter(user__username="lead").exclude(role="lead").delete()
    call_command("load_demo")
    assert "joined: lead." in capsys.readouterr().out
    assert Membership.objects.filter(user__username="lead").count() == 3


def test_loading_the_demo_again_changes_nothing(demo, capsys):
    models = (Item, Part, ReferenceLabel, Run, Ranking, Pool, PoolPair, Seat, Gold, Membership)
    before = [model.objects.count() for model in models]
    call_command("load_demo")
    assert "was loaded before" in capsys.readouterr().out
    assert [model.objects.count() for model in models] == before


def test_an_account_made_later_joins_at_the_next_start(loaded):
    assert not Membership.objects.exists()
    ensure_demo_accounts(passwords={"lead": "a long demo password"})
    call_command("load_demo")
    roles_held = Membership.objects.values_list("user__username", "role")
    assert sorted(roles_held) == [("lead", role) for role in ROLES]
