"""Previews of files of items: their format, columns, first items and faults, from their heads."""

import gzip

import pytest

from annotate.core.files.archives import file_heads
from annotate.core.files.archives.file_heads import PIECE, AbsentBytes, FilePiece, open_heads
from annotate.core.files.formats import FormatError
from annotate.core.files.items.item_previews import FileReading, preview_items
from tests.annotate.core.files.samples import archive, file, line

MANY = 20_000


def preview_of(content, name="set.jsonl", **request):
    """The preview of a file, of which pieces are sent as they are asked for, as a browser does."""
    pieces = [FilePiece(0, content[:PIECE])]
    while True:
        try:
            heads = open_heads(pieces, len(content), name)
            return preview_items(heads, FileReading(**request))
        except AbsentBytes as error:
            pieces.append(FilePiece(error.at, content[error.at : error.at + PIECE]))
            assert sum(len(piece.content) for piece in pieces) <= file_heads.MAX_BYTES


def text_of(*lines):
    return file(*lines).getvalue()


def columns(preview):
    return {column.name: column.field or column.meaning for column in preview.columns}


def test_a_known_format_says_what_its_columns_are_and_shows_the_first_items():
    preview = preview_of(text_of("side,id,text", "query,q1,red hat", "document,d1,a hat"), "a.csv")
    assert (preview.format, preview.kind, preview.fault) == ("CSV or TSV", "", "")
    assert columns(preview) == {
        "side": "the side, query or document",
        "id": "the item's id",
        "text": "the item's text",
    }
    assert [row.id for row in (*preview.queries, *preview.documents)] == ["q1", "d1"]
    assert preview.counts == "The whole file was read: 1 query and 1 document."


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_of_a_long_file_the_first_items_alone_are_read_and_that_is_said(pack):
    preview = preview_of(pack(text_of(*(line(f"d{n}") for n in range(MANY)))))
    assert preview.counts == "Only the first 500 items were read: 500 documents."
    assert preview.faults == []


def test_a_line_and_an_array_that_the_head_cuts_are_no_faults():
    lines = [line(f"d{n}", text="x" * 9_000) for n in range(100)]
    preview = preview_of(text_of(*lines))
    assert 10 < preview.n_documents < 100
    assert (preview.is_cut, preview.faults) == (True, [])
    entries = ", ".join(f'{{"uid": "d{n}", "body": "{"x " * 4_000}"}}' for n in range(100))
    preview = preview_of(f"[{entries}]".encode(), "a.json")
    assert 10 < preview.n_documents < 100
    assert (preview.is_cut, preview.faults) == (True, [])


def test_faults_come_with_their_lines():
    preview = preview_of(text_of(line("a"), line("b b"), "{"))
    assert [fault.split(":")[0] for fault in preview.faults] == ["Line 2", "Line 3"]
    assert preview.n_documents == 1


def test_a_shape_of_its_own_offers_its_columns_with_a_guess():
    preview = preview_of(text_of("clip_id,what", "c1,a dog", "c2,a cat"), "a.csv")
    assert (preview.format, preview.kind) == ("read by its columns", "document")
    assert columns(preview) == {"clip_id": "document_id", "what": "document_text"}
    assert [row.id for row in preview.documents] == ["c1", "c2"]


def test_choices_are_followed_and_contradictions_named():
    content = text_of("clip_id,what,who", "c1,a dog,Ann", "c2,a cat,Ben")
    choices = [("clip_id", "query_id"), ("what", "query_text"), ("who", "")]
    assert [row.id for row in preview_of(content, choices=choices, is_by_hand=True).queries] == [
        "c1",
        "c2",
    ]
    twice = [("clip_id", "query_id"), ("what", "query_text"), ("who", "query_text")]
    preview = preview_of(content, choices=twice, is_by_hand=True)
    assert preview.fault == (
        '"what" and "who" are both taken for the query\'s text: choose one of them.'
    )
    assert preview.n_items == 0
    without = [("what", "query_text")]
    preview = preview_of(content, choices=without, is_by_hand=True)
    assert preview.fault.startswith("Choose the column of the query's id")
    asked_by_kind = preview_of(content, kind="query", is_by_hand=True)
    assert columns(asked_by_kind)["clip_id"] == "query_id"


def test_labels_are_promised_where_they_are_made():
    promise = 'a label of the reference set "original"'
    content = text_of("caption_id,caption,clip", "c1,a dog,1.mp4", "c2,a cat,1.mp4")
    preview = preview_of(content, "a.csv", is_by_hand=True)
    assert (preview.kind, promise in preview.sentence) == ("caption", True)
    assert "video7#0" not in preview.sentence  # these have ids of their own
    nameless = text_of("caption,clip", "a dog,1.mp4", "a cat,1.mp4")
    preview = preview_of(nameless, "a.csv", kind="caption", is_by_hand=True)
    assert ("video7#0" in preview.sentence, promise in preview.sentence) == (True, True)
    content = content.replace(b"caption_id", b"question_id")
    fields = {"question_id": "query_id", "caption": "query_text", "clip": "document_video"}
    preview = preview_of(content, "a.csv", choices=[*fields.items()], is_by_hand=True)
    assert (promise in preview.sentence, "No labels" in preview.sentence) == (False, True)


def test_a_first_line_with_values_is_a_row():
    preview = preview_of(text_of("1.jpg\tx y\t3", "2.jpg\tz z\t4"), "a.tsv")
    assert (preview.is_table, preview.has_header) == (True, False)
    assert [row.id for row in preview.documents] == ["1.jpg", "2.jpg"]
    assert preview_of(text_of("1.jpg\tx\t3"), "a.tsv", has_header=True).has_header


def test_known_formats_can_be_read_by_hand():
    content = text_of("7.jpg#0\ta dog runs", "7.jpg#1\ta dog barks")
    assert preview_of(content, "a.txt").format == "TREC topics"
    assert preview_of(content, "a.txt").may_choose
    assert preview_of(content, "a.txt", is_by_hand=True).kind


def test_files_that_belong_elsewhere_are_sent_there_and_not_guessed():
    preview = preview_of(text_of("301 0 FR94 1", "301 0 FR95 0"), "a.qrels")
    assert preview.heading == "a.qrels is not understood"
    assert preview.fault.endswith("Load it as reference labels.")
    preview = preview_of(text_of("301\tQ0\tFR94\t1\t2.5\tbm25"), "a.run")
    assert preview.kind == ""
    assert preview.fault.endswith("Upload it as a run.")


def test_bytes_that_are_no_text_are_said_to_be_none():
    preview = preview_of(b"\xff\xd8\xff\xe0" + bytes(range(256)) * 9, "a.csv")
    assert preview.heading == "a.csv is not understood"
    assert "UTF-8" in preview.fault


def test_of_an_archive_its_directory_and_the_head_of_its_table_are_asked_for():
    members = {f"media/{n}.png": bytes([n]) * 9_000 for n in range(90)}
    members["collection.jsonl"] = text_of(
        line("d1", image="media/1.png"), line("d2", image="media/gone.png")
    )
    content = archive(members, compression=0).getvalue()
    assert len(content) > 4 * PIECE
    preview = preview_of(content, "set.zip")
    assert [row.id for row in preview.documents] == ["d1", "d2"]
    assert preview.lacking_files.startswith("1 item names a file that set.zip does not hold")


def test_an_archive_with_a_longer_directory_than_a_preview_reads_says_so():
    members = {f"{'x' * 200}{n}.png": b"" for n in range(5_000)}
    with pytest.raises(FormatError, match="lists more files than a preview reads"):
        preview_of(archive(members, compression=0).getvalue(), "set.zip")


def test_texts_of_a_folder_are_shown():
    preview = preview_of(archive({"a.txt": b"one", "b.jpg": b"x"}).getvalue(), "set.zip")
    assert preview.format == "texts and media without a table"
    assert [row.id for row in preview.documents] == ["a.txt", "b.jpg"]
    assert preview.lacking_files == ""


def test_documents_known_by_their_ids_alone_are_told():
    preview = preview_of(text_of("doc1", "doc2", "doc3"), "ids.txt")
    assert preview.id_only == (
        "3 documents have an id and nothing else: annotators will see the id. Load their text or "
        "media later under the same ids, before people are asked about them."
    )
    assert preview_of(text_of(line("d1")), "a.jsonl").id_only == ""


def test_files_that_items_name_and_the_upload_lacks_are_listed_once():
    paths = ("a.png", "b.png", "a.png", "https://example.org/c.png")
    lines = [line(f"d{n}", parts=[{"kind": "image", "path": path}]) for n, path in enumerate(paths)]
    preview = preview_of(text_of(*lines))
    assert (preview.n_lacking, preview.named_media) == (3, ["a.png", "b.png"])


@pytest.mark.parametrize(
    ("name", "header", "missing_side", "kind"),
    [
        ("a.csv", "id,text", "", "document"),
        ("a.csv", "id,text", "query", "query"),
        ("a.csv", "id,text", "document", "document"),
        ("a.csv", "docid,text", "query", "document"),
        ("a.csv", "qid,text", "document", "query"),
        ("queries.csv", "id,text", "", "query"),
        ("my-Topics.csv", "id,text", "document", "query"),
        ("corpus.csv", "id,text", "query", "document"),
        ("queries-of-docs.csv", "id,text", "", "document"),
        ("topical-news.csv", "id,text", "", "document"),
        ("doctor-questions.csv", "id,text", "query", "query"),
        ("queries.csv", "docid,text", "", "document"),
    ],
)
def test_a_row_is_taken_for_the_side_that_columns_name_or_collection_tell(
    name, header, missing_side, kind
):
    content = text_of(header, "a1,castle", "a2,tower")
    preview = preview_of(content, name, missing_side=missing_side)
    assert preview.kind == kind
    id_field, text_field = columns(preview).values()
    assert (id_field, text_field) == (f"{kind}_id", f"{kind}_text")
    by_hand = preview_of(content, name, is_by_hand=True, kind="document", missing_side="query")
    assert by_hand.kind == "document"


@pytest.mark.parametrize(
    ("header", "fields"),
    [
        ("num,title,description", ["query_id", "query_title", "query_text"]),
        ("id,caption,group", ["query_id", "query_text", "query_group"]),
        ("id,title,abstract", ["document_id", "document_title", "document_text"]),
        ("id,title,body,html", ["document_id", "document_title", "document_text", "document_html"]),
    ],
)
def test_no_column_is_lost_where_rows_are_taken_for_the_missing_queries(header, fields):
    words = ["a castle", "the tower", "an old gate"][: len(fields) - 1]
    rows = [",".join([f"a{n}", *(f"{word} {n}" for word in words)]) for n in (1, 2)]
    preview = preview_of(text_of(header, *rows), "a.csv", missing_side="query")
    assert list(columns(preview).values()) == fields
