"""Forms of the levels of a scheme: a row each, and the threshold."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms

from annotate.core.files.formats import whole_number
from annotate.core.levels import level_reasons
from annotate.core.levels.scheme_rules import (
    BadScheme,
    LevelSpec,
    check_scheme,
)
from annotate.core.phrases import enumeration
from annotate.forms.fields import ReasonsField
from annotate.models import Level

LEVEL_ROWS = 7  # rows of the table; the service says how many levels a scheme may have


class SchemeForm(forms.Form):
    """The threshold of a scheme; its levels are in LevelFormSet."""

    positive_from = forms.IntegerField(
        min_value=0,
        max_value=100,
        initial=1,
        label="Relevant from grade",
        help_text="Smaller grades are not relevant.",
    )

    def takes(self, rows: "LevelFormSet") -> bool:
        """True if form and table are valid and make a scheme; else their fields say why not."""
        if not (self.is_valid() & rows.is_valid()):
            return False
        try:
            check_scheme(levels=rows.levels(), positive_from=self.cleaned_data["positive_from"])
        except BadScheme as error:
            self.refuse_scheme(rows, error)
        return self.is_valid() and rows.is_valid()

    def threshold(self) -> int | None:
        """The threshold as it stands in its field; None where that is no whole number."""
        return whole_number(str(self["positive_from"].value()))

    def refuse_scheme(self, rows: "LevelFormSet", error: BadScheme) -> None:
        """Put the reason at its field; above the form where it is about the levels as a whole."""
        if error.n_level is None:
            self.add_error(error.field if error.field in self.fields else None, str(error))
        else:
            rows.named_rows()[error.n_level].add_error(error.cell, str(error))


class LevelForm(forms.Form):
    """One level; a row without a name is no level."""

    grade = forms.IntegerField(
        min_value=0,
        max_value=100,
        required=False,
        widget=forms.NumberInput(attrs={"placeholder": "Grade"}),
    )
    name = forms.CharField(
        max_length=60, required=False, widget=forms.TextInput(attrs={"placeholder": "Name"})
    )
    sentence = forms.CharField(
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"placeholder": "When to choose it"}),
    )
    colour = forms.ChoiceField(choices=[("", "By grade"), *Level.Colour.choices], required=False)
    reasons = ReasonsField()
    key = forms.RegexField("^[0-9]$", required=False, widget=forms.HiddenInput)
    FINE_PRINT = ("grade", "colour", "reasons")

    @property
    def number(self) -> int:
        """The row's place among the rows, from 1."""
        return int(str(self.prefix).rsplit("-", 1)[1]) + 1

    @property
    def title(self) -> str:
        """The name as it is typed, or the row's place."""
        return str(self["name"].value() or f"Level {self.number}")

    def is_used(self) -> bool:
        """True if something stands in the row."""
        return any(self[field].value() not in (None, "") for field in ("grade", "name", "reasons"))

    def words(self) -> list[forms.BoundField]:
        """The fields that a newcomer needs: what people read of the level."""
        return [self["name"], self["sentence"]]

    def fine_print(self) -> list[forms.BoundField]:
        """The other fields that are seen."""
        return [self[field] for field in self.FINE_PRINT]

    def draft(self) -> LevelSpec | None:
        """The level as it stands in the row, be it refused; None without a name or a grade."""
        cells = {field: str(self[field].value() or "") for field in ("name", "sentence", "key")}
        grade, colour = whole_number(str(self["grade"].value())), self["colour"].value()
        if not cells["name"].strip() or grade is None or grade < 0:
            return None
        return LevelSpec(grade, colour=colour if colour in Level.Colour.values else "", **cells)

    def clean(self) -> dict[str, Any]:
        """A row with a name needs its grade."""
        row = super().clean() or {}
        if row.get("name") and row.get("grade") is None and "grade" not in self.errors:
            self.add_error("grade", "Give this level a grade.")
        return row


_LevelFormSet = forms.formset_factory(
    LevelForm, extra=0, max_num=LEVEL_ROWS, absolute_max=LEVEL_ROWS + 1
)


class LevelFormSet(_LevelFormSet):  # type: ignore[valid-type, misc]  # made above
    """The table of levels."""

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]]) -> "LevelFormSet":
        """Return these levels to begin with, and empty rows for all a scheme may have."""
        return cls(initial=[*rows, *({} for _ in range(LEVEL_ROWS - len(rows)))], prefix="levels")

    def used_rows(self) -> list[LevelForm]:
        """The rows down to the last one in which something stands."""
        n_used = max((n for n, row in enumerate(self, 1) if row.is_used()), default=0)
        return list(self)[:n_used]

    def spare_rows(self) -> list[LevelForm]:
        """The empty rows below them."""
        return list(self)[len(self.used_rows()) :]

    def named_rows(self) -> list[LevelForm]:
        """The rows that have a name."""
        return [row for row in self if row.cleaned_data.get("name")]

    def levels(self) -> list[LevelSpec]:
        """The levels that stand in them."""
        return [LevelSpec(**row.cleaned_data) for row in self.named_rows()]

    def refused_fine_print(self) -> list[tuple[LevelForm, forms.BoundField]]:
        """The fields of the rows' fine print that have an error, each with its row."""
        fields = ((row, field) for row in self for field in row.fine_print())
        return [(row, field) for row, field in fields if field.errors]

    def drafts(self) -> list[LevelSpec]:
        """The levels as far as they are typed, best first: those with a name and a grade."""
        drafts = [draft for row in self if (draft := row.draft())]
        return sorted(drafts, key=lambda level: -level.grade)

    def sentence(self, positive_from: int) -> str:
        """The levels by what they say: Relevant: “Yes” and “Partly”. Not relevant: “No”."""
        names: dict[bool, list[str]] = {True: [], False: []}
        for level in self.drafts():
            names[level.grade >= positive_from].append(f"“{level.name}”")
        return f"Relevant: {enumeration(names[True])}. Not relevant: {enumeration(names[False])}."


def level_rows(levels: Iterable[Level]) -> list[dict[str, Any]]:
    """The levels of a collection as rows of the table in which they are edited, best first."""
    return [
        {
            "grade": level.grade,
            "name": level.name,
            "sentence": level.sentence,
            "colour": level.colour,
            "reasons": level_reasons.as_text(level.reasons),
            # a key that goes by the grade follows it when the grade is changed
            "key": level.key if level.key != str(level.grade)[:1] else "",
        }
        for level in sorted(levels, key=lambda level: -level.grade)
    ]
