"""Phrases: a number with its noun, in the singular for one."""

from datetime import UTC, datetime, timedelta

import pytest

from annotate.core.phrases import count_of, counted, days_since, duration, time_since


@pytest.mark.parametrize(
    ("nouns", "one"),
    [
        ("queries", "1 query"),
        ("documents", "1 document"),
        ("movies", "1 movie"),
        ("groups of queries", "1 group of queries"),
        ("people", "1 person"),
        ("batches", "1 batch"),
    ],
)
def test_a_number_of_one_has_the_singular_of_a_plural_noun(nouns, one):
    assert count_of(1, nouns) == one
    assert count_of(0, nouns) == f"0 {nouns}"
    assert count_of(1_200, nouns) == f"1,200 {nouns}"


@pytest.mark.parametrize(
    ("noun", "two"),
    [
        ("pair", "2 pairs"),
        ("query", "2 queries"),
        ("person", "2 people"),
        ("batch", "2 batches"),
    ],
)
def test_a_number_has_its_noun_in_the_plural_unless_it_is_one(noun, two):
    assert counted(1, noun) == f"1 {noun}"
    assert counted(2, noun) == two


@pytest.mark.parametrize(
    ("elapsed", "words"),
    [
        (timedelta(seconds=-5), "now"),
        (timedelta(seconds=59), "now"),
        (timedelta(minutes=2), "2 min"),
        (timedelta(minutes=59, seconds=59), "59 min"),
        (timedelta(hours=1), "1 h"),
        (timedelta(hours=23, minutes=59), "23 h"),
        (timedelta(hours=24), "yesterday"),
        (timedelta(hours=33), "2 days"),
        (timedelta(days=28), "28 days"),
        (timedelta(days=29), "1 Nov 2026"),
    ],
)
def test_the_time_since_a_moment_is_told_in_a_word_or_two(elapsed, words):
    now = datetime(2026, 11, 30, 8, 30, tzinfo=UTC)
    assert time_since(now - elapsed, now) == words


@pytest.mark.parametrize(
    ("elapsed", "words"),
    [
        (timedelta(seconds=-5), "today"),
        (timedelta(hours=8), "today"),
        (timedelta(hours=9), "yesterday"),
        (timedelta(hours=33), "2 days"),
        (timedelta(days=29), "1 Nov 2026"),
    ],
)
def test_the_days_since_a_moment_tell_no_hour(elapsed, words):
    now = datetime(2026, 11, 30, 8, 30, tzinfo=UTC)
    assert days_since(now - elapsed, now) == words


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.0 s"),
        (3.24, "3.2 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min"),
        (743, "12 min"),
        (3_569, "59 min"),
        (3_571, "1 h"),
        (7_500, "2 h 5 min"),
        (3_600_000, "1,000 h"),
    ],
)
def test_a_duration_is_told_in_seconds_below_a_minute_and_in_minutes_and_hours_above(seconds, text):
    assert duration(seconds) == text
