"""Results and rules of a training in sentences."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from annotate.core.training.quizzes import QuizResult
from annotate.core.training.states import TrainingState
from annotate.models import (
    Annotator,
    QuizAttempt,
    Training,
    TrainingDecision,
    TrainingTry,
    User,
)
from annotate.services.training.quizzes import MarkedAttempt
from annotate.services.training.sentences import (
    SetupSteps,
    TryResult,
    decision_note,
    golds_note,
    pairs_step,
    review_text,
)
from annotate.services.training.status import TrainingStatus

NO_SCORE = {"measure": "spearman", "score": None}
RANKS = {"measure": "spearman", "score": 0.625}
SHARES = {"measure": "accuracy", "score": 0.6}


def result(**fields):
    return TryResult(TrainingTry(n_right=3, n_answered=5, pass_mark=Decimal("0.800"), **fields))


def status(name, *, ready_at=None, **fields):
    last = TrainingTry() if fields else None
    for field, value in fields.items():
        setattr(last, field, value)
    state = TrainingState(name, ready_at)
    return TrainingStatus(Annotator(), state, None, [last] if last else [], last)


@pytest.mark.parametrize(
    "fields, mark",
    [
        (NO_SCORE, "no Spearman's rank correlation (every pair got the same level)"),
        (RANKS, "a rank correlation of 0.63, 3 of 5 exactly right"),
        (SHARES, "3 of 5 right"),
    ],
)
def test_a_try_is_marked_by_its_measure(fields, mark):
    assert result(**fields).mark == mark


def test_who_passed_reads_the_mark():
    assert result(**SHARES).passed_text == "You passed with 3 of 5 right."


@pytest.mark.parametrize(
    "last, part",
    [
        (None, "You have done your part"),
        (result(passed=False, **SHARES), "You have done your part"),
        (result(passed=True, **SHARES), "You reached the mark with 3 of 5 right"),
    ],
)
def test_who_waits_for_a_lead_need_not_do_anything(last, part):
    assert review_text(last) == (
        f"{part}. You get pairs to judge as soon as a lead has let you in; you need not do "
        "anything."
    )


@pytest.mark.parametrize(
    "n_questions, n_pairs, quiz_end, pairs_end",
    [
        (0, 0, ".", "."),
        (1, 1, ": 1 question.", ": 1 pair."),
        (3, 1200, ": 3 questions.", ": 1,200 pairs."),
    ],
)
def test_the_steps_to_a_training_say_what_is_there(n_questions, n_pairs, quiz_end, pairs_end):
    steps = SetupSteps(n_questions, n_pairs)
    assert steps.quiz_text == f"about the guidelines, if you want one{quiz_end}"
    assert steps.pairs_text == f"whose level you know, with the reason{pairs_end}"


@pytest.mark.parametrize(
    "fields, shortfall",
    [
        (
            NO_SCORE,
            "Spearman's rank correlation is not defined where every pair got the same level, so "
            "the try is not passed.",
        ),
        (
            RANKS,
            "Your levels had a rank correlation of 0.63 with the right ones; 0.80 is needed.",
        ),
        (SHARES, "You had 3 of 5 right; 80 % are needed."),
    ],
)
def test_a_try_that_failed_says_what_it_lacked(fields, shortfall):
    assert result(**fields).shortfall == shortfall


@pytest.mark.parametrize(
    "fields, text",
    [(NO_SCORE, "not defined"), (RANKS, "\N{GREEK SMALL LETTER RHO} = 0.63"), (SHARES, "60 %")],
)
def test_leads_read_the_score_alone(fields, text):
    assert result(**fields).score_text == text


@pytest.mark.parametrize(
    "fields, n_tries, sentence",
    [
        ({"max_tries": None}, 4, "Pairs whose level is known: at least 80 % right"),
        ({"max_tries": 3}, 1, "Pairs whose level is known: at least 80 % right; 2 tries left"),
        ({"max_tries": 3}, 2, "Pairs whose level is known: at least 80 % right; 1 try left"),
        ({"max_tries": 3}, 5, "Pairs whose level is known: at least 80 % right; 0 tries left"),
        (
            {"max_tries": None, "measure": "spearman"},
            0,
            "Pairs whose level is known: your levels must stand in the right order, with a rank "
            "correlation of at least 0.80",
        ),
    ],
)
def test_the_step_of_the_pairs_names_the_mark_and_the_tries_left(fields, n_tries, sentence):
    assert pairs_step(Training(**fields), n_tries=n_tries) == sentence


@pytest.mark.parametrize(
    "fields, note",
    [
        ({"kind": "passed"}, "5 Mar 2026 07:08 UTC"),
        ({"kind": "admitted", "by": User(username="ada")}, "5 Mar 2026 07:08 UTC, ada"),
        (
            {"kind": "sent_back", "by": User(username="ada")},
            "5 Mar 2026 07:08 UTC, ada: sent back",
        ),
        (
            {"kind": "sent_back", "reason": "too fast"},
            "5 Mar 2026 07:08 UTC: sent back: too fast",
        ),
        ({"kind": "exempted", "reason": "an expert"}, "5 Mar 2026 07:08 UTC: an expert"),
    ],
)
def test_a_decision_is_noted_with_its_moment_lead_and_reason(fields, note):
    at = datetime(2026, 3, 5, 7, 8, tzinfo=UTC)
    assert decision_note(TrainingDecision(at=at, **fields)) == note


@pytest.mark.parametrize(
    "person, text",
    [
        (status("trying", n_done=3, n_pairs=20), "In training, 3 of 20"),
        (
            status("waiting", ready_at=datetime(2026, 3, 5, 7, 8, tzinfo=UTC), n_done=20),
            "Next try from 5 Mar 2026 07:08 UTC",
        ),
        (status("ready", n_done=20), "Not passed yet"),
        (status("ready"), "Not begun"),
        (status("quiz"), "Not begun: quiz"),
    ],
)
def test_a_person_in_training_has_a_state(person, text):
    assert person.state_text == text


@pytest.mark.parametrize(
    "person, text",
    [
        (status("ready", n_right=3, n_answered=20, n_pairs=20), "3 of 20 right"),
        (
            status("ready", n_right=3, n_answered=5, n_pairs=20),
            "3 of 5 right, 5 of 20 answered",
        ),
        (status("quiz"), ""),
    ],
)
def test_leads_read_how_many_answers_were_right(person, text):
    assert person.counts_text == text


@pytest.mark.parametrize(
    "n_golds, note",
    [
        (0, "This collection has no golds yet."),
        (
            1,
            "There is 1. Their explanations come along; whoever is trained on one is never "
            "checked by it.",
        ),
        (
            1200,
            "There are 1,200. Their explanations come along; whoever is trained on one is never "
            "checked by it.",
        ),
    ],
)
def test_golds_are_counted_for_training(n_golds, note):
    assert golds_note(n_golds) == note


@pytest.mark.parametrize(
    "passed, result_text, advice",
    [
        (True, "2 of 3 right: passed.", "The explanations stand below."),
        (
            False,
            "2 of 3 right: not enough yet.",
            "Read what is said below, change your answers and send them again.",
        ),
    ],
)
def test_a_quiz_says_whether_it_is_passed_and_what_to_do(passed, result_text, advice):
    marked = QuizResult((True, False, True), 2, passed=passed)
    attempt = MarkedAttempt(QuizAttempt(), marked)
    assert (attempt.result_text, attempt.advice) == (result_text, advice)
