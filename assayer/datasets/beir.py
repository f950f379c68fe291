"""BEIR folders: corpus.jsonl, queries.jsonl and qrels/*.tsv."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from annotate.core.files.formats import Problems
from annotate.core.files.references.reference_formats import ReferenceRow
from assayer.datasets.data_sets import DOCUMENT, QUERY, DataItem, SourceFault
from assayer.datasets.json_items import (
    ROW_ENDS,
    TABLES,
    files_below,
    read_items,
    read_labels,
    require_folder,
)
from assayer.datasets.release_folder import OurRelease, release_around

SWAPPED = {QUERY: DOCUMENT, DOCUMENT: QUERY}
STEMS = {QUERY: "queries", DOCUMENT: "corpus"}


class BeirFolder:
    """A BEIR folder, or that of a release of ours, in which queries and documents may be swapped.

    Raises SourceFault where a file is missing.
    """

    has_documents = True

    def __init__(self, folder: Path) -> None:
        require_folder(folder)
        release = release_around(folder)
        if release and folder == release.folder:
            folder /= "beir"
        self.folder, self.name = folder, folder.name
        self.is_swapped = bool(release and release.is_reverse)
        self.levels: Mapping[int, str] = release.levels if release else {}
        self.positive_from = release.positive_from if release else 0
        self.all_queries_count = isinstance(release, OurRelease)
        self.files = {
            SWAPPED[side] if self.is_swapped else side: item_file(folder, stem)
            for side, stem in STEMS.items()
        }
        self.label_files = {split_of(path): path for path in files_below(folder / "qrels", TABLES)}
        self.splits: Sequence[str] = tuple(self.label_files)

    def items(self, side: str, problems: Problems) -> Iterator[DataItem]:
        """Yield the lines of the side's file."""
        return read_items(self.files[side], side, problems)

    def labels(self, split: str, problems: Problems) -> Iterator[ReferenceRow]:
        """Yield the rows of the split's file."""
        rows = read_labels(self.label_files[split], problems)
        if not self.is_swapped:
            return rows
        return (row._replace(query=row.document, document=row.query) for row in rows)


def item_file(folder: Path, stem: str) -> Path:
    """The file of a side. Raises SourceFault without one."""
    for path in files_below(folder, ROW_ENDS):
        if path.name.partition(".")[0] == stem:
            return path
    raise SourceFault(
        f"{folder} has no file {stem}.jsonl; a BEIR folder holds corpus.jsonl, queries.jsonl and "
        "qrels/*.tsv."
    )


def split_of(path: Path) -> str:
    """The split that a file is named by: "test" of test.tsv and test-00000-of-00002.parquet."""
    stem, of, _ = path.name.partition(".")[0].partition("-of-")
    return stem.rpartition("-")[0] if of else stem
