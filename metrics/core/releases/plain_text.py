"""Texts of people on one line, for documents in which a line has a meaning."""

import re

_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


def one_line(text: str) -> str:
    """Return a text on one line, with single blanks and without control characters."""
    return " ".join(_CONTROLS.sub(" ", text).split())
