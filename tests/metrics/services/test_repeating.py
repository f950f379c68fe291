"""Each person's agreement with herself follows her labels, and repeats count nowhere else.

To see these tests fail: leave `again.purpose = 'repeat'` out of count_sql, count repeats among `_LABELS` there, or
take the `repeats` out of `inputs.people`.
"""

import krippendorff
import numpy as np
import pytest
from django.utils import timezone

from annotate.models import Resolution, Seat
from annotate.services import claiming, undoing, withdrawing
from metrics.models import Snapshot
from metrics.services import closer, dashboard, refresh
from metrics.services.repeating import NONE
from tests import campaigns, cast
from tests.metrics import studies

pytestmark = pytest.mark.django_db
FIRST, AGAIN = [0, 0, 1, 2, 2, 1], [0, 1, 1, 2, 0, 1]


def handed(annotator):
    claiming.current_batch(annotator=annotator)
    return list(claiming.unanswered(annotator=annotator).select_related("seat", "batch__annotator__user"))


def labelled_twice(**policy):
    """A study in which everything came back to one person once; another has judged the same pairs."""
    fields = {"batch_candidates": 6, "repeat_share": 1, "repeat_after_days": 0, **policy}
    study = studies.study(with_runs=False, n_queries=12, n_documents=12, **fields)
    annotator = cast.annotator(study)
    grade_of = {}
    for hand_out, grade in zip(handed(annotator), FIRST, strict=True):
        campaigns.judge(hand_out, grade)
        grade_of[hand_out.seat.pair_id] = AGAIN[len(grade_of)]
    repeats = []
    while not repeats:
        given = handed(annotator)
        assert given
        repeats = [each for each in given if each.seat.purpose == "repeat" and each.seat.pair_id in grade_of]
    return study, annotator, repeats, grade_of


def people_of(study):
    refresh.refresh(collection=study)
    value = Snapshot.objects.get(collection=study, kind="people").value
    return {row["annotator"]: row for row in value["people"]}


def answer(repeats, grade_of):
    for hand_out in repeats:
        campaigns.judge(hand_out, grade_of[hand_out.seat.pair_id])


def standing(annotator):
    """First and second grade of each pair that came back and has both."""
    said = {purpose: {} for purpose in ("label", "repeat")}
    for pair, purpose, grade in Seat.objects.filter(annotator=annotator, state="done").values_list(
        "pair", "purpose", "judgment__level__grade"
    ):
        said[purpose][pair] = grade
    return [(said["label"][pair], grade) for pair, grade in said["repeat"].items() if pair in said["label"]]


def test_a_persons_line_says_how_far_she_agrees_with_herself_as_krippendorff_does():
    study, annotator, repeats, grade_of = labelled_twice()
    assert people_of(study)[annotator.pk]["repeats"]["n"] == 0
    assert people_of(study)[annotator.pk]["repeats"]["reason"] == NONE
    for n, hand_out in enumerate(repeats, start=1):
        answer([hand_out], grade_of)
        told = people_of(study)[annotator.pk]["repeats"]
        assert told["n"] == n
    both = standing(annotator)
    assert len(both) == len(repeats) >= 4
    said = np.array(both, dtype=float).T
    expected = krippendorff.alpha(said, level_of_measurement=study.measurement, value_domain=[0, 1, 2])
    assert told["alpha"] == pytest.approx(expected, abs=1e-12)
    assert told["n_equal"] == sum(first == second for first, second in both)
    assert told["low"] <= told["alpha"] <= told["high"]


def test_undone_and_withdrawn_answers_are_left_out_and_come_back_with_a_restoration():
    study, annotator, repeats, grade_of = labelled_twice()
    answer(repeats, grade_of)
    assert people_of(study)[annotator.pk]["repeats"]["n"] == len(repeats)
    undoing.take_back(annotator=annotator, token=repeats[-1].token)
    assert people_of(study)[annotator.pk]["repeats"]["n"] == len(repeats) - 1
    lead = cast.member(study, "lead")
    first = annotator.judgments.earliest("at").at
    withdrawing.withdraw_annotator(annotator=annotator, since=first, by=lead, reason="asleep")
    assert annotator.pk not in people_of(study)
    until = timezone.now()
    withdrawing.restore_annotator(annotator=annotator, since=first, until=until, by=lead, reason="awake")
    assert people_of(study)[annotator.pk]["repeats"]["n"] == len(repeats) - 1


def test_of_a_repeat_that_was_changed_the_last_answer_counts():
    study, annotator, repeats, _ = labelled_twice()
    first = {seat.pair_id: seat.judgment.level.grade for seat in Seat.objects.filter(annotator=annotator, state="done")}
    (hand_out, *_) = repeats
    same = first[hand_out.seat.pair_id]
    campaigns.judge(hand_out, (same + 1) % 3)
    assert people_of(study)[annotator.pk]["repeats"]["n_equal"] == 0
    campaigns.judge(hand_out, same)
    told = people_of(study)[annotator.pk]["repeats"]
    assert (told["n"], told["n_equal"]) == (1, 1)


def test_repeats_enter_no_resolution_no_alpha_no_share_with_others_and_no_gold():
    study, annotator, repeats, grade_of = labelled_twice()
    studies.judge(cast.annotator(study), seed=3)
    before, kept = people_of(study), studies.numbers(study)
    closer.look(collection=study)
    looked = Snapshot.objects.get(collection=study, kind=closer.KIND).value["people"]
    rows = Resolution.objects.filter(collection=study).order_by("pk").values("pk", "status", "grade")
    resolutions = list(rows)
    answer(repeats, grade_of)
    after, now = people_of(study), studies.numbers(study)
    closer.look(collection=study)
    assert Snapshot.objects.get(collection=study, kind=closer.KIND).value["people"] == looked
    assert list(rows.all()) == resolutions
    for kind in ("agreement", "labels", "progress"):
        assert value_of(now, kind) == value_of(kept, kind)
    for pk, row in after.items():
        for name in ("n_labels", "n_gold", "n_right", "n_shared", "n_equal"):
            assert row[name] == before[pk][name]
    assert after[annotator.pk]["repeats"]["n"] == len(repeats)


def value_of(numbers, kind):
    return next(row["value"] for row in numbers["snapshots"] if row["kind"] == kind)


def test_live_repeats_are_those_of_a_rebuild():
    study, annotator, repeats, grade_of = labelled_twice()
    people_of(study)
    answer(repeats[:3], grade_of)
    live = people_of(study)[annotator.pk]["repeats"]
    refresh.rebuild(collection=study)
    assert people_of(study)[annotator.pk]["repeats"] == live
    assert live["n"] == 3


def test_the_pages_show_it_and_say_why_where_it_is_not_defined(client):
    study, annotator, repeats, grade_of = labelled_twice()
    lead = cast.member(study, "lead")
    client.force_login(lead)
    people_of(study)
    page, person = f"/c/{study.slug}/dashboard/", f"/c/{study.slug}/dashboard/people/{annotator.pk}/"
    assert "Equal to own earlier" not in client.get(page).content.decode()
    assert "no pair came back yet" in client.get(person).content.decode()
    answer(repeats, grade_of)
    told = people_of(study)[annotator.pk]["repeats"]
    assert f"% of {told['n']}" in client.get(person).content.decode()
    assert f"{told['alpha']:.4f}" in client.get(person).content.decode()
    assert f"(alpha {told['alpha']:.2f})" in client.get(page).content.decode()


def test_numbers_from_before_repeats_were_counted_are_shown_without_them():
    row = {"annotator": 1, "median_ms": None, "n_right": 0, "n_gold": 0, "n_equal": 0, "n_shared": 0}
    assert dashboard.person(row | {"gold_interval": [None, None]}, None)["repeats"] is None
