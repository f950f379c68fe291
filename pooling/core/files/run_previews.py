"""Previews of run files: what the head of one is understood as before it is sent."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, NamedTuple

import numpy as np

from annotate.core.files.archives.file_heads import MAX_BYTES, PIECE, AbsentBytes, HeadSource
from annotate.core.files.archives.sources import FileSource
from annotate.core.files.file_previews import FilePreview
from annotate.core.files.formats import FormatError, Problems
from annotate.core.phrases import count_of, counted
from pooling.core.files.binary.archives import read_archive_head, read_header
from pooling.core.files.binary.matrices import MatrixBlock, refuse_undefined
from pooling.core.files.run_files import FORMATS, binary_format, format_or_table, read_parts
from pooling.core.files.run_ranking import BY_RANK, NO_RANKS, FigureTally, OddIds, rank
from pooling.core.files.spool import spooled_queries
from pooling.core.files.text.runs import ReadRun

ARRAY = b"\x93NUMPY"  # what a .npy file begins with
LATER = (
    "Before it is sent no more is known than its format. Then the whole file is read, and the "
    "run's page says how many rows it has, which ids this collection lacks, and what is at fault."
)
TOO_LONG = "It is longer than a preview looks into: the report on the run says what it holds."


class TopRow(NamedTuple):
    """The best row of a run's first source item."""

    source: str
    target: str
    score: float


class RunReading(NamedTuple):
    """The reading of a run file: see `read_parts` and, for the score type, `rank`."""

    columns: Mapping[str, int] | None = None
    score_type: str = "float32"


@dataclass
class RunPreview(FilePreview):
    """A run file as it is understood: its format, the rows of its head, and their ids.

    run_name : the name that its run gets
    side_nouns : plural nouns of its source items and of its targets, by its direction
    needs : what a binary file must hold, and what is read of it later; sentences
    dtype : of the values of a matrix; "" for other files
    sources, targets : ids of the head, each once
    deepest : the largest number of targets of a source item
    n_sources_known, n_targets_known : ids that the collection has in this direction
    n_turned : ids of the head that it has in the other one
    """

    run_name: str = ""
    side_nouns: tuple[str, str] = ("queries", "documents")
    needs: str = ""
    dtype: str = ""
    problems: Problems = field(default_factory=lambda: Problems(limit=1))
    sources: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    n_rows: int = 0
    deepest: int = 0
    top_row: TopRow | None = None
    n_sources_known: int = 0
    n_targets_known: int = 0
    n_turned: int = 0

    @property
    def name_sentence(self) -> str:
        """The name that its run gets."""
        return f"Its run is called {self.run_name}." if self.format else ""

    @property
    def counts(self) -> str:
        """The rows, source items and depth of the part that was read, or the shape of a matrix."""
        sources, targets = self.side_nouns
        n_sources = count_of(len(self.sources), sources)
        if self.dtype:
            n_targets = count_of(len(self.targets), targets)
            return f"Its ids and shape were read: {n_sources} by {n_targets}, as {self.dtype}."
        if not self.n_rows:
            return ""
        rows = counted(self.n_rows, "row")
        depth = f"{n_sources}, at most {count_of(self.deepest, targets)} each"
        if self.is_cut:
            return f"Only the first {rows} were read: {depth}."
        return f"The whole file was read: {rows}, {depth}."

    @property
    def known_items(self) -> str:
        """The ids of the head that the collection has in this direction."""
        if not self.ids:
            return ""
        sides = (
            (self.n_sources_known, len(self.sources), self.side_nouns[0]),
            (self.n_targets_known, len(self.targets), self.side_nouns[1]),
        )
        shares = [f"{n_known:,} of {count_of(n, nouns)}" for n_known, n, nouns in sides]
        return f"In this collection: {' and '.join(shares)}."

    @property
    def turned(self) -> str:
        """The sentence on a run that fits the other direction better; "" for others."""
        if self.n_turned <= self.n_sources_known + self.n_targets_known:
            return ""
        sources, targets = self.side_nouns
        return (
            f"In the other direction, from {targets} to {sources}, the collection has "
            f"{self.n_turned:,} of its {counted(self.n_ids, 'id')}: is that the direction?"
        )

    @property
    def n_ids(self) -> int:
        """The number of ids, counted on each side."""
        return len(self.sources) + len(self.targets)

    @property
    def ids(self) -> set[str]:
        """The ids of either side."""
        return {*self.sources, *self.targets}

    def match(self, source_ids: Container[str], target_ids: Container[str]) -> None:
        """Count the ids that the collection has, in this direction and in the other one."""
        self.n_sources_known = sum(item_id in source_ids for item_id in self.sources)
        self.n_targets_known = sum(item_id in target_ids for item_id in self.targets)
        self.n_turned = sum(item_id in target_ids for item_id in self.sources) + sum(
            item_id in source_ids for item_id in self.targets
        )


def preview_run(
    preview: RunPreview,
    stream: BinaryIO,
    reading: RunReading,
    *,
    n_bytes: int,
) -> None:
    """Read the head of a run file into its preview, with the readers of whole files.

    stream : a `PiecedFile` of which n_bytes are at hand

    Faults are added to the preview's. Raises AbsentBytes where a piece is to be sent first.
    """
    try:
        _read_shape(preview, stream)
        if not reading.columns and (key := binary_format(stream, preview.file)):
            preview.format, preview.needs = FORMATS[key].label, f"{FORMATS[key].sentence}."
            if key == "npz":
                _read_matrix(preview, stream, may_fetch=n_bytes + PIECE <= MAX_BYTES)
            else:
                preview.needs = f"{preview.needs} {LATER}"
            return
        source = HeadSource(FileSource(stream, preview.file), n_bytes)
        head = source.open(preview.file)
        key = format_or_table(head, preview.file, reading.columns)
        preview.format = FORMATS[key].label
        _read_rows(preview, source, head, reading, key)
    except FormatError as error:
        preview.problems.add(error)


def _read_matrix(preview: RunPreview, stream: BinaryIO, *, may_fetch: bool) -> None:
    try:
        head = read_archive_head(stream, preview.file)
    except AbsentBytes:
        if may_fetch:
            raise
        preview.needs = f"{preview.needs} {TOO_LONG}"
        return
    preview.sources, preview.targets = _texts(head.rows), _texts(head.columns)
    preview.dtype = str(head.dtype)
    if head.first_row is None or not len(head.first_row):
        return
    refuse_undefined(
        MatrixBlock(head.rows, head.columns, 0, head.first_row[np.newaxis]), preview.file
    )
    best = int(np.argmax(head.first_row))
    score = float(head.first_row[best])
    if score != -np.inf:
        preview.top_row = TopRow(preview.sources[0], preview.targets[best], score)


def _read_rows(
    preview: RunPreview,
    source: HeadSource,
    head: BinaryIO,
    reading: RunReading,
    key: str,
) -> None:
    problems, tally, has_ranks = Problems(), FigureTally(), False
    parts = read_parts(head, preview.file, problems, format=key, columns=reading.columns)
    odd = OddIds(preview.file, problems)
    targets: dict[str, None] = {}
    for batch in spooled_queries(parts, on_progress=_ignore):
        order = rank(batch, score_type=reading.score_type, name=preview.file, problems=problems)
        tally.add(order)
        has_ranks |= bool(batch.run.ranks.any())
        _refuse_odd(batch, odd)
        preview.sources += _texts(batch.run.queries)
        targets.update(dict.fromkeys(_texts(batch.run.docs)))
        preview.top_row = preview.top_row or _top_row(batch, int(order.order[0]))
    preview.is_cut = source.is_cut
    preview.targets = list(targets)
    if preview.sources:
        figures = tally.figures()
        preview.n_rows, preview.deepest = figures.rows, figures.deepest
        if reading.score_type == BY_RANK and not has_ranks:
            preview.problems.add(FormatError(preview.file, None, "rank", NO_RANKS))
    for error in problems.errors:
        preview.add_fault(error, source)
    preview.problems.n += problems.n - len(problems.errors)


def _refuse_odd(batch: ReadRun, odd: OddIds) -> None:
    first_rows = np.searchsorted(batch.run.query, np.arange(len(batch.run.queries)))
    odd.refuse("query", batch.run.queries, batch.line[first_rows])
    odd.refuse("document", batch.run.docs, batch.line)


def _top_row(batch: ReadRun, row: int) -> TopRow:
    run = batch.run
    source, target = _texts(run.queries[[run.query[row]]]) + _texts(run.docs[[row]])
    return TopRow(source, target, float(run.scores[row]))


def _texts(ids: np.ndarray) -> list[str]:
    return [id_.decode(errors="replace") for id_ in ids.tolist()]


def _ignore(**figures: object) -> None:
    """Report nothing: a head is read at once."""


def _read_shape(preview: RunPreview, stream: BinaryIO) -> None:
    """Read the shape of a .npy file, which alone is no run."""
    stream.seek(0)
    if stream.read(len(ARRAY)) == ARRAY:
        stream.seek(0)
        header = read_header(stream, "of the file", preview.file)
        shape = " by ".join(f"{n:,}" for n in header.shape)
        preview.format, preview.needs = "NumPy array", f"Its shape is {shape}, as {header.dtype}."
