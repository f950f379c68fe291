"""Somebody begins something in a collection in the moment in which it is archived.

To see these tests fail: let an act read whether the collection is archived without locking it.
"""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.db import transaction

from annotate.core.training.quizzes import Question
from annotate.models import Gold, Pair, QuizAttempt, TrainingPair
from annotate.services.collection.lifecycle.archive import CollectionArchived
from annotate.services.golds import golds
from annotate.services.supervision import archiving
from annotate.services.training import quizzes, setup
from annotate.services.training.setup import PairSpec
from pooling.models import Run
from pooling.services.runs import descriptions
from tests import cast
from tests.annotate.trainees import trained
from tests.pooling import factories
from tests.servers.database_sessions import waiting_session
from tests.servers.databases import closing_connections

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
LONG = 240  # seconds: what no busy machine needs


def refused_beside_archive(collection, act):
    """True if an act that begins while an archive is under way waits for it and is refused."""
    lead = cast.user()
    is_archived, may_commit = Event(), Event()

    @closing_connections
    def archive():
        with transaction.atomic():
            archiving.archive_collection(collection=collection, by=lead)
            is_archived.set()
            may_commit.wait(LONG)

    @closing_connections
    def begin():
        with pytest.raises(CollectionArchived):
            act()
        return True

    with ThreadPoolExecutor(2) as threads:
        archive_ = threads.submit(archive)
        assert is_archived.wait(LONG)
        beginning = threads.submit(begin)
        try:
            waiting_session(unless=beginning.done)
        finally:
            may_commit.set()
        archive_.result(LONG)
        return beginning.result(LONG)


@pytest.mark.parametrize("kind", ["gold", "training pair", "quiz"])
def test_no_gold_training_pair_or_quiz_comes_in_beside_an_archive(kind):
    collection = trained()
    pair = Pair.objects.filter(collection=collection, training_pair=None).first()
    ids = {"query": pair.query.external_id, "document": pair.document.external_id}
    question = Question("Which?", ("This", "That"), 0, "")
    quiz = quizzes.change_quiz(collection=collection, questions=[question], by=None)
    annotator = cast.annotator(collection)
    acts = {
        "gold": lambda: golds.add_gold(
            collection=collection, grade=1, explanation="", by=None, **ids
        ),
        "training pair": lambda: setup.add_pairs(
            collection=collection, specs=[PairSpec(grade=1, **ids)], by=None
        ),
        "quiz": lambda: quizzes.take_quiz(annotator=annotator, version=quiz.version, choices=[0]),
    }
    assert refused_beside_archive(collection, acts[kind])
    assert not Gold.objects.filter(pair=pair).exists()
    assert not TrainingPair.objects.filter(pair=pair).exists()
    assert not QuizAttempt.objects.exists()


def test_no_run_is_read_again_beside_an_archive():
    collection = factories.collection()
    run = factories.run(collection, "a", {0: [1]})
    Run.objects.filter(pk=run.pk).update(file="runs/a.run")

    def read_again():
        descriptions.reread_run(run=run, score_type="rank", by=None)

    assert refused_beside_archive(collection, read_again)
    run.refresh_from_db()
    assert run.state == Run.State.READY and run.rankings.exists()
