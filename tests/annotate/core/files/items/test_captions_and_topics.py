"""Caption lists of videos and images, and TREC topics in the forms their files really have."""

import json

import pytest

from annotate.core.files.archives.sources import FileSource
from annotate.core.files.formats import Problems, guarded
from annotate.core.files.items.item_formats import label_files, read_items, reference_name
from annotate.core.files.items.item_rows import PartRow
from annotate.core.files.references.reference_formats import read_reference
from tests.annotate.core.files.samples import archive, file, items_of, packed, zipped

MSRVTT = {
    "info": {"year": "2016"},
    "videos": [
        {
            "video_id": "video0",
            "category": 9,
            "url": "https://x.org/?v=1",
            "start time": 1.5,
            "end time": 9.0,
            "split": "test",
            "id": 0,
        },
        {"video_id": "video1", "split": "train", "id": 1},
    ],
    "sentences": [
        {"caption": "a man sings", "video_id": "video0", "sen_id": 0},
        {"caption": "somebody sings", "video_id": "video0", "sen_id": 1},
        {"caption": "a dog", "video_id": "video1", "sen_id": 2},
    ],
}
CLASSIC = """

<top>
<head> Tipster Topic Description
<num> Number: 301
<title> International Organized Crime

<desc> Description:
Identify organizations that participate in
international criminal activity.

<narr> Narrative:
A relevant document must name it &amp; its countries.

Only recent ones count.

</top>

<top>
<num>302</num> <title>Topic: Poliomyelitis</title>
</top>
"""
XML = """<?xml version="1.0"?>
<topics task="COVID">
<topic number="1">
<query>coronavirus origin</query>
<question>what is the origin of COVID-19</question>
</topic>
<topic number="2"><query>weather</query></topic>
</topics>
"""


def faults_of(source):
    problems = Problems()
    list(guarded(read_items(source, problems), problems))
    return problems.lines()


def shape(rows):
    return [
        (row.side, row.id, row.split, [part.text or part.path for part in row.parts])
        for row in rows
    ]


@pytest.mark.parametrize("indent", [None, 1])
def test_a_caption_list_gives_captions_as_queries_and_videos_as_documents(indent):
    rows, faults = items_of(
        FileSource(file(json.dumps(MSRVTT, indent=indent)), "test_videodatainfo.json")
    )
    assert faults == []
    assert shape(rows) == [
        ("document", "video0", "test", []),
        ("document", "video1", "train", []),
        ("query", "0", "test", ["a man sings"]),
        ("query", "1", "test", ["somebody sings"]),
        ("query", "2", "train", ["a dog"]),
    ]


def test_videos_in_the_archive_belong_to_the_ids_they_are_called_by():
    source = zipped(
        {"msrvtt.json": json.dumps(MSRVTT), "clips/video0.mp4": "x", "clips/video0.jpg": "x"}
    )
    rows, _ = items_of(source)
    # the clip is cut already: the list's times are those of the film it was cut from
    assert rows[0].parts == (PartRow("video", "", "clips/video0.mp4"),)
    assert rows[1].parts == ()


def test_a_list_may_name_its_files_and_their_times():
    entry = {"video_id": "v", "path": "films/f.webm", "start time": 1, "end time": 3}
    rows, _ = items_of(FileSource(file(json.dumps({"videos": [entry], "sentences": []})), "l.json"))
    assert rows[0].parts == (PartRow("video", "", "films/f.webm", 1.0, 3.0),)


def test_a_table_of_captions_names_each_video_once():
    rows, faults = items_of(
        FileSource(
            file("key,video_id,sentence", "ret0,video7,a cat", 'ret1,video7,"a, b"'), "v.csv"
        )
    )
    assert faults == []
    assert shape(rows) == [
        ("document", "video7", "test", []),
        ("query", "ret0", "test", ["a cat"]),
        ("query", "ret1", "test", ["a, b"]),
    ]


def test_a_files_ending_tells_what_captions_describe_better_than_its_columns_name():
    table = file("caption_id,caption,video", "c1,a cat,7.png", "c2,a dog,8.mp4")
    rows, faults = items_of(FileSource(table, "captions.csv"))
    assert faults == []
    documents = [row for row in rows if row.side == "document"]
    assert [row.parts for row in documents] == [
        (PartRow("image", "", "7.png"),),
        (PartRow("video", "", "8.mp4"),),
    ]


def test_captions_without_ids_are_numbered_by_what_they_describe():
    rows, _ = items_of(
        FileSource(
            packed("image,caption", "7.jpg,a cat", "8.jpg,a dog", "7.jpg,an animal"), "f.csv.gz"
        )
    )
    assert [row.id for row in rows if row.side == "query"] == ["7.jpg#0", "8.jpg#0", "7.jpg#1"]
    assert rows[0].parts == (PartRow("image", "", "7.jpg"),)


def test_the_own_video_of_each_caption_is_the_reference_set_original():
    source = FileSource(file(json.dumps(MSRVTT)), "test.json")
    assert [reference_name(name) for name in label_files(source)] == ["original"]
    rows = list(read_reference(source.open("test.json"), "test.json", Problems()))
    assert [(row.query, row.document, row.grade, row.is_listed) for row in rows] == [
        ("0", "video0", 1, True),
        ("1", "video0", 1, True),
        ("2", "video1", 1, True),
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            '{"videos": [{"video_id": "v w"}], "sentences": []}',
            'Line 1: id "v w" contains white space',
        ),
        ('{"videos": [7], "sentences": []}', "Line 1: an entry of videos is no object."),
        (
            '{"sentences": [\n{"video_id": "v", "caption": " "}]}',
            "Line 2: caption is missing or blank.",
        ),
        (
            '{"sentences": [{"video_id": "v", "caption": "a"},',
            'Line 2: at entry 2 of "sentences": this is no JSON',
        ),
        ('{"videos": [{"video_id": "v", "path": "../x.mp4"}]}', "Line 1: part 1 has the path"),
    ],
)
def test_a_faulty_caption_list_is_answered_with_its_line(text, fault):
    faults = faults_of(FileSource(file(text), "l.json"))
    assert len(faults) == 1
    assert faults[0].startswith(fault)


def test_topics_are_read_with_their_tags_open_or_closed():
    rows, faults = items_of(FileSource(file(CLASSIC), "topics.301-450.txt"))
    assert faults == []
    assert shape(rows) == [
        (
            "query",
            "301",
            "test",
            [
                "International Organized Crime",
                "Identify organizations that participate in international criminal activity.",
                "A relevant document must name it & its countries.\nOnly recent ones count.",
            ],
        ),
        ("query", "302", "test", ["Poliomyelitis"]),
    ]
    assert [row.line for row in rows] == [3, 19]


def test_topics_may_be_xml_with_the_number_as_an_attribute():
    rows, faults = items_of(FileSource(packed(*XML.splitlines()), "topics.xml.gz"))
    assert faults == []
    assert shape(rows) == [
        ("query", "1", "test", ["coronavirus origin", "what is the origin of COVID-19"]),
        ("query", "2", "test", ["weather"]),
    ]


@pytest.mark.parametrize("first", [(), ("qid\tquery",), ("id\ttext",)])
def test_topics_may_be_lines_of_id_and_text_with_a_header_or_without(first):
    rows, faults = items_of(
        FileSource(file(*first, "1048585\twhat is paula deen's brother", "2\tb"), "queries.tsv")
    )
    assert faults == []
    assert shape(rows) == [
        ("query", "1048585", "test", ["what is paula deen's brother"]),
        ("query", "2", "test", ["b"]),
    ]


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (["<top>", "<title> no number", "</top>"], "Line 1: the topic's id is blank"),
        (["<top>", "<num> 7 8", "<title> x"], 'Line 1: the topic\'s id "7 8" contains white space'),
        (
            ["", "<top>", "<num> 7", "</top>"],
            'Line 2: topic "7" has no title, description or narrative.',
        ),
        (
            ["<top>", "<num> 7", "<desc>", "x" * 200_000],
            "Line 1: the topic that begins in line 1 does not end",
        ),
        (["1\ta", "2\tb\tc"], "Line 2: expected an id, a tab and a text; found 3 fields."),
        (["1\ta", "2 3\tb"], 'Line 2: the topic\'s id "2 3" contains white space'),
    ],
)
def test_a_faulty_topic_is_answered_with_the_line_where_it_begins(lines, fault):
    faults = faults_of(FileSource(file(*lines), "topics.txt"))
    assert len(faults) == 1
    assert faults[0].startswith(fault)


def lists(*texts):
    problems = Problems()
    rows = []
    for text in texts:
        rows += list(read_reference(file(text), "lists.json", problems))
    return [(row.query, row.document, row.grade, row.is_listed) for row in rows], problems.lines()


def test_lists_of_ids_are_pairs_without_grades():
    rows, faults = lists('{"732091":[205636,"219135"],\n"262300":369373}')
    assert (rows, faults) == (
        [
            ("732091", "205636", 1, True),
            ("732091", "219135", 1, True),
            ("262300", "369373", 1, True),
        ],
        [],
    )


def test_a_dictionary_of_grades_is_a_graded_reference():
    assert lists('{"q1": {"d1": 2, "d2": -1}}') == (
        [("q1", "d1", 2, False), ("q1", "d2", -1, False)],
        [],
    )
    assert lists('{"q1": {"d1": 2.5}}')[1] == [
        'Line 1: grade "2.5" is no whole number; scores are uploaded as a run (query "q1", '
        'document "d1").'
    ]
    assert lists('{"q1": {"d1": true}}')[1] == [
        'Line 1: grade "no number" is no whole number (query "q1", document "d1").'
    ]
    assert lists('{"q1": [["d"]]}')[1][0].startswith("Line 1: document is blank")


def test_an_archive_of_label_files_is_read_file_by_file():
    source = archive(
        {"a.json": b'{"c1": ["i1"]}', "b.qrels": b"c2 0 i1 2\n", "c.qrels": b"c3 0 i1\n"}
    )
    problems = Problems()
    rows = [
        (row.query, row.file, row.line)
        for row in guarded(read_reference(source, "all.zip", problems), problems)
    ]
    assert rows == [("c1", "a.json", 1), ("c2", "b.qrels", 1)]
    assert problems.errors[0].file == "c.qrels"


def test_stratified_qrels_keep_their_strata_and_what_was_not_drawn():
    text = file("1001 0 shot1_1 1 1", "1001 0 shot1_2 2 -1", "1001 0 shot1_3 2 0")
    rows = list(read_reference(text, "feature.qrels", Problems()))
    assert [(row.document, row.stratum, row.grade) for row in rows] == [
        ("shot1_1", 1, 1),
        ("shot1_2", 2, -1),
        ("shot1_3", 2, 0),
    ]


@pytest.mark.parametrize("line", ["1 0 d x 1", "1 0 d -1 1", "1 0 d 40000 1", "1 0 d 1.5 1"])
def test_a_stratum_is_a_whole_number(line):
    problems = Problems()
    assert [
        row.document for row in read_reference(file("1 0 e 1 1", line), "s.qrels", problems)
    ] == ["e"]
    assert problems.lines()[0].startswith("Line 2: stratum ")


def test_a_table_of_labels_may_have_strata():
    problems = Problems()
    rows = list(
        read_reference(file("query-id,corpus-id,score,stratum", "q,d,1,3"), "t.csv", problems)
    )
    assert (rows[0].stratum, problems.lines()) == (3, [])
