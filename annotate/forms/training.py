"""Forms of leads to set up a training, and of annotators to answer its quiz."""

from decimal import Decimal
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from annotate.core.training.quizzes import (
    MAX_OPTION,
    MAX_OPTIONS,
    MAX_QUESTIONS,
    MAX_TEXT,
    Question,
)
from annotate.forms.consequences import ExpectedForm
from annotate.forms.fields import item_id_field, set_choices
from annotate.markdown import Heading
from annotate.models import Level, Side, Training, TrainingDecision

MAX_BYTES = 1024 * 1024
BLANK_QUESTIONS = 2  # below the last question, for new ones


def heading_choices(headings: list[Heading], current_anchor: str = "") -> list[tuple[str, str]]:
    """Choices of the guidelines' headings; the current anchor stays one after its heading went."""
    choices = [(heading.anchor, heading.title) for heading in headings]
    removed_heading = (
        []
        if not current_anchor or current_anchor in dict(choices)
        else [(current_anchor, f"{current_anchor} (no longer in the guidelines)")]
    )
    return [("", "Nowhere in particular"), *choices, *removed_heading]


class TrainingForm(forms.ModelForm):
    """The rules of the training."""

    class Meta:
        model = Training
        fields = [
            "is_on",
            "needs_review",
            "quiz_mark",
            "measure",
            "pass_mark",
            "pairs_a_try",
            "max_tries",
            "wait_minutes",
        ]
        labels = {
            "is_on": "People are trained before they judge",
            "needs_review": "A lead looks before real work begins",
            "quiz_mark": "Right answers that pass the quiz",
            "measure": "Answers are marked by",
            "pass_mark": "Mark that passes",
            "pairs_a_try": "Pairs a try",
            "max_tries": "Tries",
            "wait_minutes": "Minutes between two tries",
        }
        help_texts = {
            "quiz_mark": "A share: 0.8 is four of five.",
            "measure": "Accuracy: the share of pairs given exactly the right level. Spearman: "
            "whether the levels are in the right order; not defined, and so not passed, where "
            "somebody gives every pair the same level.",
            "pass_mark": "From 0 to 1: at 0.8, four of five right, or a correlation of 0.8.",
            "pairs_a_try": "Drawn anew for each try. Empty: all of them.",
            "max_tries": "Empty: as many as somebody likes.",
            "wait_minutes": "",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for mark in ("quiz_mark", "pass_mark"):  # as people write them: 0.8, not 0.800
            self.initial[mark] = Decimal(self.initial[mark]).normalize()


class PairForm(forms.Form):
    """One training pair by its ids."""

    query = item_id_field(Side.QUERY)
    document = item_id_field(Side.DOCUMENT)
    grade = forms.TypedChoiceField(coerce=int, label="Right level")
    why = forms.CharField(
        max_length=2000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Why",
        help_text="Shown after the answer.",
    )
    anchor = forms.ChoiceField(required=False, label="Where the guidelines say so")

    def __init__(
        self, *args: Any, levels: list[Level], headings: list[Heading], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        set_choices(
            self, "grade", [(level.grade, f"{level.grade} {level.name}") for level in levels]
        )
        set_choices(self, "anchor", heading_choices(headings))


class GoldsForm(forms.Form):
    """The number of golds to train on."""

    n_positive = forms.IntegerField(min_value=0, max_value=1000, initial=5, label="Relevant ones")
    n_negative = forms.IntegerField(min_value=0, max_value=1000, initial=5, label="Irrelevant ones")


class PairsFileForm(forms.Form):
    """A table of training pairs."""

    file = forms.FileField(
        label="CSV or TSV",
        help_text="Columns query, document and grade, and if you like why and paragraph (a "
        "heading of the guidelines). Up to 2,000 pairs and 1 MB.",
    )

    def clean_file(self) -> UploadedFile:
        """Refuse a file that is too large to be read at once."""
        file: UploadedFile = self.cleaned_data["file"]
        if (file.size or 0) > MAX_BYTES:
            raise forms.ValidationError("The file is larger than 1 MB; split it.")
        return file


class QuestionForm(forms.Form):
    """A question of the quiz; a form without a text is no question."""

    text = forms.CharField(max_length=MAX_TEXT, required=False, label="Question")
    options = forms.CharField(
        max_length=MAX_OPTIONS * (MAX_OPTION + 2),
        required=False,
        label="Options",
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=f"One a line, 2 to {MAX_OPTIONS}. Put * before the right one.",
    )
    why = forms.CharField(
        max_length=MAX_TEXT, required=False, label="Why", help_text="Shown after the answer."
    )
    anchor = forms.ChoiceField(required=False, label="Where the guidelines say so")

    def __init__(self, *args: Any, headings: list[Heading], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        current_anchor = self.data.get(self.add_prefix("anchor")) or self.initial.get("anchor", "")
        set_choices(self, "anchor", heading_choices(headings, current_anchor))

    def clean(self) -> dict[str, Any]:
        """Require exactly one option that is marked as right."""
        cleaned_data = super().clean() or {}
        lines = [
            line.strip() for line in cleaned_data.get("options", "").splitlines() if line.strip()
        ]
        if cleaned_data.get("text") and sum(line.startswith("*") for line in lines) != 1:
            self.add_error("options", "Put * before the right option, and before no other.")
        return cleaned_data

    @staticmethod
    def as_initial(question: Question) -> dict[str, str]:
        """Initial data of the form for a question."""
        lines = [
            f"{'*' if index == question.right else ''}{option}"
            for index, option in enumerate(question.options)
        ]
        return {
            "text": question.text,
            "options": "\n".join(lines),
            "why": question.why,
            "anchor": question.anchor,
        }

    def question(self) -> Question | None:
        """Return the question; None without a text."""
        fields = self.cleaned_data
        if not fields.get("text"):
            return None
        lines = [line.strip() for line in fields["options"].splitlines() if line.strip()]
        right = next(index for index, line in enumerate(lines) if line.startswith("*"))
        options = tuple(line.removeprefix("*").strip() for line in lines)
        return Question(fields["text"], options, right, fields["why"], fields["anchor"])


_QuestionFormSet = forms.formset_factory(
    QuestionForm,
    extra=BLANK_QUESTIONS,
    max_num=MAX_QUESTIONS,
    absolute_max=MAX_QUESTIONS + BLANK_QUESTIONS,
)


class QuestionFormSet(_QuestionFormSet):  # type: ignore[valid-type, misc]  # made above
    """All questions of a quiz."""

    def questions(self) -> list[Question]:
        """Return the questions with a text, in their order."""
        return [question for form in self.forms if (question := form.question())]


class QuizForm(forms.Form):
    """The quiz as annotators answer it."""

    version = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, questions: list[Question], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for number, question in enumerate(questions, start=1):
            self.fields[f"q{number}"] = forms.TypedChoiceField(
                coerce=int,
                choices=list(enumerate(question.options)),
                widget=forms.RadioSelect,
                label=question.text,
            )

    def choices(self) -> list[int]:
        """Return the chosen options in the order of the questions."""
        return [choice for name, choice in self.cleaned_data.items() if name != "version"]


class DecisionForm(ExpectedForm):
    """A lead's decision about a person in training."""

    kind = forms.ChoiceField(
        choices=[
            (kind.value, kind.label)
            for kind in TrainingDecision.Kind
            if kind != TrainingDecision.Kind.PASSED
        ]
    )
    reason = forms.CharField(max_length=200, required=False)
