"""Whole campaigns, with at least one row of every table; made through the product's services."""

from datetime import timedelta
from typing import NamedTuple
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from annotate.core.labels.answers import JudgmentAnswer
from annotate.models import (
    Annotator,
    Batch,
    Collection,
    Delivery,
    Duplicate,
    HandOut,
    Hook,
    Item,
    Judgment,
    Kept,
    Pair,
    PairExclusion,
    Preview,
    Receipt,
    Report,
    Role,
    Round,
    User,
)
from annotate.services import seating
from annotate.services.judging import claiming, judging, reports, undoing
from metrics.models import Snapshot
from metrics.services.numbers import alarms, refresh
from pooling.models import Matrix, Pool, PoolPair, PoolSource, PoolStratum, Run, RunEvent
from tests import cast
from tests.campaign_rows import (
    make_concern,
    make_golds,
    make_import_and_download,
    make_invitation_and_token,
    make_plan,
    make_references,
    make_release,
    make_training,
    pause_and_withdraw,
)
from tests.tables.fixture_cache import cached_rows


class Campaign(NamedTuple):
    """A collection in full swing, and its people."""

    collection: Collection
    lead: User
    researcher: User
    annotators: list[Annotator]
    run: Run
    pool: Pool


def open_pool_round(collection: Collection, pair_list: list[Pair], name: str = "pool") -> Round:
    """An open round that requests labels of these pairs."""
    return seating.open_round(
        collection=collection,
        kind=Round.Kind.POOL,
        name=name,
        policy=cast.policy(collection),
        pair_ids=[pair.pk for pair in pair_list],
    )


def collection_with_batch(
    *, pairs: int, grades: int = 2, **policy: object
) -> tuple[Collection, list[HandOut]]:
    """A collection with one annotator, and the hand-outs of her first batch."""
    collection = open_collection(
        pairs, grades=grades, **{"gold_positives": 0, "gold_negatives": 0, **policy}
    )
    return collection, first_batch(collection)


def open_collection(
    n_pairs: int, slug: str = "", *, per_query: int = 10, **fields: object
) -> Collection:
    """A collection with an open round of n_pairs new pairs."""
    collection = cast.collection(slug, **fields)
    open_pool_round(collection, cast.pairs(collection, n_pairs, per_query=per_query))
    return collection


def first_batch(collection: Collection) -> list[HandOut]:
    """The hand-outs of a new annotator's first batch."""
    batch = claiming.current_batch(annotator=cast.annotator(collection))
    return list(batch.hand_outs.select_related("seat", "batch__annotator__user"))


def judge(hand_out: HandOut, grade: int = 1, **fields: object) -> None:
    """Answer one hand-out."""
    answer = JudgmentAnswer(submission_id=uuid4(), grade=grade, **fields)
    judging.record_judgment(annotator=hand_out.batch.annotator, token=hand_out.token, answer=answer)


def judge_batch(
    annotator: Annotator, grade: int = 1, *, limit: int | None = None, **fields: object
) -> Batch:
    """Answer the rest of an annotator's batch, or of a new one; at most `limit` hand-outs."""
    batch = claiming.current_batch(annotator=annotator)
    for hand_out in list(
        claiming.open_hand_outs(annotator=annotator).select_related("batch__annotator")
    )[:limit]:
        judge(hand_out, grade, **fields)
    batch.refresh_from_db()
    return batch


@cached_rows
def campaign(slug: str = "", *, n_pairs: int = 6, n_annotators: int = 2) -> Campaign:
    """Runs, a pool, golds, references, batches, judgments, a change, an undo, a report, scores."""
    collection = cast.collection(
        slug, grades=3, batch_candidates=3, labels_per_pair=2, double_share="0.5"
    )
    lead, researcher = cast.member(collection, Role.LEAD), cast.member(collection, Role.RESEARCHER)
    annotators = [cast.annotator(collection) for _ in range(n_annotators)]
    pair_list = cast.pairs(collection, n_pairs + 2, per_query=n_pairs // 2 + 1)
    run = _run(collection, researcher)
    pool = _pool(collection, run, pair_list[:n_pairs])
    _duplicate(pair_list[0].document)
    make_golds(collection, pair_list[n_pairs:])
    make_references(collection, pair_list)
    for number, annotator in enumerate(annotators):
        _work(annotator, odd=bool(number % 2))
    alarms.set_alarm(collection=collection, kind="gold", below=101, n_at_least=0, by=lead)
    refresh.refresh(collection=collection)
    make_concern(annotators[1], lead)
    # as if somebody judged since
    seating.note_changes(collection_id=collection.pk, pair_ids=[pair_list[0].pk])
    make_invitation_and_token(collection, lead, researcher)
    make_import_and_download(collection, researcher)
    make_release(collection, run, lead)
    make_training(collection, annotators[0], pair_list[0])
    pause_and_withdraw(annotators[0], lead)
    PairExclusion.objects.create(
        pair=pair_list[-1], collection=collection, reason="nobody can tell"
    )
    make_plan(run, lead)
    Kept.objects.create(collection=collection, kind="leaderboard", key="k", value={}, version="v")
    Preview.objects.create(
        collection=collection, checksum="sha256:1", content=b"x", width=1, height=1
    )
    Receipt.objects.create(
        user=lead,
        collection=collection,
        key="k",
        request_sha256="0" * 64,
        status=202,
        answer={},
    )
    make_webhook(collection, lead)
    return Campaign(collection, lead, researcher, annotators, run, pool)


def make_webhook(collection: Collection, lead: User) -> None:
    """A webhook that failed once, and what it was sent."""
    hook = Hook.objects.create(
        collection=collection,
        url="https://hooks.example.org/x",
        events=["release.made"],
        secret="sealed",
        earlier_secret="sealed before",
        secret_changed_at=timezone.now(),
        by=lead,
        n_failures=1,
        failing_since=timezone.now(),
    )
    attempt = {"at": "2026-03-05T07:08:09.000Z", "ms": 31, "status": 500, "answer": "", "error": ""}
    Delivery.objects.create(
        hook=hook,
        event="release.made",
        data={"collection": collection.slug, "version": "1.0"},
        n_attempts=1,
        attempts=[attempt],
        state="failed",
        ended_at=timezone.now(),
    )


@cached_rows
def campaigns(*slugs: str) -> tuple[Campaign, ...]:
    """Campaigns side by side, one for each short name."""
    return tuple(campaign(slug) for slug in slugs)


def _duplicate(original: Item) -> None:
    copy = Item.objects.create(
        collection=original.collection, side=original.side, external_id="the same again"
    )
    Duplicate.objects.create(
        item=copy, original=original, collection=original.collection, side=original.side
    )


def _run(collection: Collection, by: User) -> Run:
    queries, documents = (
        list(collection.items.filter(side=side).order_by("pk").values_list("pk", flat=True))
        for side in ("query", "document")
    )
    scores = [1 / rank for rank in range(1, len(documents) + 1)]
    run = cast.run(
        collection,
        f"{collection.slug} bm25",
        dict.fromkeys(queries, (documents, scores)),
        system="bm25",
        file_name="bm25.run",
        file="runs/none.run",
        uploaded_by=by,
    )
    RunEvent.objects.create(run=run, kind="renamed", note="It was called something else.", by=by)
    Matrix.objects.create(
        run=run, file="matrices/none", n_bytes=1, sha256="0" * 64, rows=queries, columns=documents
    )
    return run


def _pool(collection: Collection, run: Run, pair_list: list[Pair]) -> Pool:
    round_ = open_pool_round(collection, pair_list)
    pool = Pool.objects.create(
        collection=collection,
        name=f"{collection.slug} pool",
        strategy="depth-k",
        parameters={"depth": 3},
        state="open",
        round=round_,
        opened_at=timezone.now(),
    )
    pool.runs.add(run)
    PoolPair.objects.bulk_create(PoolPair(pool=pool, pair=pair, best_rank=1) for pair in pair_list)
    PoolSource.objects.create(pool=pool, item=pair_list[0].query, inclusion_probability=0.5)
    PoolStratum.objects.create(
        pool=pool,
        source=pair_list[0].query,
        stratum=1,
        n_pooled=1,
        n_drawn=0,
        undrawn=[pair_list[0].document_id],
    )
    return pool


def _work(annotator: Annotator, *, odd: bool) -> None:
    """Judge one batch with comments; odd: change a judgment and undo one, else report a pair."""
    claiming.current_batch(annotator=annotator)
    hand_outs = claiming.open_hand_outs(annotator=annotator).select_related(
        "seat", "batch__annotator"
    )
    first, second, third, *golds = sorted(
        hand_outs, key=lambda hand_out: hand_out.seat.purpose != "label"
    )
    for hand_out in (first, second, *golds):
        judge(hand_out, 2 if odd else 0, comment=f"said by {annotator.pseudonym}")
    if odd:
        judge(first, 1)
        undoing.take_back(annotator=annotator, token=second.token)
    else:
        report = reports.report_pair(
            annotator=annotator,
            token=third.token,
            submission_id=uuid4(),
            kind="cannot_judge",
            note="does not play",
        )
        reports.settle(reports=Report.objects.filter(pk=report.pk), by=None)
        reports.reopen(reports=Report.objects.filter(pk=report.pk), by=None)


def agreement(collection: Collection) -> dict[str, object]:
    """The agreement snapshot after a refresh."""
    refresh.refresh(collection=collection)
    return Snapshot.objects.get(collection=collection, kind="agreement").value


@pytest.fixture(name="campaign")
def campaign_fixture() -> Campaign:
    """One campaign, named "made"."""
    return campaign("made")


def make_older(judgments: QuerySet[Judgment], *, hours: float) -> None:
    """Move the moments of judgments back by so many hours, past the trigger that refuses it."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        judgments.update(at=F("at") - timedelta(hours=hours))
        cursor.execute("SET LOCAL session_replication_role = origin")
