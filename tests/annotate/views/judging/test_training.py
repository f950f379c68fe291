"""Training as browsers meet it: the steps, the quiz, the screen's calls, the leads' pages."""

from decimal import Decimal

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.core.training.quizzes import Question
from annotate.models import Quiz, Role, Training, TrainingDecision, TrainingPair, TrainingTry
from annotate.services.judging import claiming
from annotate.services.training import people as training_people
from annotate.services.training import quizzes
from annotate.services.training import tries as training
from tests import campaigns, cast
from tests.annotate.trainees import go, trained, waiting
from tests.annotate.views.browsing import page, send
from tests.pages import CHANGED_SINCE, notice_form, text_of

pytestmark = pytest.mark.django_db
QUESTIONS = [
    Question("What is a bird?", ("A plant", "An animal"), 1, "It breathes.", "how-to-judge"),
    Question("May you guess?", ("No", "Yes"), 0, "Look first."),
]


@pytest.fixture
def collection():
    return trained()


def call(client, name, body, status=200):
    answer = client.post(
        reverse(f"annotate:training-{name}", args=["birds"]), body, "application/json"
    )
    assert answer.status_code == status, answer.content
    return answer.json()


def test_the_judge_screen_sends_who_is_not_trained_to_the_training(client, annotator):
    answer = client.get(reverse("annotate:judge", args=["birds"]), follow=True)
    assert answer.redirect_chain[-1][0] == reverse("annotate:training", args=["birds"])
    assert "Before you judge, you go through a training" in text_of(answer)
    assert "Before you judge, you go through a training." in text_of(client.get("/"))
    go(annotator)
    assert client.get(reverse("annotate:judge", args=["birds"])).status_code == 200


def test_a_card_tells_nothing_of_the_right_level_before_the_answer(client, annotator):
    send(client, "training-begin", "birds")
    reply = call(client, "next", {})
    assert set(reply) == {"saved", "cards", "done_url"}
    for card in reply["cards"]:
        assert set(card) == {"hand_out", "query", "document", "position", "of", "ask_reasons"}
    assert "reason" not in str([card["document"] for card in reply["cards"]])
    assert [card["of"] for card in reply["cards"]] == [5, 5, 5]


def test_an_answer_comes_back_with_what_is_right_and_the_next_card(client, annotator):
    send(client, "training-begin", "birds")
    first, second, *_ = waiting(annotator)
    body = {
        "submission_id": "6f1c1f7e-0000-4000-8000-000000000001",
        "hand_out": str(first.token),
        "grade": 1,
    }
    reply = call(client, "answer", body)
    training_pair = first.seat.pair.training_pair
    assert reply["feedback"] == {
        "given": 1,
        "right": training_pair.grade,
        "why": training_pair.why,
        "anchor": "colours",
    }
    assert reply["cards"][0]["hand_out"] == str(second.token)
    assert call(client, "answer", body)["feedback"] == reply["feedback"]
    other = {
        **body,
        "hand_out": str(second.token),
        "submission_id": "6f1c1f7e-0000-4000-8000-000000000002",
    }
    assert (
        call(client, "answer", {**other, "grade": 9}, 422)["error"] == "The scheme has no grade 9."
    )
    assert call(client, "answer", {**body, "hand_out": body["submission_id"]}, 404)


def test_the_calls_of_the_judge_screen_refuse_a_training_pair(client, annotator):
    send(client, "training-begin", "birds")
    token = str(waiting(annotator)[0].token)
    body = {
        "submission_id": "6f1c1f7e-0000-4000-8000-000000000001",
        "hand_out": token,
        "grade": 1,
        "kind": "later",
    }
    for name in ("answer", "undo", "report"):
        answer = client.post(
            reverse(f"annotate:judge-{name}", args=["birds"]), body, "application/json"
        )
        assert answer.status_code == 404
    assert not annotator.judgments.exists()


def test_the_page_says_how_a_try_ended_and_lets_one_begin_again(client, annotator):
    go(annotator, n_wrong=3)
    assert "You had 2 of 5 right; 80 % are needed." in page(client, "training", "birds")
    send(client, "training-begin", "birds")
    assert TrainingTry.objects.count() == 2
    assert "You have answered 0 of 5 pairs" in page(client, "training", "birds")
    assert "Training of Birds" in page(client, "training-screen", "birds")
    training.break_off(annotator=annotator)
    go(annotator)
    assert "You passed with 5 of 5 right" in page(client, "training", "birds")
    assert client.get(reverse("annotate:training-screen", args=["birds"])).status_code == 302


def test_a_quiz_comes_first_and_is_explained_after_each_attempt(client, collection, annotator):
    quizzes.change_quiz(collection=collection, questions=QUESTIONS, by=None)
    assert "answer the questions" in page(client, "training", "birds")
    text = page(client, "training-quiz", "birds")
    assert 'id="g-how-to-judge"' in text
    assert "It breathes." not in text
    assert "checked" not in text
    answer = send(client, "training-quiz", "birds", status=200, version=1, q1=0, q2=0)
    assert "1 of 2 right" in text_of(answer)
    assert "It breathes." in text_of(answer)
    assert send(client, "training-begin", "birds").url == reverse(
        "annotate:training", args=["birds"]
    )
    answer = send(client, "training-quiz", "birds", status=200, version=1, q1=1, q2=0)
    assert "2 of 2 right: passed." in text_of(answer)
    assert send(client, "training-begin", "birds").url == reverse(
        "annotate:training-screen", args=["birds"]
    )


def test_a_quiz_changed_meanwhile_is_not_marked(client, collection, annotator):
    quizzes.change_quiz(collection=collection, questions=QUESTIONS, by=None)
    quizzes.change_quiz(collection=collection, questions=QUESTIONS[::-1], by=None)
    send(client, "training-quiz", "birds", version=1, q1=1, q2=0)
    assert not annotator.quiz_attempts.exists()
    assert (
        quizzes.change_quiz(collection=collection, questions=QUESTIONS[::-1], by=None).version == 2
    )


def test_where_there_are_no_pairs_the_quiz_is_all(client, collection, annotator):
    quizzes.change_quiz(collection=collection, questions=QUESTIONS, by=None)
    TrainingPair.objects.all().delete()
    send(client, "training-quiz", "birds", status=200, version=1, q1=1, q2=0)
    assert TrainingDecision.objects.get().kind == "passed"
    with pytest.raises(quizzes.BadQuestion, match="is on and has no pairs"):
        quizzes.change_quiz(collection=collection, questions=[], by=None)


def test_a_lead_writes_questions_and_each_save_is_a_version(client, collection, lead):
    fields = {"questions-TOTAL_FORMS": 3, "questions-INITIAL_FORMS": 0}
    fields |= {
        "questions-0-text": "What is a bird?",
        "questions-0-options": "A plant\n*An animal",
        "questions-0-why": "x",
    }
    send(client, "training-questions", "birds", **fields)
    assert Quiz.objects.get().questions[0]["right"] == 1
    assert "*An animal" in page(client, "training-questions", "birds")
    for wrong in ("A plant\nAn animal", "*A plant\n*An animal", "*One", "*Same\nsame"):
        answer = send(
            client,
            "training-questions",
            "birds",
            status=422,
            **{**fields, "questions-0-options": wrong},
        )
        assert "Nothing was changed" in text_of(answer) or "field-error" in text_of(answer)
    send(client, "training-questions", "birds", **{**fields, "questions-0-text": ""})
    assert [len(quiz.questions) for quiz in Quiz.objects.order_by("version")] == [1, 0]


def test_settings_that_make_no_sense_are_refused_in_words(client, collection, lead):
    good = {
        "is_on": "on",
        "measure": "accuracy",
        "pass_mark": "0.9",
        "quiz_mark": "1",
        "wait_minutes": 0,
    }
    send(client, "training-change", "birds", **good)
    assert (Training.objects.get().pass_mark, Training.objects.get().max_tries) == (
        Decimal("0.9"),
        None,
    )
    for wrong in ({"pass_mark": "1.5"}, {"max_tries": "0"}, {"measure": "luck"}):
        answer = send(client, "training-change", "birds", status=422, **{**good, **wrong})
        assert "field-error" in text_of(answer)
    TrainingPair.objects.update(grade=1)
    answer = send(client, "training-change", "birds", status=422, **{**good, "measure": "spearman"})
    assert "not defined where all right grades are equal" in text_of(answer)
    TrainingPair.objects.all().delete()
    assert (
        "nothing to train on"
        in send(client, "training-change", "birds", status=422, **good).content.decode()
    )


def test_an_empty_training_says_what_to_do(client):
    other = cast.collection("birds")
    client.force_login(cast.member(other, Role.LEAD))
    cast.annotator(other)
    text = page(client, "training-setup", "birds")
    assert "Three steps to a training" in text and "Waits for review" not in text
    assert 'name="pass_mark" value="0.8"' in text
    assert "No pairs yet" in page(client, "training-pairs", "birds")


def test_pairs_are_added_by_id_from_golds_and_from_a_table(client, collection, lead):
    query, document = (
        collection.items.filter(side="query").last(),
        collection.items.filter(side="document").last(),
    )
    ids = {"query": query.external_id, "document": document.external_id}
    send(client, "training-pair-add", "birds", **ids, grade=2, why="because", anchor="how-to-judge")
    send(client, "training-pair-add", "birds", **ids, grade=1, why="better")
    added = TrainingPair.objects.get(pair__query=query, pair__document=document)
    assert (added.grade, added.why) == (1, "better")
    answer = send(
        client, "training-pair-add", "birds", status=422, query="x", document="y", grade=1
    )
    assert "There is no query" in text_of(answer)
    table = (
        "query,document,grade,why,paragraph\n"
        f"{query.external_id},{document.external_id},0,so,How to judge\n"
    )
    send(client, "training-file-add", "birds", file=SimpleUploadedFile("pairs.csv", table.encode()))
    added.refresh_from_db()
    assert (added.grade, added.why, added.anchor) == (0, "so", "how-to-judge")
    bad = (
        f"query,document,grade\n{query.external_id},nowhere,0\n"
        f"{query.external_id},{document.external_id},7\n"
    )
    answer = send(
        client,
        "training-file-add",
        "birds",
        status=422,
        file=SimpleUploadedFile("pairs.csv", bad.encode()),
    )
    text = text_of(answer)
    assert "Line 3: grade &quot;7&quot; is no grade" in text
    assert "Line 2: there is no document" in text
    send(client, "training-golds-add", "birds", n_positive=1, n_negative=1)
    assert "so" in page(client, "training-pairs", "birds")
    send(client, "training-pair-retire", "birds", added.pk)
    added.refresh_from_db()
    assert added.retired_at is not None
    text = page(client, "training-pairs", "birds")
    assert "Taken out" in text and 'value="restore"' in text
    undo_url, undo_fields = notice_form(text)
    after = client.post(undo_url, undo_fields, follow=True)
    retire_url = reverse("annotate:training-pair-retire", args=["birds", added.pk])
    assert "Brought back" in text_of(after) and notice_form(text_of(after))[0] == retire_url
    again = client.post(undo_url, undo_fields, follow=True)
    assert 'class="undo"' not in text_of(again), "it had been done before"
    added.refresh_from_db()
    assert (added.retired_at, added.grade) == (None, 0)


def test_an_undo_brings_no_pair_back_that_was_taken_out_anew(client, collection, lead):
    pair = TrainingPair.objects.first()
    send(client, "training-pair-retire", "birds", pair.pk)
    undo_url, undo_fields = notice_form(page(client, "training-pairs", "birds"))
    send(client, "training-pair-restore", "birds", pair.pk)
    send(client, "training-pair-retire", "birds", pair.pk)
    assert CHANGED_SINCE in text_of(client.post(undo_url, undo_fields, follow=True))
    pair.refresh_from_db()
    assert pair.retired_at is not None


def test_a_lead_sees_where_everybody_stands_and_decides(client, collection, lead):
    annotator, other = cast.annotator(collection), cast.annotator(collection)
    training.begin(annotator=annotator)
    go(other, n_wrong=3)
    text = page(client, "training-setup", "birds")
    assert "In training, 0 of 5" in text
    assert "Not passed yet" in text
    assert "40 %" in text
    send(client, "training-decide", "birds", other.pk, kind="admitted", reason="Good enough.")
    decision = TrainingDecision.objects.get()
    assert (decision.annotator, decision.by, decision.reason) == (other, lead, "Good enough.")
    send(client, "training-decide", "birds", other.pk, kind="passed")
    assert TrainingDecision.objects.count() == 1


def test_who_is_sent_back_gives_up_no_more_pairs_than_the_page_told(client, collection, lead):
    annotator = cast.annotator(collection)
    go(annotator)
    assert claiming.current_batch(annotator=annotator)
    n = claiming.open_hand_outs(annotator=annotator).count()
    text = page(client, "training-setup", "birds")
    assert f"Send back, with {n} pairs in hand" in text and "goes to others" in text
    url = reverse("annotate:training-decide", args=["birds", annotator.pk])
    fields = {"kind": "sent_back", "reason": "too fast"}
    refused = client.post(url, fields | {"expected": n - 1}, follow=True)
    assert f"It would be about {n} pairs by now, not {n - 1}; look again." in text_of(refused)
    assert claiming.open_hand_outs(annotator=annotator).count() == n
    done = client.post(url, fields | {"expected": n}, follow=True)
    assert "begins the training anew" in text_of(done)
    assert not claiming.open_hand_outs(annotator=annotator).exists()
    assert "There is no pair in hand" in text_of(done)


def test_who_had_judged_before_is_exempt_when_the_training_is_switched_on(client):
    full = campaigns.campaign("birds")
    client.force_login(full.lead)
    fields = {
        "is_on": "on",
        "measure": "accuracy",
        "pass_mark": "0.8",
        "quiz_mark": "1",
        "wait_minutes": 0,
    }
    newcomer = cast.annotator(full.collection)
    send(client, "training-change", "birds", **fields)
    states = {
        person.annotator.pk: person.state.name
        for person in training_people.people(collection=full.collection)
    }
    assert states[full.annotators[1].pk] == "passed"
    assert states[newcomer.pk] == "quiz"
    assert TrainingDecision.objects.get(kind="exempted").reason.startswith("Had judged before")


def test_the_page_of_people_asks_as_often_for_many(client, collection, lead):
    go(cast.annotator(collection))  # the first judgment ends the set-up, whose steps are asked for
    with CaptureQueriesContext(connection) as queries_for_one:
        page(client, "training-setup", "birds")
    for _ in range(4):
        go(cast.annotator(collection))
    with CaptureQueriesContext(connection) as queries_for_many:
        page(client, "training-setup", "birds")
    assert len(queries_for_many) == len(queries_for_one)
