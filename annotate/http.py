"""Requests of the judge screen, and the JSON it receives.

`card_json` is an allow-list: nothing else about a seat ever reaches an annotator's browser. A seat
is named by its hand-out's random token, its kind, number, purpose, round, rank and run stay here.
"""

import json
import re
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar
from uuid import UUID

from csp.decorators import csp_update
from django import forms
from django.http import (
    FileResponse,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
)
from django.urls import reverse
from django.utils.http import urlencode

from annotate.core.files.items.item_rows import is_address
from annotate.core.files.media_types import media_type
from annotate.core.labels.answers import JudgmentAnswer, Telemetry
from annotate.core.labels.cards import Card, CardPart, MediaSource
from annotate.core.media import browser_support
from annotate.core.media.ranges import Range, UnsatisfiableRange, parse_range
from annotate.markdown import clean_page
from annotate.models import Item, Judgment, Part, Report, User

MAX_BODY = 20_000
MOST_AT_HAND = 100
MEDIUM_HEADERS = {
    "Accept-Ranges": "bytes",
    "Cache-Control": "private, max-age=600",
    # Whatever the bytes are, a browser must not take them for a page or a script.
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
}
# The bytes of a medium's file; None where nobody knows them.
SizeOf: TypeAlias = Callable[[Part | CardPart], int | None]
View = TypeVar("View", bound=Callable[..., Any])
_TOKEN = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_UNSTORABLE = re.compile("[\ud800-\udfff\x00]")


class SignedIn(HttpRequest):
    """A request of a signed-in person, as a view behind login_required gets it."""

    user: User


class TypedTextField(forms.CharField):
    """A typed text, cleaned of half emojis and the like: no label is refused for its comment."""

    def to_python(self, value: Any) -> str:
        """Replace halves of surrogate pairs and NUL with the replacement character."""
        typed_text = super().to_python(value) or ""
        return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", typed_text)


class AnswerForm(forms.Form):
    """One answer as the browser sends it."""

    submission_id = forms.UUIDField()
    hand_out = forms.UUIDField()
    grade = forms.IntegerField(min_value=0, max_value=100)
    guidelines = forms.IntegerField(min_value=0, max_value=2**31 - 1, required=False)
    comment = TypedTextField(max_length=2000, required=False)
    is_change = forms.BooleanField(required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in Telemetry._fields:
            self.fields[name] = forms.IntegerField(min_value=0, max_value=2**31, required=False)


class UndoForm(forms.Form):
    """The hand-out of an undo, and the act to be undone; the same submission again does nothing."""

    submission_id = forms.UUIDField()
    hand_out = forms.UUIDField()
    kind = forms.ChoiceField(
        choices=[("answer", ""), ("report", ""), ("later", "")],
        required=False,
        error_messages={"invalid_choice": "Kind is answer, report or later."},
    )


class HandOutForm(forms.Form):
    """The token of a hand-out."""

    hand_out = forms.UUIDField()


class ReportForm(forms.Form):
    """A report: cannot judge, escalated, does not play in this browser, or later."""

    submission_id = forms.UUIDField()
    hand_out = forms.UUIDField()
    kind = forms.ChoiceField(
        choices=[("cannot_judge", ""), ("escalated", ""), ("unplayable", ""), ("later", "")],
        error_messages={"invalid_choice": "Kind is cannot_judge, escalated, unplayable or later."},
    )
    reason = TypedTextField(max_length=60, required=False)
    note = TypedTextField(max_length=1000, required=False)
    is_change = forms.BooleanField(required=False)


class BadRequest(Exception):
    """The request's body cannot be read; the text says why."""


def read_json(request: HttpRequest) -> dict[str, Any]:
    """Return the JSON object of a request; raises BadRequest for anything else."""
    if len(request.body) > MAX_BODY:
        raise BadRequest(f"The request is larger than {MAX_BODY:,} bytes.")
    try:
        body = json.loads(request.body or b"{}")
    except ValueError as error:  # config/site/unreadable_requests.py answers JSON nested too deeply
        raise BadRequest("The request is not JSON.") from error
    if not isinstance(body, dict):
        raise BadRequest("The request is not a JSON object.")
    return body


def read_form(form_class: type[forms.Form], body: dict[str, Any]) -> dict[str, Any]:
    """Return the body's fields, checked; raises BadRequest with the first wrong field."""
    form = form_class(
        {name: value for name, value in body.items() if not isinstance(value, list | dict)}
    )
    if not form.is_valid():
        field, errors = next(iter(form.errors.items()))
        raise BadRequest(f"{field}: {errors[0]}")
    return form.cleaned_data


class SentAnswer(NamedTuple):
    """An answer as a browser sent it, and the token of the hand-out that it answers."""

    token: UUID
    answer: JudgmentAnswer


def read_answer(body: dict[str, Any]) -> SentAnswer:
    """Return the answer of a request; raises BadRequest."""
    fields = read_form(AnswerForm, body)
    telemetry = Telemetry(*(fields.pop(name) for name in Telemetry._fields))
    token, reasons = fields.pop("hand_out"), body.get("reasons") or []
    if not isinstance(reasons, list) or not all(isinstance(reason, str) for reason in reasons):
        raise BadRequest("reasons: a list of words.")
    unique_reasons = list(dict.fromkeys(reasons))
    return SentAnswer(token, JudgmentAnswer(**fields, reasons=unique_reasons, telemetry=telemetry))


def read_at_hand(body: dict[str, Any]) -> list[UUID]:
    """Return the hand-outs whose cards the browser says it holds.

    Anything else there is passed over: no label is refused for what it travels with.
    """
    tokens = body.get("at_hand")
    names = tokens[:MOST_AT_HAND] if isinstance(tokens, list) else []
    return [UUID(name) for name in names if isinstance(name, str) and _TOKEN.fullmatch(name)]


def for_signed_in(view: Callable[..., JsonResponse]) -> Callable[..., JsonResponse]:
    """Answer 401 and the sign-in address as JSON, not a redirect that a script cannot follow."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> JsonResponse:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        next_page = urlencode({"next": reverse("annotate:judge-signed-in", args=[kwargs["slug"]])})
        sign_in = f"{reverse('account_login')}?{next_page}"
        return JsonResponse({"error": "signed_out", "sign_in": sign_in}, status=401)

    wrapped.answers_scripts = True  # type: ignore[attr-defined]  # for config/site/second_factor.py
    return wrapped


def takes_files(view: View) -> View:
    """Mark a view that takes files: its address alone may be sent more than 1 MB.

    It must not touch the request's POST, FILES or body before it has checked that this person may
    upload here.
    """
    view.takes_files = True  # type: ignore[attr-defined]  # a mark for config/site/uploads.py
    return view


def shows_local_files(view: View) -> View:
    """Let a page show pictures and clips of files that were chosen on it, before they are sent."""
    update = csp_update({"img-src": ["blob:"], "media-src": ["blob:"]})
    return update(view)  # type: ignore[arg-type, return-value]  # its type is of any request


def card_json(
    card: Card, *, slug: str, n_in_batch: int, size_of: SizeOf, ask_reasons: bool = True
) -> dict[str, Any]:
    """JSON of a pair to judge: all that its annotator's browser learns of it.

    n_in_batch, ask_reasons : the same for all of a batch, so that they tell no card from another
    size_of : by which the browser chooses what it loads ahead
    """
    return {
        "hand_out": str(card.token),
        "query": _content(*card.query, slug, size_of),
        "document": _content(*card.document, slug, size_of),
        "position": card.position,
        "of": n_in_batch,
        "ask_reasons": ask_reasons,
    }


def answer_json(answer: Judgment | Report) -> dict[str, Any]:
    """JSON of an annotator's own judgment or report, for her browser."""
    if isinstance(answer, Report):
        return {
            "report": answer.get_kind_display(),
            "reason": answer.why,
            "note": answer.note,
            "at": answer.at.isoformat(),
        }
    return {
        "grade": answer.level.grade,
        "reasons": answer.reasons,
        "comment": answer.comment.text if hasattr(answer, "comment") else "",
        "at": answer.at.isoformat(),
    }


class ItemContent(NamedTuple):
    """An item and the content of it that a page shows (see item_content)."""

    item: Item
    content: dict[str, Any]


def item_content(item: Item, slug: str) -> dict[str, Any]:
    """Content of an item for a page: its parts, with addresses; its id where it has none."""
    return _content(item.external_id, item.warning, list(item.parts.all()), slug)


def _content(
    external_id: str,
    warning: str,
    parts: Sequence[Part | CardPart],
    slug: str,
    size_of: SizeOf | None = None,
) -> dict[str, Any]:
    return {
        "label": "" if parts else external_id,
        "warning": warning,
        "parts": [_part(part, slug, size_of) for part in parts],
    }


def _part(part: Part | CardPart, slug: str, size_of: SizeOf | None) -> dict[str, Any]:
    if part.kind == Part.Kind.TEXT:
        return {"kind": "text", "text": part.text}
    if part.kind == Part.Kind.HTML:
        return {"kind": "html", "html": clean_page(part.text)}
    sources = sources_json(part, slug)
    return {
        "kind": part.kind,
        "url": sources[0]["url"],
        "type": sources[0]["type"],
        "sources": sources,
        "start": part.start,
        "end": part.end,
        **({"n_bytes": size_of(part)} if size_of else {}),
    }


def sources_json(part: Part | CardPart, slug: str) -> list[dict[str, str]]:
    """JSON of the sources of a medium, in the order in which browsers try them."""
    return [_source(part, number, source, slug) for number, source in enumerate(part.sources)]


def _source(part: Part | CardPart, number: int, source: MediaSource, slug: str) -> dict[str, str]:
    """JSON of one source of a medium: its address, its type for a browser, and its type in words.

    defect : "unread" of a file that could not be read, "nowhere" of a type that plays in no
        browser, else ""
    """
    type_by_name = media_type(source.path.partition("?")[0])
    mime = source.type or (type_by_name.content_type if type_by_name else "")
    if is_address(source.path):
        url = source.path
    elif number:
        url = reverse("annotate:part-source", args=[slug, part.pk, number])
    else:
        url = reverse("annotate:part-media", args=[slug, part.pk])
    is_unread = part.is_inspected and not source.type and not is_address(source.path)
    is_unplayable = browser_support.playback_limit(mime) is browser_support.NOWHERE
    return {
        "url": url,
        "type": browser_support.browser_query_type(mime),
        "what": browser_support.format_names(mime),
        "defect": "unread" if is_unread else "nowhere" if is_unplayable else "",
    }


def file_answer(request: HttpRequest, *, path: Path, content_type: str) -> HttpResponseBase:
    """A file of this machine, or the stretch of it that is asked for; 416 for one it has not."""
    file_stat = path.stat()
    size, tag = file_stat.st_size, f'"{file_stat.st_mtime_ns:x}-{file_stat.st_size:x}"'
    # a range meant for another version of the file does not count
    is_current = request.headers.get("If-Range", tag) == tag
    range_header = request.headers.get("Range", "") if is_current else ""
    response: HttpResponseBase
    try:
        byte_range = parse_range(range_header, size=size)
    except UnsatisfiableRange:
        response = HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})
    else:
        response = _stretch(path, size, byte_range)
    for name, value in {**MEDIUM_HEADERS, "ETag": tag, "Content-Type": content_type}.items():
        response.headers[name] = value
    return response


def _stretch(path: Path, size: int, byte_range: Range | None) -> FileResponse:
    served_range = byte_range or Range(0, size - 1)
    response = FileResponse(FileRange(path, served_range), status=206 if byte_range else 200)
    response.headers["Content-Length"] = str(served_range.length)
    if byte_range:
        response.headers["Content-Range"] = f"bytes {served_range.first}-{served_range.last}/{size}"
    return response


class FileRange:
    """A file from the first to the last requested byte, which a server may send from its position.

    It has no name, else Django's answer would reveal it.
    """

    def __init__(self, path: Path, byte_range: Range) -> None:
        self._file = path.open("rb", buffering=0)
        self._file.seek(byte_range.first)
        self._left = byte_range.length
        self.fileno, self.close = self._file.fileno, self._file.close

    def read(self, size: int) -> bytes:
        """Return the next bytes, none behind the last."""
        chunk = self._file.read(min(size, self._left))
        self._left -= len(chunk)
        return chunk
