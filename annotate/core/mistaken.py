"""Files given in the wrong place: what the first line says that a file is, and where it is loaded."""

import json
import re
from typing import NamedTuple

from annotate.core.formats import whole_number

ITEMS, LABELS, RUN, PAIRS = "items", "labels", "run", "pairs"
_QUERIES = frozenset({"query", "query-id", "query_id", "qid", "q_id"})
_DOCUMENTS = frozenset({"document", "document_id", "doc_id", "doc-id", "docid", "docno", "corpus-id", "corpus_id"})
_PLACES = {
    ITEMS: "Load it as items.",
    LABELS: "Load it as reference labels.",
    RUN: "Upload it as a run.",
    PAIRS: "Load it as reference labels, or upload it as a run.",
}
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?inf(inity)?", re.IGNORECASE)


class Likeness(NamedTuple):
    """What a file looks like: the kind of thing that it holds, and the name of its form."""

    kind: str
    form: str

    @property
    def sentence(self) -> str:
        """The fact, and what to do."""
        return f"this looks like {self.form}. {_PLACES[self.kind]}"


def likeness(first: str) -> Likeness | None:
    """What a file with this first line looks like; None where the line does not say."""
    if first.lstrip().startswith("{"):
        return _of_object(first)
    if is_table_of_pairs(first):
        return Likeness(PAIRS, "a table of queries and documents, as labels and runs have it")
    return None if "," in first else _of_fields(first.split())


def mistaken_for(first: str, *, wanted: str) -> str:
    """The sentence for a file that looks like something else than is wanted; "" where it does not.

    wanted : ITEMS, LABELS or RUN
    """
    known = likeness(first)
    if known is None or known.kind == wanted or (known.kind == PAIRS and wanted != ITEMS):
        return ""
    return known.sentence


def is_table_of_pairs(first: str) -> bool:
    """Whether the first line of a table names a query and a document, so that its rows are no items."""
    cells = {cell.strip().strip('"').lower() for cell in re.split("[,\t]", first)}
    return bool(cells & _QUERIES) and bool(cells & _DOCUMENTS) and "side" not in cells


def _is_iteration(field: str) -> bool:
    return whole_number(field) is not None or field.upper() == "Q0"


def _of_fields(fields: list[str]) -> Likeness | None:
    if len(fields) == 4 and whole_number(fields[3]) is not None and _is_iteration(fields[1]):
        return Likeness(LABELS, "qrels (query, iteration, document, grade)")
    if len(fields) == 5 and all(whole_number(field) is not None for field in (fields[1], *fields[3:])):
        return Likeness(LABELS, "stratified qrels (query, iteration, document, stratum, grade)")
    if len(fields) == 6 and whole_number(fields[3]) is not None and _NUMBER.fullmatch(fields[4]):
        return Likeness(RUN, "a TREC run (query, Q0, document, rank, score, tag)")
    return None


def _of_object(first: str) -> Likeness | None:
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    if {"side", "id"} <= record.keys() or {"_id", "text"} <= record.keys():
        return Likeness(ITEMS, "items (JSON lines)")
    if "query" in record and ("score" in record or "ranking" in record):
        return Likeness(RUN, "a run (JSON lines)")
    return None
