"""Forms about people: invitations, accounts, API tokens; and about guidelines, golds and policy."""

from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db.models import QuerySet

from annotate.core import level_reasons
from annotate.forms import TO_THE_LETTER, ReasonsField
from annotate.models import ApiToken, Collection, Level, Policy, Role, User

MAX_DAYS = 365


class InviteForm(forms.Form):
    """An invitation: role, address and how it is sent."""

    role = forms.ChoiceField(choices=Role.choices)
    email = forms.EmailField(required=False)
    days = forms.IntegerField(
        min_value=1, max_value=MAX_DAYS, initial=14, label="Days the link works",
    )
    by_mail = forms.BooleanField(required=False, label="Send the link by e-mail")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.SENDS_MAIL:
            del self.fields["by_mail"]
            self.fields["email"].help_text = (
                "Only to tell links apart: this site has no mail server (EMAIL_HOST), so send the link yourself."
            )

    def clean(self) -> dict[str, Any]:
        """A mail needs an address."""
        cleaned_data = super().clean() or {}
        if cleaned_data.get("by_mail") and not cleaned_data.get("email") and "email" not in self.errors:
            self.add_error("email", "Where should the link be sent?")
        return cleaned_data


class SignUpForm(forms.Form):
    """The account of an invited person."""

    username = forms.CharField(
        label="User name", max_length=150, validators=[UnicodeUsernameValidator()],
        widget=forms.TextInput(attrs={"autocomplete": "username", **TO_THE_LETTER}),
    )
    password = forms.CharField(
        strip=False, help_text="At least 12 characters; a few unrelated words make a good one.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean_username(self) -> str:
        """Refuse a name that somebody has, however it is capitalised."""
        username: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=username).exists():
            raise forms.ValidationError("Somebody has this name; choose another one, or sign in if it is you.")
        return username

    def clean(self) -> dict[str, Any]:
        """Refuse a password that is easy to guess, or easy for this name."""
        cleaned_data = super().clean() or {}
        if "password" in cleaned_data:
            try:
                validate_password(cleaned_data["password"], User(username=cleaned_data.get("username", "")))
            except forms.ValidationError as error:
                self.add_error("password", error)
        return cleaned_data


class EraseForm(forms.Form):
    """Confirmation that a person erases her account: her name, typed, and her password."""

    username = forms.CharField(
        label="Your user name, to confirm", max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", **TO_THE_LETTER}),
    )
    password = forms.CharField(
        strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_username(self) -> str:
        """Refuse any name but her own."""
        if self.cleaned_data["username"] != self.user.get_username():
            raise forms.ValidationError("This is not your user name.")
        return str(self.cleaned_data["username"])

    def clean_password(self) -> str:
        """Refuse any password but her own."""
        if not self.user.check_password(self.cleaned_data["password"]):
            raise forms.ValidationError("This is not your password.")
        return str(self.cleaned_data["password"])


class EmailForm(forms.Form):
    """A person's new e-mail address, and her password."""

    email = forms.EmailField(
        label="New e-mail address", max_length=254, widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )
    password = forms.CharField(
        strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_email(self) -> str:
        """Refuse the address she has already."""
        email = str(self.cleaned_data["email"])
        if email == self.user.email:
            raise forms.ValidationError("This is your address already.")
        return email

    def clean_password(self) -> str:
        """Refuse any password but her own."""
        if not self.user.check_password(self.cleaned_data["password"]):
            raise forms.ValidationError("This is not your password.")
        return str(self.cleaned_data["password"])


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
    """The guidelines, and name, sentence and reasons of each level."""

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
            self.fields[f"reasons-{level.grade}"] = ReasonsField(
                initial=level_reasons.as_text(level.reasons), label=f"Reasons of grade {level.grade}"
            )

    def level_fields(self) -> list[tuple[forms.BoundField, ...]]:
        """Fields of name, sentence and reasons, a tuple a level."""
        fields = ("name", "sentence", "reasons")
        return [tuple(self[f"{field}-{level.grade}"] for field in fields) for level in self.levels]


class PayForm(forms.ModelForm):
    """The pay of an hour of judging."""

    class Meta:
        model = Collection
        fields = ["hourly_pay", "currency"]
        labels = {"hourly_pay": "Pay an hour"}
        help_texts = {"hourly_pay": "Empty: the dashboard shows hours without money.", "currency": ""}


class QueryGroupsForm(forms.ModelForm):
    """The grouping of queries in intervals and tests."""

    class Meta:
        model = Collection
        fields = ["query_groups"]
        widgets = {"query_groups": forms.RadioSelect}
        labels = {"query_groups": "Queries belong together by"}
        help_texts = {"query_groups": ""}


class DeleteForm(forms.Form):
    """Confirmation that a collection is to be deleted: its short name, typed."""

    slug = forms.CharField(max_length=60, label="Its short name", widget=forms.TextInput(attrs=TO_THE_LETTER))

    def __init__(self, *args: Any, collection: Collection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.collection = collection
        self.fields["slug"].help_text = f"Type “{collection.slug}” to say that you mean it."

    def clean_slug(self) -> str:
        """Refuse any name but the collection's short name."""
        slug: str = self.cleaned_data["slug"]
        if slug != self.collection.slug:
            raise forms.ValidationError(f"This collection's short name is “{self.collection.slug}”.")
        return slug


class GoldForm(forms.Form):
    """A pair whose grade a lead knows."""

    query = forms.CharField(max_length=255, label="Query's id", widget=forms.TextInput(attrs=TO_THE_LETTER))
    document = forms.CharField(max_length=255, label="Document's id", widget=forms.TextInput(attrs=TO_THE_LETTER))
    grade = forms.TypedChoiceField(coerce=int)
    explanation = forms.CharField(
        max_length=2000, label="Why", widget=forms.Textarea(attrs={"rows": 3}),
        help_text="For leads, and for training; nobody who judges reads it in a batch.",
    )

    def __init__(self, *args: Any, levels: list[Level], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["grade"].choices = [  # type: ignore[attr-defined]
            (level.grade, f"{level.grade} {level.name}") for level in levels
        ]


class GoldReasonForm(forms.Form):
    """Why a gold is retired or brought back, for the log."""

    reason = forms.CharField(max_length=200, required=False)


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
        help_text="Of a batch; where it has fewer than four, together with those of the batches before it.",
    )
    repeat_percent = forms.DecimalField(
        min_value=0,
        max_value=100,
        decimal_places=2,
        label="Own pairs that come back, in %",
        help_text="To the same person, unseen; they say how steady she is and enter no grade.",
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
        ("Labels", ["labels_per_pair", "double_percent", "ceiling", "stop_early", "ask_reasons"]),
        ("How labels become a grade", ["rule", "tie", "tolerance", "with_closed"]),
        (
            "Batches",
            ["batch_candidates", "lease_minutes", "max_percent", "repeat_percent", "repeat_after_days", "grouped"],
        ),
        ("Golds", ["gold_positives", "gold_negatives", "gold_percent", "gold_action"]),
    )
    PERCENTS = {
        "double_percent": "double_share", "gold_percent": "gold_pass", "repeat_percent": "repeat_share",
        "max_percent": "max_share",
    }  # fmt: skip

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
            "batch_candidates": "Candidates a batch",
            "gold_positives": "Relevant golds a batch",
            "gold_negatives": "Irrelevant golds a batch",
            "gold_action": "When fewer are right",
            "repeat_after_days": "Days before they come back",
            "lease_minutes": "Minutes a pair is held",
            "grouped": "One query's pairs come together",
        }
        help_texts = {
            "grouped": "", "ceiling": "Where people disagree, labels are added up to this many.",
            "stop_early": "Of three labels or more ask for two first, and for another only until two agree.",
            "ask_reasons": "Where a level has some.", "gold_action": "", "repeat_after_days": "",
        }  # fmt: skip

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for percent, share in self.PERCENTS.items():
            self.fields[percent].initial = self.instance.percent(share)

    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The fields under their headings."""
        return [(heading, [self[name] for name in names]) for heading, names in self.GROUPS]

    def clean(self) -> dict[str, Any]:
        """Refuse figures that contradict each other."""
        cleaned_data = super().clean() or {}
        if cleaned_data.get("ceiling", 0) < cleaned_data.get("labels_per_pair", 0):
            self.add_error("ceiling", "At most must not be fewer than the labels every pair gets.")
        if cleaned_data.get("rule") == Policy.Rule.UNANIMOUS and cleaned_data.get("tie") != Policy.Tie.DISPUTE:
            self.add_error("tie", "Where every label must agree, all other pairs are disputed: choose Dispute.")
        return cleaned_data

    def changes(self) -> dict[str, Any]:
        """The figures as the policy keeps them."""
        figures = {name: value for name, value in self.cleaned_data.items() if name != "with_closed"}
        for percent, share in self.PERCENTS.items():
            figures[share] = figures.pop(percent) / Decimal(100)
        return figures
