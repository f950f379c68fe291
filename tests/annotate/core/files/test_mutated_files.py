"""Readers of damaged files give sound rows or name the fault, and raise no other exception."""

import gzip
import io
import json
import zlib

import pytest
from hypothesis import given

from annotate.core.files.archives.sources import ZipSource, open_source
from annotate.core.files.formats import FormatError, Problems, guarded, id_fault
from annotate.core.files.id_lists import read_ids
from annotate.core.files.items.item_formats import label_files, read_items
from annotate.core.files.judgments.judgment_formats import (
    JudgmentColumns,
    read_judgments,
)
from annotate.core.files.references.reference_formats import read_reference
from tests.annotate.core.files.items.test_captions_and_topics import CLASSIC, MSRVTT, XML
from tests.annotate.core.files.samples import archive
from tests.mutations import assert_errors_described, damaged_files
from tests.sizes import cases

BEIR = {
    "corpus.jsonl": b'{"_id": "d1", "title": "A", "text": "x"}\n{"_id": "d2", "text": "y"}\n',
    "queries.jsonl": b'{"_id": "q1", "text": "z"}\n',
    "qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n",
}
JSON_ITEMS = b"".join(
    json.dumps(item).encode() + b"\n"
    for item in (
        {"side": "query", "id": "c1", "text": "a red circle"},
        {
            "side": "document",
            "id": "s7",
            "parts": [{"kind": "video", "path": "media/s7.webm", "start": 0, "end": 4}],
        },
        {
            "side": "document",
            "id": "s8",
            "split": "train",
            "warning": "blinks",
            "text": "two stars",
            "image": "a.png",
        },
    )
)
TABLE = (
    b'side,id,text,image,split\nquery,q1,"a, dog",,\n'
    b'document,d1,,a.jpg,dev\ndocument,d2,"two\nlines",,test\n'
)
TAB_TABLE = b"side\tid\ttext\nquery\tq1\ta dog\ndocument\td1\tx\n"
CAPTIONS = b'key,video_id,sentence\nret0,video7,a cat\nret1,video7,"a, b"\nret2,video8,a dog\n'
TOPIC_LINES = b"1048585\twhat is it\n2\tb c\n301\tx\n"
ITEMS = [
    JSON_ITEMS,
    TABLE,
    TAB_TABLE,
    CAPTIONS,
    TOPIC_LINES,
    CLASSIC.encode(),
    XML.encode(),
    json.dumps(MSRVTT).encode(),
    json.dumps(MSRVTT, indent=1).encode(),
    archive(BEIR).getvalue(),
    archive({"collection.jsonl": JSON_ITEMS, "media/s7.webm": b"x"}, compression=0).getvalue(),
    gzip.compress(JSON_ITEMS, mtime=0),
]
QRELS = b"301 0 d1 1\n301 0 d2 -1\n302 0 d1 2\n302\t0\td3\t-2\n"
REFERENCES = [
    QRELS,
    b"1001 0 s1 1 1\n1001 0 s2 2 -1\n1002 0 s1 1 0\n",
    BEIR["qrels/test.tsv"],
    CAPTIONS,
    b"query-id,corpus-id,score,stratum\nq,d,1,3\nq,e,0,1\n",
    b'{"c1": ["i1", 2],\n"c2": ["i1"]}',
    b'{"q1": {"d1": 1, "d2": 0},\n "q2": {"d1": 2}}',
    json.dumps(MSRVTT).encode(),
    gzip.compress(QRELS, mtime=0),
    archive({"a.qrels": QRELS, "b.json": b'{"c1": ["i1"]}'}).getvalue(),
]
LONG = (
    b"query,document,annotator,grade,at\n"
    b"q1,d1,ana,1,2024-05-31T14:00:00Z\nq1,d2,bo,0,\nq2,d1,ana,2,1717164000\n"
)
WIDE = b"query\tdocument\tana\tbo\nq1\td1\t1\t2\nq1\td2\t\t0\n"
JSON_JUDGMENTS = (
    b'{"query":"q1","document":"d1","annotator":"ana","grade":1,"at":null}\n'
    b'{"query":"q2","document":"d1","annotator":"bo","grade":"0","at":5}\n'
)
JUDGMENTS = [
    (LONG, JudgmentColumns(time="at")),
    (WIDE, JudgmentColumns(annotators=("ana", "bo"))),
    (JSON_JUDGMENTS, JudgmentColumns(time="at", grades={"yes": 1})),
]


def n_lines(data: bytes) -> int:
    """Number of lines that a reader counts in a file, packed or not."""
    if data[:2] == b"PK":
        return max(map(len, BEIR.values())) + len(JSON_ITEMS)
    try:
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError, zlib.error):
        return len(JSON_ITEMS)
    return data.count(b"\n") + 1


@cases(500)
@given(damaged_files(ITEMS))
def test_items(data):
    problems = Problems()
    try:
        source = open_source(io.BytesIO(data), "upload.bin")
        label_files(source)
    except FormatError as error:
        problems.add(error)
    else:
        for row in guarded(read_items(source, problems), problems):
            assert (
                not id_fault(row.id)
                and row.side in ("query", "document")
                and isinstance(row.parts, tuple)
            )
    assert_errors_described(problems, n_lines(data))


@cases(400)
@given(damaged_files(REFERENCES))
def test_references(data):
    problems = Problems()
    for row in guarded(read_reference(io.BytesIO(data), "upload.bin", problems), problems):
        assert not id_fault(row.query) and not id_fault(row.document) and isinstance(row.grade, int)
        assert row.stratum is None or row.stratum >= 0
    assert_errors_described(problems, n_lines(data))


@pytest.mark.parametrize(("sample", "columns"), JUDGMENTS, ids=["long", "wide", "json"])
def test_judgments(sample, columns):
    @cases(120)
    @given(damaged_files([sample, gzip.compress(sample, mtime=0)]))
    def run(data):
        problems = Problems()
        for row in guarded(
            read_judgments(io.BytesIO(data), "upload.bin", columns, problems), problems
        ):
            assert not id_fault(row.query) and not id_fault(row.annotator) and row.grade >= 0
        assert_errors_described(problems, n_lines(data))

    run()


@cases(150)
@given(
    damaged_files(
        [b"q1\nq2\n\nq3\n", b'{"q1": [1, 2],\n"q2": {"a": 1}}', gzip.compress(b"q1\nq2\n", mtime=0)]
    )
)
def test_lists_of_ids(data):
    problems = Problems()
    rows = list(guarded(read_ids(io.BytesIO(data), "ids.txt", problems), problems))
    assert len({row.id for row in rows}) == len(rows) and not any(id_fault(row.id) for row in rows)
    assert_errors_described(problems, n_lines(data))


@cases(300)
@given(damaged_files([archive(BEIR).getvalue(), archive(BEIR, compression=0).getvalue()]))
def test_archives(data):
    try:
        source = ZipSource(io.BytesIO(data), "set.zip")
        for name in source.names():
            with source.open(name) as stream:
                for _ in guarded(read_reference(stream, name, Problems()), Problems()):
                    pass
    except FormatError as error:
        assert str(error)


def test_every_sample_is_sound_before_anything_happens_to_it():
    for data in ITEMS:
        problems = Problems()
        assert (
            list(read_items(open_source(io.BytesIO(data), "a.bin"), problems))
            and problems.lines() == []
        )
    for data in REFERENCES:
        problems = Problems()
        assert list(read_reference(io.BytesIO(data), "a.bin", problems)) and problems.lines() == []
    for data, columns in JUDGMENTS:
        problems = Problems()
        assert (
            list(read_judgments(io.BytesIO(data), "a.bin", columns, problems))
            and problems.lines() == []
        )
