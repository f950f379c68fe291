"""Files loaded in the wrong place: a guess at their kind by the first line, and the right place."""

import json
import re
from typing import NamedTuple

from annotate.core.files.formats import whole_number

ITEMS, LABELS, RUN, PAIRS = "items", "labels", "run", "pairs"
_QUERIES = frozenset({"query", "query-id", "query_id", "qid", "q_id"})
_DOCUMENTS = frozenset(
    {"document", "document_id", "doc_id", "doc-id", "docid", "docno", "corpus-id", "corpus_id"}
)
_ADVICE = {
    ITEMS: "Load it as items",
    LABELS: "Load it as reference labels",
    RUN: "Upload it as a run",
    PAIRS: "Load it as reference labels, or upload it as a run",
}
_NUMBER = re.compile(
    r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?inf(inity)?", re.IGNORECASE
)


class FileGuess(NamedTuple):
    """A guess at a file's kind: the kind of its content, and the name of its form."""

    kind: str
    form: str

    @property
    def claim(self) -> str:
        """The guess, and where to load such a file, to follow the file's name."""
        return f"looks like {self.form}. {_ADVICE[self.kind]}"


def guess(first_line: str) -> FileGuess | None:
    """Guess the kind of a file from its first line; None where the line does not tell."""
    if first_line.lstrip().startswith("{"):
        return _guess_object(first_line)
    if is_table_of_pairs(first_line):
        return FileGuess(PAIRS, "a table of queries and documents, as labels and runs have it")
    return None if "," in first_line else _guess_fields(first_line.split())


def misplaced_sentence(first_line: str, *, expected: str) -> str:
    """The sentence for a file that looks like another kind than expected; "" if it does not.

    expected : ITEMS, LABELS or RUN
    """
    likely_format = guess(first_line)
    if (
        likely_format is None
        or likely_format.kind == expected
        or (likely_format.kind == PAIRS and expected != ITEMS)
    ):
        return ""
    return f"this {likely_format.claim}."


def guess_text(text: str) -> FileGuess | None:
    """Guess the kind of a text that may as well be prose, of which one line proves little.

    "Page 3 of 12" looks like qrels: the next line has to look so too, but below a table's header.
    """
    lines = [line for line in text.splitlines() if line.strip()][:2]
    guesses = [guess(line) for line in lines]
    if guesses and is_table_of_pairs(lines[0]):
        return guesses[0]
    return guesses[0] if len(guesses) == 2 and guesses[0] == guesses[1] else None


def is_table_of_pairs(first_line: str) -> bool:
    """True if a table's first line names a query and a document, so that its rows are no items."""
    cells = {cell.strip().strip('"').lower() for cell in re.split("[,\t]", first_line)}
    return bool(cells & _QUERIES) and bool(cells & _DOCUMENTS) and "side" not in cells


def _guess_fields(fields: list[str]) -> FileGuess | None:
    if (
        len(fields) == 4
        and whole_number(fields[3]) is not None
        and (whole_number(fields[1]) is not None or fields[1].upper() == "Q0")
    ):
        return FileGuess(LABELS, "qrels (query, iteration, document, grade)")
    if len(fields) == 5 and all(
        whole_number(field) is not None for field in (fields[1], *fields[3:])
    ):
        return FileGuess(LABELS, "stratified qrels (query, iteration, document, stratum, grade)")
    if len(fields) == 6 and whole_number(fields[3]) is not None and _NUMBER.fullmatch(fields[4]):
        return FileGuess(RUN, "a TREC run (query, Q0, document, rank, score, tag)")
    return None


def _guess_object(first_line: str) -> FileGuess | None:
    try:
        record = json.loads(first_line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    if {"side", "id"} <= record.keys() or {"_id", "text"} <= record.keys():
        return FileGuess(ITEMS, "items (JSON lines)")
    if "query" in record and ("score" in record or "ranking" in record):
        return FileGuess(RUN, "a run (JSON lines)")
    return None
