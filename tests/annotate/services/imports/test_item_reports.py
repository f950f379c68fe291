"""Reports of imports say how many documents will be shown by their ids alone."""

import pytest

from annotate.core.files.archives.sources import FileSource
from annotate.services.imports import items
from tests import cast
from tests.annotate.core.files.samples import file, line

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
SENTENCE = (
    "{} an id and nothing else: annotators will see the id. Load {} text or media later under the "
    "same ids, before people are asked about them."
)


def report_of(collection, *lines, name="items.jsonl", **options):
    source = FileSource(file(*lines), name)
    return items.load_collection(collection=collection, source=source, **options)


def test_a_report_tells_the_documents_that_have_an_id_alone():
    collection = cast.collection()
    one_id = report_of(collection, line("d1", parts=[]), line("d2"), line("q1", "query"))
    assert str(one_id).endswith(f" {SENTENCE.format('1 document has', 'its')}")
    ids = report_of(collection, "d3", "d4", "d1", name="ids.txt")
    assert str(ids).endswith(f" {SENTENCE.format('2 documents have', 'their')}")
    by_column = report_of(
        collection, "clip,n", "d5,1", name="clips.csv", columns={"document_id": "clip"}
    )
    assert str(by_column).endswith(f" {SENTENCE.format('1 document has', 'its')}")


def test_a_report_is_silent_on_documents_that_have_their_content_or_were_known():
    collection = cast.collection()
    report_of(collection, "d1", name="ids.txt")
    for lines in (["d1"], [line("d1"), line("d2")]):
        report = report_of(collection, *lines, name="ids.txt" if len(lines) == 1 else "a.jsonl")
        assert "nothing else" not in str(report)
