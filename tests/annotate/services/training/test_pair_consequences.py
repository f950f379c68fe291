"""What is told before a pair is taken out of a training, and that it comes back."""

import pytest

from annotate.models import TrainingPair
from annotate.services.training import pair_consequences, setup
from annotate.services.training import tries as training
from annotate.services.training.status import active_pairs
from tests import cast
from tests.annotate.trainees import go, trained

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    return trained()


def take_out_acts(collection):
    rows = list(setup.listed_pairs(collection=collection))
    return dict(pair_consequences.take_out_consequences(training_pairs=rows))


def test_it_is_told_how_many_annotators_answered_a_pair_and_who_has_it_in_hand(collection):
    assert {act.button for act in take_out_acts(collection).values()} == {"Take out"}
    go(cast.annotator(collection))
    go(cast.annotator(collection))
    training.begin(annotator=cast.annotator(collection))
    acts = take_out_acts(collection)
    assert {act.button for act in acts.values()} == {"Take out, answered by 2 annotators"}
    assert {act.sentences for act in acts.values()} == {
        (
            "Nobody else is trained on it.",
            "2 annotators answered it: their tries and results stay as they are.",
            "1 annotator in a try under way can still answer it.",
        )
    }


def test_many_pairs_are_told_in_one_query(collection, django_assert_num_queries):
    rows = list(setup.listed_pairs(collection=collection))
    with django_assert_num_queries(1):
        assert len(pair_consequences.take_out_consequences(training_pairs=rows)) == len(rows) > 1


def test_a_pair_that_was_taken_out_is_brought_back_once_with_its_level(collection):
    row = active_pairs(collection=collection).first()
    n_pairs = active_pairs(collection=collection).count()
    assert setup.retire_pair(pair=row) and not setup.retire_pair(pair=row)
    ((listed, act),) = pair_consequences.retired_pairs(collection=collection)
    assert (listed, act.act) == (row, "restore")
    assert setup.bring_back_pair(pair=row) and not setup.bring_back_pair(pair=row)
    assert active_pairs(collection=collection).count() == n_pairs
    assert TrainingPair.objects.get(pk=row.pk).grade == row.grade
    assert pair_consequences.retired_pairs(collection=collection) == []


def test_a_pair_whose_grade_the_scheme_lost_is_not_brought_back(collection):
    row = active_pairs(collection=collection).first()
    setup.retire_pair(pair=row)
    TrainingPair.objects.filter(pk=row.pk).update(grade=99)
    row.refresh_from_db()
    with pytest.raises(setup.BadTraining, match="no grade 99 any more"):
        setup.bring_back_pair(pair=row)
    assert TrainingPair.objects.get(pk=row.pk).retired_at is not None
