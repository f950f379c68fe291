"""Lists of ids as files of items: documents known by their ids alone."""

from collections.abc import Iterator
from typing import BinaryIO

from annotate.core.files.formats import Problems
from annotate.core.files.id_lists import read_ids
from annotate.core.files.items.item_rows import ItemRow, check_item
from annotate.core.phrases import count_of

ID_HEADERS = {
    "id",
    "ids",
    "doc_id",
    "docid",
    "docno",
    "document",
    "document_id",
    "corpus-id",
    "corpus_id",
    "item_id",
    "video_id",
    "videoid",
    "image_id",
    "imageid",
    "clip_id",
    "passage_id",
    "pid",
}


def read_documents(stream: BinaryIO, name: str, problems: Problems) -> Iterator[ItemRow]:
    """Yield documents known by their ids alone, one per line; a header line is left out."""
    for position, listed_id in enumerate(read_ids(stream, name, problems)):
        # a table of one column may have its cells in quotes
        item_id = (
            listed_id.id[1:-1]
            if len(listed_id.id) > 1 and listed_id.id[0] == listed_id.id[-1] == '"'
            else listed_id.id
        )
        if position or item_id.lower() not in ID_HEADERS:
            yield from check_item(
                {"side": "document", "id": item_id, "parts": []}, name, listed_id.line, problems
            )


def id_only_sentence(n: int) -> str:
    """The sentence on what annotators will see of n documents that have an id and nothing else."""
    have, text = ("has", "its text") if n == 1 else ("have", "their text")
    return (
        f"{count_of(n, 'documents')} {have} an id and nothing else: annotators will see the id. "
        f"Load {text} or media later under the same ids, before people are asked about them."
    )
