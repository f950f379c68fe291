"""Run files of any format: told by their content, and read a part at a time."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice, starmap
from typing import BinaryIO, NamedTuple, cast

import numpy as np

from annotate.core.captions import is_caption_list, lists_captions
from annotate.core.formats import FormatError, Problems, guarded
from annotate.core.json_files import opens_object_of_objects
from annotate.core.mistaken import RUN, mistaken_for
from annotate.core.reading import Unpacked, first_line
from pooling.core.apart import hdf5_apart, parquet_apart
from pooling.core.archives import read_archive
from pooling.core.dictionaries import read_dictionary
from pooling.core.matrices import Block, Columns, all_columns, forget, keep_best
from pooling.core.readers import COLUMNS, Row, read_jsonl, read_table
from pooling.core.runs import ReadRun, RunFile, run_parts

ROWS_AT_ONCE = 100_000


class Format(NamedTuple):
    """One kind of run file: what people call it, what it looks like, and what reads it.

    rows : from a seekable stream, the file's name and problems to add to, yields the rows in parts of at most some
        100,000, so that no file need fit into memory; raises FormatError where it cannot go on
    blocks : the same for a similarity matrix, of which it yields blocks of whole rows
    """

    label: str
    sentence: str
    rows: Callable[[BinaryIO, str, Problems], Iterator[ReadRun]] | None = None
    blocks: Callable[[BinaryIO, str, Problems], Iterator[Block]] | None = None


def _read_trec(stream: BinaryIO, name: str, problems: Problems) -> Iterator[ReadRun]:
    text = cast(BinaryIO, Unpacked(stream, name))
    return run_parts(text, name=name, on_error=problems.note)


def _read_jsonl(stream: BinaryIO, name: str, problems: Problems) -> Iterator[ReadRun]:
    return _gather(read_jsonl(stream, name, problems), problems)


def _read_table(
    stream: BinaryIO, name: str, problems: Problems, columns: Mapping[str, int] | None = None
) -> Iterator[ReadRun]:
    return _gather(read_table(stream, name, problems, columns), problems)


def _read_dictionary(stream: BinaryIO, name: str, problems: Problems) -> Iterator[ReadRun]:
    return _gather(read_dictionary(stream, name, problems), problems)


def _archive_blocks(stream: BinaryIO, name: str, problems: Problems) -> Iterator[Block]:
    return read_archive(stream, name)


def _read_parquet(stream: BinaryIO, name: str, problems: Problems) -> Iterator[ReadRun]:
    return starmap(ReadRun, parquet_apart(stream, name, problems))


FORMATS: dict[str, Format] = {
    "trec": Format("TREC run", "query Q0 document rank score tag, with blanks or tabs between", _read_trec),
    "jsonl": Format(
        "JSON lines", '{"query", "document", "score"}, or {"query", "ranking": [[document, score], ...]}', _read_jsonl
    ),
    "table": Format("CSV or TSV", "a header query,document,score and one line a row", _read_table),
    "dictionary": Format(
        "JSON", "one object {query: {document: score}}, as ranx and pytrec_eval have", _read_dictionary
    ),
    "parquet": Format("Parquet", "columns query, document, score", _read_parquet),
    "npz": Format(
        "NumPy matrix",
        ".npz with sim_mat, row_ids and column_ids, or a zip of a .npy file, rows.txt and columns.txt",
        blocks=_archive_blocks,
    ),
    "hdf5": Format("HDF5 matrix", "datasets sim_mat, row_ids and column_ids", blocks=hdf5_apart),
}


CAPTIONS = "This looks like a list of captions, not a run: load it as items; each caption becomes a query."
MAGIC = {b"PK\x03\x04": "npz", b"PAR1": "parquet", b"\x89HDF\r\n\x1a\n": "hdf5"}  # what a file begins with
REFUSED = {
    b"\x93NUMPY": "A .npy file holds no ids: zip it with rows.txt and columns.txt, an id a line, or save an .npz file.",
    b"\x80": "Pickles are never loaded: save np.savez_compressed(file, sim_mat=, row_ids=, column_ids=) instead.",
    b"%PDF": "A PDF is no run: save its table as CSV with the columns query, document and score.",
    b"\xd0\xcf\x11\xe0": "An Excel file is no run: save the sheet as CSV with the columns query, document and score.",
}


def format_of(stream: BinaryIO, name: str) -> str:
    """The key in FORMATS of what this file is, by its first bytes or line. Raises FormatError where it is none."""
    stream.seek(0)
    begins = stream.read(8)
    for magic, message in REFUSED.items():
        if begins.startswith(magic):
            raise FormatError(name, None, "", message)
    for magic, known in MAGIC.items():
        if begins.startswith(magic):
            return known
    return _text_format(stream, name)


def _text_format(stream: BinaryIO, name: str) -> str:
    first_key = opens_object_of_objects(stream, name)
    if is_caption_list(first_key) or lists_captions(stream, name):
        raise FormatError(name, 1, "", CAPTIONS)
    if first_key is not None and first_key != "ranking":
        return "dictionary"
    head = first_line(stream, name)
    if mistaken := mistaken_for(head, wanted=RUN):
        raise FormatError(name, 1, "", mistaken)
    if head.lstrip().startswith(("{", "[")):
        return "jsonl"
    cells = {cell.strip().strip('"') for cell in re.split("[,\t]", head)}
    if cells & {*COLUMNS["query"], *COLUMNS["document"]}:
        return "table"
    delimited = "\t" in head or name.lower().removesuffix(".gz").endswith((".csv", ".tsv"))
    return "table" if delimited and len(head.split()) != 6 else "trec"


def read_parts(
    stream: BinaryIO,
    name: str,
    problems: Problems,
    *,
    format: str = "",
    columns: Mapping[str, int] | None = None,
    score_type: str = "float32",
    keep: Callable[[Block], None] = forget,
    ranked: Columns = all_columns,
) -> Iterator[ReadRun]:
    """Read a run file, gzip or plain, of the format named or else told by its content, a part at a time.

    stream : seekable; name : the file's name as its owner knows it
    columns : of a table without a header: the numbers, from 1, of the columns query, document, score and rank
    score_type, keep, ranked : for matrices, of which the rows are the best of each row alone; see `keep_best`
    Whatever is wrong goes into `problems`, nothing is raised; the rows are sound only while `problems` is empty.
    Ids of TREC rows are left to `run_ranking.OddIds`: most are known, and known ids are lawful.
    """
    n_rows = 0
    try:
        found = FORMATS[format or _format_given(stream, name, columns)]
        if found.blocks:
            blocks = found.blocks(stream, name, problems)
            best = keep_best(blocks, name, score_type=score_type, keep=keep, ranked=ranked)
            parts: Iterator[ReadRun] = starmap(ReadRun, best)
        else:
            assert found.rows is not None, "a format has one of the two"  # noqa: S101
            parts = _read_table(stream, name, problems, columns) if columns else found.rows(stream, name, problems)
        for part in parts:
            n_rows += len(part.run.scores)
            yield part
    except FormatError as error:
        problems.add(error)
    if not n_rows and not problems:
        problems.add(FormatError(name, None, "", "The file holds no rows."))


def _format_given(stream: BinaryIO, name: str, columns: Mapping[str, int] | None) -> str:
    """The key of what the file is; a table where its columns were given, if it is text at all. Raises FormatError."""
    if not columns:
        return format_of(stream, name)
    stream.seek(0)
    begins = stream.read(8)
    if begins.startswith((*MAGIC, *REFUSED)):
        raise FormatError(name, None, "", "The file is no table, so it has no columns by number; leave them empty.")
    return "table"


def read_blocks(stream: BinaryIO, name: str, problems: Problems) -> Iterator[Block] | None:
    """The blocks of a similarity matrix; None where the file is no matrix. Raises FormatError."""
    found = FORMATS[format_of(stream, name)]
    return found.blocks(stream, name, problems) if found.blocks else None


def _gather(rows: Iterable[Row], problems: Problems) -> Iterator[ReadRun]:
    """The rows as columns; a stretch at a time, so that few of them are objects at once."""
    left = iter(guarded(rows, problems))
    while part := list(islice(left, ROWS_AT_ONCE)):
        line, source, target, score, rank = zip(*part, strict=True)
        number: dict[bytes, int] = {}
        query = np.array([number.setdefault(each.encode(), len(number)) for each in source], dtype=np.int32)
        queries = np.array(list(number), dtype=np.bytes_)
        docs = np.array([each.encode() for each in target], dtype=np.bytes_)
        run = RunFile(queries, query, docs, np.array(score), np.array(rank, np.int32), "")
        yield ReadRun(run, np.array(line, np.int64))
