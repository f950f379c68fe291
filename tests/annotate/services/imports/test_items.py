"""Loading items: all or nothing, repeatable, media only from where they may come."""

import io
import json

import pytest
from django.utils import timezone

from annotate.core.files.archives.sources import FileSource, FolderSource, ZipSource
from annotate.core.files.formats import FormatError
from annotate.models import (
    Change,
    Collection,
    Item,
    Pair,
    Part,
    QuerySet,
    QuerySetItem,
    ReferenceSet,
    Side,
)
from annotate.services.collection import media
from annotate.services.collection.references import FileRejected
from annotate.services.imports import item_loader, items
from tests import cast
from tests.annotate.core.files.samples import archive, file, line, packed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


def load(collection, *lines, stream=None, **options):
    source = FileSource(stream or file(*lines), "collection.jsonl")
    return items.load_collection(collection=collection, source=source, **options)


def faults(collection, *lines, **options):
    with pytest.raises(FileRejected) as caught:
        load(collection, *lines, **options)
    assert not Item.objects.filter(collection=collection).exists()
    return caught.value.problems.lines()


def test_items_parts_and_the_query_sets_of_both_directions_are_made():
    collection = cast.collection()
    report = load(
        collection,
        line("q1", "query"),
        line("q2", "query", text="x", split="train"),
        line("d1"),
        line("d2"),
    )
    assert (report.n_rows, report.n_items, report.n_parts) == (4, 4, 4)
    names = {
        query_set.direction: [
            member.item.external_id for member in query_set.members.order_by("item")
        ]
        for query_set in QuerySet.objects.filter(collection=collection, name="all")
    }
    assert names == {"forward": ["q1"], "reverse": ["d1", "d2"]}


@pytest.mark.parametrize(
    "text", ["a\tb\nc\r\n", "\\N", "\\.", "back\\slash \\t", "'\"; --", "\u2028 é 😀"]
)
def test_a_text_is_stored_as_it_stands(text, settings):
    collection = cast.collection()
    settings.MEDIA_HOSTS = ["https://h"]
    load(
        collection,
        line("d", text=text, warning=text),
        line("film", video="https://h/a.mp4", start=0.1, end=7),
    )
    stored = Part.objects.order_by("item").values_list(
        "item__external_id", "item__warning", "text", "start", "end"
    )
    assert list(stored) == [("d", text, text, None, None), ("film", "", "", 0.1, 7.0)]


def test_the_same_file_twice_changes_nothing_and_says_so():
    collection = cast.collection()
    lines = [
        line("q1", "query"),
        line("d1", parts=[{"kind": "text", "text": "a"}, {"kind": "text", "text": "b"}]),
    ]
    load(collection, *lines)
    report = load(collection, stream=packed(*lines))
    assert (report.n_items, report.n_known) == (0, 2)
    assert "Nothing changed" in str(report)
    assert (Item.objects.count(), Part.objects.count()) == (2, 3)


def test_a_longer_file_adds_what_is_new():
    collection = cast.collection()
    load(collection, line("q1", "query"))
    report = load(collection, line("q1", "query"), line("q2", "query"))
    assert (report.n_items, report.n_known) == (1, 1)
    assert QuerySet.objects.get(direction="forward").members.count() == 2


def test_a_line_that_is_repeated_counts_once():
    collection = cast.collection()
    report = load(collection, line("d1"), line("d1"), line("d1", "query"))
    assert (report.n_items, report.repeats.n) == (2, 1)


def test_an_id_with_two_contents_is_named_with_both_lines():
    collection = cast.collection()
    assert faults(collection, line("d1"), line("d1", text="other")) == [
        'Line 2: document "d1" stands with other content or another group in line 1; '
        "keep one of them."
    ]


def test_an_item_that_was_loaded_with_other_content_is_named():
    collection = cast.collection()
    load(collection, line("d1"))
    with pytest.raises(
        FileRejected, match='Line 1: document "d1" was loaded before with other content'
    ):
        load(collection, line("d1", text="other"))


def test_one_faulty_line_among_thousands_loads_nothing():
    collection = cast.collection()
    lines = [line(f"d{i}") for i in range(item_loader.CHUNK + 10)]
    assert faults(collection, *lines, "{") != []


def test_fifty_faults_are_named_and_all_are_counted():
    collection = cast.collection()
    messages = faults(collection, *["{"] * 80)
    assert len(messages) == 51
    assert messages[-1] == "and 30 more."


@pytest.mark.parametrize("stream", [file(), file(""), packed(), file("hello")])
def test_an_empty_or_foreign_file_is_refused(stream):
    assert faults(cast.collection(), stream=stream)


def test_a_gzip_file_cut_short_loads_nothing():
    whole = packed(*(line(f"d{i}", text=str(i * 7919)) for i in range(3000))).getvalue()
    assert "cut short" in faults(cast.collection(), stream=io.BytesIO(whole[: len(whole) // 2]))[-1]


def test_two_collections_may_have_the_same_ids():
    for collection in (cast.collection(), cast.collection()):
        assert load(collection, line("d1")).n_items == 1


def test_a_judged_collection_takes_no_more_queries_but_still_says_what_it_knows():
    collection = cast.collection()
    load(collection, line("d1"))
    Collection.objects.filter(pk=collection.pk).update(scheme_frozen_at=timezone.now())
    assert load(collection, line("d1")).n_known == 1
    with pytest.raises(item_loader.QueriesFixed, match="would add 1"):
        load(collection, line("d2"), line("q1", "query"))
    assert Item.objects.filter(collection=collection).count() == 1


def test_documents_join_a_judged_collection_and_its_query_sets_stay():
    collection = cast.collection()
    load(collection, line("d1"), line("q1", "query"))
    before = set(QuerySetItem.objects.values_list("query_set", "item"))
    assert len(before) == 2
    Collection.objects.filter(pk=collection.pk).update(scheme_frozen_at=timezone.now())
    report = load(collection, line("d2"))
    assert (report.n_items, report.n_queries) == (1, 0)
    assert "Query sets stay as they were" in str(report)
    assert set(QuerySetItem.objects.values_list("query_set", "item")) == before


def test_what_was_known_by_its_id_alone_may_get_its_content_until_people_are_asked_about_it():
    collection = cast.collection()
    ids = ["d1", "d2", "d3"]
    assert items.load_documents(collection=collection, ids=ids, file_name="run").n_items == 3
    query = cast.items(collection, Side.QUERY, 1)[0]
    Pair.objects.create(
        collection=collection, query=query, document=Item.objects.get(external_id="d3")
    )
    report = load(collection, line("d1", text="a cat"), line("d4", text="a dog"))
    assert (report.n_filled, report.n_items, report.n_known) == (1, 1, 0)
    parts = Part.objects.filter(item__external_id="d1").values_list("kind", "text", "position")
    assert list(parts) == [("text", "a cat", 0)]
    report = load(collection, line("d3", text="a bird"), line("d5"))
    assert (report.n_still_id_only, report.n_items) == (1, 1)
    assert "1 stay known by id alone, as people were asked about them" in str(report)
    assert not Part.objects.filter(item__external_id="d3").exists()
    again = items.load_documents(collection=collection, ids=["d1", "d2"], file_name="run")
    assert (again.n_items, again.n_known) == (0, 2)  # a bare id contradicts nothing
    assert Part.objects.filter(item__external_id="d1").count() == 1


def test_media_are_copied_from_the_folder_given(tmp_path):
    collection = cast.collection()
    (tmp_path / "in" / "clips").mkdir(parents=True)
    (tmp_path / "in" / "clips" / "a.webm").write_bytes(b"film")
    source = FolderSource(tmp_path / "in")
    lines = [line("d1", video="clips/a.webm"), line("d2", video="clips/a.webm", start=1)]
    assert load(collection, *lines, media_source=source).n_media == 1
    file = media.find_file(collection=collection, path="clips/a.webm")
    assert file.read_bytes() == b"film"
    assert load(collection, *lines, media_source=source).n_media == 0
    assert load(collection, *lines).n_known == 2


def test_a_medium_that_is_nowhere_is_named(tmp_path):
    messages = faults(
        cast.collection(), line("d1", image="a.png"), media_source=FolderSource(tmp_path)
    )
    assert 'there is no file "a.png"' in messages[0]


def test_another_file_of_a_name_that_is_taken_is_refused(tmp_path):
    collection = cast.collection()
    (tmp_path / "a.png").write_bytes(b"one")
    load(collection, line("d1", image="a.png"), media_source=FolderSource(tmp_path))
    (tmp_path / "a.png").write_bytes(b"two")
    with pytest.raises(media.MediaConflict, match=r"a[.]png"):
        load(collection, line("d2", image="a.png"), media_source=FolderSource(tmp_path))
    assert Item.objects.filter(collection=collection).count() == 1


def test_an_archive_brings_items_and_media_and_writes_nothing_outside(tmp_path):
    collection = cast.collection()
    members = {
        "set/collection.jsonl": line("d1", image="m/a.png").encode(),
        "set/m/a.png": b"PNG",
        "set/m/b.html": b"x",
    }
    report = items.load_collection(
        collection=collection, source=ZipSource(archive(members), "set.zip")
    )
    assert (report.n_items, report.n_media) == (1, 1)
    stored = [path for path in (tmp_path / "media").rglob("*") if path.is_file()]
    assert [path.name for path in stored] == ["a.png"]


def test_a_page_is_kept_as_text_whether_it_stands_in_the_file_or_is_a_file_of_the_archive():
    collection = cast.collection()
    page = "<h1>Über</h1><p>Two birds.</p>"
    members = {
        "collection.jsonl": "\n".join(
            [
                line("d1", html=page),
                line("d2", html="pages/2.html"),
                line("q1", "query", parts=[{"kind": "html", "path": "3.htm"}]),
            ]
        ).encode(),
        "pages/2.html": b"\xef\xbb\xbf" + page.encode(),
        "3.htm": b"<p>birds",
    }
    for _ in range(2):
        source = ZipSource(archive(members), "set.zip")
        report = items.load_collection(collection=collection, source=source)
    assert (report.n_items, report.n_known, report.n_media) == (0, 3, 0)
    stored = Part.objects.order_by("item__external_id").values_list("kind", "text", "path")
    assert list(stored) == [("html", page, ""), ("html", page, ""), ("html", "<p>birds", "")]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, 'there is no file "2.html" in set.zip'),
        (b"\xff\xfe", 'the page "2.html" is no UTF-8'),
        (b" \n", 'the page "2.html" is empty'),
        (b"x" * 500_001, "is longer than 500,000 characters"),
        (b"a\x00b", "contains a NUL character"),
    ],
)
def test_a_page_that_cannot_be_read_is_named_with_its_line(content, says):
    collection = cast.collection()
    members = {"collection.jsonl": f"{line('d1')}\n{line('d2', html='2.html')}".encode()}
    members |= {} if content is None else {"2.html": content}
    with pytest.raises(FileRejected) as caught:
        items.load_collection(collection=collection, source=ZipSource(archive(members), "set.zip"))
    (fault,) = caught.value.problems.lines()
    assert "ine 2" in fault
    assert says in fault
    assert not Item.objects.filter(collection=collection).exists()


def test_media_elsewhere_need_a_host_of_the_settings(settings):
    settings.MEDIA_HOSTS = ["https://media.example.org", "cdn.example.org:8443"]
    collection = cast.collection()
    fine = [
        line("d1", image="https://media.example.org/a.png"),
        line("d2", image="https://cdn.example.org:8443/a.png"),
    ]
    messages = faults(
        collection,
        *fine,
        line("d3", image="https://evil.example.org/a.png"),
        line("d4", image="http://127.0.0.1/a.png"),
    )
    assert [text.split(":")[0] for text in messages] == ["Line 3", "Line 4"]
    assert load(collection, *fine).n_items == 2


def test_a_beir_archive_brings_its_labels_as_reference_sets():
    collection = cast.collection()
    members = {
        "corpus.jsonl": b'{"_id": "d1", "text": "a"}\n',
        "queries.jsonl": b'{"_id": "q1", "text": "b"}\n{"_id": "q2", "text": "c"}\n',
        "qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq1\td1\t1\n",
        "qrels/train.tsv": b"query-id\tcorpus-id\tscore\nq2\td1\t1\n",
    }
    report = items.load_collection(
        collection=collection, source=ZipSource(archive(members), "beir.zip")
    )
    assert [reference.name for reference in report.references] == ["original", "train"]
    assert ReferenceSet.objects.filter(collection=collection).count() == 2
    assert Change.objects.filter(collection=collection, pair=None).exists()


def test_a_fault_in_the_labels_of_a_beir_archive_loads_nothing():
    collection = cast.collection()
    members = {
        "corpus.jsonl": b'{"_id": "d1", "text": "a"}\n',
        "queries.jsonl": b'{"_id": "q1", "text": "b"}\n',
        "qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq1\td9\t1\n",
    }
    with pytest.raises(FileRejected, match='no document "d9"'):
        items.load_collection(collection=collection, source=ZipSource(archive(members), "beir.zip"))
    assert not Item.objects.filter(collection=collection).exists()


def test_an_unreadable_archive_is_refused():
    with pytest.raises(FormatError):
        ZipSource(io.BytesIO(b"PK\x03\x04 nothing"), "x.zip")


def test_queries_do_not_grow_with_items(django_assert_max_num_queries):
    collection = cast.collection()
    with django_assert_max_num_queries(24):
        load(collection, *(line(f"d{i}") for i in range(400)))


def test_a_file_of_captions_by_id_gives_items_and_the_own_video_of_each_caption():
    collection = cast.collection()
    stream = io.BytesIO(b'{"v1": ["sings", "a man sings"], "v2": ["a dog"]}')
    report = items.load_collection(collection=collection, source=FileSource(stream, "msvd.json"))
    assert (report.n_items, [reference.n_labels for reference in report.references]) == (5, [3])
    labels = collection.reference_sets.get(name="original").labels
    pairs = labels.values_list("query__external_id", "document__external_id")
    assert set(pairs) == {("v1#0", "v1"), ("v1#1", "v1"), ("v2#0", "v2")}


def test_captions_come_without_their_pictures_which_may_follow(tmp_path):
    collection = cast.collection()
    (tmp_path / "a.jpg").write_bytes(b"picture")

    def loaded(**options):
        stream = io.BytesIO(b'{"a.jpg": ["a cat", "it sits"], "b.jpg": ["a dog"]}')
        return items.load_collection(
            collection=collection, source=FileSource(stream, "captions.json"), **options
        )

    report = loaded()
    assert (report.n_items, report.n_without_file, report.n_media) == (5, 2, 0)
    assert "2 lack their file and are known by id alone" in str(report)
    report = loaded(media_source=FolderSource(tmp_path))
    assert (report.n_items, report.n_filled, report.n_without_file, report.n_media) == (0, 1, 1, 1)
    report = loaded()
    assert (report.n_known, report.n_filled, report.n_without_file) == (5, 0, 1)


def test_documents_known_by_their_ids_alone_are_loaded():
    collection = cast.collection()
    report = items.load_collection(
        collection=collection, source=FileSource(io.BytesIO(b"d1\nd2\n"), "docs.txt")
    )
    assert report.n_items == 2
    assert set(collection.items.values_list("side", "external_id")) == {
        ("document", "d1"),
        ("document", "d2"),
    }


@pytest.mark.parametrize("indent", [None, 1])
def test_what_stands_twice_in_one_line_is_found_too(indent):
    lists = {"v1": [{"caption": "a cat", "id": 5}], "v2": [{"caption": "a dog", "id": 5}]}
    with pytest.raises(FileRejected, match='query "5" stands with other content or another group'):
        load(cast.collection(), stream=file(json.dumps(lists, indent=indent)))
    twice = {
        "videos": [{"video_id": "v1"}] * 2,
        "sentences": [{"video_id": "v1", "caption": "a cat", "sen_id": 1}],
    }
    report = load(cast.collection(), stream=file(json.dumps(twice, indent=indent)))
    assert (report.n_items, report.repeats.n) == (2, 1)
