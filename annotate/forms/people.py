"""Forms about people: invitations, accounts, API tokens."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db.models import QuerySet
from django.utils.text import Truncator

from annotate.core.phrases import first_few
from annotate.forms.fields import TO_THE_LETTER, set_rows
from annotate.models import ApiToken, Collection, Role, User

MAX_DAYS = 365
MAX_INVITED = 50  # people at once; their links stand in one cookie


class InviteForm(forms.Form):
    """An invitation: role, address and how it is sent."""

    role = forms.ChoiceField(choices=Role.choices)
    email = forms.EmailField(required=False, max_length=254)
    days = forms.IntegerField(
        min_value=1,
        max_value=MAX_DAYS,
        initial=14,
        label="Days the link works",
    )
    by_mail = forms.BooleanField(required=False, label="Send the link by e-mail")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.SENDS_MAIL:
            del self.fields["by_mail"]
            self.fields["email"].help_text = "Only to tell links apart."

    def clean(self) -> dict[str, Any]:
        """A mail needs an address."""
        cleaned_data = super().clean() or {}
        if (
            cleaned_data.get("by_mail")
            and not cleaned_data.get("email")
            and "email" not in self.errors
        ):
            self.add_error("email", "Where should the link be sent?")
        return cleaned_data


class InvitationsForm(InviteForm):
    """Invitations of one role to several people."""

    email = forms.CharField(  # type: ignore[assignment]  # several in place of one
        label="E-mail addresses",
        required=False,
        max_length=255 * MAX_INVITED,
        widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "off"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["email"]
        field.help_text = f"One a line; each gets a link of its own. {field.help_text}"

    def clean_email(self) -> list[str]:
        """Return the addresses, each once; names the lines of those that are none."""
        lines = [line.strip() for line in self.cleaned_data["email"].splitlines()]
        wrong_lines = [
            f"line {number}: “{Truncator(line).chars(60)}” is no e-mail address"
            for number, line in enumerate(lines, start=1)
            if line and not _is_address(line)
        ]
        if wrong_lines:
            raise forms.ValidationError(f"Nobody was invited; {first_few(wrong_lines)}.")
        addresses = list(dict.fromkeys(filter(None, lines)))
        if len(addresses) > MAX_INVITED:
            raise forms.ValidationError(f"Invite at most {MAX_INVITED} people at once.")
        return addresses


def _is_address(text: str) -> bool:
    try:
        forms.EmailField(max_length=254).clean(text)
    except forms.ValidationError:
        return False
    return True


class SignUpForm(forms.Form):
    """The account of an invited person."""

    username = forms.CharField(
        label="User name",
        max_length=150,
        validators=[UnicodeUsernameValidator()],
        widget=forms.TextInput(attrs={"autocomplete": "username", **TO_THE_LETTER}),
    )
    password = forms.CharField(
        strip=False,
        help_text="At least 12 characters; a few unrelated words make a good one.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean_username(self) -> str:
        """Refuse a name that somebody has, however it is capitalised."""
        username: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=username).exists():
            raise forms.ValidationError(
                "Somebody has this name; choose another one, or sign in if it is you."
            )
        return username

    def clean(self) -> dict[str, Any]:
        """Refuse a password that is easy to guess, or easy for this name."""
        cleaned_data = super().clean() or {}
        if "password" in cleaned_data:
            try:
                validate_password(
                    cleaned_data["password"], User(username=cleaned_data.get("username", ""))
                )
            except forms.ValidationError as error:
                self.add_error("password", error)
        return cleaned_data


class OwnPasswordForm(forms.Form):
    """A change of a person's account, which she confirms with her password."""

    password = forms.CharField(
        strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_password(self) -> str:
        """Refuse any password but her own."""
        if not self.user.check_password(self.cleaned_data["password"]):
            raise forms.ValidationError("This is not your password.")
        return str(self.cleaned_data["password"])


class EraseForm(OwnPasswordForm):
    """Confirmation that a person erases her account: her name, typed, and her password."""

    field_order = ["username", "password"]
    username = forms.CharField(
        label="Your user name, to confirm",
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", **TO_THE_LETTER}),
    )

    def clean_username(self) -> str:
        """Refuse any name but her own."""
        if self.cleaned_data["username"] != self.user.get_username():
            raise forms.ValidationError("This is not your user name.")
        return str(self.cleaned_data["username"])


class EmailForm(OwnPasswordForm):
    """A person's new e-mail address, and her password."""

    field_order = ["email", "password"]
    email = forms.EmailField(
        label="New e-mail address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )

    def clean_email(self) -> str:
        """Refuse the address she has already."""
        email = str(self.cleaned_data["email"])
        if email == self.user.email:
            raise forms.ValidationError("This is your address already.")
        return email


class TokenForm(forms.Form):
    """A key for a program."""

    name = forms.CharField(
        max_length=80, help_text="Where it will be used, so that you know it again."
    )
    scopes = forms.MultipleChoiceField(
        choices=[(scope.value, f"{scope.label} ({scope})") for scope in ApiToken.Scope],
        widget=forms.CheckboxSelectMultiple,
        label="It may",
    )
    collection = forms.ModelChoiceField(
        queryset=Collection.objects.none(),
        required=False,
        empty_label="All of mine",
    )
    days = forms.IntegerField(min_value=1, max_value=MAX_DAYS, initial=90, label="Days it works")

    def __init__(self, *args: Any, collections: QuerySet[Collection], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_rows(self, "collection", collections.order_by("name"))
