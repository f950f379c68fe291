"""Addresses of the papers that describe runs, made from the text that people type."""

import re

_DOI = re.compile(r"(?:doi:\s*|(?:https?://)?(?:dx\.)?doi\.org/)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
_URL = re.compile(r"https?://[^\s/.]+(\.[^\s/.]+)+(/\S*)?", re.IGNORECASE)


def paper_address(text: str) -> str:
    """The address of a paper given as a DOI in any spelling, or as an address.

    "" for an empty text. Raises ValueError for any other text. A DOI becomes https://doi.org/10...;
    other addresses stay as they are.
    """
    text = text.strip()
    if not text:
        return ""
    if doi := _DOI.fullmatch(text):
        return f"https://doi.org/{doi[1]}"
    if _URL.fullmatch(text):
        return text
    raise ValueError(
        "A paper is an address that begins with https://, or a DOI such as 10.1145/582415.582418."
    )
