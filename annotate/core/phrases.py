"""Phrases of sentences on pages."""

from collections.abc import Sequence
from datetime import datetime

# plurals that no rule makes
_PLURALS = {"person": "people", "batch": "batches"}
_SINGULARS = {nouns: noun for noun, nouns in _PLURALS.items()}


def counted(n: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is one: 1 pair, 1,200 queries."""
    if n == 1:
        return f"{n:,} {noun}"
    usual_plural = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{n:,} {_PLURALS.get(noun, usual_plural)}"


def singular(nouns: str) -> str:
    """Return the singular of a plural noun: queries, query; groups of queries, group of queries."""
    noun, of, group = nouns.partition(" of ")
    usual_singular = f"{noun[:-3]}y" if noun.endswith("ries") else noun.removesuffix("s")
    noun = _SINGULARS.get(noun, usual_singular)
    return f"{noun}{of}{group}"


def count_of(n: int, nouns: str) -> str:
    """Return a number with a noun that is known in its plural: 1 query, 1,200 queries."""
    return f"{n:,} {singular(nouns) if n == 1 else nouns}"


def enumeration(names: Sequence[str]) -> str:
    """Return one name or more in a sentence: a, b and c."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def first_few(names: Sequence[str], *, most: int = 4) -> str:
    """Return the first names, and how many more there are: a, b, c, d and 1,200 more."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def time_since(moment: datetime, now: datetime) -> str:
    """Return in a word or two how long ago a moment was: now, 2 min, 1 h, yesterday, 5 days.

    Less than a day is told in minutes or hours, more in days of the calendar, and more than four
    weeks by the date. A moment to come is now.
    """
    minutes = int((now - moment).total_seconds() // 60)
    if minutes < 1:
        return "now"
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 24 * 60:
        return f"{minutes // 60} h"
    return days_since(moment, now)


def days_since(moment: datetime, now: datetime) -> str:
    """Return how many days of the calendar ago a moment was: today, yesterday, 5 days, or its date.

    More than four weeks are told by the date. A moment to come is today.
    """
    days = (now.date() - moment.date()).days
    if days <= 1:
        return "yesterday" if days == 1 else "today"
    return f"{days} days" if days <= 28 else f"{moment:%-d %b %Y}"


def time_of_people(hours: float, hours_text: str) -> str:
    """Return a time that people take: below an hour in minutes or seconds, else by `hours_text`."""
    unit = "hour" if hours_text == "1" else "hours"
    time = duration(3600 * hours) if 0 < hours < 1 else f"{hours_text} {unit}"
    return f"{time} of people"


def duration(seconds: float) -> str:
    """Return a time that something took: 3.2 s, 12 min, 2 h 5 min; below a minute in seconds."""
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60:,} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60:,} h"
