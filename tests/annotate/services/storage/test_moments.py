"""Moments of a rehearsal are moved by one narrow door: in order, and nothing else of any row."""

from datetime import timedelta
from itertools import pairwise
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import F

from annotate.checks.check import run
from annotate.core.labels.answers import JudgmentAnswer
from annotate.models import (
    Batch,
    Change,
    HandOut,
    Judgment,
    JudgmentEvent,
    Pair,
    ReviewAction,
    Seat,
)
from annotate.services.judging import claiming, judging
from annotate.services.storage import moments
from annotate.services.storage.collection_rows import NotOwner
from annotate.services.storage.moments import Checkpoint
from annotate.services.supervision import pausing
from config.management.commands.fsck import CHECKS
from tests import campaigns, cast

pytestmark = pytest.mark.django_db
DAY, HOUR, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)


def judged_collection(*, is_rehearsal):
    """A collection where one person judged two batches and was paused; its numbers are fresh."""
    collection = campaigns.open_collection(
        12, grades=3, batch_candidates=5, is_rehearsal=is_rehearsal
    )
    annotator = cast.annotator(collection)
    for _ in range(2):
        judge_batch(annotator)
    claiming.current_batch(annotator=annotator)  # held: its leases end in the future
    pausing.pause(annotator=annotator, by=None, reason="Enough for today.")
    Change.objects.all().delete()
    return collection


@pytest.fixture
def rehearsal():
    """A rehearsal that was judged."""
    return judged_collection(is_rehearsal=True)


def judge_batch(annotator):
    claiming.current_batch(annotator=annotator)
    for hand_out in claiming.open_hand_outs(annotator=annotator):
        answer = JudgmentAnswer(submission_id=uuid4(), grade=1)
        with transaction.atomic():
            judging.record_judgment(annotator=annotator, token=hand_out.token, answer=answer)


def spread(collection, *, end=HOUR):
    """Two checkpoints that spread all that happened over two days before `end` ago."""
    begun_at, now = collection.created_at - SECOND, moments.database_moment()
    return [Checkpoint(begun_at, now - end - 2 * DAY), Checkpoint(now, now - end)]


def moments_of(rows, *columns):
    """The moments of these rows, in the order of their keys."""
    return list(rows.order_by("pk").values_list(*columns))


def test_every_moment_is_moved_and_their_order_is_kept(rehearsal):
    judgments = Judgment.objects.filter(collection=rehearsal)
    findings = run(CHECKS)
    before = [at for (at,) in moments_of(judgments, "at")]
    points = spread(rehearsal)
    moments.move_moments(collection=rehearsal, checkpoints=points)
    after = [at for (at,) in moments_of(judgments, "at")]
    assert len(after) == 10
    assert all(earlier < later for earlier, later in pairwise(after))
    assert points[0].simulated < after[0] and after[-1] < points[1].simulated
    rate = (points[1].simulated - points[0].simulated) / (points[1].real - points[0].real)
    for old, new in zip(before, after, strict=True):
        expected = points[0].simulated + (old - points[0].real) * rate
        assert abs(new - expected) < timedelta(milliseconds=1)
    rehearsal.refresh_from_db()
    assert rehearsal.created_at < after[0] <= rehearsal.scheme_frozen_at < after[1]
    (answered,) = HandOut.objects.filter(judgments=judgments.earliest("pk")).values_list(
        "answered_at", flat=True
    )
    assert answered >= after[0]
    batch = Batch.objects.filter(collection=rehearsal).latest("pk")
    action = ReviewAction.objects.get(collection=rehearsal)
    assert batch.opened_at < action.at < points[1].simulated
    # a moment after the last checkpoint moves as far as this one
    held_seat = Seat.objects.filter(collection=rehearsal, state="held").first()
    assert held_seat.leased_until > points[1].simulated
    assert run(CHECKS) == findings


def test_an_ordinary_collection_keeps_its_moments():
    collection = judged_collection(is_rehearsal=False)
    before = moments_of(Judgment.objects.all(), "at")
    with pytest.raises(moments.NotRehearsal, match="is no rehearsal"):
        moments.move_moments(collection=collection, checkpoints=spread(collection))
    assert moments_of(Judgment.objects.all(), "at") == before


def test_a_collection_beside_it_keeps_its_moments(rehearsal):
    other = campaigns.open_collection(5, grades=3, batch_candidates=5)
    judge_batch(cast.annotator(other))
    before = moments_of(Judgment.objects.filter(collection=other), "at")
    moments.move_moments(collection=rehearsal, checkpoints=spread(rehearsal))
    assert moments_of(Judgment.objects.filter(collection=other), "at") == before


@pytest.mark.parametrize(
    ("setting", "is_rehearsal", "statement"),
    [
        ("", True, "UPDATE annotate_judgment SET at = at - interval '1 day'"),
        ("{pk}", False, "UPDATE annotate_judgment SET at = at - interval '1 day'"),
        ("{other}", True, "UPDATE annotate_judgment SET at = at - interval '1 day'"),
        ("nonsense", True, "UPDATE annotate_judgment SET at = at - interval '1 day'"),
        ("{pk}", True, "UPDATE annotate_judgment SET active_ms = 1, at = at - interval '1 day'"),
        ("{pk}", True, "UPDATE annotate_reviewaction SET reason = 'x'"),
        ("{pk}", True, "DELETE FROM annotate_judgment"),
    ],
)
def test_the_door_lets_moments_of_the_rehearsal_through_and_nothing_else(
    setting, is_rehearsal, statement
):
    collection = judged_collection(is_rehearsal=is_rehearsal)
    other = cast.collection(is_rehearsal=True)
    value = setting.format(pk=collection.pk, other=other.pk)
    with (
        pytest.raises(IntegrityError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT set_config('assayer.rehearsal', %s, true)", [value])
        cursor.execute(statement)


def test_rows_that_name_no_collection_are_those_of_the_judgment_that_they_belong_to(rehearsal):
    other = campaigns.open_collection(5, grades=3, batch_candidates=5)
    judge_batch(cast.annotator(other))
    for collection in (rehearsal, other):
        judgment = Judgment.objects.filter(collection=collection).latest("pk")
        judgment.events.create(kind="undone")
    other_rows = JudgmentEvent.objects.filter(judgment__collection=other)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('assayer.rehearsal', %s, true)", [str(rehearsal.pk)])
        own_rows = JudgmentEvent.objects.filter(judgment__collection=rehearsal)
        assert own_rows.update(at=F("at") - DAY) == 1
        with pytest.raises(IntegrityError, match="append-only"):
            other_rows.update(at=F("at") - DAY)


def test_each_table_that_only_grows_knows_the_collection_of_its_rows():
    named = (
        "SELECT FROM pg_attribute WHERE attname = 'collection_id' AND NOT attisdropped "
        "AND attrelid ="
    )
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT tgrelid::regclass::text FROM pg_trigger
            WHERE tgname LIKE '%append_only' AND NOT EXISTS ({named} tgrelid)
              AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = tgrelid AND contype = 'f'
                              AND cardinality(conkey) = 1 AND EXISTS ({named} confrelid))
            """
        )
        assert cursor.fetchall() == []


def test_the_door_is_closed_again_afterwards(rehearsal):
    moments.move_moments(collection=rehearsal, checkpoints=spread(rehearsal))
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        Judgment.objects.update(at=moments.database_moment())


def test_another_role_than_the_owner_moves_nothing(rehearsal):
    with connection.cursor() as cursor:
        cursor.execute("CREATE ROLE visitor")
        cursor.execute("GRANT ALL ON ALL TABLES IN SCHEMA public TO visitor")
    with pytest.raises(NotOwner), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL ROLE visitor")
        moments.move_moments(collection=rehearsal, checkpoints=spread(rehearsal))
    with (
        pytest.raises(IntegrityError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("SET LOCAL ROLE visitor")
        cursor.execute("SELECT set_config('assayer.rehearsal', %s, true)", [str(rehearsal.pk)])
        cursor.execute("UPDATE annotate_judgment SET at = at - interval '1 day'")


def test_checkpoints_that_would_change_the_order_are_refused(rehearsal):
    now = moments.database_moment()
    for points in (
        [],
        [Checkpoint(now, now + SECOND)],
        [Checkpoint(now - HOUR, now - DAY), Checkpoint(now - HOUR, now - SECOND)],
        [Checkpoint(now - HOUR, now - 2 * SECOND), Checkpoint(now, now - SECOND)],
    ):
        with pytest.raises(moments.BadCheckpoints):
            moments.move_moments(collection=rehearsal, checkpoints=points)


def test_nobody_is_asked_for_a_pair_anew(rehearsal):
    before = set(Seat.objects.values_list("pk", "state", "annotator", "judgment"))
    n_pairs = Pair.objects.count()
    moments.move_moments(collection=rehearsal, checkpoints=spread(rehearsal))
    assert set(Seat.objects.values_list("pk", "state", "annotator", "judgment")) == before
    assert Pair.objects.count() == n_pairs
