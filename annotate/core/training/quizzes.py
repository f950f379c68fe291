"""Quizzes about a collection's guidelines: checks of the questions, and marking of the answers."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

MIN_OPTIONS, MAX_OPTIONS = 2, 6
MAX_QUESTIONS = 50
MAX_TEXT, MAX_OPTION = 500, 200


class BadQuestion(ValueError):
    """A faulty question; the message says which one and why."""


class Question(NamedTuple):
    """One question with its options, of which exactly one is right.

    right : index of the right option, from 0
    why : shown after the answer; may be empty
    anchor : the guidelines' heading that the question is about; may be empty
    """

    text: str
    options: tuple[str, ...]
    right: int
    why: str = ""
    anchor: str = ""


class QuizResult(NamedTuple):
    """The result of a quiz: which answers are right, how many, and whether they pass."""

    right: tuple[bool, ...]
    n_right: int
    passed: bool


def check(questions: Sequence[Question]) -> None:
    """Raise BadQuestion unless the questions make a valid quiz; a quiz may be empty."""
    if len(questions) > MAX_QUESTIONS:
        raise BadQuestion(
            f"A quiz has at most {MAX_QUESTIONS} questions, this one has {len(questions)}."
        )
    for number, question in enumerate(questions, start=1):
        fault = _fault(question)
        if fault:
            raise BadQuestion(f"Question {number}: {fault}")


def mark(questions: Sequence[Question], choices: Sequence[int], *, at_least: float) -> QuizResult:
    """Compare the option chosen for each question with the right one.

    choices : index of the chosen option per question, from 0
    at_least : in [0, 1], the share of right answers that passes; a quiz without questions is passed
    Raises ValueError where there are not as many choices as questions.
    """
    right = tuple(
        question.right == choice for question, choice in zip(questions, choices, strict=True)
    )
    # In whole answers: 0.8 of 5 is 4, and no rounding of 4/5 may fall below it.
    passed = sum(right) >= at_least * len(questions) - 1e-9
    return QuizResult(right, sum(right), passed)


def as_rows(questions: Sequence[Question]) -> list[dict[str, Any]]:
    """Convert questions to their stored form."""
    return [{**question._asdict(), "options": list(question.options)} for question in questions]


def from_rows(rows: Sequence[Mapping[str, Any]]) -> list[Question]:
    """Convert stored rows to questions."""
    return [Question(**{**row, "options": tuple(row["options"])}) for row in rows]


def _fault(question: Question) -> str:
    """Return the first fault of a question; "" if there is none."""
    options = [option.strip() for option in question.options]
    faults = (
        (not question.text.strip(), "write the question."),
        (
            max(len(question.text), len(question.why)) > MAX_TEXT,
            f"a question and its explanation have at most {MAX_TEXT} characters each.",
        ),
        (
            not MIN_OPTIONS <= len(options) <= MAX_OPTIONS,
            f"it needs {MIN_OPTIONS} to {MAX_OPTIONS} options, it has {len(options)}.",
        ),
        (
            any(not 1 <= len(option) <= MAX_OPTION for option in options),
            f"every option is 1 to {MAX_OPTION} characters long.",
        ),
        (
            len({option.casefold() for option in options}) < len(options),
            "two options say the same.",
        ),
        (not 0 <= question.right < len(options), "say which of its options is right."),
    )
    return next((sentence for is_wrong, sentence in faults if is_wrong), "")
