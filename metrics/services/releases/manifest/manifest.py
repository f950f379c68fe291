"""The manifest of a release: what its documents tell, read from one moment of the database."""

import platform
import zlib
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from django.conf import settings
from django.db import connection

from annotate.models import Collection, QuerySet
from metrics.core.releases.limits import limits
from metrics.core.releases.manifest import (
    Creator,
    LabelSourceEntry,
    Manifest,
    RunEntry,
    ScoreEntry,
)
from metrics.models import Release
from metrics.services.releases.aliases import RunAlias
from metrics.services.releases.manifest import collection_facts, label_facts, people_facts
from metrics.services.releases.manifest.numbers import count_numbers
from metrics.services.releases.manifest.pool_facts import pool_entries
from metrics.services.releases.manifest.sole_pairs import SolePairs, sole_pairs


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


def manifest_of(
    *,
    release: Release,
    aliases: list[RunAlias],
    query_sets: list[QuerySet],
    parts: WrittenParts,
) -> Manifest:
    """Read the manifest of a release whose files of labels, runs and scores are written.

    query_sets : those of forward runs first; what a pool favours is of the first of each direction
    """
    collection = release.collection
    numbers = count_numbers(collection=collection)
    names = {alias.run.pk: alias.alias for alias in aliases}
    bias = pool_bias(collection, query_sets, names)
    return with_limits(
        Manifest(
            version=release.version,
            title=release.title,
            notes=release.notes,
            released_on=release.released_on,
            licence=release.licence,
            creators=tuple(Creator(**creator) for creator in release.creators),
            cite_as=release.cite_as,
            texts_leave=release.texts_leave,
            media_leave=release.media_leave,
            collection=collection_facts.collection_entry(collection=collection),
            levels=label_facts.level_entries(collection=collection, numbers=numbers),
            sides=collection_facts.side_entries(collection=collection),
            people=people_facts.people_entries(numbers=numbers),
            work=people_facts.work_entry(collection=collection),
            counts=label_facts.counts_entry(collection=collection, numbers=numbers),
            agreement=label_facts.agreement_entry(numbers=numbers, marks=collection.alpha_marks),
            golds=label_facts.golds_entry(numbers=numbers),
            guidelines=collection_facts.guideline_versions(collection=collection),
            policies=collection_facts.policy_versions(collection=collection),
            pools=pool_entries(collection=collection, numbers=numbers, aliases=names),
            runs=tuple(parts.runs),
            query_sets=collection_facts.query_set_entries(
                collection=collection, files=parts.query_set_files
            ),
            reference_sets=collection_facts.reference_set_entries(collection=collection),
            label_sources=tuple(parts.label_sources),
            scores=tuple(parts.scores),
            pool_bias=bias.entries,
            undefined_bias=bias.undefined,
            limits=tuple(parts.left_out),
            made_with=writer_versions(),
        )
    )


def with_limits(manifest: Manifest) -> Manifest:
    """Return the manifest with the limits that follow from its entries before its own."""
    sentences = limits(
        collection=manifest.collection,
        counts=manifest.counts,
        agreement=manifest.agreement,
        people=manifest.people,
        pools=manifest.pools,
        query_sets=manifest.query_sets,
        scores=manifest.scores,
    )
    return replace(manifest, limits=(*sentences, *manifest.limits))


def pool_bias(
    collection: Collection, query_sets: list[QuerySet], aliases: dict[int, str]
) -> SolePairs:
    """The losses of pooled runs in each direction, or why neither direction has any."""
    first_sets = {query_set.direction: query_set for query_set in reversed(query_sets)}
    studies = [
        sole_pairs(collection=collection, query_set=query_set, aliases=aliases)
        for query_set in reversed(first_sets.values())
    ]
    entries = tuple(entry for study in studies for entry in study.entries)
    reasons = dict.fromkeys(study.undefined for study in studies)
    return SolePairs(entries, "" if entries else " ".join(reasons))


def writer_versions() -> dict[str, str]:
    """The versions of what writes the files: with others their bytes may be others."""
    return {
        "Assayer": settings.VERSION,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "Apache Arrow": pa.__version__,
        "PostgreSQL": ".".join(map(str, connection.get_database_version())),
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
    }
