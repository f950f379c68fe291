"""A small file of every kind of import, and where loading it writes for long."""

from collections.abc import Iterable
from typing import NamedTuple

from django.core.files.uploadedfile import SimpleUploadedFile

from tests.annotate.core.files.samples import line


class ImportSample(NamedTuple):
    """A file of a kind of import.

    row : a line of it; QUERY and DOCUMENT stand for the ids of a pair
    table : the table whose first written row loading it holds up
    head : what stands before the rows; fields : of its form
    """

    file_name: str
    row: str
    table: str
    head: str = ""
    fields: dict[str, str] = {}

    def upload(self, pairs: Iterable[tuple[str, str]]) -> SimpleUploadedFile:
        """The file with a row for each of these pairs, none twice."""
        rows = dict.fromkeys(
            self.row.replace("QUERY", query).replace("DOCUMENT", document)
            for query, document in pairs
        )
        text = self.head + "".join(f"{row}\n" for row in rows)
        return SimpleUploadedFile(self.file_name, text.encode())


IMPORT_SAMPLES = {
    "items": ImportSample("later.jsonl", line("later"), "annotate_item"),
    "reference": ImportSample(
        "later.tsv",
        "QUERY\tDOCUMENT\t1",
        "annotate_referencelabel",
        head="query\tdocument\tgrade\n",
        fields={"name": "later"},
    ),
    "judgments": ImportSample(
        "later.csv",
        "later,QUERY,DOCUMENT,1",
        "annotate_roundpair",
        head="annotator,query,document,grade\n",
        fields={
            "name": "later",
            "query": "query",
            "document": "document",
            "annotator": "annotator",
            "grade": "grade",
            "layout": "long",
        },
    ),
    "query_set": ImportSample(
        "later.txt",
        "QUERY",
        "annotate_querysetitem",
        fields={"name": "later", "direction": "forward"},
    ),
}
