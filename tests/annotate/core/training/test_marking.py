"""Marks of quizzes and tries, the states of a training, and tables of training pairs."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from annotate.core.files.formats import FormatError, Problems
from annotate.core.training import quizzes
from annotate.core.training.files import read_training
from annotate.core.training.marking import accuracy, mark_answers, spearman
from annotate.core.training.quizzes import BadQuestion, Question
from annotate.core.training.states import TrainingHistory, TrainingRules, training_state
from annotate.markdown import headings, to_html

NOW = datetime(2026, 3, 1, tzinfo=UTC)
RULES = TrainingRules(
    has_quiz=True, has_pairs=True, max_tries=2, wait=timedelta(hours=1), needs_review=False
)
FRESH = TrainingHistory(
    admitted="",
    quiz_passed=True,
    is_trying=False,
    n_tries=0,
    last_passed=False,
    last_failed_at=None,
)
GRADES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=40)


@given(GRADES)
def test_spearman_is_scipys_where_that_is_a_number(pairs):
    left, right = np.array(pairs).T
    if len(set(left)) < 2 or len(set(right)) < 2:
        assert spearman(left, right) is None
    else:
        assert spearman(left, right) == pytest.approx(spearmanr(left, right).statistic, abs=1e-12)


def test_spearman_of_ten_students_ranked_in_mathematics_and_music():
    # Without ties it is 1 - 6 * sum(d^2) / (n^3 - n).
    maths, music = (
        np.array([7, 4, 3, 10, 6, 2, 9, 8, 1, 5]),
        np.array([5, 7, 3, 10, 1, 9, 6, 2, 8, 4]),
    )
    by_hand = 1 - 6 * int(((maths - music) ** 2).sum()) / (10**3 - 10)
    assert spearman(maths, music) == pytest.approx(by_hand)


def test_accuracy_is_the_share_of_equal_grades_and_undefined_of_none():
    assert accuracy(np.array([1, 2, 0]), np.array([1, 1, 0])) == pytest.approx(2 / 3)
    assert accuracy(np.array([], dtype=int), np.array([], dtype=int)) is None


@pytest.mark.parametrize(("n_right", "passed"), [(4, True), (3, False)])
def test_a_mark_of_four_fifths_is_four_of_five(n_right, passed):
    answers = np.array([1] * n_right + [0] * (5 - n_right))
    assert (
        mark_answers(answers, np.ones(5, dtype=int), measure="accuracy", pass_mark=0.8).passed
        is passed
    )


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"quiz_passed": False}, "quiz"),
        ({}, "ready"),
        ({"is_trying": True}, "trying"),
        ({"n_tries": 1, "last_failed_at": NOW - timedelta(minutes=59)}, "waiting"),
        ({"n_tries": 1, "last_failed_at": NOW - timedelta(minutes=60)}, "ready"),
        ({"n_tries": 2, "last_failed_at": NOW - timedelta(days=1)}, "used_up"),
        ({"n_tries": 2, "last_passed": True}, "review"),
        ({"quiz_passed": False, "admitted": "exempted"}, "passed"),
    ],
)
def test_each_state_follows_from_what_happened(changed, name):
    assert training_state(FRESH._replace(**changed), RULES, now=NOW).name == name


def test_without_a_quiz_one_begins_with_the_pairs_and_without_pairs_a_lead_waits_behind_the_quiz():
    nothing_done = FRESH._replace(quiz_passed=False)
    assert training_state(nothing_done, RULES._replace(has_quiz=False), now=NOW).name == "ready"
    assert training_state(FRESH, RULES._replace(has_pairs=False), now=NOW).name == "review"


def test_a_quiz_passes_at_its_mark_in_whole_answers():
    questions = [Question(f"q{n}", ("a", "b"), 0) for n in range(5)]
    assert quizzes.mark(questions, [0, 0, 0, 0, 1], at_least=0.8) == (
        (True, True, True, True, False),
        4,
        True,
    )
    assert not quizzes.mark(questions, [0, 0, 0, 1, 1], at_least=0.8).passed
    assert quizzes.mark([], [], at_least=1).passed
    with pytest.raises(ValueError, match="shorter"):
        quizzes.mark(questions, [0], at_least=0.8)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"text": " "}, "write the question"),
        ({"options": ("one",)}, "2 to 6 options, it has 1"),
        ({"options": tuple("abcdefg")}, "it has 7"),
        ({"options": ("a", "")}, "1 to 200 characters"),
        ({"options": ("a", "A ")}, "say the same"),
        ({"right": 2}, "which of its options is right"),
        ({"why": "x" * 501}, "at most 500"),
    ],
)
def test_a_question_that_cannot_be_asked_says_why(wrong, says):
    good = Question("What?", ("a", "b"), 1)
    quizzes.check([good])
    assert quizzes.from_rows(quizzes.as_rows([good])) == [good]
    with pytest.raises(BadQuestion, match=f"Question 2: .*{says}"):
        quizzes.check([good, good._replace(**wrong)])


def test_a_table_names_each_fault_with_its_line():
    content = b'query,document,grade,why\nq1,d1,2,"so, it is"\nq 1,d1,1,\nq1,d2,9,\n'
    problems = Problems()
    (line,) = read_training(content, "pairs.csv", grades={0, 1, 2}, problems=problems)
    assert (line.query, line.document, line.grade, line.why) == ("q1", "d1", 2, "so, it is")
    assert [error.line for error in problems.errors] == [3, 4]
    assert 'grade "9" is no grade of this collection' in str(problems)


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"query,document\n", "column grade is missing"), (b"\xff\xfe", "UTF-8"), (b"", "missing")],
)
def test_what_is_no_table_is_refused(content, says):
    with pytest.raises(FormatError, match=says):
        read_training(content, "pairs.csv", grades={0, 1}, problems=Problems())


def test_headings_have_anchors_of_their_own_and_nothing_else_is_marked():
    text = "# Colours\n\n## What *counts*\n\ntext <b>x</b>\n\n## Colours\n\n## ???\n"
    assert [heading.anchor for heading in headings(text)] == [
        "colours",
        "what-counts",
        "colours--2",
        "part",
    ]
    assert headings(text)[1].title == "What counts"
    html = to_html(text)
    assert '<h2 id="g-colours">Colours</h2>' in html
    assert "<b>" not in html
    assert headings("") == []
