"""Template filters for times: `{{ at|moment }}` is the only way that a page tells a date.

A sentence from Python has its times in UTC, as mails and the API tell them, and says so; a page
shows it as `{{ sentence|local_times }}`.
"""

import re
from calendar import month_abbr, month_name
from datetime import UTC, date, datetime
from typing import NamedTuple

from django import template
from django.utils.dateformat import format as format_date
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
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


# A time within a sentence: 5 Mar 2026 07:08 UTC, 5 March 2026, 07:08 UTC, and with seconds. In safe
# text tags come first, and elements of times: nothing within them is a time.
TIME = re.compile(
    r"<time\b.*?</time>|<[^>]*>|"
    rf"\b(?P<day>\d{{1,2}}) (?P<month>{'|'.join([*month_name[1:], *month_abbr[1:]])}) "
    r"(?P<year>\d{4}),? (?P<clock>\d\d:\d\d)(?P<second>:\d\d)? UTC\b",
    re.DOTALL,
)


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
def local_times(sentence: object) -> SafeString:
    """A sentence whose times, told in UTC, are shown in the reader's time as those of `moment`."""

    def time_of(match: re.Match[str]) -> str:
        if match["day"] is None:
            return match[0]
        clock = match["clock"] + (match["second"] or ":00")
        text = f"{match['day']} {match['month'][:3]} {match['year']} {clock}"
        try:
            at = datetime.strptime(text, "%d %b %Y %H:%M:%S").replace(tzinfo=UTC)
        except ValueError:  # somebody's words that look like a time: 31 Feb, 25:00
            return match[0]
        return moment(at, "second" if match["second"] else "minute")

    # the sentence is escaped, and the times are marked up by format_html
    return mark_safe(TIME.sub(time_of, conditional_escape(str(sentence or ""))))  # noqa: S308


@register.filter
def ago(at: datetime, words: str) -> SafeString:
    """Words of phrases.time_since, which static/js/live/ago.js keeps true; UTC on hover."""
    return format_html(
        '<time datetime="{}" title="{}" data-ago="{}">{}</time>',
        localtime(at).isoformat(),
        f"{format_date(localtime(at), PRECISIONS['second'].format)} UTC",
        localtime().isoformat(),
        words,
    )


register.filter("duration", duration)
