"""Forms of a collection's settings: its guidelines, pay, groups, policy and deletion."""

from decimal import Decimal
from typing import Any, Self

from django import forms

from annotate.core.labels.alpha_marks import KRIPPENDORFF, AlphaMarks
from annotate.core.levels import level_reasons
from annotate.core.levels.scheme_rules import BadScheme, check_names
from annotate.core.presets.policies import PolicyPreset
from annotate.forms.consequences import ExpectedForm
from annotate.forms.fields import TO_THE_LETTER, ReasonsField
from annotate.forms.levels import SchemeForm
from annotate.models import Collection, Level, Policy


class VersionedForm(forms.Form):
    """A form that is sent with the version of the guidelines that its page showed."""

    version = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def refuse_older(self, sentence: str, *, newest: int) -> None:
        """Add this error; sent once more, the form takes the place of the newest version."""
        self.add_error(None, sentence)
        self.data = dict(self.data.items()) | {"version": newest}


class ChangedSchemeForm(VersionedForm, SchemeForm):
    """The threshold of a scheme that is there; its levels are in LevelFormSet."""


class GuidelinesForm(VersionedForm):
    """The guidelines, and name, sentence and reasons of each level."""

    WORDS = ("name", "sentence", "reasons")

    markdown = forms.CharField(
        required=False,
        max_length=100_000,
        label="Guidelines",
        strip=False,
        widget=forms.Textarea(attrs={"rows": 16}),
        help_text="Markdown: # headings, lists, **bold**, links, tables.",
    )

    def __init__(self, *args: Any, levels: list[Level], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.levels = levels
        for level in levels:
            self.fields[f"name-{level.grade}"] = forms.CharField(
                max_length=60, initial=level.name, label=f"Name of grade {level.grade}"
            )
            self.fields[f"sentence-{level.grade}"] = forms.CharField(
                max_length=200,
                initial=level.sentence,
                required=False,
                label=f"Sentence of grade {level.grade}",
            )
            self.fields[f"reasons-{level.grade}"] = ReasonsField(
                initial=level_reasons.as_text(level.reasons),
                label=f"Reasons of grade {level.grade}",
            )

    def clean(self) -> dict[str, Any]:
        """Refuse two levels of one name, at the second of them."""
        cleaned_data = super().clean() or {}
        names = [cleaned_data.get(f"name-{level.grade}", "") for level in self.levels]
        try:
            # a name that is refused for itself has its error already
            check_names(names if all(names) else [])
        except BadScheme as error:
            self.add_error(f"name-{self.levels[error.n_level or 0].grade}", str(error))
        return cleaned_data

    def level_fields(self) -> list[tuple[forms.BoundField, ...]]:
        """Fields of name, sentence and reasons, a tuple a level."""
        return [
            tuple(self[f"{field}-{level.grade}"] for field in self.WORDS) for level in self.levels
        ]

    def wordings(self) -> list[dict[str, Any]]:
        """The grade of each level, and its name, sentence and reasons as they were typed."""
        return [
            {"grade": level.grade}
            | {field: self.cleaned_data[f"{field}-{level.grade}"] for field in self.WORDS}
            for level in self.levels
        ]


class PayForm(forms.ModelForm):
    """The pay of an hour of judging."""

    class Meta:
        model = Collection
        fields = ["hourly_pay", "currency"]
        labels = {"hourly_pay": "Pay an hour"}
        help_texts = {
            "hourly_pay": "Empty: the dashboard shows hours without money.",
            "currency": "",
        }


class AlphaMarksForm(forms.Form):
    """The marks that alpha is held to."""

    tentative = forms.FloatField(
        label="Tentative conclusions, from",
        help_text=f"Krippendorff 2004, Content Analysis, ch. 11: {KRIPPENDORFF.tentative:g}.",
    )
    firm = forms.FloatField(
        label="Firm conclusions, from", help_text=f"By the same convention {KRIPPENDORFF.firm:g}."
    )

    def clean(self) -> dict[str, Any]:
        """Round to what pages print, and refuse marks out of order."""
        cleaned_data = super().clean() or {}
        marks = {name: round(alpha, 3) for name, alpha in cleaned_data.items()}
        tentative, firm = marks.get("tentative"), marks.get("firm")
        if tentative is not None and not 0 < tentative < 1:
            self.add_error("tentative", "The mark must be above 0 and below 1.")
        elif firm is not None and firm > 1:
            self.add_error("firm", "Alpha is 1 at most: choose a mark up to 1.")
        elif tentative is not None and firm is not None and firm <= tentative:
            self.add_error("firm", "The mark of firm conclusions must be above the tentative one.")
        return marks

    @property
    def marks(self) -> AlphaMarks:
        """The marks of a form without errors."""
        return AlphaMarks(**self.cleaned_data)


class QueryGroupsForm(forms.ModelForm):
    """The grouping of queries in intervals and tests."""

    class Meta:
        model = Collection
        fields = ["query_groups"]
        widgets = {"query_groups": forms.RadioSelect}
        labels = {"query_groups": "Queries belong together by"}
        help_texts = {"query_groups": ""}


class DeleteForm(ExpectedForm):
    """Confirmation that a collection is to be deleted: its short name, typed."""

    slug = forms.CharField(
        max_length=60, label="Its short name", widget=forms.TextInput(attrs=TO_THE_LETTER)
    )

    def __init__(self, *args: Any, collection: Collection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.collection = collection
        self.fields["slug"].help_text = f"Type “{collection.slug}” to say that you mean it."

    def clean_slug(self) -> str:
        """Refuse any name but the collection's short name."""
        slug: str = self.cleaned_data["slug"]
        if slug != self.collection.slug:
            raise forms.ValidationError(
                f"This collection's short name is “{self.collection.slug}”."
            )
        return slug


class PolicyUndoForm(forms.Form):
    """A change of the policy that is taken back: its version, and the one before it."""

    version = forms.IntegerField()
    back_to = forms.IntegerField()


class PolicyForm(forms.ModelForm):
    """The figures of a policy; the share of doubles is typed in per cent."""

    double_percent = forms.DecimalField(
        min_value=0,
        max_value=100,
        decimal_places=2,
        label="Pairs with one label more, in %",
        help_text="An exact share of each pool's new pairs.",
    )

    gold_percent = forms.DecimalField(
        min_value=0,
        max_value=100,
        decimal_places=2,
        label="Golds that must be right, in %",
        help_text="Of a batch; where it has fewer than four, together with those of the batches "
        "before it.",
    )
    repeat_percent = forms.DecimalField(
        min_value=0,
        max_value=100,
        decimal_places=2,
        label="Pairs shown again to the same person, in %",
        help_text="Nobody is told which. They show how consistent a person is and change no grade.",
    )
    max_percent = forms.DecimalField(
        min_value=Decimal("0.01"),
        max_value=100,
        decimal_places=2,
        label="One person's share of a pool, at most in %",
        help_text="100: no limit.",
    )
    with_closed = forms.BooleanField(
        required=False,
        label="Closed pools and imports follow the rule too",
        help_text="Otherwise they keep the rule, tie rule and tolerance they were closed under.",
    )
    GROUPS = (
        ("Labels", ["labels_per_pair", "double_percent", "ceiling"]),
        ("How labels become a grade", ["rule", "tie"]),
        ("Golds", ["gold_positives", "gold_negatives", "gold_percent", "gold_action"]),
    )
    FINE_PRINT = (
        ("Labels", ["stop_early", "ask_reasons", "tolerance", "with_closed"]),
        ("Batches", ["batch_candidates", "lease_minutes", "max_percent", "grouped"]),
        ("Consistency", ["repeat_percent", "repeat_after_days"]),
    )
    PERCENTS = {
        "double_percent": "double_share",
        "gold_percent": "gold_pass",
        "repeat_percent": "repeat_share",
        "max_percent": "max_share",
    }

    class Meta:
        model = Policy
        fields = [
            "labels_per_pair",
            "ceiling",
            "stop_early",
            "ask_reasons",
            "rule",
            "tie",
            "tolerance",
            "batch_candidates",
            "lease_minutes",
            "repeat_after_days",
            "grouped",
            "gold_positives",
            "gold_negatives",
            "gold_action",
        ]
        labels = {
            "labels_per_pair": "Labels a pair",
            "ceiling": "Labels at most",
            "tolerance": "Tolerated distance",
            "stop_early": "Stop early",
            "ask_reasons": "Ask for reasons",
            "tie": "When no grade wins",
            "batch_candidates": "Pairs to judge in a batch",
            "gold_positives": "Relevant golds a batch",
            "gold_negatives": "Irrelevant golds a batch",
            "gold_action": "When fewer are right",
            "repeat_after_days": "Days before they are shown again",
            "lease_minutes": "Minutes a pair is kept for one person",
            "grouped": "One query's pairs come together",
        }
        help_texts = {
            "grouped": "",
            "ceiling": "Where people disagree, labels are added up to this many.",
            "stop_early": "Of three labels or more ask for two first, and for another only until "
            "two agree.",
            "ask_reasons": "Where a level has some.",
            "gold_action": "",
            "repeat_after_days": "",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for percent_field, share_field in self.PERCENTS.items():
            self.initial.setdefault(percent_field, self.instance.percent(share_field))

    @classmethod
    def of(cls, policy: Policy, preset: PolicyPreset | None) -> Self:
        """Return the form of a policy, with the figures of a preset if there is one."""
        return cls(instance=policy, initial=dict(preset.figures) if preset else None)

    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The fields that most policies differ in, under their headings."""
        return [(heading, [self[name] for name in names]) for heading, names in self.GROUPS]

    def fine_print(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The other fields under their headings."""
        return [(heading, [self[name] for name in names]) for heading, names in self.FINE_PRINT]

    def is_fine_print_refused(self) -> bool:
        """True if a field of the fine print has an error."""
        return any(name in self.errors for _, names in self.FINE_PRINT for name in names)

    def field_of(self, figure: str) -> str | None:
        """The name of the field of a policy's figure; None if it has none."""
        fields = {share: percent for percent, share in self.PERCENTS.items()}
        field = fields.get(figure, figure)
        return field if field in self.fields else None

    def clean(self) -> dict[str, Any]:
        """Refuse figures that contradict each other."""
        cleaned_data = super().clean() or {}
        if cleaned_data.get("ceiling", 0) < cleaned_data.get("labels_per_pair", 0):
            self.add_error("ceiling", "At most must not be fewer than the labels every pair gets.")
        if (
            cleaned_data.get("rule") == Policy.Rule.UNANIMOUS
            and cleaned_data.get("tie") != Policy.Tie.DISPUTE
        ):
            self.add_error(
                "tie", "Where every label must agree, all other pairs are disputed: choose Dispute."
            )
        return cleaned_data

    def changes(self) -> dict[str, Any]:
        """The figures as the policy keeps them."""
        figures = {
            name: value for name, value in self.cleaned_data.items() if name != "with_closed"
        }
        for percent_field, share_field in self.PERCENTS.items():
            figures[share_field] = figures.pop(percent_field) / Decimal(100)
        return figures
