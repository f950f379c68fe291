"""What the judge screen sends and what it receives.

`card` is an allow-list: nothing else about a seat ever reaches an annotator's browser. A seat is
named by its hand-out's random token, its kind, number, purpose, round, rank and run stay here.
"""

import json
import re
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, NamedTuple, TypeVar

from django import forms
from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.utils.http import urlencode

from annotate.core import playing
from annotate.core.cards import Dealt, MediaSource, PartShown
from annotate.core.item_rows import is_address
from annotate.core.media_types import media_type
from annotate.markdown import clean_page
from annotate.models import Item, Judgment, Part, Report

MAX_BODY = 20_000
View = TypeVar("View", bound=Callable[..., Any])
_UNSTORABLE = re.compile("[\ud800-\udfff\x00]")


class WordsField(forms.CharField):
    """What somebody typed, without what no database stores: no label is refused for half an emoji in its comment."""

    def to_python(self, value: Any) -> str:
        """Halves of surrogate pairs and NUL become the sign for what cannot be shown."""
        words: str = super().to_python(value)
        return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", words)


class AnswerForm(forms.Form):
    """One answer as the browser sends it."""

    submission_id = forms.UUIDField()
    hand_out = forms.UUIDField()
    grade = forms.IntegerField(min_value=0, max_value=100)
    active_ms = forms.IntegerField(min_value=0, max_value=2**31, required=False)
    played_ms = forms.IntegerField(min_value=0, max_value=2**31, required=False)
    n_replays = forms.IntegerField(min_value=0, max_value=2**31, required=False)
    n_changes = forms.IntegerField(min_value=0, max_value=2**31, required=False)
    guidelines = forms.IntegerField(min_value=0, max_value=2**31 - 1, required=False)
    comment = WordsField(max_length=2000, required=False)
    is_change = forms.BooleanField(required=False)


class UndoForm(forms.Form):
    """Which hand-out an undo is about, and what was done with it; the same submission again does nothing."""

    submission_id = forms.UUIDField()
    hand_out = forms.UUIDField()
    kind = forms.ChoiceField(
        choices=[("answer", ""), ("report", ""), ("later", "")],
        required=False,
        error_messages={"invalid_choice": "Kind is answer, report or later."},
    )


class WordForm(forms.Form):
    """Which hand-out it is about."""

    hand_out = forms.UUIDField()


class ReportForm(forms.Form):
    """Cannot judge, escalate, does not play in this browser, or later."""

    submission_id = forms.UUIDField()
    hand_out = forms.UUIDField()
    kind = forms.ChoiceField(
        choices=[("cannot_judge", ""), ("escalated", ""), ("unplayable", ""), ("later", "")],
        error_messages={"invalid_choice": "Kind is cannot_judge, escalated, unplayable or later."},
    )
    reason = WordsField(max_length=60, required=False)
    note = WordsField(max_length=1000, required=False)
    is_change = forms.BooleanField(required=False)


class BadRequest(Exception):
    """The request's body cannot be read; the text says why."""


def read_json(request: HttpRequest) -> dict[str, Any]:
    """The JSON object a request carries; raises BadRequest for anything else."""
    if len(request.body) > MAX_BODY:
        raise BadRequest(f"The request is larger than {MAX_BODY:,} bytes.")
    try:
        body = json.loads(request.body or b"{}")
    except ValueError as error:  # what is nested too deeply is answered by config/unreadable.py
        raise BadRequest("The request is not JSON.") from error
    if not isinstance(body, dict):
        raise BadRequest("The request is not a JSON object.")
    return body


def read_form(form_class: type[forms.Form], body: dict[str, Any]) -> dict[str, Any]:
    """The body's fields, checked; raises BadRequest with the first field that is wrong."""
    form = form_class({name: value for name, value in body.items() if not isinstance(value, list | dict)})
    if not form.is_valid():
        field, errors = next(iter(form.errors.items()))
        raise BadRequest(f"{field}: {errors[0]}")
    return form.cleaned_data


def read_reasons(body: dict[str, Any]) -> list[str]:
    """The reasons given, each once; raises BadRequest for anything but a list of words."""
    given = body.get("reasons") or []
    if not isinstance(given, list) or not all(isinstance(reason, str) for reason in given):
        raise BadRequest("reasons: a list of words.")
    return list(dict.fromkeys(given))


def for_signed_in(view: Callable[..., JsonResponse]) -> Callable[..., JsonResponse]:
    """Answer 401 and where to sign in, as JSON, instead of a redirect a script cannot follow."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> JsonResponse:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        back = urlencode({"next": reverse("annotate:judge", args=[kwargs["slug"]])})
        sign_in = f"{reverse('account_login')}?{back}"
        return JsonResponse({"error": "signed_out", "sign_in": sign_in}, status=401)

    wrapped.answers_scripts = True  # type: ignore[attr-defined]
    return wrapped


def takes_files(view: View) -> View:
    """Mark a view that takes files: its address alone may be sent more than 1 MB.

    It must not touch the request's POST, FILES or body before it knows that this person may upload here.
    """
    view.takes_files = True  # type: ignore[attr-defined]
    return view


def card(dealt: Dealt, *, slug: str, n_in_batch: int, ask_reasons: bool = True) -> dict[str, Any]:
    """What a browser learns of a pair to judge.

    n_in_batch, ask_reasons : the same for all of a batch, so that they tell no card from another
    """
    return {
        "hand_out": str(dealt.token),
        "query": _content(*dealt.query, slug),
        "document": _content(*dealt.document, slug),
        "position": dealt.position,
        "of": n_in_batch,
        "ask_reasons": ask_reasons,
    }


def word(said: Judgment | Report) -> dict[str, Any]:
    """What a browser learns of what its annotator said of a pair herself."""
    if isinstance(said, Report):
        return {"report": said.get_kind_display(), "reason": said.why, "note": said.note, "at": said.at.isoformat()}
    return {
        "grade": said.level.grade,
        "reasons": said.reasons,
        "comment": said.comment.text if hasattr(said, "comment") else "",
        "at": said.at.isoformat(),
    }


class Shown(NamedTuple):
    """An item, and what of it a page shows (see as_shown)."""

    item: Item
    content: dict[str, Any]


def as_shown(item: Item, slug: str) -> dict[str, Any]:
    """What a page shows of an item: its parts, with addresses; its id where it has none."""
    return _content(item.external_id, item.warning, list(item.parts.all()), slug)


def _content(external_id: str, warning: str, parts: Sequence[Part | PartShown], slug: str) -> dict[str, Any]:
    return {
        "label": "" if parts else external_id,
        "warning": warning,
        "parts": [_part(part, slug) for part in parts],
    }


def _part(part: Part | PartShown, slug: str) -> dict[str, Any]:
    if part.kind == Part.Kind.TEXT:
        return {"kind": "text", "text": part.text}
    if part.kind == Part.Kind.HTML:
        return {"kind": "html", "html": clean_page(part.text)}
    sources = [_source(part, number, source, slug) for number, source in enumerate(part.sources)]
    return {
        "kind": part.kind,
        "url": sources[0]["url"],
        "type": sources[0]["type"],
        "sources": sources,
        "start": part.start,
        "end": part.end,
    }


def _source(part: Part | PartShown, number: int, source: MediaSource, slug: str) -> dict[str, str]:
    """Where one source of a medium is, its type as a browser is asked about it, and what it is in words.

    defect : "unread" of a file that could not be read, "nowhere" of a type that plays in no browser, else ""
    """
    known = media_type(source.path.partition("?")[0])
    mime = source.type or (known.content_type if known else "")
    is_unread = part.is_looked_into and not source.type and not is_address(source.path)
    return {
        "url": _address(part.pk, number, source.path, slug),
        "type": playing.offered(mime),
        "what": playing.what(mime),
        "defect": "unread" if is_unread else "nowhere" if playing.limit_of(mime) is playing.NOWHERE else "",
    }


def _address(pk: int, number: int, path: str, slug: str) -> str:
    if is_address(path):
        return path
    if number:
        return reverse("annotate:part-source", args=[slug, pk, number])
    return reverse("annotate:part-media", args=[slug, pk])
