"""Template filters for times: `{{ at|moment }}` is the only way that a page tells a date."""

from datetime import date, datetime
from typing import NamedTuple

from django import template
from django.utils.dateformat import format as format_date
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from annotate.core.phrases import duration

register = template.Library()


class Precision(NamedTuple):
    """A way to write a moment: the format of its words, and if an hour is among them."""

    format: str
    has_hour: bool = True


PRECISIONS = {
    "day": Precision("j M Y", has_hour=False),
    "minute": Precision("j M Y H:i"),
    "second": Precision("j M Y H:i:s"),
    "short": Precision("j M H:i"),
    "clock": Precision("H:i"),
}


@register.filter
def moment(at: date | datetime | None, precision: str = "minute") -> SafeString | str:
    """A moment in UTC, which static/js/moments.js tells in the reader's time; UTC on hover.

    at : aware, or a day without an hour, which is the same everywhere; None is an empty text
    precision : a key of PRECISIONS; any other is a KeyError
    """
    form = PRECISIONS[precision]
    if at is None:
        return ""
    if not isinstance(at, datetime):
        day = format_date(at, PRECISIONS["day"].format)
        return format_html('<time datetime="{}">{}</time>', at.isoformat(), day)
    words = format_date(localtime(at), form.format) + (" UTC" if form.has_hour else "")
    whole = f"{format_date(localtime(at), PRECISIONS['second'].format)} UTC"
    return format_html(
        '<time datetime="{}" title="{}" data-precision="{}">{}</time>',
        localtime(at).isoformat(),
        whole,
        precision,
        words,
    )


@register.filter
def ago(at: datetime, words: str) -> SafeString:
    """Words of phrases.time_since, which static/js/ago.js keeps true; UTC on hover."""
    return format_html(
        '<time datetime="{}" title="{}" data-ago="{}">{}</time>',
        localtime(at).isoformat(),
        f"{format_date(localtime(at), PRECISIONS['second'].format)} UTC",
        localtime().isoformat(),
        words,
    )


register.filter("duration", duration)
