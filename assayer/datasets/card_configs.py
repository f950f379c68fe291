"""The `configs` of a data card on the Hub: which files hold which part of a data set."""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from assayer.datasets.data_sets import SourceFault

EVERYTHING = "train"  # the split of files that a card gives without one
FIELDS = ("config_name", "data_files", "split", "path")
_FIELD = re.compile(r"([A-Za-z_]+):(?:\s+(.*))?$")


class CardFiles(NamedTuple):
    """A pattern of file names, with the part and the split of the data set that they hold."""

    config: str
    split: str
    pattern: str


def card_files(card: str) -> list[CardFiles]:
    """The files that the `configs` in the head of a README.md name; [] where it names none.

    Raises SourceFault for lists in brackets, which the Hub's own programs do not write.
    """
    config, field, split = "default", "", EVERYTHING
    files = []
    for line in config_lines(card):
        text = line.lstrip()
        while text.startswith("- "):
            text = text[2:].lstrip()
            if line.startswith("- "):
                config, split = "default", EVERYTHING
        match = _FIELD.match(text)
        value = scalar(match[2] or "" if match else text)
        if value.startswith(("[", "{")):
            raise SourceFault(
                f"README.md has {value} among its configs; write each file on a line of its own."
            )
        if match:
            field = match[1]
        if field == "config_name":
            config = value
        elif field == "split":
            split = value
        elif field in ("path", "data_files") and value:
            files.append(CardFiles(config, split, value))
    return files


def config_lines(card: str) -> Iterator[str]:
    """The lines of `configs` in the head of a card, without indentation common to all."""
    lines = iter(card.splitlines())
    if next(lines, "").strip() != "---":
        return
    indentation = None
    is_inside = False
    for line in lines:
        if line.rstrip() == "---":
            return
        if line[:1] not in ("", " ", "-"):
            is_inside = line.rstrip() == "configs:"
        elif is_inside and line.strip() and not line.lstrip().startswith("#"):
            if indentation is None:
                indentation = len(line) - len(line.lstrip())
            yield line[indentation:].rstrip()


def scalar(text: str) -> str:
    """A text of YAML, in quotes or without. Raises SourceFault."""
    if text.startswith('"'):
        try:
            return str(json.loads(text))
        except ValueError as error:
            raise SourceFault(
                f"README.md has {text} among its configs, which is no text."
            ) from error
    if text.startswith("'") and text.endswith("'"):
        return text[1:-1].replace("''", "'")
    return text.strip()
