"""Results and rules of a training in sentences, for annotators and their leads."""

from decimal import Decimal
from typing import NamedTuple

from django.template.defaultfilters import floatformat

from annotate.core.phrases import counted
from annotate.models import Training, TrainingDecision, TrainingTry


class TryResult(NamedTuple):
    """The result of a finished try in words."""

    training_try: TrainingTry

    @property
    def passed(self) -> bool | None:
        """True if the mark was reached; None if a lead broke the try off."""
        return self.training_try.passed

    @property
    def mark(self) -> str:
        """The mark of the try, to stand after "with"."""
        row = self.training_try
        if row.score is None:
            return f"no {row.get_measure_display()} (every pair got the same level)"
        counts = f"{row.n_right} of {row.n_answered}"
        if row.measure == Training.Measure.SPEARMAN:
            return f"a rank correlation of {floatformat(row.score, 2)}, {counts} exactly right"
        return f"{counts} right"

    @property
    def passed_text(self) -> str:
        """The sentence to who passed by this try."""
        return f"You passed with {self.mark}."

    @property
    def shortfall(self) -> str:
        """The reason why the try was not passed: own words and numbers, safe as HTML."""
        row = self.training_try
        if row.score is None:
            return (
                "Spearman's rank correlation is not defined where every pair got the same level, "
                "so the try is not passed."
            )
        if row.measure == Training.Measure.SPEARMAN:
            return (
                f"Your levels had a rank correlation of {floatformat(row.score, 2)} with the right "
                f"ones; {floatformat(row.pass_mark, '-2')} is needed."
            )
        return (
            f"You had {row.n_right} of {row.n_answered} right; {_percent(row.pass_mark)} % are "
            "needed."
        )

    @property
    def score_text(self) -> str:
        """The score in the list of people."""
        row = self.training_try
        if row.score is None:
            return "not defined"
        if row.measure == Training.Measure.SPEARMAN:
            return f"\N{GREEK SMALL LETTER RHO} = {floatformat(row.score, 2)}"
        return f"{_percent(row.score)} %"


class SetupSteps(NamedTuple):
    """Sentences on the steps to a training, after the links to their pages.

    n_questions : of the quiz; n_pairs : with known levels; 0 while there are none
    """

    n_questions: int
    n_pairs: int

    @property
    def quiz_text(self) -> str:
        """The end of the step of the quiz, with its questions."""
        questions = f": {counted(self.n_questions, 'question')}" if self.n_questions else ""
        return f"about the guidelines, if you want one{questions}."

    @property
    def pairs_text(self) -> str:
        """The end of the step of the pairs, with their number."""
        pairs = f": {counted(self.n_pairs, 'pair')}" if self.n_pairs else ""
        return f"whose level you know, with the reason{pairs}."


def review_text(result: TryResult | None) -> str:
    """Return the sentences to somebody whom a lead has to let in, with the result if she passed."""
    part = "You have done your part"
    if result is not None and result.passed:
        part = f"You reached the mark with {result.mark}"
    return (
        f"{part}. You get pairs to judge as soon as a lead has let you in; you need not do "
        "anything."
    )


def pairs_step(training: Training, *, n_tries: int) -> str:
    """Return the step of the pairs: the mark to reach, and the tries left if they are limited."""
    if training.measure == Training.Measure.SPEARMAN:
        mark = (
            "your levels must stand in the right order, with a rank correlation of at least "
            f"{floatformat(training.pass_mark, '-2')}"
        )
    else:
        mark = f"at least {_percent(training.pass_mark)} % right"
    sentence = f"Pairs whose level is known: {mark}"
    if training.max_tries is None:
        return sentence
    n_tries_left = max(0, training.max_tries - n_tries)
    return f"{sentence}; {n_tries_left} {'try' if n_tries_left == 1 else 'tries'} left"


def golds_note(n_golds: int) -> str:
    """Return how many golds can be trained on, and what that means for checks by them."""
    if not n_golds:
        return "This collection has no golds yet."
    return (
        f"There {'is' if n_golds == 1 else 'are'} {n_golds:,}. Their explanations come along; "
        "whoever is trained on one is never checked by it."
    )


def decision_note(decision: TrainingDecision) -> str:
    """Return the moment of a decision, its lead, whether it sent back, and its reason."""
    note = f"{decision.at:%-d %b %Y %H:%M} UTC"
    if decision.by:
        note += f", {decision.by}"
    if decision.kind == TrainingDecision.Kind.SENT_BACK:
        note += ": sent back"
    return f"{note}: {decision.reason}" if decision.reason else note


def _percent(share: Decimal | float) -> int:
    return round(float(share) * 100)
