"""The guidelines that people saw when they judged: the version, and the reasons it offered."""

from uuid import uuid4

import pytest
from django.db import transaction

from annotate.core.labels.answers import JudgmentAnswer, Telemetry
from annotate.core.levels.scheme_rules import LevelSpec
from annotate.models import Judgment, Level
from annotate.services.collection import collections, guidelines_shown
from annotate.services.collection.collections import Wording
from annotate.services.judging import claiming, judging
from tests import cast
from tests.annotate.services.judging.test_judging import study

pytestmark = pytest.mark.django_db
DEEP = [{"name": "does not match", "what": ["colour", "species"]}, "too general"]


@pytest.fixture
def collection():
    collection = study()
    Level.objects.filter(collection=collection, grade=1).update(reasons=DEEP)
    collections.change_guidelines(collection=collection, markdown="# Version 2", by=None)
    return collection


def judge(annotator, **fields):
    claiming.current_batch(annotator=annotator)
    hand_out = claiming.open_hand_outs(annotator=annotator)[0]
    answer = JudgmentAnswer(submission_id=uuid4(), grade=1, **fields)
    return judging.record_judgment(annotator=annotator, token=hand_out.token, answer=answer)


@pytest.mark.parametrize(("version", "stored_version"), [(None, 2), (1, 1), (2, 2), (9, 2)])
def test_a_judgment_keeps_the_version_that_was_on_screen(collection, version, stored_version):
    assert (
        judge(cast.annotator(collection), guidelines=version).guidelines.version == stored_version
    )


@pytest.mark.parametrize(
    "reasons", [["does not match/species"], ["too general", "does not match/colour"], []]
)
def test_reasons_of_either_depth_are_kept_as_they_were_given(collection, reasons):
    assert judge(cast.annotator(collection), reasons=reasons).reasons == reasons


@pytest.mark.parametrize(
    "reason", ["does not match", "species", "does not match/size", "does not match/species/x", ""]
)
def test_a_reason_that_is_not_offered_is_refused(collection, reason):
    with pytest.raises(judging.UnknownReason, match="offers no reason"), transaction.atomic():
        judge(cast.annotator(collection), reasons=[reason])
    assert not Judgment.objects.exists()


def test_a_reason_taken_away_while_the_answer_was_on_its_way_is_kept(collection):
    words = Wording(1, "Level 1", "", ["too general"])
    collections.change_guidelines(
        collection=collection, markdown="# Version 3", wording=[words], by=None
    )
    assert (
        judge(
            cast.annotator(collection), guidelines=2, reasons=["does not match/colour"]
        ).guidelines.version
        == 2
    )
    with pytest.raises(judging.UnknownReason), transaction.atomic():
        judge(cast.annotator(collection), guidelines=3, reasons=["does not match/colour"])


def test_a_reason_of_another_level_is_refused_though_it_stood_on_her_screen(collection):
    Level.objects.filter(collection=collection, grade=2).update(reasons=["too general"])
    Level.objects.filter(collection=collection, grade=1).update(reasons=[])
    collections.change_guidelines(collection=collection, markdown="# Version 3", by=None)
    with pytest.raises(judging.UnknownReason), transaction.atomic():
        judge(cast.annotator(collection), guidelines=3, reasons=["too general"])


def test_an_answer_of_levels_that_were_replaced_is_refused_though_its_grade_is_there(collection):
    annotator = cast.annotator(collection)
    levels = [LevelSpec(3, "Yes"), LevelSpec(1, "Partly"), LevelSpec(0, "No")]
    collections.replace_levels(collection=collection, levels=levels, positive_from=1)
    says = 'levels were changed after this page was loaded, which offered "Level 1": reload'
    with pytest.raises(judging.UnknownGrade, match=says), transaction.atomic():
        judge(annotator, guidelines=2)
    assert not Judgment.objects.exists()
    judgment = judge(annotator, guidelines=3)
    assert judgment.level.name == "Partly"


def test_an_answer_of_levels_with_other_words_is_kept(collection):
    words = Wording(1, "Partly", "A part of it.")
    collections.change_guidelines(
        collection=collection, markdown="# Version 3", wording=[words], by=None
    )
    assert judge(cast.annotator(collection), guidelines=2).level.name == "Partly"


def test_only_who_judged_before_the_change_is_to_hear_of_it(collection):
    annotator, newcomer = cast.annotator(collection), cast.annotator(collection)
    judge(annotator)
    newest = guidelines_shown.newest_guidelines(annotator=annotator)
    assert not guidelines_shown.judged_under_older(annotator=annotator, guidelines=newest)
    collections.change_guidelines(collection=collection, markdown="# Version 3", by=None)
    newest = guidelines_shown.newest_guidelines(annotator=annotator)
    assert guidelines_shown.judged_under_older(annotator=annotator, guidelines=newest)
    assert not guidelines_shown.judged_under_older(annotator=newcomer, guidelines=newest)
    judge(annotator)
    assert not guidelines_shown.judged_under_older(annotator=annotator, guidelines=newest)


def test_what_cannot_be_is_clamped_not_refused(collection):
    too_much = Telemetry(10**9, 10**9, n_replays=10**6, n_changes=10**6)
    stored = judge(cast.annotator(collection), telemetry=too_much)
    stored.refresh_from_db()
    assert (stored.active_ms, stored.played_ms) == (3_600_000, 3_600_000)
    assert (stored.n_replays, stored.n_changes) == (1_000, 1_000)
    stored = judge(cast.annotator(collection), telemetry=Telemetry(-1, n_changes=-(10**6)))
    stored.refresh_from_db()
    assert (stored.active_ms, stored.n_changes) == (0, 0)
