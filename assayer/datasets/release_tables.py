"""A release of ours as the Hub has it: labels of its Parquet table, items of its BEIR folder."""

from collections.abc import Iterator
from pathlib import Path

from annotate.core.files.formats import Problems
from annotate.core.files.references.reference_formats import ReferenceRow, table_labels
from assayer.datasets.beir import BeirFolder
from assayer.datasets.data_sets import SourceFault
from assayer.datasets.hub_folder import config_files
from assayer.datasets.json_items import cells_of, read_rows
from assayer.datasets.release_folder import OurRelease

TABLE = "qrels"  # the config of the data card, whose rows are of all query sets and label sources


class ReleaseTables(BeirFolder):
    """The labels of the query set that the BEIR folder is of, under the usual label source.

    Raises SourceFault where the data card names no table of labels.
    """

    def __init__(self, release: OurRelease) -> None:
        super().__init__(release.folder)
        self.release = release
        self.name = release.folder.resolve().name
        self.tables = config_files(release.folder).get(TABLE, {})
        if not self.tables:
            raise SourceFault(f"{release.folder}/README.md names no table {TABLE} with rows.")
        self.splits = tuple(self.tables)

    def labels(self, split: str, problems: Problems) -> Iterator[ReferenceRow]:
        """Yield the rows of the query set and label source, in the order of the table."""
        for path in self.tables[split]:
            yield from table_labels(self.own_rows(path, problems), path.name, problems)

    def own_rows(self, path: Path, problems: Problems) -> Iterator[tuple[int, dict[str, str]]]:
        """The rows of this query set, direction and label source."""
        own_values = {
            "query_set": self.release.query_set,
            "direction": self.release.direction,
            "label_source": self.release.label_source,
        }
        for number, row in read_rows(path, problems):
            cells = cells_of(row)
            if all(cells.get(column) == value for column, value in own_values.items()):
                yield number, cells
