"""The filter `moment`: a time in UTC, which a script tells in the reader's time."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from django.utils.safestring import mark_safe

from annotate.templatetags.moments import ago, local_times, moment

AT = datetime(2026, 3, 5, 7, 8, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("precision", "words"),
    [
        ("day", "5 Mar 2026"),
        ("minute", "5 Mar 2026 07:08 UTC"),
        ("second", "5 Mar 2026 07:08:09 UTC"),
        ("short", "5 Mar 07:08 UTC"),
        ("clock", "07:08 UTC"),
    ],
)
def test_a_moment_is_told_in_utc_and_says_so(precision, words):
    assert moment(AT, precision) == (
        '<time datetime="2026-03-05T07:08:09+00:00" title="5 Mar 2026 07:08:09 UTC" '
        f'data-precision="{precision}">{words}</time>'
    )


def test_a_moment_of_another_zone_is_told_in_utc():
    assert moment(AT.astimezone(timezone(timedelta(hours=-5)))) == moment(AT)


def test_a_day_without_an_hour_is_the_same_everywhere_and_tells_no_hour():
    assert moment(date(2026, 3, 5)) == '<time datetime="2026-03-05">5 Mar 2026</time>'


def test_no_moment_is_an_empty_text():
    assert moment(None) == ""


def test_an_unknown_precision_is_a_fault_of_the_template():
    with pytest.raises(KeyError):
        moment(AT, "weeks")


def test_the_time_since_a_moment_carries_what_the_browser_counts_on_from():
    element = ago(AT, "2 min")
    assert element.startswith('<time datetime="2026-03-05T07:08:09+00:00" title="5 Mar 2026')
    assert element.endswith(">2 min</time>")
    page_at = datetime.fromisoformat(element.split('data-ago="')[1].split('"')[0])
    assert page_at > AT and page_at.utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    ("told", "precision"),
    [
        ("5 Mar 2026 07:08:09 UTC", "second"),
        ("5 Mar 2026 07:08 UTC", "minute"),
        ("5 March 2026, 07:08 UTC", "minute"),
    ],
)
def test_times_within_a_sentence_are_moments_and_the_rest_is_escaped(told, precision):
    at = AT if precision == "second" else AT.replace(second=0)
    assert local_times(f"Made by <b>, {told}.") == (f"Made by &lt;b&gt;, {moment(at, precision)}.")


@pytest.mark.parametrize("sentence", ["", "5 Mar 2026", "at 07:08 UTC", "Days by UTC"])
def test_a_sentence_without_a_whole_time_stays(sentence):
    assert local_times(sentence) == sentence


@pytest.mark.parametrize(
    "words",
    [
        "31 Feb 2026 10:00 UTC",
        "5 Mai 2026 07:08 UTC",
        "5 Mar 2026 24:00 UTC",
        "3 Marathon 2026 10:00 UTC",
    ],
)
def test_somebody_s_words_that_look_like_a_time_stay(words):
    assert local_times(f"The receiver said: {words}") == f"The receiver said: {words}"


def test_safe_text_keeps_its_attributes_and_its_times():
    told = f'<input value="5 Mar 2026 07:08:09 UTC"> {moment(AT)} 5 Mar 2026 07:08:09 UTC'
    parts = told.rsplit(" 5 Mar", 1)
    assert local_times(mark_safe(told)) == f"{parts[0]} {moment(AT, 'second')}"
