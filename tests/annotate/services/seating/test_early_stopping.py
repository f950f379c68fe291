"""Labels asked for one after the other: a policy that stops early, and tolerated distances.

To see these tests fail: let `resolving.n_first` return n_wanted, or `resolving.decide` skip
`_are_near`.
"""

import pytest

from annotate.models import Resolution, Seat
from annotate.services import seating
from tests import campaigns, cast

pytestmark = pytest.mark.django_db


def study(n_pairs=1, **policy):
    collection = cast.collection(
        grades=4, **{"gold_positives": 0, "gold_negatives": 0, "ceiling": 5, **policy}
    )
    pairs = cast.pairs(collection, n_pairs)
    campaigns.open_pool_round(collection, pairs)
    return collection, pairs


def answer(collection, *grades):
    """One label each by as many newcomers; returns the numbers of the seats then free."""
    for grade in grades:
        (hand_out,) = campaigns.first_batch(collection)
        campaigns.judge(hand_out, grade)
    return list(Seat.objects.filter(state="free").order_by("number").values_list("number", "why"))


def test_five_labels_are_wanted_but_two_are_asked_for_first():
    collection, _ = study(labels_per_pair=5, stop_early=True)
    assert answer(collection) == [(1, "first"), (2, "first")]
    assert [why for _, why in answer(collection, 2)] == ["first"]
    assert answer(collection, 2) == []
    assert Resolution.objects.get().status == "agreed"


def test_where_two_disagree_one_label_more_is_asked_for_at_a_time_until_two_agree():
    collection, _ = study(labels_per_pair=5, stop_early=True)
    assert answer(collection, 0, 3) == [(3, "disagreement")]
    assert answer(collection, 1) == [(4, "disagreement")]
    # two agree, but two of four are no majority
    assert answer(collection, 3) == [(5, "disagreement")]
    assert answer(collection, 3) == []
    assert Resolution.objects.get().grade == 3


def test_a_change_of_mind_asks_for_the_next_label_after_all():
    collection, _ = study(labels_per_pair=3, stop_early=True)
    answer(collection, 1)
    (hand_out,) = campaigns.first_batch(collection)
    campaigns.judge(hand_out, 1)
    assert answer(collection) == []
    campaigns.judge(hand_out, 2)
    assert answer(collection) == [(3, "disagreement")]


def test_an_exact_share_of_doubles_stays_exact_where_people_stop_early():
    _, pairs = study(20, labels_per_pair=3, stop_early=True, double_share="0.25")
    seats = Seat.objects.filter(state="free")
    assert seats.count() == 45
    assert seats.filter(number=3, why="double").count() == 5
    before = list(seats.order_by("pk").values())
    seating.reconcile_pairs(pair_ids=[pair.pk for pair in pairs])
    assert list(seats.order_by("pk").values()) == before


@pytest.mark.parametrize(
    ("grades", "n_free", "status"),
    [
        ((0, 1), 0, "agreed"),
        ((0, 3), 1, "waiting"),
        ((0, 3, 3), 0, "majority"),
        ((0, 3, 1), 1, "waiting"),
        ((0, 3, 1, 2), 1, "waiting"),
        ((0, 3, 1, 2, 3), 0, "disputed"),
    ],
)
def test_0_against_1_is_fine_and_0_against_3_goes_on_up_to_the_ceiling_and_is_then_disputed(
    grades, n_free, status
):
    collection, _ = study(labels_per_pair=2, tolerance=1)
    assert len(answer(collection, *grades)) == n_free
    assert Resolution.objects.get().status == status
