"""Which items are the same, or nearly: by text, page, file, and what cannot be compared."""

import numpy as np
import pytest
from django.utils import timezone

from annotate.models import Item, Pair, Part, Preview, Resolution
from annotate.services.review.duplicate_marks import DuplicateGroup, mark_duplicates
from metrics.services.analysis.collection import duplicates
from tests import cast
from tests.metrics.services.analysis.questions import answer_of, table_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    return cast.collection("study")


def add(collection, side, external_id, *parts, **fields):
    """An item with parts: texts, or dicts of a part's fields."""
    item = Item.objects.create(collection=collection, side=side, external_id=external_id, **fields)
    for position, part in enumerate(parts):
        values = {"kind": "text", "text": part} if isinstance(part, str) else part
        Part.objects.create(item=item, position=position, **values)
    return item


def page(markup):
    return {"kind": "html", "text": markup}


def file(checksum, kind="image", **fields):
    return {"kind": kind, "path": f"{checksum}.bin", "checksum": checksum, **fields}


def groups(collection):
    """The ids of each group, with its likeness and similarity."""
    found = {}
    for row in table_of(collection, "duplicates"):
        key = row["group"], row["side"], row["kind"], row["similarity"]
        found.setdefault(key, []).append(row["id"])
    return [(*key[1:], ids) for key, ids in found.items()]


def test_texts_are_the_same_without_case_marks_and_width_of_spaces(collection):
    add(collection, "query", "a", "A man walks.")
    add(collection, "query", "b", "Another one")
    add(collection, "query", "c", "a  man, walks")
    # pages are compared by their markup
    add(collection, "query", "d", page("<p>A man <b>walks</b></p>"))
    add(collection, "query", "h", page("<p>A man\n<b>walks</b></p>"))
    add(collection, "query", "i", page("<p><img src='a.png'></p>"))
    add(collection, "query", "j", page("<p><img src='b.png'></p>"))
    # of the other side, in two parts, excluded: not the same
    add(collection, "document", "a", "A man walks.")
    add(collection, "query", "e", "A man", "walks")
    add(
        collection,
        "query",
        "f",
        "A man walks.",
        excluded_at=timezone.now(),
        excluded_reason="broken",
    )
    assert groups(collection) == [
        ("query", "the same", None, ["a", "c"]),
        ("query", "the same", None, ["d", "h"]),
    ]
    answer = answer_of(collection, "duplicates")
    assert answer.result.headline == "2 of 8 queries repeat another one"
    assert answer.result.extent == "8 queries and 1 document"


def test_files_are_the_same_by_checksum_and_seconds(collection):
    add(collection, "document", "a", file("sha256:1"))
    add(collection, "document", "b", file("sha256:1", path="other.bin"))
    add(collection, "document", "c", file("sha256:1", kind="video"))
    add(collection, "document", "d", file("sha256:1", kind="video", start=1.0, end=2.0))
    add(collection, "document", "e", file("sha256:2"), "a caption")
    add(collection, "document", "f", file("sha256:2"), "A caption!")
    add(collection, "document", "g", file(""))
    add(collection, "document", "h", file(""))
    assert groups(collection) == [
        ("document", "the same", None, ["a", "b", "c"]),
        ("document", "the same", None, ["e", "f"]),
    ]
    result = answer_of(collection, "duplicates").result
    assert result.headline == "3 of 8 documents repeat another one"
    assert [note for note in result.notes if note.startswith("2 items are not compared")]


def drawn(collection, checksum, seed, shift=0):
    """An image with a preview whose raster is noise of a seed, brighter by a shift."""
    cells = np.random.default_rng(seed).integers(40, 200, size=(32, 32, 3)) + shift
    preview = Preview.objects.create(
        collection=collection,
        checksum=checksum,
        content=b"x",
        width=40,
        height=30,
        raster=cells.astype(np.uint8).tobytes(),
    )
    return file(checksum, preview=preview, previewed_at=timezone.now())


def test_images_that_look_alike_are_pairs_of_one_side_and_one_collection(collection):
    add(collection, "document", "a", drawn(collection, "sha256:1", 1))
    add(collection, "document", "b", drawn(collection, "sha256:2", 1, shift=4))
    add(collection, "document", "c", drawn(collection, "sha256:3", 2))
    add(collection, "document", "d", file("sha256:4"))
    add(collection, "query", "e", drawn(collection, "sha256:5", 1, shift=2))
    add(collection, "query", "f", drawn(collection, "sha256:6", 1, shift=3), "A caption")
    other = cast.collection("other")
    add(other, "document", "a", drawn(other, "sha256:4", 1))
    ((side, kind, likeness, ids),) = groups(collection)
    assert (side, kind, ids) == ("document", "look alike", ["a", "b"])
    assert 0.83 <= likeness < 1
    result = answer_of(collection, "duplicates").result
    assert result.headline == "1 pair of images looks alike"
    assert any(note.startswith("1 image is not compared by looks") for note in result.notes)


def test_near_texts_are_pairs_of_distinct_texts_with_their_similarity(collection):
    near = "Two dogs run over the wet green grass by the river"
    add(collection, "query", "a", f"{near}.")
    add(collection, "query", "b", f"{near}s.")
    add(collection, "query", "c", f"{near}!")
    add(collection, "query", "d", "Something else altogether")
    (same, pair) = groups(collection)
    assert same == ("query", "the same", None, ["a", "c"])
    side, kind, similarity, ids = pair
    assert (side, kind, ids) == ("query", "nearly the same", ["a", "b"])
    assert 0.9 <= similarity < 1
    headline = answer_of(collection, "duplicates").result.headline
    assert headline == "1 of 4 queries repeats another one; 1 pair of texts is nearly the same"


def test_what_stands_in_another_split_too_is_a_kind_of_its_own(collection):
    add(collection, "query", "a", "A man walks.")
    add(collection, "query", "b", "a man walks")
    add(collection, "query", "c", "Nobody walks here")
    add(collection, "query", "t1", "a man, walks", split="train")
    add(collection, "query", "t2", "A man walks", split="train")
    add(collection, "query", "t3", "Nobody walks here, it seems", split="train")
    add(collection, "query", "v", "A dog", split="val")
    add(collection, "document", "d", file("sha256:1"))
    add(collection, "document", "e", file("sha256:2"))
    add(collection, "document", "f", file("sha256:1"), split="train")
    # of the other side, without a checksum, excluded
    add(collection, "document", "g", file("sha256:2"), "a caption", split="train")
    add(collection, "query", "t4", file("sha256:2"), split="train")
    add(collection, "document", "h", file(""), split="train")
    gone = {"excluded_at": timezone.now(), "excluded_reason": "broken"}
    add(collection, "document", "i", file("sha256:2"), split="train", **gone)
    assert groups(collection) == [
        ("query", "the same", None, ["a", "b"]),
        ("query", "the same, in another split", None, ["a", "b", "t1", "t2"]),
        ("document", "the same, in another split", None, ["d", "f"]),
    ]
    rows = table_of(collection, "duplicates")
    assert [row["split"] for row in rows][2:6] == ["test", "test", "train", "train"]
    result = answer_of(collection, "duplicates").result
    assert result.headline == (
        "1 of 3 queries repeats another one; 2 of 3 queries are in another split too; 1 of 2 "
        "documents is in another split too"
    )
    assert result.extent == "3 queries and 2 documents"
    assert result.notes == [
        "The split “train” (7 items) has 3 of these items too: none of it is judged or takes a "
        "grade.",
        "The split “val” (1 item) has none of these.",
        "2 images are not compared by looks: without a preview, or it is still being drawn.",
    ]


def test_the_most_judged_item_comes_first_and_marks_are_told(collection):
    first = add(collection, "query", "a", "the same")
    second = add(collection, "query", "b", "The same")
    document = add(collection, "document", "d", "a document")
    pair = Pair.objects.create(collection=collection, query=second, document=document)
    Resolution.objects.create(
        pair=pair,
        collection=collection,
        status="single",
        grade=1,
        n_labels=1,
        policy=cast.policy(collection),
    )
    mark_duplicates(collection=collection, groups=[DuplicateGroup(second, [first])], by=None)
    rows = table_of(collection, "duplicates")
    assert [(row["id"], row["n_judged"], row["original"], row["content"]) for row in rows] == [
        ("b", 1, "", "The same"),
        ("a", 0, "b", "the same"),
    ]
    assert answer_of(collection, "duplicates").result.notes == [
        "1 pair of a duplicate takes the grade of its original."
    ]


def test_without_any_there_is_a_sentence(collection):
    add(collection, "query", "a", "one of its kind")
    assert answer_of(collection, "duplicates").reason == (
        "No two items are the same, and no two texts or images nearly so."
    )
    add(collection, "query", "t", "Another of its kind", split="train")
    assert (
        "The split “train” (1 item) has none of these."
        in answer_of(collection, "duplicates").reason
    )
    add(collection, "document", "g", file(""))
    assert "1 item is not compared" in answer_of(collection, "duplicates").reason


def test_what_is_too_much_is_told(collection, monkeypatch):
    for number in range(3):
        add(collection, "query", f"a{number}", f"number {number}")
        add(collection, "query", f"b{number}", f"Number {number}")
    monkeypatch.setattr(duplicates, "MOST_TEXTS", 2)
    monkeypatch.setattr(duplicates, "MOST_ITEMS", 4)
    result = answer_of(collection, "duplicates").result
    assert len(result.rows) == 4
    assert result.notes == [
        "The texts of 3 queries are too many, or too long, to look for near ones.",
        "1 of the 3 groups is left out here and in the CSV; a lead's marks make room for more.",
    ]
    assert result.headline == "3 of 6 queries repeat another one"


def test_marked_groups_make_room_for_near_ones(collection, monkeypatch):
    near = "Two dogs run over the wet green grass by the river"
    pairs = [
        (
            add(collection, "query", f"a{number}", f"number {number}"),
            add(collection, "query", f"b{number}", f"Number {number}"),
        )
        for number in range(3)
    ]
    add(collection, "query", "a", f"{near}.")
    add(collection, "query", "b", f"{near}s.")
    add(collection, "query", "c", "Nobody walks here")
    add(collection, "query", "t", "nobody walks here", split="train")
    monkeypatch.setattr(duplicates, "MOST_ITEMS", 4)

    def listed():
        notes = answer_of(collection, "duplicates").result.notes
        return [ids for *_, ids in groups(collection)], notes[1:]

    assert listed() == (
        [["a0", "b0"], ["a1", "b1"]],
        ["3 of the 5 groups are left out here and in the CSV; a lead's marks make room for more."],
    )
    mark_duplicates(
        collection=collection, groups=[DuplicateGroup(a, [b]) for a, b in pairs[:2]], by=None
    )
    ids, (note,) = listed()
    assert ids == [["a2", "b2"], ["a", "b"]]
    assert note.startswith(
        "3 of the 5 groups are left out here and in the CSV, 2 of them as all of their items are "
        "marked; a lead's marks"
    )
    # what is marked stays in the list while there is room
    monkeypatch.setattr(duplicates, "MOST_ITEMS", 8)
    ids, (note,) = listed()
    assert ids == [["a0", "b0"], ["a2", "b2"], ["c", "t"], ["a", "b"]]
    assert note == (
        "1 of the 5 groups is left out here and in the CSV, as all of their items are marked."
    )
