"""The contents of a release: the files of labels, runs and scores, then the documents on them."""

import json
from typing import Any

from annotate.models import Collection, Direction, QuerySet
from metrics.core.releases.citation import citation_cff
from metrics.core.releases.croissant import croissant_json
from metrics.core.releases.data_card import data_card
from metrics.core.releases.file_names import file_stems
from metrics.core.releases.fire_labels import fire_header, fire_pieces
from metrics.core.releases.ir_metadata import ir_metadata
from metrics.core.releases.manifest import Manifest
from metrics.models import Release
from metrics.services.downloads.bundles import ItemContents
from metrics.services.downloads.items import ExternalIds
from metrics.services.releases.aliases import RunAlias
from metrics.services.releases.fire_file import fire_labels
from metrics.services.releases.ir_datasets_file import write_ir_datasets
from metrics.services.releases.label_files import (
    write_beir,
    write_labels,
    write_pool_pairs,
    write_qrels,
    write_strata,
)
from metrics.services.releases.manifest.manifest import WrittenParts, manifest_of
from metrics.services.releases.query_sets import query_set_lines
from metrics.services.releases.run_files import write_runs, write_scores
from metrics.services.releases.writer import ReleaseWriter

CHECKSUMS = "SHA256SUMS"


def write_contents(writer: ReleaseWriter, *, release: Release, aliases: list[RunAlias]) -> Manifest:
    """Write all files of a release, in a transaction that sees one moment; return its manifest."""
    collection = release.collection
    query_sets = _query_sets(collection)
    parts = WrittenParts(
        label_sources=write_qrels(writer, collection=collection, query_sets=query_sets),
        left_out=write_strata(writer, collection=collection),
        query_set_files=_write_query_sets(writer, collection, query_sets),
        runs=write_runs(writer, aliases=aliases, query_sets=query_sets),
        scores=write_scores(writer, collection=collection, aliases=aliases, query_sets=query_sets),
    )
    judgments_md5 = write_labels(writer, collection=collection)
    write_pool_pairs(writer, collection=collection)
    contents = ItemContents(release.texts_leave, release.media_leave)
    for query_set in list(query_sets.values())[:1]:
        write_beir(writer, collection=collection, query_set=query_set, contents=contents)
    manifest = manifest_of(
        release=release, aliases=aliases, query_sets=list(query_sets.values()), parts=parts
    )
    names = {alias.run.pk: alias.alias for alias in aliases}
    fire_rows = fire_labels(collection=collection, aliases=names, contents=contents)
    writer.add_pieces(
        "labels/fire.json.gz",
        "The labels that count in the JSON of the FIRE data set; source_data_md5 is that of the "
        "unpacked judgments.jsonl.",
        fire_pieces(fire_header(manifest, source_data_md5=judgments_md5), fire_rows),
    )
    _write_documents(writer, manifest)
    return manifest


def _query_sets(collection: Collection) -> dict[str, QuerySet]:
    """The query sets by the names that their files begin with, those of forward runs first."""
    query_sets = sorted(
        QuerySet.objects.filter(collection=collection),
        key=lambda query_set: (query_set.direction != Direction.FORWARD, query_set.name.encode()),
    )
    stems = file_stems([f"{query_set.name} {query_set.direction}" for query_set in query_sets])
    return dict(zip(stems, query_sets, strict=True))


def _write_query_sets(
    writer: ReleaseWriter, collection: Collection, query_sets: dict[str, QuerySet]
) -> dict[int, str]:
    """Write the items of query sets that count; return the paths by the keys of the sets."""
    external_ids = ExternalIds(collection)
    paths = {}
    for stem, query_set in query_sets.items():
        path = paths[query_set.pk] = f"query-sets/{stem}.tsv"
        about = (
            f"The sources of query set {query_set}, and the targets of its gallery if it has one."
        )
        lines = query_set_lines(query_set=query_set, external_ids=external_ids)
        writer.add_lines(path, about, lines, n_header=1)
    return paths


def _write_documents(writer: ReleaseWriter, manifest: Manifest) -> None:
    """Write the documents, each of which tells of the files before it; the checksums come last."""
    writer.add_text("scheme.json", "The levels of the scheme.", _scheme(manifest))
    policies = _json(manifest.policies)
    writer.add_text("policies.json", "The versions of the policy, the oldest first.", policies)
    for version in manifest.guidelines:
        path = f"guidelines/version-{version['version']}.md"
        about = f"Version {version['version']} of the guidelines for annotators."
        writer.add_text(path, about, version["markdown"])
    about = "All that these documents tell, for programs."
    writer.add_text("manifest.json", about, manifest.json)
    write_ir_datasets(writer)
    writer.add_text("CITATION.cff", "How to cite it, for programs.", citation_cff(manifest))
    about = "The ir_metadata block of its data."
    writer.add_text("ir_metadata.yaml", about, ir_metadata(manifest))
    about = "Its metadata in Croissant, by which programs load its tables."
    writer.add_text("croissant.json", about, croissant_json(manifest, writer.files))
    writer.add_text("README.md", "The data card.", data_card(manifest, writer.files))
    lines = "".join(f"{file.sha256}  {file.path}\n" for file in writer.files)
    writer.add_text(CHECKSUMS, "The checksums of all other files, for sha256sum.", lines)


def _scheme(manifest: Manifest) -> str:
    levels = [
        {name: getattr(level, name) for name in ("grade", "name", "sentence", "reasons")}
        for level in manifest.levels
    ]
    collection = manifest.collection
    return _json(
        {
            "measurement": collection.measurement,
            "positive_from": collection.positive_from,
            "levels": levels,
        }
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
