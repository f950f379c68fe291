"""Sentences of the concerns that guards raise, from the numbers that are stored with them.

Where the numbers come from: metrics/core/agreement/guards.py.
"""

from collections.abc import Mapping
from math import ceil
from typing import Any

SHORT_WORDS = {
    "speed": "too fast",
    "clip": "clips cut short",
    "run": "one level in a row",
    "gold": "golds low",
}

SMALLEST_CHANCE = 0.001  # per cent; a smaller one is not told in figures


def sentence(guard: str, evidence: Mapping[str, Any]) -> str:
    """The evidence in words and figures; guard : a key of SHORT_WORDS.

    "41 of the last 50 answers took less than 1 s; at most 5 are expected."
    """
    return _SENTENCES[guard](evidence)


def _speed(evidence: Mapping[str, Any]) -> str:
    return (
        f"{evidence['n_hits']} of the last {evidence['n']} answers took less than "
        f"{evidence['mark']:g} s; at most {ceil(evidence['n_expected'])} are expected."
    )


def _clip(evidence: Mapping[str, Any]) -> str:
    return (
        f"{evidence['n_hits']} of the last {evidence['n']} answers to clips took less than "
        f"{evidence['mark']:g} % of the clip's length; at most {ceil(evidence['n_expected'])} are "
        "expected."
    )


def _run(evidence: Mapping[str, Any]) -> str:
    chance = 100 * evidence["chance"]
    words = f"about {chance:.1g}" if chance >= SMALLEST_CHANCE else f"below {SMALLEST_CHANCE}"
    return (
        f"“{evidence['level']}” {evidence['length']} times in a row; up to "
        f"{evidence['n_expected']} in a row are expected in {evidence['n']:,} answers. "
        f"The chance of {evidence['length']} is {words} %, and the mark is "
        f"{evidence['mark']:g} %."
    )


def _gold(evidence: Mapping[str, Any]) -> str:
    high, mark = 100 * evidence["high"], evidence["mark"]
    # else it would look like the mark
    end = f"{high:.0f}" if round(high) != mark else f"{high:.2f}"
    return (
        f"Golds {evidence['n_right']} of {evidence['n']}, withdrawn answers included, between "
        f"{100 * evidence['low']:.0f} and {end} %, below the mark of {mark:g} %."
    )


_SENTENCES = {"speed": _speed, "clip": _clip, "run": _run, "gold": _gold}
