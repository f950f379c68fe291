"""What people fill in about people: invitations, accounts, keys; and about guidelines and policy."""

from decimal import Decimal
from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db.models import QuerySet

from annotate.models import ApiToken, Collection, Level, Policy, Role, User

MAX_DAYS = 365


class InviteForm(forms.Form):
    """Whom to invite to what."""

    role = forms.ChoiceField(choices=Role.choices)
    email = forms.EmailField(required=False, help_text="Only to tell links apart; nothing is sent.")
    days = forms.IntegerField(
        min_value=1, max_value=MAX_DAYS, initial=14, label="Days the link works",
    )


class SignUpForm(forms.Form):
    """The account of an invited person."""

    username = forms.CharField(
        label="User name", max_length=150, validators=[UnicodeUsernameValidator()],
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    password = forms.CharField(
        strip=False, help_text="At least 12 characters; a few unrelated words make a good one.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean_username(self) -> str:
        """A name nobody has, however it is capitalised."""
        username: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=username).exists():
            raise forms.ValidationError("Somebody has this name; choose another one, or sign in if it is you.")
        return username

    def clean(self) -> dict[str, Any]:
        """A password that is hard to guess, for this name too."""
        given = super().clean() or {}
        if "password" in given:
            try:
                validate_password(given["password"], User(username=given.get("username", "")))
            except forms.ValidationError as error:
                self.add_error("password", error)
        return given


class TokenForm(forms.Form):
    """A key for a program."""

    name = forms.CharField(max_length=80, help_text="Where it will be used, so that you know it again.")
    scopes = forms.MultipleChoiceField(
        choices=ApiToken.Scope.choices, widget=forms.CheckboxSelectMultiple, label="It may",
    )
    collection = forms.ModelChoiceField(
        queryset=Collection.objects.none(), required=False, empty_label="All of mine",
    )
    days = forms.IntegerField(min_value=1, max_value=MAX_DAYS, initial=90, label="Days it works")

    def __init__(self, *args: Any, collections: QuerySet[Collection], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["collection"].queryset = collections.order_by("name")  # type: ignore[attr-defined]


class GuidelinesForm(forms.Form):
    """The text annotators read, and name and sentence of each level."""

    markdown = forms.CharField(
        required=False, max_length=100_000, label="Guidelines", strip=False,
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
                max_length=200, initial=level.sentence, required=False, label=f"Sentence of grade {level.grade}"
            )

    def words(self) -> list[tuple[forms.BoundField, forms.BoundField]]:
        """Name and sentence of each level, side by side."""
        return [(self[f"name-{level.grade}"], self[f"sentence-{level.grade}"]) for level in self.levels]


class PolicyForm(forms.ModelForm):
    """The figures of a policy; the share of doubles is typed in per cent."""

    double_percent = forms.DecimalField(
        min_value=0, max_value=100, decimal_places=2, label="Pairs with one label more, in %",
        help_text="An exact share of each pool's new pairs.",
    )

    class Meta:
        model = Policy
        fields = [
            "labels_per_pair", "double_percent", "ceiling", "tolerance", "rule", "tie", "batch_candidates",
            "gold_positives", "gold_negatives", "lease_minutes", "grouped",
        ]
        labels = {
            "labels_per_pair": "Labels a pair", "ceiling": "Labels at most", "tolerance": "Tolerated distance",
            "tie": "When no grade wins", "batch_candidates": "Candidates a batch",
            "gold_positives": "Relevant golds a batch", "gold_negatives": "Irrelevant golds a batch",
            "lease_minutes": "Minutes a pair is held", "grouped": "One query's pairs come together",
        }
        help_texts = {"grouped": "", "ceiling": "Where people disagree, labels are added up to this many."}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["double_percent"].initial = self.instance.double_percent

    def clean(self) -> dict[str, Any]:
        """Figures that do not contradict each other."""
        given = super().clean() or {}
        if given.get("ceiling", 0) < given.get("labels_per_pair", 0):
            self.add_error("ceiling", "At most must not be fewer than the labels every pair gets.")
        return given

    def changes(self) -> dict[str, Any]:
        """The figures as the policy keeps them."""
        figures = dict(self.cleaned_data)
        figures["double_share"] = figures.pop("double_percent") / Decimal(100)
        return figures
