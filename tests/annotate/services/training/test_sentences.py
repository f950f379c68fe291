"""Results and rules of a training in sentences."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from annotate.models import Training, TrainingDecision, TrainingTry, User
from annotate.services.training.sentences import TryResult, decision_note, pairs_step

NO_SCORE = {"measure": "spearman", "score": None}
RANKS = {"measure": "spearman", "score": 0.625}
SHARES = {"measure": "accuracy", "score": 0.6}


def result(**fields):
    return TryResult(TrainingTry(n_right=3, n_answered=5, pass_mark=Decimal("0.800"), **fields))


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
