"""The folder of a release of ours, beside the files that other programs read in it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from assayer.datasets.data_sets import SourceFault

MANIFEST = "manifest.json"


class OurRelease(NamedTuple):
    """The facts of a release that an import takes from its manifest.

    levels : name and sentence of grades; positive_from : the smallest grade that is relevant
    query_set, direction, label_source : of the labels in its BEIR folder, among those of its tables
    """

    folder: Path
    levels: Mapping[int, str]
    positive_from: int
    query_set: str
    direction: str
    label_source: str

    @property
    def is_reverse(self) -> bool:
        """True if documents are searched with."""
        return self.direction == "reverse"


def release_around(folder: Path) -> OurRelease | None:
    """The release that a folder is, or whose BEIR folder it is; None for any other.

    Raises SourceFault for a manifest that cannot be read, and for a release without query sets.
    """
    for root in (folder, folder.resolve().parent):
        if (root / MANIFEST).is_file() and (root / "beir").is_dir():
            return release_of(root)
    return None


def release_of(folder: Path) -> OurRelease:
    """The release in a folder. Raises SourceFault."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
        levels = {
            level["grade"]: ": ".join(filter(None, (level["name"], level["sentence"])))
            for level in manifest["levels"]
        }
        first_set = min(
            manifest["query_sets"], key=lambda entry: (entry["direction"], entry["name"])
        )
        source = manifest["label_sources"][0]["key"]
        return OurRelease(
            folder,
            levels,
            int(manifest["collection"]["positive_from"]),
            first_set["name"],
            first_set["direction"],
            source,
        )
    except (ValueError, LookupError, TypeError) as error:
        raise SourceFault(
            f"{folder / MANIFEST} is no manifest of a release with query sets and labels."
        ) from error
