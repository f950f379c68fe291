"""The picture of an item in lists: its preview, a frame of its clip, or the mark of its kind."""

import pytest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from annotate.models import Item, Part, Preview, Side
from annotate.services.pictures.item_pictures import picture_of
from tests import cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    return cast.collection("photos")


def item_with(collection, *parts, warning=""):
    item = Item.objects.create(
        collection=collection, side=Side.DOCUMENT, external_id="d7", warning=warning
    )
    for position, fields in enumerate(parts):
        Part.objects.create(item=item, position=position, **fields)
    return item


def image(collection):
    preview = Preview.objects.create(
        collection=collection, checksum="sha256:a", content=b"x", width=1, height=1
    )
    fields = {"checksum": "sha256:a", "preview": preview, "previewed_at": timezone.now()}
    return {"kind": "image", "path": "a.png", **fields}


def test_an_image_is_shown_by_its_preview(collection):
    item = item_with(collection, image(collection))
    picture = picture_of(item, "photos")
    part = item.parts.get()
    assert picture.url == reverse(
        "annotate:part-preview", args=["photos", part.pk, part.preview_id]
    )
    assert (picture.alternative, picture.caption, picture.words) == ("Image of d7", "Image", "")


def test_an_image_without_preview_is_shown_by_its_mark(collection):
    picture = picture_of(item_with(collection, {"kind": "image", "path": "a.png"}), "photos")
    assert (picture.url, picture.sources, picture.is_media) == ("", [], True)


@pytest.mark.parametrize(("start", "moment"), [(None, "0.1"), (12.5, "12.6"), (0, "0.1")])
def test_a_clip_is_shown_by_the_frame_at_its_start(collection, start, moment):
    also = [{"path": "a.webm", "type": 'video/webm; codecs="vp9"'}]
    clip = {"kind": "video", "path": "a.mp4", "start": start, "also": also}
    item = item_with(collection, clip)
    pk = item.parts.get().pk
    assert picture_of(item, "photos").sources == [
        (f"/c/photos/media/{pk}/#t={moment}", "video/mp4"),
        (f"/c/photos/media/{pk}/1/#t={moment}", 'video/webm; codecs="vp9"'),
    ]


def test_what_comes_with_a_warning_is_not_pictured(collection):
    clip = {"kind": "video", "path": "a.webm"}
    item = item_with(collection, image(collection), clip, warning="blood")
    picture = picture_of(item, "photos")
    assert (picture.kind, picture.url, picture.sources) == ("image", "", [])


@pytest.mark.parametrize(
    ("parts", "kind", "caption"),
    [
        ([], "", ""),
        ([{"kind": "text", "text": "two\n  words"}], "text", "two words"),
        ([{"kind": "html", "text": "<style>p{}</style><p>a&amp;b<p>c"}], "html", "a&b c"),
        ([{"kind": "audio", "path": "a.mp3"}], "audio", "Audio"),
        (
            [
                {"kind": "text", "text": "a title"},
                {"kind": "audio", "path": "a.mp3"},
                {"kind": "video", "path": "a.webm"},
            ],
            "video",
            "a title",
        ),
    ],
    ids=["no-parts", "text", "page", "sound", "of-several"],
)
def test_what_is_read_is_shown_by_its_words_what_is_seen_before_what_is_heard(
    collection, parts, kind, caption
):
    picture = picture_of(item_with(collection, *parts), "photos")
    assert (picture.kind, picture.caption) == (kind, caption)


def test_long_texts_end_after_two_lines(collection):
    picture = picture_of(item_with(collection, {"kind": "text", "text": "long " * 999}), "photos")
    assert len(picture.words) == 160 and picture.words.endswith("…")


def test_an_annotators_screen_gets_the_picture_without_the_items_id(collection):
    item = item_with(collection, image(collection))
    picture = picture_of(item, "photos")
    assert picture.frame_json == {"kind": "image", "url": picture.url, "sources": []}
    assert "d7" not in str(picture.frame_json)
    (text_item,) = cast.items(collection, Side.QUERY, 1)
    assert picture_of(text_item, "photos").frame_json is None


def test_pictures_of_many_items_need_no_query_each(collection, django_assert_num_queries):
    for number in range(5):
        item = Item.objects.create(
            collection=collection, side=Side.DOCUMENT, external_id=f"i{number}"
        )
        Part.objects.create(item=item, position=0, kind="video", path="a.webm")
    with django_assert_num_queries(2):
        for item in collection.items.prefetch_related("parts"):
            context = {"item": item, "slug": "photos", "url": "/there/"}
            row = render_to_string("annotate/review/_item_brief.html", context)
            assert f'<a class="brief-id" href="/there/">{item.external_id}</a>' in row
            assert "{#" not in row
            assert f'aria-label="Video of {item.external_id}"' in row
