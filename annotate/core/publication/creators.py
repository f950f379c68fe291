"""The people to cite for a collection: name, affiliation and ORCID of each, in their order."""

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple, TypedDict

from annotate.core.publication.orcids import ORCID, parse_orcid

MAX_CREATORS = 200
MAX_NAME, MAX_AFFILIATION = 200, 300
SEPARATOR = ";"


class StoredCreator(TypedDict):
    """A person to cite, as a collection stores her.

    affiliation : empty if unknown; orcid : as 0000-0002-1825-0097, or empty
    """

    name: str
    affiliation: str
    orcid: str


class ParsedCreators(NamedTuple):
    """The creators of a text; faults : sentences, each of which names its line."""

    creators: list[StoredCreator]
    faults: list[str]


def parse_creators(text: str) -> ParsedCreators:
    """Parse creators as leads type them, a line each: `Name; affiliation; ORCID`.

    Affiliation and ORCID may be left out; blank lines are passed over, but counted.
    """
    creators: list[StoredCreator] = []
    faults: list[str] = []
    lines_by_orcid: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            creator = _parse_line(line)
        except ValueError as error:
            faults.append(f"Line {number}: {error}")
            continue
        orcid = creator["orcid"]
        if orcid and orcid in lines_by_orcid:
            faults.append(f"Line {number}: line {lines_by_orcid[orcid]} has this ORCID, too.")
        lines_by_orcid.setdefault(orcid, number)
        creators.append(creator)
    if len(creators) > MAX_CREATORS:
        faults.append(f"There are at most {MAX_CREATORS} creators, not {len(creators):,}.")
    return ParsedCreators(creators, faults)


def creators_text(creators: Sequence[StoredCreator]) -> str:
    """Return creators as leads type them; `parse_creators` reads them again as they were."""
    lines = (
        f"{SEPARATOR} ".join((creator["name"], creator["affiliation"], creator["orcid"]))
        for creator in creators
    )
    return "\n".join(line.rstrip(f"{SEPARATOR} ") for line in lines)


def _parse_line(line: str) -> StoredCreator:
    """The creator of a line; raises ValueError with the fault in words."""
    parts = [" ".join(part.split()) for part in line.split(SEPARATOR)]
    if len(parts) == 2 and ORCID.fullmatch(parts[1]):
        parts.insert(1, "")
    if len(parts) > 3:
        raise ValueError(
            f"it has {len(parts)} parts between semicolons; write “Name; affiliation; ORCID”."
        )
    name, affiliation, orcid = (*parts, "", "")[:3]
    if not name:
        raise ValueError("the name is missing; write “Name; affiliation; ORCID”.")
    if len(name) > MAX_NAME or len(affiliation) > MAX_AFFILIATION:
        raise ValueError(
            f"a name has at most {MAX_NAME} characters, an affiliation {MAX_AFFILIATION}."
        )
    if any(unicodedata.category(character) == "Cc" for character in line if character != "\t"):
        raise ValueError("it has a control character, which cannot be printed.")
    return StoredCreator(
        name=name, affiliation=affiliation, orcid=parse_orcid(orcid) if orcid else ""
    )
