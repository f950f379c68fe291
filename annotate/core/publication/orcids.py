"""ORCID, the identifiers of people who publish: 16 characters, the last of which checks the others.

Source: https://support.orcid.org/hc/en-us/articles/360006897674-Structure-of-the-ORCID-Identifier
"""

import re

# bare or as an address, with its hyphens or without them
ORCID = re.compile(
    r"(?:(?:https?://)?(?:www\.)?orcid\.org/)?(\d{4})-?(\d{4})-?(\d{4})-?(\d{3}[\dX])/?",
    re.ASCII | re.IGNORECASE,
)


def parse_orcid(text: str) -> str:
    """Return an ORCID with its hyphens, as 0000-0002-1825-0097, from itself or its address.

    Raises ValueError, with the reason in words, if it is none or mistyped.
    """
    match = ORCID.fullmatch(text.strip())
    if match is None:
        raise ValueError(
            f"“{text.strip()}” is no ORCID, which looks like 0000-0002-1825-0097 or "
            "https://orcid.org/0000-0002-1825-0097."
        )
    orcid = "-".join(match.groups()).upper()
    digits = orcid.replace("-", "")
    if check_character(digits[:-1]) != digits[-1]:
        raise ValueError(f"the ORCID {orcid} is mistyped: its last character does not fit.")
    return orcid


def check_character(digits: str) -> str:
    """Return the character that checks decimal digits: 0 to 9, or X for ten.

    ISO 7064, MOD 11-2.
    """
    total = 0
    for digit in digits:
        total = (total + int(digit)) * 2
    check = (12 - total % 11) % 11
    return "X" if check == 10 else str(check)
