"""Run files of any format: recognized by their content, and read a part at a time."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice, starmap
from typing import BinaryIO, NamedTuple, cast

import numpy as np

from annotate.core.files.formats import FormatError, Problems, guarded
from annotate.core.files.json_files import opens_object_of_objects
from annotate.core.files.misplaced_files import RUN, misplaced_sentence
from annotate.core.files.references.captions import is_caption_list, lists_captions
from annotate.core.files.text_files import Unpacked, first_line
from pooling.core.files.binary.archives import read_archive
from pooling.core.files.binary.matrices import (
    ColumnFilter,
    MatrixBlock,
    all_columns,
    discard,
    keep_best,
)
from pooling.core.files.binary.sandbox import read_hdf5_sandboxed, read_parquet_sandboxed
from pooling.core.files.text.run_objects import read_dictionary
from pooling.core.files.text.run_tables import COLUMNS, RunFileRow, read_jsonl, read_table
from pooling.core.files.text.runs import ReadRun, RunFile, run_parts

ROWS_AT_ONCE = 100_000


class RunFileFormat(NamedTuple):
    """One format of run files: its name for people, a sentence that describes it, and its reader.

    rows : from a seekable stream, the file's name and problems to add to, yields the rows in parts
        of at most some 100,000, so that no file need fit into memory; raises FormatError if it
        cannot go on
    blocks : the same for a similarity matrix, of which it yields blocks of whole rows
    """

    label: str
    sentence: str
    rows: Callable[[BinaryIO, str, Problems], Iterator[ReadRun]] | None = None
    blocks: Callable[[BinaryIO, str, Problems], Iterator[MatrixBlock]] | None = None


def _read_trec(stream: BinaryIO, name: str, problems: Problems) -> Iterator[ReadRun]:
    text = cast(BinaryIO, Unpacked(stream, name))
    return run_parts(text, name=name, on_error=problems.add_or_stop)


def _read_jsonl(stream: BinaryIO, name: str, problems: Problems) -> Iterator[ReadRun]:
    return _column_parts(read_jsonl(stream, name, problems), problems)


def _read_table(
    stream: BinaryIO, name: str, problems: Problems, columns: Mapping[str, int] | None = None
) -> Iterator[ReadRun]:
    return _column_parts(read_table(stream, name, problems, columns), problems)


def _read_dictionary(stream: BinaryIO, name: str, problems: Problems) -> Iterator[ReadRun]:
    return _column_parts(read_dictionary(stream, name, problems), problems)


def _archive_blocks(stream: BinaryIO, name: str, problems: Problems) -> Iterator[MatrixBlock]:
    return read_archive(stream, name)


def _read_parquet(stream: BinaryIO, name: str, problems: Problems) -> Iterator[ReadRun]:
    return starmap(ReadRun, read_parquet_sandboxed(stream, name, problems))


FORMATS: dict[str, RunFileFormat] = {
    "trec": RunFileFormat(
        "TREC run", "query Q0 document rank score tag, with blanks or tabs between", _read_trec
    ),
    "jsonl": RunFileFormat(
        "JSON lines",
        '{"query", "document", "score"}, or {"query", "ranking": [[document, score], ...]}',
        _read_jsonl,
    ),
    "table": RunFileFormat(
        "CSV or TSV", "a header query,document,score and one line a row", _read_table
    ),
    "dictionary": RunFileFormat(
        "JSON",
        "one object {query: {document: score}}, as ranx and pytrec_eval have",
        _read_dictionary,
    ),
    "parquet": RunFileFormat("Parquet", "columns query, document, score", _read_parquet),
    "npz": RunFileFormat(
        "NumPy matrix",
        ".npz with sim_mat, row_ids and column_ids, or a zip of a .npy file, rows.txt and "
        "columns.txt",
        blocks=_archive_blocks,
    ),
    "hdf5": RunFileFormat(
        "HDF5 matrix", "datasets sim_mat, row_ids and column_ids", blocks=read_hdf5_sandboxed
    ),
}


CAPTIONS = (
    "This looks like a list of captions, not a run: load it as items; each caption becomes a query."
)
# what a file begins with
FORMATS_BY_FIRST_BYTES = {b"PK\x03\x04": "npz", b"PAR1": "parquet", b"\x89HDF\r\n\x1a\n": "hdf5"}
REFUSALS = {
    b"\x93NUMPY": (
        "A .npy file holds no ids: zip it with rows.txt and columns.txt, an id a line, or save an "
        ".npz file."
    ),
    b"\x80": (
        "Pickles are never loaded: save np.savez_compressed(file, sim_mat=, row_ids=, "
        "column_ids=) instead."
    ),
    b"%PDF": "A PDF is no run: save its table as CSV with the columns query, document and score.",
    b"\xd0\xcf\x11\xe0": (
        "An Excel file is no run: save the sheet as CSV with the columns query, document and score."
    ),
}


def format_of(stream: BinaryIO, name: str) -> str:
    """The file's format, a key of FORMATS, by its first bytes or line.

    Raises FormatError if it has none.
    """
    return binary_format(stream, name) or _text_format(stream, name)


def binary_format(stream: BinaryIO, name: str) -> str:
    """The format that the first 8 bytes tell, a key of FORMATS; "" for text, gzipped or plain.

    Raises FormatError for what is never read.
    """
    stream.seek(0)
    first_bytes = stream.read(8)
    for magic, message in REFUSALS.items():
        if first_bytes.startswith(magic):
            raise FormatError(name, None, "", message)
    for magic, key in FORMATS_BY_FIRST_BYTES.items():
        if first_bytes.startswith(magic):
            return key
    return ""


def _text_format(stream: BinaryIO, name: str) -> str:
    first_key = opens_object_of_objects(stream, name)
    if is_caption_list(first_key) or lists_captions(stream, name):
        raise FormatError(name, 1, "", CAPTIONS)
    if first_key is not None and first_key != "ranking":
        return "dictionary"
    head = first_line(stream, name)
    if message := misplaced_sentence(head, expected=RUN):
        raise FormatError(name, 1, "", message)
    if head.lstrip().startswith(("{", "[")):
        return "jsonl"
    cells = {cell.strip().strip('"') for cell in re.split("[,\t]", head)}
    if cells & {*COLUMNS["query"], *COLUMNS["document"]}:
        return "table"
    is_delimited = "\t" in head or name.lower().removesuffix(".gz").endswith((".csv", ".tsv"))
    return "table" if is_delimited and len(head.split()) != 6 else "trec"


def read_parts(
    stream: BinaryIO,
    name: str,
    problems: Problems,
    *,
    format: str = "",
    columns: Mapping[str, int] | None = None,
    score_type: str = "float32",
    keep: Callable[[MatrixBlock], None] = discard,
    select_columns: ColumnFilter = all_columns,
) -> Iterator[ReadRun]:
    """Read a run file, gzip or plain, of the given format or the one recognized, in parts.

    stream : seekable; name : the file's name as its owner knows it
    columns : of a table without a header: the numbers, from 1, of the columns query, document,
        score and rank
    score_type, keep, select_columns : for matrices, of which the rows are the best of each row
        alone; see `keep_best`

    All faults are added to `problems`, nothing is raised; the rows are sound only while `problems`
    is empty. Ids of TREC rows are left to `run_ranking.OddIds`: most are known, and known ids are
    lawful.
    """
    n_rows = 0
    try:
        run_format = FORMATS[format or format_or_table(stream, name, columns)]
        if run_format.blocks:
            blocks = run_format.blocks(stream, name, problems)
            best = keep_best(
                blocks, name, score_type=score_type, keep=keep, select_columns=select_columns
            )
            parts: Iterator[ReadRun] = starmap(ReadRun, best)
        else:
            assert run_format.rows is not None, "a format has one of the two"  # noqa: S101
            parts = (
                _read_table(stream, name, problems, columns)
                if columns
                else run_format.rows(stream, name, problems)
            )
        for part in parts:
            n_rows += len(part.run.scores)
            yield part
    except FormatError as error:
        problems.add(error)
    if not n_rows and not problems:
        problems.add(FormatError(name, None, "", "The file holds no rows."))


def format_or_table(stream: BinaryIO, name: str, columns: Mapping[str, int] | None) -> str:
    """The file's format; a table if its columns are given and it is text. Raises FormatError."""
    if not columns:
        return format_of(stream, name)
    stream.seek(0)
    first_bytes = stream.read(8)
    if first_bytes.startswith((*FORMATS_BY_FIRST_BYTES, *REFUSALS)):
        raise FormatError(
            name,
            None,
            "",
            "The file is no table, so it has no columns by number; leave them empty.",
        )
    return "table"


def read_blocks(stream: BinaryIO, name: str, problems: Problems) -> Iterator[MatrixBlock] | None:
    """The blocks of a similarity matrix; None if the file is no matrix. Raises FormatError."""
    run_format = FORMATS[format_of(stream, name)]
    return run_format.blocks(stream, name, problems) if run_format.blocks else None


def _column_parts(rows: Iterable[RunFileRow], problems: Problems) -> Iterator[ReadRun]:
    """The rows as columns, ROWS_AT_ONCE at a time, so that few of them are objects at once."""
    sound_rows = iter(guarded(rows, problems))
    while row_part := list(islice(sound_rows, ROWS_AT_ONCE)):
        line, source, target, score, rank = zip(*row_part, strict=True)
        numbers: dict[bytes, int] = {}
        query = np.array(
            [numbers.setdefault(id_text.encode(), len(numbers)) for id_text in source],
            dtype=np.int32,
        )
        queries = np.array(list(numbers), dtype=np.bytes_)
        docs = np.array([id_text.encode() for id_text in target], dtype=np.bytes_)
        run = RunFile(queries, query, docs, np.array(score), np.array(rank, np.int32), "")
        yield ReadRun(run, np.array(line, np.int64))
