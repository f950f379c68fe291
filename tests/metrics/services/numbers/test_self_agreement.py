"""Each person's agreement with herself follows her labels, and repeats count nowhere else.

To see these tests fail: leave `repeat_judgment.purpose = 'repeat'` out of count_sql, count repeats
among `_LABELS` there, or take the `repeats` out of `inputs.people`.
"""

import krippendorff
import numpy as np
import pytest
from django.utils import timezone

from annotate.models import Kept, Resolution, Seat
from annotate.services.background import kept
from annotate.services.judging import claiming, undoing
from annotate.services.supervision import withdrawing
from metrics.models import Snapshot
from metrics.services.dashboard import dashboard
from metrics.services.dashboard import details as dashboard_details
from metrics.services.numbers import refresh
from metrics.services.numbers.self_agreement import NO_REPEAT
from tests import campaigns, cast
from tests.metrics import studies
from tests.pages import text_of

pytestmark = pytest.mark.django_db
FIRST, AGAIN = [0, 0, 1, 2, 2, 1], [0, 1, 1, 2, 0, 1]


def handed(annotator):
    claiming.current_batch(annotator=annotator)
    return list(
        claiming.open_hand_outs(annotator=annotator).select_related(
            "seat", "batch__annotator__user"
        )
    )


def labelled_twice(**policy):
    """A study in which one person was given every pair twice; another has judged the same pairs."""
    fields = {"batch_candidates": 6, "repeat_share": 1, "repeat_after_days": 0, **policy}
    study = studies.study(with_runs=False, n_queries=12, n_documents=12, **fields)
    annotator = cast.annotator(study)
    grade_of = {}
    for hand_out, grade in zip(handed(annotator), FIRST, strict=True):
        campaigns.judge(hand_out, grade)
        grade_of[hand_out.seat.pair_id] = AGAIN[len(grade_of)]
    repeats = []
    while not repeats:
        hand_outs = handed(annotator)
        assert hand_outs
        repeats = [
            row
            for row in hand_outs
            if row.seat.purpose == "repeat" and row.seat.pair_id in grade_of
        ]
    return study, annotator, repeats, grade_of


def people_of(study):
    refresh.refresh(collection=study)
    value = Snapshot.objects.get(collection=study, kind="people").value
    return {row["annotator"]: row for row in value["people"]}


def answer(repeats, grade_of):
    for hand_out in repeats:
        campaigns.judge(hand_out, grade_of[hand_out.seat.pair_id])


def repeated_grades(annotator):
    """First and second grade of each repeated pair that has both."""
    grades_by_purpose = {purpose: {} for purpose in ("label", "repeat")}
    for pair, purpose, grade in Seat.objects.filter(annotator=annotator, state="done").values_list(
        "pair", "purpose", "judgment__level__grade"
    ):
        grades_by_purpose[purpose][pair] = grade
    return [
        (grades_by_purpose["label"][pair], grade)
        for pair, grade in grades_by_purpose["repeat"].items()
        if pair in grades_by_purpose["label"]
    ]


def test_a_persons_line_says_how_far_she_agrees_with_herself_as_krippendorff_does():
    study, annotator, repeats, grade_of = labelled_twice()
    assert people_of(study)[annotator.pk]["repeats"]["n"] == 0
    assert people_of(study)[annotator.pk]["repeats"]["reason"] == NO_REPEAT
    for n, hand_out in enumerate(repeats, start=1):
        answer([hand_out], grade_of)
        repeats_row = people_of(study)[annotator.pk]["repeats"]
        assert repeats_row["n"] == n
    both = repeated_grades(annotator)
    assert len(both) == len(repeats) >= 4
    table = np.array(both, dtype=float).T
    expected = krippendorff.alpha(
        table, level_of_measurement=study.measurement, value_domain=[0, 1, 2]
    )
    assert repeats_row["alpha"] == pytest.approx(expected, abs=1e-12)
    assert repeats_row["n_equal"] == sum(first == second for first, second in both)
    assert repeats_row["low"] <= repeats_row["alpha"] <= repeats_row["high"]


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
    withdrawing.restore_annotator(
        annotator=annotator, since=first, until=until, by=lead, reason="awake"
    )
    assert people_of(study)[annotator.pk]["repeats"]["n"] == len(repeats) - 1


def test_of_a_repeat_that_was_changed_the_last_answer_counts():
    study, annotator, repeats, _ = labelled_twice()
    first = {
        seat.pair_id: seat.judgment.level.grade
        for seat in Seat.objects.filter(annotator=annotator, state="done")
    }
    (hand_out, *_) = repeats
    same = first[hand_out.seat.pair_id]
    campaigns.judge(hand_out, (same + 1) % 3)
    assert people_of(study)[annotator.pk]["repeats"]["n_equal"] == 0
    campaigns.judge(hand_out, same)
    repeats_row = people_of(study)[annotator.pk]["repeats"]
    assert (repeats_row["n"], repeats_row["n_equal"]) == (1, 1)


def test_repeats_enter_no_resolution_no_alpha_no_share_with_others_and_no_gold():
    study, annotator, repeats, grade_of = labelled_twice()
    studies.judge(cast.annotator(study), seed=3)
    before, numbers_before = people_of(study), studies.numbers(study)
    kept.compute(inquiry=dashboard_details.inquiry_of(collection=study))
    look = Kept.objects.get(collection=study, kind=dashboard_details.KIND).value["people"]
    rows = (
        Resolution.objects.filter(collection=study).order_by("pk").values("pk", "status", "grade")
    )
    resolutions = list(rows)
    answer(repeats, grade_of)
    after, numbers_after = people_of(study), studies.numbers(study)
    kept.compute(inquiry=dashboard_details.inquiry_of(collection=study))
    assert Kept.objects.get(collection=study, kind=dashboard_details.KIND).value["people"] == look
    assert list(rows.all()) == resolutions
    for kind in ("agreement", "labels", "progress"):
        assert value_of(numbers_after, kind) == value_of(numbers_before, kind)
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
    page = f"/c/{study.slug}/dashboard/people/"
    person = f"/c/{study.slug}/dashboard/people/{annotator.pk}/"
    assert "Equal to own earlier" not in text_of(client.get(page))
    assert "no pair came back yet" in text_of(client.get(person))
    answer(repeats, grade_of)
    repeats_row = people_of(study)[annotator.pk]["repeats"]
    assert f"% of {repeats_row['n']}" in text_of(client.get(person))
    assert f"{repeats_row['alpha']:.2f}" in text_of(client.get(person))
    assert f"(alpha {repeats_row['alpha']:.2f})" in text_of(client.get(page))


def test_numbers_from_before_repeats_were_counted_are_shown_without_them():
    row = {
        "annotator": 1,
        "median_ms": None,
        "n_right": 0,
        "n_gold": 0,
        "n_equal": 0,
        "n_shared": 0,
        "gold_interval": [None, None],
        "shared_interval": [None, None],
    }
    assert dashboard.person_row(row, None, None, {})["repeats"] is None
