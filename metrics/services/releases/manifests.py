"""The manifest of a release: what its documents tell, read from one moment of the database."""

from typing import NamedTuple

from metrics.core.releases.manifest import (
    LabelSourceEntry,
    Manifest,
    RunEntry,
    ScoreEntry,
)
from metrics.models import Release
from metrics.services.releases.aliases import RunAlias


class WrittenParts(NamedTuple):
    """The entries of the files that are written.

    left_out : sentences on files that a reader could expect and that are not there
    query_set_files : paths by the keys of the query sets
    """

    label_sources: list[LabelSourceEntry]
    left_out: list[str]
    query_set_files: dict[int, str]
    runs: list[RunEntry]
    scores: list[ScoreEntry]


def manifest_of(*, release: Release, aliases: list[RunAlias], parts: WrittenParts) -> Manifest:
    """Read the manifest of a release whose files of labels, runs and scores are written."""
    raise NotImplementedError
