"""Licences by their SPDX identifiers, as other catalogues name them."""

import re

# Identifiers of the Hugging Face Hub (hub-docs, repositories-licenses), which differ from SPDX's
# in more than case; SPDX identifiers: https://spdx.org/licenses/
HUB_NAMES = {
    "ODC-By-1.0": "odc-by",
    "ODbL-1.0": "odbl",
    "PDDL-1.0": "pddl",
    "C-UDA-1.0": "c-uda",
    "AGPL-3.0-only": "agpl-3.0",
    "AGPL-3.0-or-later": "agpl-3.0",
    "GPL-2.0-only": "gpl-2.0",
    "GPL-2.0-or-later": "gpl-2.0",
    "GPL-3.0-only": "gpl-3.0",
    "GPL-3.0-or-later": "gpl-3.0",
    "LGPL-2.1-only": "lgpl-2.1",
    "LGPL-2.1-or-later": "lgpl-2.1",
    "LGPL-3.0-only": "lgpl-3.0",
    "LGPL-3.0-or-later": "lgpl-3.0",
    "etalab-2.0": "etalab-2.0",
}
# Those that the Hub names as SPDX does, in small letters; CITATION.cff 1.2.0 has them all
_SAME = [
    "AFL-3.0",
    "Apache-2.0",
    "Artistic-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSD-3-Clause-Clear",
    "BSL-1.0",
    "CC0-1.0",
    "CC-BY-2.0",
    "CC-BY-2.5",
    "CC-BY-3.0",
    "CC-BY-4.0",
    "CC-BY-SA-3.0",
    "CC-BY-SA-4.0",
    "CC-BY-NC-2.0",
    "CC-BY-NC-3.0",
    "CC-BY-NC-4.0",
    "CC-BY-ND-4.0",
    "CC-BY-NC-ND-3.0",
    "CC-BY-NC-ND-4.0",
    "CC-BY-NC-SA-2.0",
    "CC-BY-NC-SA-3.0",
    "CC-BY-NC-SA-4.0",
    "CDLA-Sharing-1.0",
    "CDLA-Permissive-1.0",
    "CDLA-Permissive-2.0",
    "ECL-2.0",
    "EPL-1.0",
    "EPL-2.0",
    "EUPL-1.1",
    "ISC",
    "LPPL-1.3c",
    "MIT",
    "MPL-2.0",
    "MS-PL",
    "NCSA",
    "OFL-1.1",
    "OSL-3.0",
    "PostgreSQL",
    "Unlicense",
    "WTFPL",
    "Zlib",
]
HUB_NAMES |= {spdx: spdx.lower() for spdx in _SAME}
# Newer than the list of CITATION.cff 1.2.0 (August 2021)
NOT_IN_CFF = frozenset({"CDLA-Permissive-2.0"})
_IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")


def licence_address(spdx: str) -> str:
    """Return the address of a licence's text at SPDX; empty for what is no identifier of theirs."""
    if not _IDENTIFIER.fullmatch(spdx) or spdx.startswith("LicenseRef-"):
        return ""
    return f"https://spdx.org/licenses/{spdx}.html"
