"""The sections on what a release consists of: items, grades, query sets, labels and files."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from annotate.core.phrases import count_of, counted, enumeration
from metrics.core.releases.file_names import IR_DATASETS
from metrics.core.releases.manifest import FileEntry, Manifest, RunEntry, SideEntry
from metrics.core.releases.release_tables import filled_tables
from metrics.core.releases.sections.markdown import bullets, fence, inline, section, table

_PLAIN_PATH = re.compile(r"[\w./+@%=-]+")  # may stand in code as it is

SPLIT = "test"  # of the tables, for programs that know parts of a data set by such a word
DIRECTIONS = {"forward": "queries to documents", "reverse": "documents to queries"}


def direction_words(direction: str) -> str:
    """Return a direction with what it means: forward (queries to documents)."""
    words = DIRECTIONS.get(direction)
    return f"{direction} ({words})" if words else direction


def structure(manifest: Manifest, files: Sequence[FileEntry]) -> str:
    """Return the section Dataset structure."""
    return "\n\n".join(
        [
            section("Dataset structure", "A row of the qrels is a query, a document and a grade."),
            section("Items", *item_paragraphs(manifest), level=3),
            section("Grades", *grade_paragraphs(manifest), level=3),
            section("Query sets", *query_set_paragraphs(manifest), level=3),
            section("Label sources", *label_source_paragraphs(manifest), level=3),
            section("Files", *file_paragraphs(files), level=3),
            section("How to read the files", *reading_paragraphs(manifest, files), level=3),
            section("How to load the folder", *loading_paragraphs(manifest, files), level=3),
            section("How to check the files", *checking_paragraphs(), level=3),
        ]
    )


def _parts(side: SideEntry) -> str:
    kinds = [f"{n:,} of {kind}" for kind, n in side.n_parts.items() if n]
    return enumeration(kinds) if kinds else "no parts: its items are known by their ids"


def item_paragraphs(manifest: Manifest) -> list[str]:
    """Return the numbers of items by side, and whether their contents are in the release."""
    if not manifest.sides:
        return ["This release tells nothing of its items."]
    return [
        table(
            ("Side", "Parts by kind", "Items", "Excluded from evaluation", "Duplicates of others"),
            [
                (
                    side.side,
                    _parts(side),
                    f"{side.n_items:,}",
                    f"{side.n_excluded:,}",
                    f"{side.n_duplicates:,}",
                )
                for side in manifest.sides
            ],
            numbers=3,
        ),
        "Texts of items are in this release."
        if manifest.texts_leave
        else "Texts of items are not in this release: items are named by their ids.",
        "Names and addresses of media are in this release."
        if manifest.media_leave
        else "Names and addresses of media are not in this release.",
    ]


def grade_paragraphs(manifest: Manifest) -> list[str]:
    """Return the scale and a table of its grades."""
    if not manifest.levels:
        return ["This release tells nothing of its grades."]
    positive_from = manifest.collection.positive_from
    return [
        f"The scale is {inline(manifest.collection.measurement)}. A grade of {positive_from} or "
        "more is positive.",
        table(
            ("Grade", "Name", "Sentence", "Reasons", "Positive", "Labels", "Pairs"),
            [
                (
                    str(level.grade),
                    level.name,
                    level.sentence,
                    ", ".join(level.reasons) or "no reasons",
                    "yes" if level.grade >= positive_from else "no",
                    f"{level.n_labels:,}",
                    f"{level.n_pairs:,}",
                )
                for level in manifest.levels
            ],
            numbers=2,
        ),
    ]


def query_set_paragraphs(manifest: Manifest) -> list[str]:
    """Return a table of the query sets."""
    if not manifest.query_sets:
        return ["This release has no query set."]
    return [
        table(
            ("Query set", "Direction", "Gallery", "Members", "Sources"),
            [
                (
                    query_set.name,
                    direction_words(query_set.direction),
                    "all targets"
                    if query_set.n_gallery is None
                    else count_of(query_set.n_gallery, "targets"),
                    query_set.file or "no file",
                    f"{query_set.n_sources:,}",
                )
                for query_set in manifest.query_sets
            ],
            numbers=1,
        )
    ]


def label_source_paragraphs(manifest: Manifest) -> list[str]:
    """Return a table of the label sources with their qrels."""
    if not manifest.label_sources:
        return ["This release has no qrels."]
    return [
        "A label source says whose grades count: those of people, of reference sets, or of both. "
        "Each has its qrels by query set.",
        table(
            ("Key", "Label source", "Query set", "Direction", "Qrels"),
            [
                (
                    source.key,
                    source.label,
                    qrels.query_set,
                    direction_words(qrels.direction),
                    qrels.path,
                )
                for source in manifest.label_sources
                for qrels in source.qrels
            ],
        ),
    ]


def file_paragraphs(files: Sequence[FileEntry]) -> list[str]:
    """Return a table of the files."""
    if not files:
        return ["This release has no files beside this one."]
    return [
        table(
            ("File", "Content", "Media type", "Rows", "Bytes"),
            [
                (
                    entry.path,
                    entry.about,
                    entry.media_type,
                    "a document" if entry.n_rows is None else f"{entry.n_rows:,}",
                    f"{entry.n_bytes:,}",
                )
                for entry in files
            ],
            numbers=2,
        ),
        f"In all {counted(len(files), 'file')}, "
        f"{counted(sum(entry.n_bytes for entry in files), 'byte')}.",
    ]


def _example(manifest: Manifest, files: Sequence[FileEntry]) -> tuple[str, RunEntry | None]:
    """Qrels that code can name, and a run of their direction, if there is one."""
    paths = {entry.path for entry in files if _PLAIN_PATH.fullmatch(entry.path)}
    entries = [
        entry for source in manifest.label_sources for entry in source.qrels if entry.path in paths
    ]
    for entry in entries:
        for run in manifest.runs:
            if run.direction == entry.direction and run.file in paths:
                return entry.path, run
    return (entries[0].path if entries else ""), None


def _opener(path: str) -> str:
    return f'{"gzip." if path.endswith(".gz") else ""}open("{path}", "rt")'


def reading_paragraphs(manifest: Manifest, files: Sequence[FileEntry]) -> list[str]:
    """Return code that reads qrels, and a run where the release has one."""
    qrels, run = _example(manifest, files)
    if not qrels:
        return ["There are no qrels to read."]
    run_path = run.file if run else "run.txt"
    positive_from = manifest.collection.positive_from
    gzip = "import gzip\n\n" if ".gz" in qrels + run_path else ""
    ir_measures = f"""import ir_measures
from ir_measures import AP, nDCG

qrels = list(ir_measures.read_trec_qrels("{qrels}"))
run = list(ir_measures.read_trec_run("{run_path}"))
print(ir_measures.calc_aggregate([AP(rel={positive_from}), nDCG @ 10], qrels, run))
"""
    pytrec_eval = f"""{gzip}import pytrec_eval

with {_opener(qrels)} as file:
    qrels = pytrec_eval.parse_qrel(file)
with {_opener(run_path)} as file:
    run = pytrec_eval.parse_run(file)
evaluator = pytrec_eval.RelevanceEvaluator(
    qrels, {{"map", "ndcg_cut"}}, relevance_level={positive_from}
)
print(evaluator.evaluate(run))
"""
    return [
        "Qrels are those of TREC, and so are runs. With the Python package `ir_measures`"
        + (":" if run else ", and a run of yours in the file `run.txt`:"),
        fence("python", ir_measures),
        "With `pytrec_eval`, a value for each query:",
        fence("python", pytrec_eval),
    ]


def loading_paragraphs(manifest: Manifest, files: Sequence[FileEntry]) -> list[str]:
    """Return code that loads the folder into ir_datasets, and its tables into datasets."""
    paragraphs = []
    if tables := filled_tables(files):
        names = enumeration([f"`{table.name}`" for table in tables])
        code = f"""from datasets import load_dataset

table = load_dataset("FOLDER", "{tables[0].name}", split="{SPLIT}")
"""
        paragraphs += [
            "The Python package `datasets` of Hugging Face loads the Parquet tables that have rows "
            f"by their names, which are {names}. `FOLDER` is the path of this folder:",
            fence("python", code),
        ]
    if any(entry.path == IR_DATASETS for entry in files) and manifest.query_sets:
        stem = PurePosixPath(manifest.query_sets[0].file).stem
        name = f"assayer/{manifest.collection.slug}/{manifest.version}/{stem}"
        code = f"""import sys

sys.path.insert(0, "FOLDER")
import ir_datasets
import ir_datasets_release

dataset = ir_datasets.load("{name}")
"""
        paragraphs += [
            f"The module `{IR_DATASETS}` registers the query sets with the Python package "
            "`ir_datasets`: each with the qrels of the usual label source, and under longer ids "
            "with those of every label source, and with each run that is in this folder. "
            "`ir_datasets_release.IDS` has all ids:",
            fence("python", code),
        ]
    return paragraphs or ["No program loads this folder as a whole."]


def checking_paragraphs() -> list[str]:
    """Return the command that compares the checksums."""
    return [
        "The file `SHA256SUMS` has the SHA-256 of every other file. In the folder of the release:",
        fence("sh", "sha256sum -c SHA256SUMS"),
        bullets(["On macOS the command is `shasum -a 256 -c SHA256SUMS`."]),
    ]
