"""Files of items: JSON lines, tables, BEIR folders and archives."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.files.archives.sources import FileSource, FolderSource
from annotate.core.files.formats import FormatError, Problems
from annotate.core.files.items import item_formats
from annotate.core.files.items.item_rows import ItemRow, PartRow
from tests.annotate.core.files.samples import file, items, items_of, packed, zipped

FLICKR = "1056338697_4711750833.jpg#0"


def item(**changes):
    return json.dumps(
        {"side": "document", "id": "d1", "parts": [{"kind": "text", "text": "hi"}], **changes}
    )


def part(**fields):
    return item(parts=[fields])


def test_an_item_has_side_id_split_warning_and_parts_in_order():
    rows, faults = items(
        item(
            id=FLICKR,
            split="train",
            warning="blood",
            parts=[
                {"kind": "video", "path": "clips/a.webm", "start": 1, "end": 2.5},
                {"kind": "text", "text": "a red circle"},
            ],
        )
    )
    parts = (PartRow("video", "", "clips/a.webm", 1.0, 2.5), PartRow("text", "a red circle"))
    assert rows == [ItemRow("document", FLICKR, "train", "blood", parts, "collection.jsonl", 1)]
    assert faults == []


def test_flat_fields_stand_for_one_part_each():
    rows, _ = items(
        '{"side": "query", "id": 7, "text": "hi", "image": "a.png", "video": "a.webm", "start": 2}'
    )
    assert rows[0].id == "7"
    assert rows[0].parts == (
        PartRow("text", "hi"),
        PartRow("image", "", "a.png"),
        PartRow("video", "", "a.webm", 2.0),
    )


def test_a_table_and_json_lines_give_the_same_items():
    table = (
        "side\tid\ttext\timage\tsplit\twarning",
        "query\tq1\ta dog\t\t\t",
        "document\td1\t\ta.jpg\tdev\tblood",
    )
    lines = (
        '{"side": "query", "id": "q1", "text": "a dog"}',
        '{"side": "document", "id": "d1", "image": "a.jpg", "split": "dev", "warning": "blood"}',
    )
    from_table, from_lines = (
        [row._replace(line=0, file="") for row in items(*text)[0]] for text in (table, lines)
    )
    assert from_table == from_lines
    assert len(from_lines) == 2


def test_gzip_is_told_by_its_bytes_and_not_by_its_name():
    rows, faults = items_of(FileSource(packed(item()), "collection.jsonl"))
    assert (len(rows), faults) == (1, [])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (item(side="left"), 'side must be "query" or "document"'),
        (item(side=None), "side must be"),
        (item(id=""), "id is blank"),
        (item(id="a b"), "id .* white space"),
        (item(id=None), "id is missing"),
        (item(id=True), "id is missing or no text"),
        (item(id=1.5), "id is missing or no text"),
        (item(id="\ud800"), "id .* control"),
        (item(wraning="x"), "wraning.* is no field known here"),
        (item(split="two words"), "split must be one word"),
        (item(split="x" * 21), "split is longer than 20"),
        (item(warning="x" * 201), "warning is longer than 200"),
        (item(group="x" * 256), "group is longer than 255"),
        (item(group=1.5), "group must be text"),
        (item(group=True), "group must be text"),
        (item(group=["v7"]), "group must be text"),
        (item(group="v\x007"), "group contains a NUL"),
        (item(group="\udfff"), "group .* surrogate"),
        (item(parts="x"), "parts is no list"),
        (item(text="beside"), "stands beside"),
        ('{"side": "query", "id": "q"}', "has nothing to show"),
        (part(kind="smell"), "part 1 must be an object whose kind"),
        (part(kind="text", text="  "), "part 1 has no text"),
        (part(kind="text", text="a\x00"), "text contains a NUL"),
        (part(kind="text", text="\udfff"), "surrogate"),
        (part(kind="text", text=3), "text must be text"),
        (part(kind="text", text="x", size=3), "has a field"),
        (part(kind="image", path="../../etc/passwd.png"), "leads out of the folder"),
        (part(kind="image", path="/etc/x.png"), "no relative path"),
        (part(kind="image", path="a\\b.png"), "no relative path"),
        (part(kind="image", path="C:/x.png"), "no relative path"),
        (part(kind="image", path="a//b.png"), "leads out"),
        (part(kind="image", path=""), "is blank"),
        (part(kind="image", path="a\n.png"), "cannot be printed"),
        (part(kind="image", path="a.svg"), "belongs to no image"),
        (part(kind="image", path="a.webm"), "belongs to no image"),
        (part(kind="image", path="javascript://x/a.png"), "no http or https address"),
        (part(kind="image", path="https://me@x/a.png"), "no http or https address"),
        (part(kind="image", path="https://[x/a.png"), "no http or https address"),
        (part(kind="image", path="file:///etc/a.png"), "no http or https address"),
        (part(kind="video", path="a.webm", start=3, end=2), "must end after it starts"),
        (part(kind="video", path="a.webm", start=-1), "start of .*-1"),
        (part(kind="video", path="a.webm", start="NaN"), "number of seconds"),
        ("[1, 2]", "expected a JSON object"),
        ("{", "no JSON"),
    ],
)
def test_a_faulty_line_is_named_and_the_others_are_read(line, why):
    rows, faults = items(item(), line, item(id="d2"))
    assert [row.id for row in rows] == ["d1", "d2"]
    assert faults[0].startswith("Line 2: ")
    assert re.search(why, faults[0])


def test_an_item_with_an_empty_list_of_parts_is_shown_by_its_id():
    rows, faults = items(item(parts=[]))
    assert (rows[0].parts, faults) == ((), [])


def test_an_address_of_a_medium_is_kept_as_it_stands():
    rows, _ = items(part(kind="image", path="https://media.example.org/a.png?size=2"))
    assert rows[0].parts[0].path == "https://media.example.org/a.png?size=2"


@pytest.mark.parametrize(
    "stream", [file(), file("", "  "), packed(), file("hello"), file("id,text", "1,x")]
)
def test_what_is_no_collection_is_refused(stream):
    with pytest.raises(FormatError):
        list(item_formats.read_items(FileSource(stream, "x.jsonl"), Problems()))


def test_a_table_without_a_needed_column_says_which():
    with pytest.raises(FormatError, match='no column "side"; it names id, text'):
        items("id,text", "1,x")


BEIR = {
    "scifact/corpus.jsonl": (
        '{"_id": "d1", "title": "T", "text": "body", "metadata": {}}\n{"_id": "d2", "title": "", '
        '"text": "b"}\n'
    ),
    "scifact/queries.jsonl": "".join(
        f'{{"_id": "q{n}", "text": "query {n}"}}\n' for n in (1, 2, 3)
    ),
    "scifact/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    "scifact/qrels/train.tsv": "query-id\tcorpus-id\tscore\nq2\td1\t1\nq1\td2\t1\n",
}


def test_a_beir_archive_gives_documents_and_queries_with_the_splits_of_its_labels():
    source = zipped(BEIR)
    rows, faults = items_of(source)
    assert faults == []
    assert [(row.side, row.id, row.split) for row in rows] == [
        ("document", "d1", "test"),
        ("document", "d2", "test"),
        ("query", "q1", "test"),
        ("query", "q2", "train"),
        ("query", "q3", "unused"),
    ]
    assert [part.text for part in rows[0].parts] == ["T", "body"]
    assert [item_formats.reference_name(name) for name in item_formats.beir_qrels(source)] == [
        "original",
        "train",
    ]


def test_a_query_that_the_labels_of_several_splits_name_is_there_to_be_tested():
    source = zipped(
        {**BEIR, "scifact/qrels/dev.tsv": "query-id\tcorpus-id\tscore\nq1\td2\t1\nq2\td2\t1\n"}
    )
    assert [(row.id, row.split) for row in items_of(source)[0] if row.side == "query"] == [
        ("q1", "test"),
        ("q2", "dev"),
        ("q3", "unused"),
    ]


def test_a_beir_folder_is_the_same(tmp_path):
    for name, text in BEIR.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert items_of(FolderSource(tmp_path / "scifact"))[0] == items_of(zipped(BEIR))[0]


def test_faults_of_a_beir_folder_name_file_and_line():
    source = zipped({**BEIR, "scifact/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\tNaN\n"})
    faults = items_of(source)[1]
    assert faults == [
        'Line 2: grade "NaN" is no grade; write one, or leave out rows without a grade.'
    ]
    broken = zipped({**BEIR, "scifact/corpus.jsonl": "{\n"})
    assert items_of(broken)[1][0].startswith("Line 1: this is no JSON")


def test_an_archive_with_media_beside_one_file_of_items_is_read():
    source = zipped(
        {"collection.jsonl": item() + "\n", "media/a.png": "x", "notes.jsonl": "{}", "README": "hi"}
    )
    assert [row.id for row in items_of(source)[0]] == ["d1"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["side", "id", "split", "warning", "group", "parts", "text", "image", "start", "end"]
)


@given(st.dictionaries(KEYS, JSON))
def test_any_object_is_an_item_or_at_least_one_fault(record):
    problems = Problems()
    line = json.dumps({"side": "query", "id": "q", **record})
    rows = list(item_formats.read_items(FileSource(file(line), "a.jsonl"), problems))
    assert len(rows) == (0 if problems else 1)


def test_a_group_is_text_or_a_whole_number_and_blanks_around_it_do_not_count():
    groups = ("a film", 7, " 7\t", "  ", None)
    rows, faults = items(
        *(item(id=f"d{number}", group=group) for number, group in enumerate(groups))
    )
    assert ([row.group for row in rows], faults) == (["a film", "7", "7", "", ""], [])
    rows, faults = items(
        "side,id,text,group", 'query,q1,a dog,"v7, cut"', "query,q2,a cat,", name="collection.csv"
    )
    assert ([(row.group, len(row.parts)) for row in rows], faults) == (
        [("v7, cut", 1), ("", 1)],
        [],
    )


@pytest.mark.parametrize("mark", [",", "\t"])
def test_a_table_of_groups_alone_shows_nothing(mark):
    table = (
        mark.join(cells)
        for cells in (("side", "id", "group"), ("query", "q1", "v7"), ("document", "d1", ""))
    )
    rows, faults = items(*table)
    assert ([(row.side, row.id, row.parts, row.group) for row in rows], faults) == (
        [("query", "q1", (), "v7"), ("document", "d1", (), "")],
        [],
    )
