"""Captions in the JSON forms of MSVD, VATEX and COCO, in one line or many."""

import json

import pytest

from annotate.core.files.archives.sources import FileSource
from annotate.core.files.formats import FormatError, Problems, guarded
from annotate.core.files.items.item_formats import label_files, read_items
from annotate.core.files.items.item_rows import PartRow
from annotate.core.files.references.reference_formats import read_reference
from tests.annotate.core.files.samples import file, items_of, packed, zipped

MSVD = {"vid1": ["a man is singing", "somebody sings"], "vid2": ["a dog"], "vid3": []}
MANY = {f"v{number}": [f"a clip that is called {number}, by somebody"] for number in range(5_000)}


def source(captions, *, indent=None, name="captions.json"):
    return FileSource(file(json.dumps(captions, indent=indent)), name)


def shape(rows):
    return [(row.side, row.id, [part.text or part.path for part in row.parts]) for row in rows]


@pytest.mark.parametrize("indent", [None, 1])
def test_each_key_is_a_document_and_each_of_its_captions_a_query(indent):
    rows, faults = items_of(source(MSVD, indent=indent))
    assert faults == []
    assert shape(rows) == [
        ("document", "vid1", []),
        ("query", "vid1#0", ["a man is singing"]),
        ("query", "vid1#1", ["somebody sings"]),
        ("document", "vid2", []),
        ("query", "vid2#0", ["a dog"]),
        ("document", "vid3", []),
    ]


KARPATHY = {
    "images": [
        {
            "filepath": "val2014",
            "filename": "cat.jpg",
            "imgid": 0,
            "split": "test",
            "cocoid": 391895,
            "sentids": [7, 8],
            "sentences": [
                {"tokens": ["a", "cat"], "raw": "A cat.", "imgid": 0, "sentid": 7},
                {"tokens": ["it"], "raw": "It sits.", "imgid": 0, "sentid": 8},
            ],
        },
        {"filename": "dog.jpg", "split": "restval", "sentences": [{"raw": "A dog.", "sentid": 9}]},
    ],
    "dataset": "coco",
}
VATEX = [
    {"videoID": "v1_000", "enCap": ["A man sings.", "He sings."], "chCap": ["歌手"]},
    {"videoID": "v2_000", "enCap": []},
]
EACH = [
    {"image": "a/cat.jpg", "caption": ["A cat.", "It sits."]},
    {"image": "b.jpg", "caption": "B", "id": 5},
]
SINGLE = [
    {"video": "v1.mp4", "caption": "sings"},
    {"video": "v1.mp4", "caption": "he sings", "split": "train"},
]


@pytest.mark.parametrize(
    ("captions", "expected"),
    [
        (
            KARPATHY,
            [
                ("document", "391895", "test", ["cat.jpg"]),
                ("query", "7", "test", ["A cat."]),
                ("query", "8", "test", ["It sits."]),
                ("document", "dog.jpg", "restval", ["dog.jpg"]),
                ("query", "9", "restval", ["A dog."]),
            ],
        ),
        (
            VATEX,
            [
                ("document", "v1_000", "test", []),
                ("query", "v1_000#0", "test", ["A man sings."]),
                ("query", "v1_000#1", "test", ["He sings."]),
                ("document", "v2_000", "test", []),
            ],
        ),
        (
            EACH,
            [
                ("document", "a/cat.jpg", "test", ["a/cat.jpg"]),
                ("query", "a/cat.jpg#0", "test", ["A cat."]),
                ("query", "a/cat.jpg#1", "test", ["It sits."]),
                ("document", "b.jpg", "test", ["b.jpg"]),
                ("query", "5", "test", ["B"]),
            ],
        ),
        (
            [SINGLE[0]],
            [("document", "v1.mp4", "test", ["v1.mp4"]), ("query", "v1.mp4#0", "test", ["sings"])],
        ),
    ],
)
def test_lists_as_the_field_hands_them_on(captions, expected):
    file = source(captions)
    rows, faults = items_of(file)
    assert faults == []
    assert [
        (row.side, row.id, row.split, [part.text or part.path for part in row.parts])
        for row in rows
    ] == expected
    (name,) = label_files(file)
    labels = [
        (row.query, row.document)
        for row in read_reference(file.open(name), name, Problems(), of_items=True)
    ]
    documents = [row.id for row in rows if row.side == "document"]
    assert [query for query, _ in labels] == [row.id for row in rows if row.side == "query"]
    assert {document for _, document in labels} <= {*documents}


@pytest.mark.parametrize(
    ("captions", "fault"),
    [
        ([{"image": "a.jpg", "caption": 7}], 'caption 1 of "a.jpg" is missing or blank'),
        ([{"image": "a.jpg", "caption": "a"}, {"caption": "a"}], "id"),
        ([{"image": "a.jpg", "caption": "a"}, 7], "id"),
        (
            {"images": [{"id": 1, "sentences": [{"raw": ""}]}]},
            'caption 1 of "1" is missing or blank',
        ),
    ],
)
def test_faults_say_which_caption(captions, fault):
    _, faults = items_of(source(captions))
    assert fault in str(faults)


def test_a_first_video_without_captions_is_one_of_a_list():
    rows, faults = items_of(source({"v0": [], "v1": ["a man"]}))
    assert (shape(rows), faults) == (
        [("document", "v0", []), ("document", "v1", []), ("query", "v1#0", ["a man"])],
        [],
    )


def test_one_line_of_many_captions_is_read_whole():
    rows, faults = items_of(FileSource(packed(json.dumps(MANY)), "captions.json.gz"))
    assert (len(rows), faults) == (10_000, [])


@pytest.mark.parametrize(
    "captions",
    [
        {"vid1": ["sings", "a man"]},
        {"vid1": [{"caption": "sings", "id": 7}]},
        {"vid0": [], "vid1": [{"image_id": 9, "id": 7, "caption": "sings"}]},
    ],
)
def test_a_first_caption_of_one_word_is_one_too(captions):
    rows, faults = items_of(source(captions))
    assert faults == []
    assert next(row for row in shape(rows) if row[0] == "query")[2] == ["sings"]


def test_a_line_that_begins_with_an_items_parts_is_no_list_of_captions():
    item = '{"parts": [{"kind": "text", "text": "two stars"}], "side": "document", "id": "d1"}'
    rows, faults = items_of(FileSource(file(item), "items.jsonl"))
    assert (shape(rows), faults) == ([("document", "d1", ["two stars"])], [])


def test_the_file_of_its_name_says_what_it_is_shown_by():
    rows, _ = items_of(
        zipped({"msvd.json": json.dumps(MSVD), "clips/vid1.mp4": "x", "pictures/vid2.jpg": "x"})
    )
    parts = {row.id: row.parts for row in rows if row.side == "document"}
    assert parts == {
        "vid1": (PartRow("video", "", "clips/vid1.mp4"),),
        "vid2": (PartRow("image", "", "pictures/vid2.jpg"),),
        "vid3": (),
    }


def test_the_own_video_of_each_caption_is_its_positive():
    file = source(MSVD)
    (name,) = label_files(file)
    rows = list(read_reference(file.open(name), name, Problems(), of_items=True))
    assert [(row.query, row.document, row.is_listed) for row in rows] == [
        ("vid1#0", "vid1", True),
        ("vid1#1", "vid1", True),
        ("vid2#0", "vid2", True),
    ]


@pytest.mark.parametrize(
    ("lists", "pairs"),
    [
        ({"vid1": ["a man is singing"]}, [("vid1#0", "vid1")]),  # an id has no blanks in it
        ({"vid1": ["c1", "c2"]}, [("vid1", "c1"), ("vid1", "c2")]),
    ],
)
def test_lists_of_ids_are_told_from_lists_of_captions(lists, pairs):
    rows = list(read_reference(file(json.dumps(lists)), "lists.json", Problems()))
    assert [(row.query, row.document) for row in rows] == pairs


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"vid 1": ["a man"]}', 'Line 1: id "vid 1" contains white space'),
        ('{"v1": ["a man"],\n"v2": "a dog"}', 'Line 2: id "v2" must have a list of captions'),
        ('{"v1": ["a man", 7]}', 'Line 1: caption 2 of "v1" is missing or blank.'),
        (
            '{"v1": ["a man"],\n"v1": ["a dog"]}',
            'Line 2: the key "v1" stands in the object already.',
        ),
        ('{"v1": ["a man", ', 'Line 2: at the key "v1": this is no JSON'),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, fault):
    problems = Problems()
    list(guarded(read_items(FileSource(file(text), "captions.json"), problems), problems))
    assert any(fault in line for line in problems.lines()), problems.lines()


def test_lists_of_single_words_are_no_captions_unless_they_have_other_letters():
    def read(word, n=20):
        lists = json.dumps({f"v{number}": [word] for number in range(n)})
        problems = Problems()
        rows = list(
            guarded(read_items(FileSource(file(lists), "captions.json"), problems), problems)
        )
        return rows, problems.lines()

    assert "so they look like ids" in read("d17")[1][0]
    assert len(read("d17", n=19)[0]) == 38  # too few to tell
    assert len(read("\u4e00\u4e2a\u4eba")[0]) == 40
    assert len(read("a cat")[0]) == 40


@pytest.mark.parametrize(
    ("lines", "ids"),
    [
        (('"id"', '"v1"', '"v2"'), ["v1", "v2"]),
        (("", "video_id", "v1"), ["v1"]),
        (("v1", "id"), ["v1", "id"]),
    ],
)
def test_a_list_of_documents_may_have_quotes_and_a_header(lines, ids):
    problems = Problems()
    rows = list(read_items(FileSource(file(*lines), "ids.csv"), problems))
    assert ([row.id for row in rows], problems.lines()) == (ids, [])


@pytest.mark.parametrize(
    "captions",
    [
        [{"videoID": "v1", "chCap": ["歌手"]}],
        [{"image": "a.jpg"}],
        [{"caption": "a cat"}],
    ],
)
def test_an_array_that_is_no_list_of_captions_is_told_what_it_lacks(captions):
    with pytest.raises(FormatError, match="JSON array whose first entry names") as raised:
        list(read_items(source(captions), Problems()))
    assert next(iter(captions[0])) in str(raised.value)


def test_a_picture_of_its_own_name_is_shown_where_the_id_is_a_number():
    rows, faults = items_of(source([{"image": "a/cat.jpg", "caption": "A cat.", "image_id": 7}]))
    assert (shape(rows), faults) == (
        [("document", "7", ["a/cat.jpg"]), ("query", "7#0", ["A cat."])],
        [],
    )
