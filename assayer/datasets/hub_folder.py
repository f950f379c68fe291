"""Folders in the layout of BEIR on the Hub of Hugging Face: Parquet or JSON lines.

The `configs` of README.md say which files are what; without them their folders and names do.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path, PurePosixPath

from annotate.core.files.formats import Problems
from annotate.core.files.references.reference_formats import ReferenceRow
from assayer.datasets.beir import STEMS, split_of
from assayer.datasets.card_configs import card_files
from assayer.datasets.data_sets import QUERY, DataItem, SourceFault
from assayer.datasets.json_items import (
    ROW_ENDS,
    TABLES,
    cells_of,
    files_below,
    is_labels_row,
    read_items,
    read_labels,
    read_rows,
    require_folder,
)

LABEL_ENDS = (*ROW_ENDS, *TABLES)
Files = dict[str, list[Path]]


class HubFolder:
    """A folder with corpus, queries and labels, or one with a folder NAME-qrels beside it.

    has_documents is False where it has no corpus, as of labels for another one's.
    Raises SourceFault where it has no queries.
    """

    all_queries_count = False
    positive_from = 0
    levels: Mapping[int, str] = {}

    def __init__(self, folder: Path) -> None:
        require_folder(folder)
        self.folder, self.name = folder, folder.resolve().name
        configs = config_files(folder)
        self.files = {
            side: chain_files(configs.get(stem, {})) or item_files(folder, stem)
            for side, stem in STEMS.items()
        }
        if not self.files[QUERY]:
            raise SourceFault(
                f"{folder} has no queries: no config of that name in README.md, no folder queries/ "
                "and no file queries.jsonl or queries.parquet."
            )
        self.has_documents = bool(self.files["document"])
        self.label_files = label_files(folder, configs)
        self.splits: Sequence[str] = tuple(self.label_files)

    def items(self, side: str, problems: Problems) -> Iterator[DataItem]:
        """Yield the rows of the side's files."""
        return chain.from_iterable(read_items(path, side, problems) for path in self.files[side])

    def labels(self, split: str, problems: Problems) -> Iterator[ReferenceRow]:
        """Yield the rows of the split's files."""
        return chain.from_iterable(read_labels(path, problems) for path in self.label_files[split])


def chain_files(splits: Files) -> list[Path]:
    """The files of all splits."""
    return list(dict.fromkeys(chain.from_iterable(splits.values())))


def item_files(folder: Path, stem: str) -> list[Path]:
    """The files of a side by their names: those in a folder corpus/, or corpus.jsonl itself."""
    files = files_below(folder / stem, ROW_ENDS)
    return files or [path for path in files_below(folder, ROW_ENDS) if split_of(path) == stem]


def label_files(folder: Path, configs: Mapping[str, Files]) -> Files:
    """The files of labels by their splits: of a config, of qrels/, or of a folder NAME-qrels."""
    for name, splits in configs.items():
        if name not in STEMS.values() and holds_labels(chain_files(splits)):
            return splits
    beside = folder.resolve().parent / f"{folder.resolve().name}-qrels"
    inside = sorted(path for path in folder.glob("*-qrels") if path.is_dir())
    for path in (folder / "qrels", *inside, beside):
        if not path.is_dir():
            continue
        for splits in config_files(path).values():
            if holds_labels(chain_files(splits)):
                return splits
        splits = {}
        for file in files_below(path, LABEL_ENDS) or files_below(path / "data", LABEL_ENDS):
            splits.setdefault(split_of(file), []).append(file)
        if splits:
            return splits
    return {}


def holds_labels(files: list[Path]) -> bool:
    """True if the first row of files names a query, a document and a grade."""
    if not files or not files[0].name.endswith(ROW_ENDS):
        return bool(files)
    first_row = next(read_rows(files[0], Problems()), None)
    return first_row is not None and is_labels_row(cells_of(first_row[1]))


def config_files(folder: Path) -> dict[str, Files]:
    """The files of each config of README.md by their splits, as far as they are there.

    Raises SourceFault for a pattern that leads out of the folder.
    """
    card = folder / "README.md"
    configs: dict[str, Files] = {}
    for entry in card_files(card.read_text("utf-8")) if card.is_file() else []:
        path = PurePosixPath(entry.pattern)
        if path.is_absolute() or ".." in path.parts:
            raise SourceFault(f"{card} names {entry.pattern}, which lies outside of {folder}.")
        files = sorted(file for file in folder.glob(entry.pattern) if file.is_file())
        if files:
            configs.setdefault(entry.config, {}).setdefault(entry.split, []).extend(files)
    return configs
