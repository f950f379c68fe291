"""The data card of a release: its README.md, written from the manifest alone.

Front matter and headings are those of dataset cards of the Hugging Face Hub (hub-docs,
datasetcard.md; huggingface_hub, datasetcard_template.md), joined with the headings of Data
Statements: Bender & Friedman 2018, doi:10.1162/tacl_a_00041.
"""

from collections.abc import Sequence

from annotate.core.phrases import counted, enumeration
from metrics.core.releases.licences import HUB_NAMES, licence_address
from metrics.core.releases.manifest import FileEntry, Manifest
from metrics.core.releases.plain_text import one_line
from metrics.core.releases.release_tables import filled_tables
from metrics.core.releases.sections.annotations import annotations
from metrics.core.releases.sections.considerations import (
    REHEARSAL,
    citing,
    considerations,
    licensing,
    provenance,
)
from metrics.core.releases.sections.creation import creation
from metrics.core.releases.sections.markdown import inline, section, sentence
from metrics.core.releases.sections.results import results
from metrics.core.releases.sections.structure import DIRECTIONS, SPLIT, structure
from metrics.core.releases.yaml_text import Value, yaml_text

_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
    (100_000_000, "10M<n<100M"),
    (1_000_000_000, "100M<n<1B"),
    (10_000_000_000, "1B<n<10B"),
    (100_000_000_000, "10B<n<100B"),
    (1_000_000_000_000, "100B<n<1T"),
)
_MEDIA = ("image", "video", "audio")


def data_card(manifest: Manifest, files: Sequence[FileEntry]) -> str:
    """Return the data card as Markdown with front matter in YAML.

    files : all files of the release but the card itself and SHA256SUMS
    What people wrote stands as they wrote it, on one line, and is never markup. A number that is
    not there is told in words.
    """
    title = inline(manifest.title) or inline(manifest.collection.name)
    parts = [
        f"---\n{yaml_text(front_matter(manifest, files))}---",
        section(title, level=1),
        section("Dataset summary", *_summary(manifest)),
        section("Supported tasks", *_tasks(manifest)),
        structure(manifest, files),
        creation(manifest),
        annotations(manifest),
        results(manifest),
        considerations(manifest),
        licensing(manifest),
        citing(manifest),
        provenance(manifest),
    ]
    return "\n\n".join(parts) + "\n"


def front_matter(manifest: Manifest, files: Sequence[FileEntry]) -> dict[str, Value]:
    """Return the fields of the card's front matter, with a configuration for each filled table.

    What the labels tell of is evaluated and trains nothing: the split of all tables is `test`.
    Left out: `language`, which is not recorded; `annotations_creators`, since nobody knows whether
    annotators are experts; and the licence, where none was chosen.
    """
    kinds = {kind for side in manifest.sides for kind, n in side.n_parts.items() if n}
    fields: dict[str, Value] = {"pretty_name": one_line(manifest.title)}
    fields |= _licence(manifest.licence.strip())
    # the Hub has no task of retrieving pictures, clips or recordings
    fields["task_categories"] = ["text-retrieval"] if kinds & {"text", "html"} else ["other"]
    fields["size_categories"] = [size_category(manifest.counts.n_judgments)]
    fields["tags"] = [
        "information-retrieval",
        "test-collection",
        "relevance-judgments",
        *(kind for kind in _MEDIA if kind in kinds),
    ]
    if tables := filled_tables(files):
        fields["configs"] = [
            {
                "config_name": table.name,
                "data_files": [{"split": SPLIT, "path": table.path}],
            }
            for table in tables
        ]
    return fields


def size_category(n_rows: int) -> str:
    """Return the Hub's word for a number of rows: 1K<n<10K."""
    return next((name for end, name in _SIZES if n_rows < end), "n>1T")


def _licence(spdx: str) -> dict[str, Value]:
    if not spdx:
        return {}
    if spdx in HUB_NAMES:
        return {"license": HUB_NAMES[spdx]}
    fields: dict[str, Value] = {"license": "other", "license_name": one_line(spdx).lower()}
    if address := licence_address(spdx):
        fields["license_link"] = address
    return fields


def _summary(manifest: Manifest) -> list[str]:
    counts = manifest.counts
    sides = [counted(side.n_items, side.side) for side in manifest.sides]
    items = f" on {enumeration(sides)}" if sides else ""
    return [
        f"Version {inline(manifest.version)} of the collection “{inline(manifest.collection.name)}”"
        f", released on {manifest.released_on.isoformat()}: "
        f"{counted(counts.n_labels, 'label')} of {counted(counts.n_pairs, 'pair')}{items}. A label "
        "is the grade that an annotator gave a document for a query.",
        sentence(manifest.collection.description),
        sentence(manifest.notes),
        REHEARSAL if manifest.collection.is_rehearsal else "",
    ]


def _tasks(manifest: Manifest) -> list[str]:
    directions = dict.fromkeys(
        qrels.direction for source in manifest.label_sources for qrels in source.qrels
    )
    tasks = [f"from {DIRECTIONS.get(direction, direction)}" for direction in directions]
    if not tasks:
        return ["Evaluation of retrieval. This release has no qrels, so it scores no run."]
    return [f"Evaluation of retrieval {inline(enumeration(tasks))}."]
