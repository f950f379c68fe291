"""The manifest of a release: what its documents tell, read from one moment of the database."""

import platform
import zlib
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from django.conf import settings

from metrics.core.releases.manifest import (
    Creator,
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
