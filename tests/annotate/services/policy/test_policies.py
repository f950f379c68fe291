"""A policy seen before it is changed, and followed after.

To see these tests fail: let `round_policies.finish_following` go through no block, or
`differing_rounds` take closed rounds too.
"""

from decimal import Decimal

import numpy as np
import pytest
from django.utils import timezone

from annotate.fsck import CHECKS
from annotate.models import Policy, Resolution, Round, Seat
from annotate.services import seating
from annotate.services.background import kept
from annotate.services.collection import collections
from annotate.services.policy import policies
from tests import campaigns, cast, works

pytestmark = pytest.mark.django_db
LABELS = {
    "tie": "dispute",
    "gold_positives": 0,
    "gold_negatives": 0,
    "labels_per_pair": 2,
    "ceiling": 2,
}
FIRST, SECOND = (0, 0, 1, 2), (0, 2, 2, 2)  # what two people say of four pairs


@pytest.fixture
def collection():
    """Four pairs with two labels each, two of them disputed."""
    collection = cast.collection(grades=3, **LABELS)
    pairs = cast.pairs(collection, 4)
    campaigns.open_pool_round(collection, pairs)
    judge(collection, pairs)
    return collection


def judge(collection, pairs):
    index_by_pair = {pair.pk: number for number, pair in enumerate(pairs)}
    for grades in (FIRST, SECOND):
        for hand_out in campaigns.first_batch(collection):
            campaigns.judge(hand_out, grades[index_by_pair[hand_out.seat.pair_id]])


def resolved(collection):
    return list(collection.resolutions.order_by("pair").values_list("status", "grade"))


def preview_and_save(collection, *, with_closed=False, **changes):
    """Preview a change, save it, and check that the preview was right."""
    proposed = collections.next_policy(collection=collection, by=None, changes=changes)
    answer = policies.preview_change(policy=proposed, with_closed=with_closed)
    before = dict(collection.resolutions.values_list("pair", "grade"))
    policy = policies.save_policy(
        collection=collection, by=None, with_closed=with_closed, **changes
    )
    for round_ in Round.objects.filter(pk__in=policies.rounds_behind()):
        policies.follow(round_=round_)
    after = dict(collection.resolutions.values_list("pair", "grade"))
    assert answer.change.n_pairs == sum(before[pair] != after[pair] for pair in before)
    assert {check.name: violations for check in CHECKS if (violations := list(check.find()))} == {}
    return policy, answer


def test_what_a_rule_changes_is_seen_before_and_is_what_then_happens(collection):
    assert resolved(collection) == [
        ("agreed", 0),
        ("disputed", None),
        ("disputed", None),
        ("agreed", 2),
    ]
    policy, answer = preview_and_save(collection, tie="up")
    assert (answer.n_rounds, answer.change.n_pairs, answer.change.n_settled) == (1, 2, 2)
    assert resolved(collection) == [("agreed", 0), ("majority", 2), ("majority", 2), ("agreed", 2)]
    assert set(collection.resolutions.values_list("policy", flat=True)) == {policy.pk}
    _, answer = preview_and_save(collection, tie="down")
    assert (answer.change.n_pairs, answer.change.n_to_irrelevant, answer.change.n_to_relevant) == (
        2,
        1,
        0,
    )
    assert sorted(
        (change.grade, change.new_grade, change.n) for change in answer.change.resolution_changes
    ) == [(2, 0, 1), (2, 1, 1)]
    _, answer = preview_and_save(collection, tie="dispute", tolerance=1)
    assert resolved(collection) == [("agreed", 0), ("disputed", None), ("agreed", 1), ("agreed", 2)]
    _, answer = preview_and_save(collection, tolerance=0)
    assert (answer.change.n_pairs, answer.change.n_disputed) == (1, 1)


def test_asking_changes_nothing(collection):
    proposed = collections.next_policy(collection=collection, by=None, changes={"tie": "up"})
    before = resolved(collection), collection.policies.count(), list(collection.rounds.values())
    policies.preview_change(policy=proposed, with_closed=True)
    assert (
        resolved(collection),
        collection.policies.count(),
        list(collection.rounds.values()),
    ) == before


def test_an_open_round_keeps_its_other_figures_in_a_version_of_its_own(collection):
    policy, _ = preview_and_save(collection, tie="up", labels_per_pair=1, ask_reasons=False)
    (own,) = Policy.objects.filter(rounds__collection=collection)
    assert (own.tie, own.labels_per_pair, own.ask_reasons) == ("up", 2, True)
    assert (policy.tie, policy.labels_per_pair, policy.ask_reasons) == ("up", 1, False)
    assert collection.policies.latest("version") == policy
    assert list(collection.policies.order_by("version").values_list("version", flat=True)) == [
        1,
        2,
        3,
    ]


def test_figures_that_decide_no_grade_leave_open_rounds_alone(collection):
    first = Round.objects.get().policy
    policy, answer = preview_and_save(collection, batch_candidates=30)
    assert (answer.n_rounds, Round.objects.get().policy) == (0, first)
    assert policy != first


def test_a_closed_round_keeps_its_version_unless_the_lead_asks(collection):
    round_ = Round.objects.get()
    seating.close_round(round_=round_)
    _, answer = preview_and_save(collection, tie="up")
    assert answer.n_rounds == 0
    assert resolved(collection)[1] == ("disputed", None)
    policy, answer = preview_and_save(collection, with_closed=True)
    assert (answer.n_rounds, answer.change.n_pairs) == (1, 2)
    assert resolved(collection)[1] == ("majority", 2)
    round_.refresh_from_db()
    assert round_.policy == policy


def test_a_pair_that_an_open_and_a_closed_round_name_follows_the_open_one(collection):
    pairs = list(collection.pairs.order_by("pk"))
    seating.close_round(round_=Round.objects.get())
    campaigns.open_pool_round(collection, pairs[:2], "second")
    _, answer = preview_and_save(collection, tie="up")
    assert (answer.n_rounds, answer.change.n_pairs) == (1, 1)
    assert resolved(collection) == [
        ("agreed", 0),
        ("majority", 2),
        ("disputed", None),
        ("agreed", 2),
    ]


def test_seats_follow_a_narrower_tolerance():
    collection = cast.collection(grades=3, **{**LABELS, "ceiling": 3, "tolerance": 1})
    pairs = cast.pairs(collection, 4)
    campaigns.open_pool_round(collection, pairs)
    judge(collection, pairs)
    assert Seat.objects.filter(state="free").count() == 1
    preview_and_save(collection, tolerance=0)
    assert Seat.objects.filter(state="free", why="disagreement").count() == 2
    preview_and_save(collection, tolerance=2)
    assert Seat.objects.filter(state="free").count() == 0
    assert not Resolution.objects.filter(grade=None).exists()


def test_from_a_model_to_a_rule_all_that_the_model_decided_is_looked_at(collection):
    preview_and_save(collection, rule="model")
    Resolution.objects.update(status="model", grade=0)
    _, answer = preview_and_save(collection, rule="median")
    assert (answer.change.n_pairs, answer.change.n_disputed) == (3, 2)
    assert resolved(collection) == [
        ("agreed", 0),
        ("disputed", None),
        ("disputed", None),
        ("agreed", 2),
    ]


def test_an_import_that_names_its_own_rule_moves_no_round(collection):
    collections.change_policy(collection=collection, by=None, rule="median")
    assert Round.objects.get().policy.rule == "majority"
    assert policies.rounds_behind() == []


def test_a_second_change_in_the_middle_is_followed_as_well(collection):
    policies.save_policy(collection=collection, by=None, tie="up")
    stale = Round.objects.get()
    policies.save_policy(collection=collection, by=None, tie="down")
    seating.round_policies.finish_following(round_=stale)
    assert policies.rounds_behind() == [stale.pk]  # the newer change is still to be gone through
    policies.follow(round_=Round.objects.get())
    assert resolved(collection)[1] == ("majority", 0)
    assert policies.rounds_behind() == []


def test_much_is_counted_by_a_worker_and_found_by_who_asks_again(collection, monkeypatch):
    monkeypatch.setattr(policies, "SYNCHRONOUS_ROWS", 1)
    proposed = collections.next_policy(collection=collection, by=None, changes={"tie": "up"})
    inquiry = policies.inquiry_of(policy=proposed, with_closed=False)
    with works.value_requests() as requests:
        pending = policies.preview_change(policy=proposed, with_closed=False)
        assert pending.is_waiting
        assert policies.preview_change(policy=proposed, with_closed=False) == pending
        assert policies.find_preview(collection=collection, key=pending.key).is_waiting
        assert requests == [inquiry]
    kept.compute(inquiry=inquiry)
    preview = policies.preview_change(policy=proposed, with_closed=False)
    assert (preview.change.n_pairs, preview.key) == (2, pending.key)
    assert policies.find_preview(collection=collection, key=pending.key) == preview
    kept.values_of(inquiry=inquiry).update(fresh_until=timezone.now())
    assert policies.find_preview(collection=collection, key=pending.key) is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rule": "unanimous", "tie": "up"}, "no tie to break"),
        ({"max_share": 0}, "0.0001"),
        ({"gold_pass": 2}, "1"),
    ],
)
def test_figures_that_contradict_each_other_are_refused(collection, changes, message):
    with pytest.raises(collections.BadPolicy, match=message):
        policies.save_policy(collection=collection, by=None, **changes)
    assert collection.policies.count() == 1


def test_nominal_grades_have_no_distance(collection):
    collection.measurement = "nominal"
    with pytest.raises(collections.BadPolicy, match="no distance"):
        policies.save_policy(collection=collection, by=None, tolerance=1)


@pytest.mark.parametrize(
    "resolve",
    [
        lambda keys: seating.resolve_pairs(pairs=np.array(keys)),
        lambda keys: seating.reconcile_pairs(pair_ids=keys),
    ],
)
def test_of_closed_rounds_that_wanted_as_much_of_a_pair_the_newest_says_how_it_is_resolved(
    collection, resolve
):
    keys = sorted(collection.pairs.values_list("pk", flat=True))
    policy = Policy.objects.create(
        collection=collection, version=2, double_share=Decimal(0), **{**LABELS, "tie": "up"}
    )
    newer = seating.open_round(
        collection=collection, kind=Round.Kind.POOL, name="newer", policy=policy, pair_ids=keys
    )
    for round_ in (Round.objects.earliest("pk"), newer):
        seating.close_round(round_=round_)
    Resolution.objects.all().delete()
    resolve(keys)
    assert set(collection.resolutions.values_list("policy", flat=True)) == {policy.pk}
    assert [grade for _, grade in resolved(collection)] == [0, 2, 2, 2]
