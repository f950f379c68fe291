"""Licences of data by their SPDX identifiers (https://spdx.org/licenses/)."""

import re
from collections.abc import Mapping

DEFAULT_LICENCE = "CC-BY-4.0"
MAX_LENGTH = 60
# a short identifier of SPDX 2.3, annex D: also `LicenseRef-...`, and "+" for later versions
IDENTIFIER = r"^[A-Za-z0-9.+-]+$"

# those that data are mostly published under, with the names that SPDX gives them
LICENCES: Mapping[str, str] = {
    "CC0-1.0": "Creative Commons Zero v1.0 Universal",
    "CC-BY-4.0": "Creative Commons Attribution 4.0 International",
    "CC-BY-SA-4.0": "Creative Commons Attribution Share Alike 4.0 International",
    "CC-BY-NC-4.0": "Creative Commons Attribution Non Commercial 4.0 International",
    "CC-BY-NC-SA-4.0": "Creative Commons Attribution Non Commercial Share Alike 4.0 International",
    "ODbL-1.0": "Open Data Commons Open Database License v1.0",
    "ODC-By-1.0": "Open Data Commons Attribution License v1.0",
    "PDDL-1.0": "Open Data Commons Public Domain Dedication & License 1.0",
    "MIT": "MIT License",
    "Apache-2.0": "Apache License 2.0",
}
_BY_SMALL_LETTERS = {identifier.lower(): identifier for identifier in LICENCES}


def parse_licence(text: str) -> str:
    """Return the identifier that somebody typed, of LICENCES in its own letters: cc0-1.0, CC0-1.0.

    Raises ValueError, with the reason in words, for what cannot be an identifier.
    """
    identifier = text.strip()
    if not re.fullmatch(IDENTIFIER, identifier) or len(identifier) > MAX_LENGTH:
        raise ValueError(
            f"An SPDX identifier has letters, digits, dots, hyphens and + alone, at most "
            f"{MAX_LENGTH}, such as CC-BY-4.0, or LicenseRef-Ours for a licence of your own."
        )
    return _BY_SMALL_LETTERS.get(identifier.lower(), identifier)
