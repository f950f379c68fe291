"""The refresh: the changes it consumes, the numbers it writes, and a rebuild of the same bytes."""

import threading
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from annotate.checks import check
from annotate.core.labels.answers import JudgmentAnswer
from annotate.models import Batch, Change, Item, Seat
from annotate.services import seating
from annotate.services.judging import claiming, judging, reports, undoing
from annotate.services.supervision import verdicts
from metrics import fsck
from metrics.core.statistics.intervals import wilson
from metrics.models import Score, Snapshot
from metrics.services.numbers import refresh
from pooling.models import Ranking, Run
from tests import campaigns, cast
from tests.metrics import studies
from tests.servers.database_sessions import waiting_session
from tests.servers.databases import closing_connections

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_first_refresh_writes_every_kind_of_number():
    study = studies.study()
    result = refresh.refresh(collection=study)
    kinds = set(Snapshot.objects.filter(collection=study).values_list("kind", flat=True))
    assert kinds == {"progress", "agreement", "labels", "people", "conflicts"}
    assert result.n_scores == Score.objects.filter(run__collection=study).count() == 3 * 2 * 10


def test_a_refresh_consumes_the_changes_of_its_collection_alone():
    study, other = studies.study(), studies.study()
    refresh.refresh(collection=study)
    assert not Change.objects.filter(collection=study).exists()
    assert Change.objects.filter(collection=other).exists()


def test_a_second_refresh_writes_nothing():
    study = studies.study()
    studies.judge(cast.annotator(study))
    refresh.refresh(collection=study)
    before = list(Snapshot.objects.order_by("kind").values_list("kind", "computed_at"))
    assert refresh.refresh(collection=study) == (0, 0, 0)
    assert list(Snapshot.objects.order_by("kind").values_list("kind", "computed_at")) == before


def test_live_numbers_are_those_of_a_rebuild_byte_for_byte():
    study = studies.study()
    people = [cast.annotator(study) for _ in range(3)]
    for step in range(12):
        studies.judge(people[step % 3], n=3, seed=step)
        refresh.refresh(collection=study)
    live = studies.numbers(study)
    assert live["snapshots"][0]["value"]["all"]["ordinal"]["value"] is not None
    refresh.rebuild(collection=study)
    assert studies.numbers(study) == live


def test_undo_rejection_and_a_change_of_mind_leave_numbers_like_a_rebuilds():
    study = studies.study(batch_candidates=6)
    lead, ann = cast.user(), cast.annotator(study)
    studies.judge(ann)
    refresh.refresh(collection=study)
    hand_out = Batch.objects.get(annotator=ann).hand_outs.first()
    judging.record_judgment(
        annotator=ann, token=hand_out.token, answer=JudgmentAnswer(uuid4(), grade=2)
    )
    refresh.refresh(collection=study)
    last = Batch.objects.get(annotator=ann).hand_outs.last()
    undoing.take_back(annotator=ann, token=last.token)
    refresh.refresh(collection=study)
    Batch.objects.filter(annotator=ann).update(finished_at=timezone.now())
    assert (
        verdicts.reject_batch(
            batch=Batch.objects.get(annotator=ann), by=lead, reason="golds"
        ).n_done
        == 5
    )
    refresh.refresh(collection=study)
    live = studies.numbers(study)
    assert live["snapshots"][2]["n_judgments"] == 0
    refresh.rebuild(collection=study)
    assert studies.numbers(study) == live


def test_only_touched_queries_are_measured_again():
    study = studies.study(n_queries=30, n_documents=30, batch_candidates=90)
    ann = cast.annotator(study)
    refresh.refresh(collection=study)
    before = {score.pk: score.computed_at for score in Score.objects.filter(run__collection=study)}
    studies.judge(ann, n=5, likes=1.0)
    refresh.refresh(collection=study)
    rewritten = [
        score
        for score in Score.objects.filter(run__collection=study)
        if before[score.pk] != score.computed_at
    ]
    assert 0 < len(rewritten) < len(before)
    assert {score.label_source for score in rewritten} == {"over:original"}


def test_a_run_that_becomes_ready_gets_its_scores():
    study = studies.study(with_runs=False)
    refresh.refresh(collection=study)
    assert refresh.collections_due() == []
    studies.run(study, "late")
    assert refresh.collections_due() == [study.pk]
    refresh.refresh(collection=study)
    assert Score.objects.filter(run__name="late").count() == 20
    assert refresh.collections_due() == []


def test_a_retired_run_loses_its_scores():
    study = studies.study()
    refresh.refresh(collection=study)
    Run.objects.filter(collection=study, name="alpha").update(retired_at=timezone.now())
    refresh.refresh(collection=study)
    assert set(Score.objects.values_list("run__name", flat=True)) == {"beta", "gamma"}


def test_queries_that_a_run_misses_count_as_0_and_are_counted():
    study = studies.study(with_runs=False)
    run = studies.run(study, "short", missing=2)
    refresh.refresh(collection=study)
    score = Score.objects.get(run=run, measure="C@10", label_source="none:original")
    assert (score.n_queries, score.n_missing, score.n_with_positive) == (6, 2, 6)
    assert score.mean == pytest.approx(4 / 6)


def test_an_excluded_item_leaves_the_scores():
    study = studies.study()
    refresh.refresh(collection=study)
    Item.objects.filter(pk=study.items.filter(side="query").first().pk).update(
        excluded_at=timezone.now(), excluded_reason="broken"
    )
    seating.note_changes(collection_id=study.pk, pair_ids=[None])
    refresh.refresh(collection=study)
    assert set(
        Score.objects.filter(query_set__direction="forward").values_list("n_queries", flat=True)
    ) == {5}
    live = studies.numbers(study)
    refresh.rebuild(collection=study)
    assert studies.numbers(study) == live


def test_another_threshold_replaces_the_scores():
    study = studies.study(grades=4)
    refresh.refresh(collection=study)
    study.positive_from = 2
    study.save()
    seating.note_changes(collection_id=study.pk, pair_ids=[None])
    refresh.refresh(collection=study)
    assert set(Score.objects.values_list("threshold", flat=True)) == {2}


def test_two_refreshes_of_one_collection_never_run_together():
    study = studies.study()
    results = []

    @closing_connections
    def attempt():
        results.append(refresh.refresh(collection=study))

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s, %s)", [refresh.LOCK, study.pk])
        other = threading.Thread(target=attempt)
        other.start()
        other.join()
        cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [refresh.LOCK, study.pk])
    assert results == [None]
    assert Change.objects.filter(collection=study).exists()
    assert refresh.refresh(collection=study) is not None


def test_a_rebuild_waits_for_the_refresh_under_way():
    study = studies.study()

    @closing_connections
    def attempt():
        refresh.rebuild(collection=study)

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s, %s)", [refresh.LOCK, study.pk])
        other = threading.Thread(target=attempt)
        other.start()
        waiting_session(unless=lambda: not other.is_alive())
        assert not Snapshot.objects.filter(collection=study).exists()
        cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [refresh.LOCK, study.pk])
    other.join()
    assert Snapshot.objects.filter(collection=study).exists()


def test_numbers_of_one_refresh_are_of_one_moment(monkeypatch):
    study = studies.study()
    ann = cast.annotator(study)
    studies.judge(ann, n=4)
    gather = refresh.numbers.KINDS["agreement"].gather

    def meanwhile(collection, tallies):
        other = threading.Thread(
            target=closing_connections(studies.judge), args=[ann], kwargs={"n": 3}
        )
        other.start()
        other.join()
        return gather(collection, tallies)

    monkeypatch.setitem(
        refresh.numbers.KINDS,
        "agreement",
        refresh.numbers.KINDS["agreement"]._replace(gather=meanwhile),
    )
    refresh.refresh(collection=study)
    n_judgments_of = dict(
        Snapshot.objects.filter(collection=study).values_list("kind", "n_judgments")
    )
    assert {n_judgments_of[kind] for kind in ("progress", "agreement", "labels", "people")} == {4}
    assert Change.objects.filter(collection=study).count() == 3


def test_changes_that_nobody_picked_up_are_due_after_three_seconds():
    study = studies.study()
    refresh.refresh(collection=study)
    seating.note_changes(collection_id=study.pk, pair_ids=[None])
    Change.objects.update(at=timezone.now() + timedelta(days=1))  # just now, however slow this is
    assert refresh.collections_due() == []
    Change.objects.update(at=timezone.now() - timedelta(seconds=3))
    assert refresh.collections_due() == [study.pk]


def test_progress_counts_pairs_seats_labels_and_what_could_not_be_judged():
    study = studies.study()
    ann = cast.annotator(study)
    studies.judge(ann, n=3)
    claiming.current_batch(annotator=ann)
    unanswered = claiming.open_hand_outs(annotator=ann)[0]
    reports.report_pair(
        annotator=ann, token=unanswered.token, submission_id=uuid4(), kind="cannot_judge"
    )
    refresh.refresh(collection=study)
    (row,) = Snapshot.objects.get(collection=study, kind="progress").value["rounds"]
    assert row["name"] == "depth 3"
    assert (row["n_pairs"], row["n_done"]) == (18, 3)
    assert {state: n for state, n in row["states"].items() if n} == {
        "some_labels": 3,
        "cannot_judge": 1,
        "untouched": 14,
    }
    assert (
        row["n_left"]
        == Seat.objects.filter(collection=study, state__in=["free", "held"]).count()
        == 33
    )


def test_alpha_says_why_it_is_not_defined():
    study = studies.study()
    refresh.refresh(collection=study)
    alpha = Snapshot.objects.get(collection=study, kind="agreement").value["all"]["ordinal"]
    assert (alpha["value"], alpha["reason"]) == (None, "no unit has two labels yet")


def test_golds_and_training_do_not_enter_agreement():
    study = studies.study()
    ann = cast.annotator(study)
    studies.judge(ann, n=5)
    refresh.refresh(collection=study)
    before = Snapshot.objects.get(collection=study, kind="agreement").value
    Seat.objects.filter(collection=study, state="free").delete()
    seats = Seat.objects.filter(collection=study, state="done")
    seats.update(purpose="gold")
    refresh.rebuild(collection=study)
    after = Snapshot.objects.get(collection=study, kind="agreement").value
    assert (before["all"]["nominal"]["n_labels"], after["all"]["nominal"]["n_labels"]) == (5, 0)


def test_equal_values_between_0_and_1_have_no_interval():
    study = studies.study()
    Ranking.objects.filter(run__collection=study).update(targets=[1, 2, 3], scores=[3, 2, 1])
    first = study.items.filter(side="document").first()
    for ranking in Ranking.objects.filter(run__direction="forward"):
        ranking.targets = [first.pk, -1, -2]
        ranking.save()
    studies.reference(study, {(f"q{i}", "d0"): 2 for i in range(6)}, name="equal")
    refresh.rebuild(collection=study)
    scores = Score.objects.filter(run__name="alpha", label_source="none:equal")
    equal, whole = scores.get(measure="Judged@10"), scores.get(measure="Judged@1")
    assert (equal.mean, equal.low, equal.high) == (pytest.approx(0.1), None, None)
    assert (whole.mean, whole.low, whole.high) == (1, *wilson(6, 6))


def test_every_invariant_holds_after_a_refresh():
    study = studies.study()
    studies.judge(cast.annotator(study))
    refresh.refresh(collection=study)
    with check.one_moment():
        assert check.run([invariant for invariant in fsck.CHECKS if not invariant.notice]) == []


def test_what_people_share_is_counted_label_by_label():
    study = studies.study(labels_per_pair=4, ceiling=4)
    people = [cast.annotator(study) for _ in range(4)]
    for seed, annotator in enumerate(people):
        studies.judge(annotator, n=14, seed=seed)
    refresh.refresh(collection=study)
    rows = {
        row["pseudonym"]: row
        for row in Snapshot.objects.get(collection=study, kind="people").value["people"]
    }
    levels_of = {
        annotator: dict(
            Seat.objects.filter(annotator=annotator, state="done").values_list(
                "pair", "judgment__level"
            )
        )
        for annotator in people
    }
    for annotator_ in people:
        both = [
            (pair, other)
            for other in people
            if other != annotator_
            for pair in levels_of[annotator_].keys() & levels_of[other].keys()
        ]
        equal = sum(levels_of[annotator_][pair] == levels_of[other][pair] for pair, other in both)
        row = rows[annotator_.pseudonym]
        assert (row["n_labels"], row["n_shared"], row["n_equal"]) == (
            len(levels_of[annotator_]),
            len(both),
            equal,
        )


def test_opening_and_closing_a_round_lets_the_numbers_follow():
    study = studies.study()
    refresh.refresh(collection=study)
    more = cast.pairs(study, 4)
    round_ = campaigns.open_pool_round(study, more, name="more")
    refresh.refresh(collection=study)
    rows = {
        row["name"]: row
        for row in Snapshot.objects.get(collection=study, kind="progress").value["rounds"]
    }
    assert (rows["more"]["n_pairs"], rows["more"]["n_left"]) == (4, 8)
    seating.close_round(round_=round_)
    refresh.refresh(collection=study)
    rows = {
        row["name"]: row
        for row in Snapshot.objects.get(collection=study, kind="progress").value["rounds"]
    }
    assert (rows["more"]["state"], rows["more"]["n_left"]) == ("closed", 0)
