"""Guards name who answers carelessly, once; settled, new answers alone bring it back."""

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.core.labels.answers import Telemetry
from annotate.models import Concern, ConcernEvent, Guard, Part
from annotate.services.judging import claiming
from annotate.services.review import inbox
from annotate.services.supervision import concerns, verdicts
from metrics.services.numbers import guards
from metrics.services.numbers.guard_answers import gold_answers
from tests import campaigns, cast

pytestmark = pytest.mark.django_db
FAST, SLOW = (Telemetry(active_ms=milliseconds) for milliseconds in (400, 6000))


@pytest.fixture
def collection():
    return campaigns.open_collection(
        260, grades=3, batch_candidates=40, gold_positives=0, gold_negatives=0
    )


@pytest.fixture
def annotator(collection):
    return cast.annotator(collection)


def answer(annotator, n, telemetry=SLOW, grade=None):
    """Answer n pairs; with changing levels, unless there is a grade."""
    for number in range(n):
        level = number % 3 if grade is None else grade
        campaigns.judge_batch(annotator, level, limit=1, telemetry=telemetry)


def look(collection):
    """Look as a refresh does: the short words and sentences of the concerns that are new."""
    return [(row.short, row.sentence) for row in guards.check_guards(collection=collection)]


@pytest.fixture
def gold_collection():
    """A collection whose batches hold twenty candidates and twenty golds, for two batches."""
    collection = cast.collection(
        grades=3, positive_from=2, batch_candidates=20, gold_positives=20, gold_negatives=0
    )
    pairs = cast.pairs(collection, 80, per_query=80)
    campaigns.open_pool_round(collection, pairs[:40])
    for pair in pairs[40:]:
        collection.golds.create(pair=pair, grade=2, is_positive=True, origin="curated")
    return collection


def answer_golds(annotator, n_right):
    """Answer a batch, so many of its twenty golds right, with changing levels elsewhere."""
    batch = claiming.current_batch(annotator=annotator)
    hand_outs = list(batch.hand_outs.select_related("seat", "batch__annotator"))
    golds = [hand_out for hand_out in hand_outs if hand_out.seat.purpose == "gold"]
    assert len(golds) == 20
    for number, hand_out in enumerate(hand_outs):
        is_right = hand_out in golds[:n_right]
        grade = 2 if is_right else number % (2 if hand_out in golds else 3)
        campaigns.judge(hand_out, grade, telemetry=SLOW)
    batch.refresh_from_db()
    return batch


def test_where_nobody_has_answered_nobody_is_named(collection, annotator):
    assert look(collection) == []
    assert guards.flags_of(collection=collection) == {}


def test_a_fast_person_is_named_once_with_the_latest_evidence(collection, annotator):
    answer(annotator, 10)
    answer(annotator, 19, FAST)
    assert look(collection) == [
        (
            "too fast",
            "19 of the last 29 answers took less than 1 s; at most 3 are expected.",
        )
    ]
    answer(annotator, 1, FAST)
    assert look(collection) == []
    (concern,) = concerns.waiting_concerns(collection=collection)
    assert concern.sentence.startswith("20 of the last 30 answers")
    assert concern.annotator == annotator
    assert inbox.count(collection=collection).people == inbox.count(collection=collection).n == 1


def test_a_concern_that_looks_no_longer_see_says_since_when_until_they_see_it_again(
    collection, annotator, lead
):
    answer(annotator, 20, FAST)
    look(collection)
    answer(annotator, 50)
    guards.set_mark(collection=collection, guard=Guard.SPEED, mark=None, by=lead)
    assert look(collection) == [] and Concern.objects.get().faded_at is None  # nobody has looked
    guards.set_mark(collection=collection, guard=Guard.SPEED, mark=1, by=lead)
    assert look(collection) == []
    concern = Concern.objects.get()
    assert concern.at < concern.faded_at
    assert look(collection) == [] and Concern.objects.get().faded_at == concern.faded_at
    assert concern.sentence.startswith("20 of the last 20 answers")
    ((flag,),) = guards.flags_of(collection=collection).values()
    assert flag.hint == f"{flag.sentence} No longer so since {concern.faded_at:%-d %b %Y} (UTC)."
    answer(annotator, 20, FAST)
    assert look(collection) == [] and Concern.objects.get().faded_at is None
    ((flag,),) = guards.flags_of(collection=collection).values()
    assert flag.hint == flag.sentence
    assert flag.sentence.startswith("20 of the last 50 answers")


def test_a_settled_concern_comes_back_by_new_answers_alone(collection, annotator, lead):
    answer(annotator, 20, FAST)
    assert len(look(collection)) == 1
    concern = Concern.objects.get()
    for _ in range(2):  # twice the same, as two leads may press
        concerns.decide(concern=concern, act="settle", by=lead)
    (event,) = concerns.settled_lately(collection=collection)
    assert (event.by, event.kind, ConcernEvent.objects.count()) == (lead, "settled", 1)
    answer(annotator, 19, FAST)
    assert look(collection) == [] and inbox.count(collection=collection).people == 0
    answer(annotator, 1, FAST)
    assert len(look(collection)) == 1
    with pytest.raises(concerns.AnotherOpen):
        concerns.decide(concern=concern, act="reopen", by=lead)
    with pytest.raises(concerns.UnknownAct):
        concerns.decide(concern=concern, act="forget", by=lead)
    assert [*Concern.objects.order_by("pk").values_list("state", flat=True)] == ["settled", "open"]


def test_a_concern_that_was_settled_by_mistake_is_opened_again(collection, annotator, lead):
    answer(annotator, 20, FAST)
    look(collection)
    concern = Concern.objects.get()
    for act in ("settle", "reopen"):
        concerns.decide(concern=concern, act=act, by=lead)
    assert inbox.count(collection=collection).people == 1
    assert not concerns.settled_lately(collection=collection)
    assert look(collection) == []


def test_clips_cut_short_are_held_to_the_length_that_is_shown(collection, annotator):
    for item in collection.items.filter(side="document"):
        Part.objects.create(item=item, position=1, kind="video", path="c.webm", start=5, end=45)
    answer(annotator, 20, SLOW)
    assert look(collection) == [
        (
            "clips cut short",
            "20 of the last 20 answers to clips took less than 25 % of the clip's length; at most "
            "10 are expected.",
        )
    ]


def test_clips_that_are_whole_files_are_held_to_the_length_of_the_file(collection, annotator):
    for item in collection.items.filter(side="document"):
        Part.objects.create(item=item, position=1, kind="video", path="c.webm", seconds=40)
    answer(annotator, 20, SLOW)
    assert [short for short, _ in look(collection)] == ["clips cut short"]


def test_a_clip_is_watched_once_for_the_pairs_that_come_together():
    collection = cast.collection(grades=3, batch_candidates=40, gold_positives=0, gold_negatives=0)
    campaigns.open_pool_round(collection, cast.pairs(collection, 40, per_query=20))
    for item in collection.items.filter(side="query"):
        Part.objects.create(item=item, position=1, kind="video", path="c.webm", seconds=400)
    answer(cast.annotator(collection), 40, SLOW)
    assert look(collection) == []


@pytest.mark.parametrize(
    "fields",
    [{}, {"seconds": 20}, {"end": 400, "seconds": 20}, {"start": 380, "seconds": 20}],
    ids=["unknown", "short", "end-behind-it", "start-behind-it"],
)
def test_clips_of_unknown_length_or_that_were_seen_name_nobody(collection, annotator, fields):
    for item in collection.items.filter(side="document"):
        Part.objects.create(item=item, position=1, kind="video", path="c.webm", **fields)
    answer(annotator, 20, SLOW)
    assert look(collection) == []


def test_an_end_beyond_all_bounds_stops_no_look(collection, annotator):
    for item in collection.items.filter(side="document"):
        Part.objects.create(item=item, position=1, kind="video", path="c.webm", start=0, end=1e300)
    answer(annotator, 20, FAST)
    assert "too fast" in [short for short, _ in look(collection)]


def test_the_settings_say_how_many_clips_are_of_unknown_length(collection):
    first, second, third = collection.items.filter(side="document")[:3]
    for item, fields in ((first, {}), (second, {"end": 3}), (third, {"seconds": 3})):
        Part.objects.create(item=item, position=1, kind="video", path="c.webm", **fields)
    notes = {row.guard: row.note for row in guards.guard_rows(collection=collection)}
    assert notes.pop(Guard.CLIP) == (
        "Answers to 1 clip or recording of unknown length are not held to it."
    )
    assert set(notes.values()) == {""}
    Part.objects.update(seconds=3)
    assert not any(row.note for row in guards.guard_rows(collection=collection))


def test_clips_that_nobody_is_asked_about_are_not_told_of(collection):
    asked, excluded, other = collection.items.filter(side="document")[:3]
    collection.items.filter(pk=excluded.pk).update(
        excluded_at=timezone.now(), excluded_reason="broken"
    )
    collection.items.filter(pk=other.pk).update(split="train")
    idle = collection.items.create(side="document", external_id="in no pair")
    for item in (asked, excluded, other, idle):
        Part.objects.create(item=item, position=1, kind="video", path="c.webm")
    notes = {row.guard: row.note for row in guards.guard_rows(collection=collection)}
    assert notes[Guard.CLIP].startswith("Answers to 1 clip")


def test_one_level_in_a_row_is_held_to_the_others(collection, annotator):
    answer(cast.annotator(collection), 100)
    answer(annotator, 30, grade=1)
    ((short, sentence),) = look(collection)
    assert short == "one level in a row"
    level = collection.levels.get(grade=1).name
    assert sentence.startswith(f"“{level}” 30 times in a row; up to 1")
    assert "in 2,000 answers" in sentence and sentence.endswith("and the mark is 1 %.")


def test_golds_are_named_where_their_interval_ends_below_the_mark(gold_collection, lead):
    annotator = cast.annotator(gold_collection)
    answer_golds(annotator, 15)
    assert look(gold_collection) == []  # the share is, and the interval ends at 89 %
    assert guards.flags_of(collection=gold_collection) == {}
    second = cast.annotator(gold_collection)
    answer_golds(second, 13)
    sentence = (
        "Golds 13 of 20, withdrawn answers included, between 43 and 82 %, below the mark of 85 %."
    )
    assert look(gold_collection) == [("golds low", sentence)]
    ((key, (flag,)),) = guards.flags_of(collection=gold_collection).items()
    assert (key, *flag[:3]) == (second.pk, "gold", "golds low", sentence)


def test_golds_count_as_they_were_answered_whatever_was_decided_about_them(gold_collection, lead):
    annotator = cast.annotator(gold_collection)
    batch = answer_golds(annotator, 13)
    verdicts.reject_batch(batch=batch, by=lead, reason="golds")
    assert [short for short, _ in look(gold_collection)] == ["golds low"]


def test_a_wrong_gold_that_was_mended_is_right_and_one_that_was_retired_is_none(
    gold_collection, lead
):
    annotator = cast.annotator(gold_collection)
    batch = answer_golds(annotator, 12)
    wrong = batch.hand_outs.filter(seat__purpose="gold").exclude(seat__judgment__level__grade=2)
    for hand_out in wrong.select_related("batch__annotator")[:4]:
        campaigns.judge(hand_out, 2, telemetry=SLOW)
    (answers,) = gold_answers(collection=gold_collection).values()
    assert (int(answers.is_right.sum()), len(answers.is_right)) == (16, 20)
    gold_collection.golds.filter(pair=wrong[0].seat.pair).update(retired_at=timezone.now())
    (answers,) = gold_answers(collection=gold_collection).values()
    assert (int(answers.is_right.sum()), len(answers.is_right)) == (16, 19)


def test_golds_that_were_looked_at_are_not_counted_again(gold_collection, lead):
    annotator = cast.annotator(gold_collection)
    answer_golds(annotator, 10)
    assert len(look(gold_collection)) == 1
    concerns.decide(concern=Concern.objects.get(), act="settle", by=lead)
    assert look(gold_collection) == []
    answer_golds(annotator, 12)
    assert look(gold_collection) == [
        (
            "golds low",
            "Golds 12 of 20, withdrawn answers included, between 39 and 78 %, below the mark of "
            "85 %.",
        )
    ]


def test_a_guard_that_is_off_names_nobody_and_a_mark_is_kept_with_who_set_it(
    collection, annotator, lead
):
    answer(annotator, 20, FAST)
    guards.set_mark(collection=collection, guard=Guard.SPEED, mark=None, by=lead)
    assert look(collection) == []
    guards.set_mark(collection=collection, guard=Guard.SPEED, mark=0.3, by=lead)
    assert look(collection) == []
    guards.set_mark(collection=collection, guard=Guard.SPEED, mark=0.5, by=lead)
    assert "less than 0.5 s" in look(collection)[0][1]
    marks = collection.guard_marks.order_by("pk").values_list("mark", "by")
    assert [*marks] == [(None, lead.pk), (0.3, lead.pk), (0.5, lead.pk)]


def test_an_honest_person_is_not_named(collection, annotator):
    grades = np.random.default_rng(1).choice(3, size=200, p=[0.6, 0.3, 0.1])
    for grade in grades.tolist():
        campaigns.judge_batch(annotator, grade, limit=1, telemetry=SLOW)
    assert look(collection) == []
    assert guards.flags_of(collection=collection) == {}


def queries(collection):
    """The number of queries of a look, and of the flags."""
    numbers = []
    for ask in (guards.check_guards, guards.flags_of):
        with CaptureQueriesContext(connection) as captured:
            ask(collection=collection)
        numbers.append(len(captured))
    return numbers


def test_more_people_take_no_more_queries(collection, annotator):
    answer(annotator, 20, FAST)
    look(collection)
    before = queries(collection)
    for _ in range(3):
        answer(cast.annotator(collection), 20, FAST)
    look(collection)
    assert queries(collection) == before
