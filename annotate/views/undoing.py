"""Notices of acts that are done, with a button that takes the act back."""

from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest
from django.template.loader import render_to_string


def notify(
    request: HttpRequest,
    text: str,
    *,
    undo_url: str,
    done_at: datetime | str | None = None,
    **fields: str,
) -> None:
    """Tell on the next page that an act is done; its button sends `fields` to `undo_url`.

    Without fields it has no button: the act cannot be taken back at once.

    done_at : moment of the act, perhaps in ISO 8601, so that no later one is taken back; see
        TakeBackForm and require_unchanged
    """
    if not fields:
        messages.success(request, text)
        return
    if done_at is not None:
        fields["done_at"] = done_at if isinstance(done_at, str) else done_at.isoformat()
    context = {"text": text, "undo_url": undo_url, "fields": fields}
    messages.success(request, render_to_string("parts/acts/_undo.html", context, request=request))
