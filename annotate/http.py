"""What the judge screen sends and what it receives.

`card` is an allow-list: nothing else about a seat ever reaches an annotator's browser. A seat is
named by its hand-out's random token, its kind, number, purpose, round, rank and run stay here.
"""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.utils.http import urlencode

from annotate.core.media_types import media_type
from annotate.models import HandOut, Item, Part

N_CARDS = 3  # the card to judge and the ones whose media the browser loads meanwhile
MAX_BODY = 20_000


class AnswerForm(forms.Form):
    """One answer as the browser sends it."""

    submission_id = forms.UUIDField()
    hand_out = forms.UUIDField()
    grade = forms.IntegerField(min_value=0, max_value=100)
    active_ms = forms.IntegerField(min_value=0, max_value=2**31, required=False)
    comment = forms.CharField(max_length=2000, required=False)


class HandOutForm(forms.Form):
    """Which hand-out an undo is about."""

    hand_out = forms.UUIDField()


class ReportForm(forms.Form):
    """Cannot judge, escalate, or later."""

    submission_id = forms.UUIDField()
    hand_out = forms.UUIDField()
    kind = forms.ChoiceField(
        choices=[("cannot_judge", ""), ("escalated", ""), ("later", "")],
        error_messages={"invalid_choice": "Kind is cannot_judge, escalated or later."},
    )
    reason = forms.CharField(max_length=60, required=False)
    note = forms.CharField(max_length=1000, required=False)


class BadRequest(Exception):
    """The request's body cannot be read; the text says why."""


def read_json(request: HttpRequest) -> dict[str, Any]:
    """The JSON object a request carries; raises BadRequest for anything else."""
    if len(request.body) > MAX_BODY:
        raise BadRequest(f"The request is larger than {MAX_BODY:,} bytes.")
    try:
        body = json.loads(request.body or b"{}")
    except (ValueError, RecursionError) as error:
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

    return wrapped


def with_items(hand_outs: QuerySet[HandOut]) -> QuerySet[HandOut]:
    """Hand-outs with all that their cards show, in a constant number of queries."""
    hand_outs = hand_outs.select_related("batch", "seat__pair__query", "seat__pair__document")
    return hand_outs.prefetch_related("seat__pair__query__parts", "seat__pair__document__parts")


def card(hand_out: HandOut, *, slug: str, n_in_batch: int) -> dict[str, Any]:
    """What a browser learns of a pair to judge."""
    pair = hand_out.seat.pair
    return {
        "hand_out": str(hand_out.token),
        "query": _item(pair.query, slug),
        "document": _item(pair.document, slug),
        "position": hand_out.position,
        "of": n_in_batch,
    }


def _item(item: Item, slug: str) -> dict[str, Any]:
    parts = list(item.parts.all())
    return {
        "label": "" if parts else item.external_id,
        "warning": item.warning,
        "parts": [_part(part, slug) for part in parts],
    }


def _part(part: Part, slug: str) -> dict[str, Any]:
    if part.kind == Part.Kind.TEXT:
        return {"kind": "text", "text": part.text}
    url = part.path if "://" in part.path else reverse("annotate:part-media", args=[slug, part.pk])
    known = media_type(part.path)
    return {
        "kind": part.kind,
        "url": url,
        "type": known.content_type if known else "",
        "start": part.start,
        "end": part.end,
    }
