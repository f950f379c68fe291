"""Writes the files of a release into its archive, and keeps what its documents tell of each."""

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Any, BinaryIO

import pyarrow as pa
from pyarrow import parquet

from metrics.core.files.folder_archives import FolderArchive, gzip_pieces
from metrics.core.releases.manifest import FileEntry
from metrics.core.releases.tables import parquet_pieces
from metrics.services.downloads.progress import ProgressReporter

MEDIA_TYPES = {
    ".cff": "application/yaml",
    ".gz": "application/gzip",
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".py": "text/x-python",
    ".tsv": "text/tab-separated-values",
    ".yaml": "application/yaml",
}


class ReleaseWriter:
    """Writes files one after another; texts and tables are packed where their name ends in .gz.

    files : the files so far; offsets : where each begins in the archive, by its path
    """

    def __init__(self, archive: FolderArchive, reporter: ProgressReporter) -> None:
        self.files: list[FileEntry] = []
        self.offsets: dict[str, int] = {}
        self._archive = archive
        self._reporter = reporter
        self._n_rows = 0  # of the file that is being written

    def add_text(self, path: str, about: str, text: str) -> None:
        """Write a document, which has no rows."""
        self.add_pieces(path, about, [text])

    def add_pieces(self, path: str, about: str, pieces: Iterable[str]) -> None:
        """Write a document that comes in pieces."""
        self._add(path, about, map(str.encode, pieces), has_rows=False)

    def add_lines(self, path: str, about: str, pieces: Iterable[str], *, n_header: int = 0) -> None:
        """Write lines, each a row but for those of a header."""
        self._n_rows = -n_header
        self._add(path, about, self._encoded(pieces))

    def add_blocks(self, path: str, about: str, blocks: Iterable[bytes], *, n_rows: int) -> None:
        """Write bytes that hold so many rows."""
        self._n_rows = n_rows
        self._add(path, about, blocks)

    def add_table(
        self, path: str, about: str, schema: pa.Schema, blocks: Iterable[Mapping[str, Any]]
    ) -> None:
        """Write a Parquet table of blocks of rows, as `parquet_pieces` takes them."""
        self._n_rows = 0
        self._add(path, about, parquet_pieces(schema, self._counted(schema, blocks)))

    def add_waiting_table(
        self, path: str, about: str, schema: pa.Schema, blocks: Iterable[Mapping[str, Any]]
    ) -> None:
        """Write a Parquet table whose blocks come while other files are written.

        The archive takes one file at a time, so the table waits in a file of its own.
        """
        with tempfile.TemporaryFile() as table:
            for piece in parquet_pieces(schema, self._counted(schema, blocks)):
                table.write(piece)
            n_rows = parquet.ParquetFile(table).metadata.num_rows
            self.add_stream(path, about, table, n_rows=n_rows)

    def add_stream(self, path: str, about: str, stream: BinaryIO, *, n_rows: int) -> None:
        """Write a file that waited, from its start; it holds so many rows."""
        stream.seek(0)
        self.add_blocks(path, about, iter(partial(stream.read, 1 << 20), b""), n_rows=n_rows)

    def _encoded(self, pieces: Iterable[str]) -> Iterator[bytes]:
        for piece in pieces:
            self._count(piece.count("\n"))
            yield piece.encode()

    def _counted(
        self, schema: pa.Schema, blocks: Iterable[Mapping[str, Any]]
    ) -> Iterator[Mapping[str, Any]]:
        for block in blocks:
            self._count(len(block[schema.names[0]]))
            yield block

    def _count(self, n: int) -> None:
        self._n_rows += n
        self._reporter.count(n)

    def _add(
        self, path: str, about: str, pieces: Iterable[bytes], *, has_rows: bool = True
    ) -> None:
        self._reporter.report()  # each file is a look whether it was cancelled
        suffix = PurePosixPath(path).suffix
        is_packed = suffix == ".gz"
        stored_file = self._archive.add(path, gzip_pieces(pieces) if is_packed else pieces)
        self.offsets[path] = stored_file.offset
        self.files.append(
            FileEntry(
                path,
                MEDIA_TYPES.get(suffix, "text/plain"),
                stored_file.n_bytes,
                stored_file.sha256,
                self._n_rows if has_rows else None,
                about,
            )
        )
