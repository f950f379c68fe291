"""Whole campaigns, with at least one row of every table; made through the product's services."""

from datetime import timedelta
from typing import NamedTuple
from uuid import uuid4

import pytest
from django.utils import timezone

from annotate.models import (
    Annotator,
    ApiToken,
    Batch,
    Collection,
    Gold,
    HandOut,
    Import,
    Invitation,
    Item,
    Pair,
    PairExclusion,
    QuerySet,
    QuerySetItem,
    Quiz,
    QuizAttempt,
    ReferenceLabel,
    ReferenceSet,
    Report,
    ReviewAction,
    ReviewWork,
    Role,
    Round,
    SignInTry,
    Training,
    TrainingDecision,
    TrainingPair,
    TrainingTry,
    Undrawn,
    User,
)
from annotate.services import claiming, judging, pausing, reports, seating, undoing
from metrics.models import BoardView, Download, Plan, PlanLook, Snapshot
from metrics.services import alarms, refresh
from pooling.models import Matrix, Pool, PoolPair, PoolSource, PoolStratum, Run, RunEvent
from tests import cast
from tests.fixture_cache import cached_rows
from tests.works import finished_work


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
        collection=collection, kind=Round.Kind.POOL, name=name, policy=cast.policy(collection),
        pair_ids=[pair.pk for pair in pair_list],
    )


def collection_with_batch(*, pairs: int, grades: int = 2, **policy: object) -> tuple[Collection, list[HandOut]]:
    """A collection with one annotator, and the hand-outs of her first batch."""
    collection = open_collection(pairs, grades=grades, **{"gold_positives": 0, "gold_negatives": 0, **policy})
    return collection, first_batch(collection)


def open_collection(n_pairs: int, slug: str = "", *, per_query: int = 10, **fields: object) -> Collection:
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
    answer = judging.JudgmentAnswer(submission_id=uuid4(), grade=grade, **fields)
    judging.record_judgment(annotator=hand_out.batch.annotator, token=hand_out.token, answer=answer)


def judge_batch(annotator: Annotator, grade: int = 1, *, limit: int | None = None, **fields: object) -> Batch:
    """Answer the rest of an annotator's batch, or of a new one; at most `limit` hand-outs."""
    batch = claiming.current_batch(annotator=annotator)
    for hand_out in list(claiming.open_hand_outs(annotator=annotator).select_related("batch__annotator"))[:limit]:
        judge(hand_out, grade, **fields)
    batch.refresh_from_db()
    return batch


@cached_rows
def campaign(slug: str = "", *, n_pairs: int = 6, n_annotators: int = 2) -> Campaign:
    """Runs, a pool, golds, references, batches, judgments, a change, an undo, a report, scores."""
    collection = cast.collection(slug, grades=3, batch_candidates=3, labels_per_pair=2, double_share="0.5")
    lead, researcher = cast.member(collection, Role.LEAD), cast.member(collection, Role.RESEARCHER)
    annotators = [cast.annotator(collection) for _ in range(n_annotators)]
    pair_list = cast.pairs(collection, n_pairs + 2, per_query=n_pairs // 2 + 1)
    run = _run(collection, researcher)
    pool = _pool(collection, run, pair_list[:n_pairs])
    for pair, grade in zip(pair_list[n_pairs:], (2, 0), strict=True):
        Gold.objects.create(
            collection=collection, pair=pair, grade=grade, is_positive=grade > 0, origin="curated",
            explanation="because it is so",
        )
    _references(collection, pair_list)
    for number, annotator in enumerate(annotators):
        _work(annotator, odd=bool(number % 2))
    alarms.set_alarm(collection=collection, kind="gold", below=101, n_at_least=0, by=lead)
    refresh.refresh(collection=collection)
    seating.note_changes(collection_id=collection.pk, pair_ids=[pair_list[0].pk])  # as if somebody judged since
    Invitation.objects.create(
        collection=collection, role=Role.ANNOTATOR, email=f"{collection.slug}@invited.example", created_by=lead,
        token_sha256=uuid4().hex * 2, expires_at=timezone.now() + timedelta(days=1),
    )
    ApiToken.objects.create(
        user=researcher, collection=collection, name="script", prefix="abc", sha256=uuid4().hex * 2,
        expires_at=timezone.now() + timedelta(days=1),
    )
    SignInTry.objects.create(person=uuid4().hex, address=uuid4().hex, browser=uuid4().hex)
    Import.objects.create(
        collection=collection, kind="items", file="imports/none", file_name="collection.jsonl", sha256=uuid4().hex * 2,
        report={"sentences": ["4 rows: 4 new items"]}, by=researcher, work=finished_work(collection, "import", 1),
    )
    Download.objects.create(
        collection=collection, kind="disputed", file="downloads/none", file_name=f"{collection.slug}-disputed.tsv",
        n_bytes=1, n_rows=0, sha256=uuid4().hex * 2, by=researcher, work=finished_work(collection, "download", 1),
    )
    _train(collection, annotators[0], pair_list[0])
    pausing.pause(annotator=annotators[0], by=lead, reason="has a cold")
    pausing.resume(annotator=annotators[0], by=lead, reason="is well again")
    withdrawn = ReviewAction.objects.create(
        collection=collection, kind="labels_withdrawn", by=lead, annotator=annotators[0], reason="had a cold"
    )
    ReviewWork.objects.create(action=withdrawn, n_total=0, work=finished_work(collection, "review", withdrawn.pk))
    PairExclusion.objects.create(pair=pair_list[-1], collection=collection, reason="nobody can tell")
    _plan(run, lead)
    BoardView.objects.create(collection=collection, key="k", wanted={"measures": ["AP"]}, value={}, version="v")
    return Campaign(collection, lead, researcher, annotators, run, pool)


@cached_rows
def campaigns(*slugs: str) -> tuple[Campaign, ...]:
    """Campaigns side by side, one for each short name."""
    return tuple(campaign(slug) for slug in slugs)


def _run(collection: Collection, by: User) -> Run:
    queries, documents = (
        list(collection.items.filter(side=side).order_by("pk").values_list("pk", flat=True))
        for side in ("query", "document")
    )
    scores = [1 / rank for rank in range(1, len(documents) + 1)]
    run = cast.run(
        collection, f"{collection.slug} bm25", dict.fromkeys(queries, (documents, scores)), system="bm25",
        file_name="bm25.run", file="runs/none.run", uploaded_by=by,
    )  # fmt: skip
    RunEvent.objects.create(run=run, kind="renamed", note="It was called something else.", by=by)
    Matrix.objects.create(run=run, file="matrices/none", n_bytes=1, sha256="0" * 64, rows=queries, columns=documents)
    return run


def _pool(collection: Collection, run: Run, pair_list: list[Pair]) -> Pool:
    round_ = open_pool_round(collection, pair_list)
    pool = Pool.objects.create(
        collection=collection, name=f"{collection.slug} pool", strategy="depth-k", parameters={"depth": 3},
        state="open", round=round_, opened_at=timezone.now(),
    )
    pool.runs.add(run)
    PoolPair.objects.bulk_create(PoolPair(pool=pool, pair=pair, best_rank=1) for pair in pair_list)
    PoolSource.objects.create(pool=pool, item=pair_list[0].query, inclusion_probability=0.5)
    PoolStratum.objects.create(
        pool=pool, source=pair_list[0].query, stratum=1, n_pooled=1, n_drawn=0, undrawn=[pair_list[0].document_id]
    )
    return pool


def _plan(run: Run, lead: User) -> None:
    """A plan in force that took its first look."""
    plan = Plan.objects.create(
        collection=run.collection, query_set=run.collection.query_sets.get(), measure="AP", threshold=1,
        label_source="only", method="tukey", alpha=0.05, looks=[2, 3], runs=[run.pk], n_judged=0, fixed_by=lead,
    )
    PlanLook.objects.create(
        plan=plan, number=1, n_judged=2, level=0.01, value={"why": "a single run", "groups": [], "pairs": []}
    )


def _references(collection: Collection, pair_list: list[Pair]) -> None:
    reference = ReferenceSet.objects.create(collection=collection, name=f"{collection.slug} original")
    ReferenceLabel.objects.create(
        reference_set=reference, query_id=pair_list[0].query_id, document_id=pair_list[0].document_id, grade=1
    )
    Undrawn.objects.create(
        reference_set=reference, query_id=pair_list[1].query_id, document_id=pair_list[1].document_id, stratum=2
    )
    query_set = QuerySet.objects.create(collection=collection, name="all", direction="forward")
    queries = Item.objects.filter(collection=collection, side="query")
    QuerySetItem.objects.bulk_create(QuerySetItem(query_set=query_set, item=item) for item in queries)


def _work(annotator: Annotator, *, odd: bool) -> None:
    """Judge one batch with comments; odd: change a judgment and undo one, else report a pair."""
    claiming.current_batch(annotator=annotator)
    hand_outs = claiming.open_hand_outs(annotator=annotator).select_related("seat", "batch__annotator")
    first, second, third, *golds = sorted(hand_outs, key=lambda hand_out: hand_out.seat.purpose != "label")
    for hand_out in (first, second, *golds):
        judge(hand_out, 2 if odd else 0, comment=f"said by {annotator.pseudonym}")
    if odd:
        judge(first, 1)
        undoing.take_back(annotator=annotator, token=second.token)
    else:
        report = reports.report_pair(
            annotator=annotator, token=third.token, submission_id=uuid4(), kind="cannot_judge", note="does not play"
        )
        reports.settle(reports=Report.objects.filter(pk=report.pk), by=None)
        reports.reopen(reports=Report.objects.filter(pk=report.pk), by=None)


def _train(collection: Collection, annotator: Annotator, pair: Pair) -> None:
    """A training that one person passed, switched off again."""
    Training.objects.create(collection=collection, is_on=False)
    question = {"text": "What is a bird?", "options": ["A plant", "An animal"], "right": 1, "why": "It breathes.",
                "anchor": ""}  # fmt: skip
    quiz = Quiz.objects.create(
        collection=collection, version=1, questions=[question], guidelines=collection.guidelines.latest("version")
    )
    QuizAttempt.objects.create(annotator=annotator, quiz=quiz, choices=[1], n_right=1, passed=True)
    TrainingPair.objects.create(pair=pair, grade=2, why="because the guidelines say so", anchor="how-to-judge")
    before = timezone.now() - timedelta(days=1)
    batch = Batch.objects.create(
        collection=collection, annotator=annotator, number=0, opened_at=before, finished_at=before, settled_at=before
    )
    TrainingTry.objects.create(
        annotator=annotator, number=1, batch=batch, measure="accuracy", pass_mark="0.8", finished_at=before,
        n_answered=1, n_right=1, score=1.0, passed=True,
    )
    TrainingDecision.objects.create(annotator=annotator, kind="passed", reason="whoever passes")


def agreement(collection: Collection) -> dict[str, object]:
    """The agreement snapshot after a refresh."""
    refresh.refresh(collection=collection)
    return Snapshot.objects.get(collection=collection, kind="agreement").value


@pytest.fixture(name="campaign")
def campaign_fixture() -> Campaign:
    """One campaign, named "made"."""
    return campaign("made")
