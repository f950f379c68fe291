"""Licences of data by their SPDX identifiers (https://spdx.org/licenses/)."""

from collections.abc import Mapping

DEFAULT_LICENCE = "CC-BY-4.0"
MAX_LENGTH = 60
# a short identifier of SPDX 2.3, annex D: also `LicenseRef-...`, and "+" for later versions
IDENTIFIER = r"^[A-Za-z0-9.+-]+$"

# those that data are mostly published under, and code beside them
LICENCES: Mapping[str, str] = {
    "CC0-1.0": "CC0: no rights reserved",
    "CC-BY-4.0": "Creative Commons: attribution",
    "CC-BY-SA-4.0": "Creative Commons: attribution, share alike",
    "CC-BY-NC-4.0": "Creative Commons: attribution, not commercial",
    "CC-BY-NC-SA-4.0": "Creative Commons: attribution, not commercial, share alike",
    "ODbL-1.0": "Open Database License: attribution, share alike",
    "ODC-By-1.0": "Open Data Commons: attribution",
    "PDDL-1.0": "Open Data Commons: public domain",
    "MIT": "MIT License",
    "Apache-2.0": "Apache License 2.0",
}
