"""Names of files in a release."""

import re
import unicodedata
from collections.abc import Sequence

# the module by which the package ir_datasets loads a release
IR_DATASETS = "ir_datasets_release.py"


def file_stems(names: Sequence[str]) -> list[str]:
    """Names of files for these names, each once: letters, digits and dashes of ASCII.

    The second of two that would be the same ends in -2.
    """
    stems: list[str] = []
    for name in names:
        text = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        stem = re.sub(r"[^a-z0-9]+", "-", text).strip("-")[:60] or "unnamed"
        alternatives = (f"{stem}-{number}" for number in range(2, len(names) + 2))
        stems.append(
            stem
            if stem not in stems
            else next(alternative for alternative in alternatives if alternative not in stems)
        )
    return stems
