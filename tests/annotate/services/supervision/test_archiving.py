"""An archived collection: nothing is handed out or begun in it, and nothing of it is lost."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotate.core.training.quizzes import Question
from annotate.models import (
    Annotator,
    CountingJudgment,
    Gold,
    Import,
    Pair,
    ReviewAction,
    Role,
    TrainingPair,
)
from annotate.services.collection.lifecycle.archive import CollectionArchived
from annotate.services.golds import golds
from annotate.services.judging import claiming, judging, work_availability
from annotate.services.judging.hand_outs import NotWhileStopped
from annotate.services.pages import collection_list
from annotate.services.supervision import archiving
from annotate.services.training import quizzes, setup, tries
from annotate.services.training.setup import PairSpec
from annotate.services.training.status import training_of
from pooling.models import Run
from pooling.services.pools import pools, run_retirement
from pooling.services.runs import descriptions, holds
from tests import campaigns, cast
from tests.annotate.trainees import trained
from tests.pooling import factories
from tests.pooling.unknown_item_runs import run_of
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


@pytest.fixture
def collection():
    return campaigns.open_collection(
        4, batch_candidates=3, gold_positives=0, gold_negatives=0, double_share=0
    )


def ids_of(pair):
    """The ids of a pair's items, as services take them."""
    return {"query": pair.query.external_id, "document": pair.document.external_id}


def anew(annotator):
    """The annotator as the next request reads her."""
    return Annotator.objects.select_related("collection").get(pk=annotator.pk)


def test_who_is_at_a_batch_keeps_her_answers_is_handed_nothing_and_goes_on_later(collection, lead):
    annotator = cast.annotator(collection)
    batch = claiming.current_batch(annotator=annotator)
    first, second, _ = batch.hand_outs.select_related("seat", "batch__annotator__user")
    campaigns.judge(first)
    assert archiving.archive_collection(collection=collection, by=lead)
    second.batch.annotator = anew(annotator)
    campaigns.judge(second)
    assert CountingJudgment.objects.filter(annotator=annotator).count() == 2
    assert claiming.current_batch(annotator=anew(annotator)) is None
    assert not claiming.open_hand_outs(annotator=anew(annotator)).exists()
    with pytest.raises(NotWhileStopped, match="archived: what you said stands"):
        judging.require_not_stopped(anew(annotator))
    assert archiving.unarchive_collection(collection=collection, by=lead)
    assert claiming.current_batch(annotator=anew(annotator)) == batch
    assert claiming.open_hand_outs(annotator=anew(annotator)).count() == 1


def test_a_newcomer_is_handed_no_batch_and_no_training(lead):
    collection = trained()
    archiving.archive_collection(collection=collection, by=lead)
    newcomer = anew(cast.annotator(collection))
    assert claiming.current_batch(annotator=newcomer) is None
    no_work = work_availability.no_card_reason(annotator=newcomer, wants_more=False)
    was_archived = f"was archived on {collection.archived_at:%-d %B %Y, %H:%M} UTC: there"
    assert no_work["reason"] == "archived" and was_archived in no_work["message"]
    with pytest.raises(tries.TryRefused, match="archived"):
        tries.begin(annotator=newcomer)


def test_a_try_under_way_goes_on(lead):
    collection = trained()
    annotator = cast.annotator(collection)
    training_try = tries.begin(annotator=annotator)
    archiving.archive_collection(collection=collection, by=lead)
    assert tries.begin(annotator=anew(annotator)) == training_try


def test_it_is_in_the_log_once_each_and_leaves_the_list(collection, lead):
    for _ in range(2):
        archiving.archive_collection(collection=collection, by=lead)
    assert collection.archived_by == lead
    assert collection_list.entries(user=lead) == []
    assert collection_list.archived_collections(user=lead) == [collection]
    for _ in range(2):
        archiving.unarchive_collection(collection=collection, by=lead)
    assert collection.archived_by is None
    kinds = list(ReviewAction.objects.order_by("pk").values_list("kind", "by"))
    assert kinds == [("collection_archived", lead.pk), ("collection_restored", lead.pk)]
    assert [entry.collection for entry in collection_list.entries(user=lead)] == [collection]
    assert collection_list.archived_collections(user=lead) == []


def test_what_stops_is_told_before(collection, lead, django_assert_max_num_queries):
    with django_assert_max_num_queries(3):
        act = archiving.archive_consequences(collection=collection)
    assert act.button == "Archive, with 1 open pool"
    assert act.sentences[0].startswith(
        "Nothing more is handed out: 1 open pool with 4 labels to hand out."
    )
    assert act.sentences[2].startswith("1 person would find it")
    assert archiving.archive_consequences(collection=cast.collection()).button == "Archive"


def test_no_pool_is_made_opened_or_opened_again(lead):
    collection = factories.collection()
    run = factories.run(collection, "a", {0: [1]})
    draft = factories.draft(collection, [run])
    archiving.archive_collection(collection=collection, by=cast.member(collection, Role.LEAD))
    for act in (pools.request_opening, pools.request_reopening):
        with pytest.raises(CollectionArchived, match="nothing is uploaded or opened"):
            act(pool=draft, by=None)
    with pytest.raises(CollectionArchived):
        factories.draft(collection, [run])
    draft.refresh_from_db()
    assert draft.state == "draft"


def test_files_are_refused_by_the_api_in_a_sentence(client, collection, lead):
    archiving.archive_collection(collection=collection, by=lead)
    headers = cast.bearer(cast.member(collection, Role.RESEARCHER), "files:write")
    fields = {"kind": "reference", "name": "old"}
    upload = SimpleUploadedFile("a.qrels", b"q0 0 d0 1\n")
    url = f"/api/v1/collections/{collection.slug}/imports/"
    answer = client.post(url, {**fields, "file": upload}, headers=headers)
    assert answer.status_code == 403
    assert "was archived on" in answer.json()["detail"]
    assert not Import.objects.exists()


def test_a_pool_whose_opening_was_asked_for_before_is_a_draft_with_the_reason(lead):
    collection = factories.collection()
    draft = factories.draft(collection, [factories.run(collection, "a", {0: [1]})])
    pools.request_opening(pool=draft, by=None)
    archiving.archive_collection(collection=collection, by=lead)
    perform_work(draft)
    assert (draft.state, draft.phase, draft.round) == ("draft", "failed", None)
    assert "was archived on" in draft.work.error
    archiving.unarchive_collection(collection=collection, by=lead)
    pools.open_pool(pool=draft)
    assert draft.state == "open"


def test_no_run_comes_into_use_or_is_read_again(lead):
    collection = factories.collection()
    run = factories.run(collection, "a", {0: [1]})
    held_run = run_of(collection, {"q0": "x y d1"})
    run_retirement.retire_run(run=run, by=None)
    archiving.archive_collection(collection=collection, by=lead)
    for act in (
        lambda: run_retirement.restore_run(run=run, by=None),
        lambda: holds.accept_run(run=held_run, by=None),
        lambda: descriptions.reread_run(run=held_run, score_type="rank", by=None),
    ):
        with pytest.raises(CollectionArchived):
            act()
    assert not Run.objects.in_use().exists()


def test_no_golds_or_training_pairs_come_in_or_back_and_the_training_stays(lead):
    collection = trained()
    pair, retired_pair = Pair.objects.filter(training_pair=None)[:2]
    ids = ids_of(pair)
    questions = [Question("Which?", ("This", "That"), 0, "")]
    quiz = quizzes.change_quiz(collection=collection, questions=questions, by=None)
    annotator = cast.annotator(collection)
    gold = golds.add_gold(
        collection=collection, grade=1, explanation="", by=None, **ids_of(retired_pair)
    )
    golds.retire_gold(gold=gold, by=None)
    training_pair = TrainingPair.objects.first()
    setup.retire_pair(pair=training_pair)
    archiving.archive_collection(collection=collection, by=lead)
    for act in (
        lambda: golds.bring_back_gold(gold=gold, by=None),
        lambda: setup.bring_back_pair(pair=training_pair),
        lambda: setup.change_training(collection=collection, is_on=False),
        lambda: quizzes.change_quiz(collection=collection, questions=[], by=None),
        lambda: golds.add_gold(collection=collection, grade=1, explanation="", by=None, **ids),
        lambda: setup.add_pairs(collection=collection, specs=[PairSpec(grade=1, **ids)], by=None),
        lambda: setup.add_golds(collection=collection, n_positive=1, n_negative=1, by=None),
        lambda: quizzes.take_quiz(annotator=annotator, version=quiz.version, choices=[0]),
    ):
        with pytest.raises(CollectionArchived):
            act()
    assert not Gold.objects.filter(pair=pair).exists()
    assert not annotator.quiz_attempts.exists()
    assert not Gold.objects.filter(retired_at=None).exists()
    training_pair.refresh_from_db()
    assert training_pair.retired_at is not None and training_of(collection=collection).is_on
