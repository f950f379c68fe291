"""Rows that a campaign has beside its pairs, runs and judgments."""

from datetime import date, timedelta
from uuid import uuid4

from django.utils import timezone

from annotate.models import (
    Annotator,
    ApiToken,
    Batch,
    Collection,
    Concern,
    Gold,
    Guard,
    Import,
    Invitation,
    Item,
    Pair,
    QuerySet,
    QuerySetItem,
    Quiz,
    QuizAttempt,
    ReferenceLabel,
    ReferenceSet,
    ReviewAction,
    ReviewWork,
    Role,
    SignInTry,
    Training,
    TrainingDecision,
    TrainingPair,
    TrainingTry,
    Undrawn,
    User,
)
from annotate.services.supervision import concerns, pausing
from metrics.models import (
    Download,
    Plan,
    PlanLook,
    Release,
    ReleaseEvent,
    ReleaseFile,
    ReleaseRun,
)
from metrics.services.numbers import guards
from pooling.models import Run
from tests.works import finished_work


def make_plan(run: Run, lead: User) -> None:
    """A plan in force that took its first look."""
    plan = Plan.objects.create(
        collection=run.collection,
        query_set=run.collection.query_sets.get(),
        measure="AP",
        threshold=1,
        label_source="only",
        method="tukey",
        alpha=0.05,
        looks=[2, 3],
        runs=[run.pk],
        n_judged=0,
        fixed_by=lead,
    )
    PlanLook.objects.create(
        plan=plan,
        number=1,
        n_judged=2,
        level=0.01,
        value={"why": "a single run", "groups": [], "pairs": []},
    )


def make_golds(collection: Collection, pairs: list[Pair]) -> None:
    """A positive and a negative gold."""
    for pair, grade in zip(pairs, (2, 0), strict=True):
        Gold.objects.create(
            collection=collection,
            pair=pair,
            grade=grade,
            is_positive=grade > 0,
            origin="curated",
            explanation="because it is so",
        )


def make_invitation_and_token(collection: Collection, lead: User, researcher: User) -> None:
    """An invitation, a token of the API, and a try to sign in."""
    Invitation.objects.create(
        collection=collection,
        role=Role.ANNOTATOR,
        email=f"{collection.slug}@invited.example",
        created_by=lead,
        token_sha256=uuid4().hex * 2,
        expires_at=timezone.now() + timedelta(days=1),
    )
    ApiToken.objects.create(
        user=researcher,
        collection=collection,
        name="script",
        prefix="abc",
        sha256=uuid4().hex * 2,
        expires_at=timezone.now() + timedelta(days=1),
    )
    SignInTry.objects.create(person=uuid4().hex, address=uuid4().hex, browser=uuid4().hex)


def make_import_and_download(collection: Collection, by: User) -> None:
    """An import and a download that are done."""
    Import.objects.create(
        collection=collection,
        kind="items",
        file="imports/none",
        file_name="collection.jsonl",
        sha256=uuid4().hex * 2,
        report={"sentences": ["4 rows: 4 new items"]},
        by=by,
        work=finished_work(collection, "import", 1),
    )
    Download.objects.create(
        collection=collection,
        kind="disputed",
        file="downloads/none",
        file_name=f"{collection.slug}-disputed.tsv",
        n_bytes=1,
        n_rows=0,
        sha256=uuid4().hex * 2,
        by=by,
        work=finished_work(collection, "download", 1),
    )


def make_release(collection: Collection, run: Run, by: User) -> None:
    """A release that is made, of a run and one file."""
    release = Release.objects.create(
        collection=collection,
        version="1.0",
        title=collection.name,
        licence="CC-BY-4.0",
        released_on=date(2026, 3, 5),
        file_name=f"{collection.slug}-1.0.zip",
        by=by,
        work=finished_work(collection, "release", 1, by=by),
    )
    ReleaseFile.objects.create(
        release=release,
        path="README.md",
        media_type="text/markdown",
        about="The data card.",
        n_bytes=2,
        sha256=uuid4().hex * 2,
        offset=1,
    )
    ReleaseRun.objects.create(
        release=release, run=run, alias="run-01", shows_name=False, holds_file=False
    )
    Release.objects.filter(pk=release.pk).update(
        made_at=timezone.now(),
        as_of=timezone.now(),
        file="releases/none",
        n_bytes=3,
        sha256=uuid4().hex * 2,
        manifest={
            "version": "1.0",
            "levels": [],
            "label_sources": [{"key": "only", "label": "people only", "qrels": []}],
        },
    )
    ReleaseEvent.objects.create(release=release, kind="made", by=by)


def pause_and_withdraw(annotator: Annotator, lead: User) -> None:
    """A pause that has ended, and labels that were withdrawn."""
    collection = annotator.collection
    pausing.pause(annotator=annotator, by=lead, reason="has a cold")
    pausing.resume(annotator=annotator, by=lead, reason="is well again")
    withdrawn = ReviewAction.objects.create(
        collection=collection,
        kind="labels_withdrawn",
        by=lead,
        annotator=annotator,
        reason="had a cold",
    )
    ReviewWork.objects.create(
        action=withdrawn, n_total=0, work=finished_work(collection, "review", withdrawn.pk)
    )


def make_references(collection: Collection, pair_list: list[Pair]) -> None:
    reference = ReferenceSet.objects.create(
        collection=collection, name=f"{collection.slug} original"
    )
    ReferenceLabel.objects.create(
        reference_set=reference,
        query_id=pair_list[0].query_id,
        document_id=pair_list[0].document_id,
        grade=1,
    )
    Undrawn.objects.create(
        reference_set=reference,
        query_id=pair_list[1].query_id,
        document_id=pair_list[1].document_id,
        stratum=2,
    )
    query_set = QuerySet.objects.create(collection=collection, name="all", direction="forward")
    queries = Item.objects.filter(collection=collection, side="query")
    QuerySetItem.objects.bulk_create(
        QuerySetItem(query_set=query_set, item=item) for item in queries
    )


def make_training(collection: Collection, annotator: Annotator, pair: Pair) -> None:
    """A training that one person passed, switched off again."""
    Training.objects.create(collection=collection, is_on=False)
    question = {
        "text": "What is a bird?",
        "options": ["A plant", "An animal"],
        "right": 1,
        "why": "It breathes.",
        "anchor": "",
    }
    quiz = Quiz.objects.create(
        collection=collection,
        version=1,
        questions=[question],
        guidelines=collection.guidelines.latest("version"),
    )
    QuizAttempt.objects.create(annotator=annotator, quiz=quiz, choices=[1], n_right=1, passed=True)
    TrainingPair.objects.create(
        pair=pair, grade=2, why="because the guidelines say so", anchor="how-to-judge"
    )
    before = timezone.now() - timedelta(days=1)
    batch = Batch.objects.create(
        collection=collection,
        annotator=annotator,
        number=0,
        opened_at=before,
        finished_at=before,
        settled_at=before,
    )
    TrainingTry.objects.create(
        annotator=annotator,
        number=1,
        batch=batch,
        measure="accuracy",
        pass_mark="0.8",
        finished_at=before,
        n_answered=1,
        n_right=1,
        score=1.0,
        passed=True,
    )
    TrainingDecision.objects.create(annotator=annotator, kind="passed", reason="whoever passes")


def make_concern(annotator: Annotator, lead: User) -> Concern:
    """A guard names a person, a lead says that it is fine and opens it again; and sets a mark."""
    concern = Concern.objects.create(
        collection=annotator.collection,
        annotator=annotator,
        guard=Guard.SPEED,
        evidence={"n_hits": 41, "n": 50, "n_expected": 5.0, "mark": 1.0},
    )
    for act in concerns.ConcernAct.values:
        concerns.decide(concern=concern, act=act, by=lead)
    guards.set_mark(collection=annotator.collection, guard=Guard.SPEED, mark=0.5, by=lead)
    return concern
