"""Media of items: rights, ranges, headers, and nothing outside the collection's folder."""

from functools import partial

import pytest
from django.urls import reverse
from django.utils import timezone
from PIL import Image

from annotate.http import item_content
from annotate.models import Item, Part, Preview, Role, Side
from annotate.services.collection.media import media_folder
from annotate.services.imports import media_inspection_turns
from annotate.services.pictures import previews
from tests import cast

pytestmark = pytest.mark.django_db
CONTENT = bytes(range(256)) * 4


@pytest.fixture
def collection(media_root):
    return cast.collection("films")


def part(collection, path="clips/a.webm", content=CONTENT, kind="video"):
    (item,) = cast.items(collection, Side.DOCUMENT, 1)
    if content is not None:
        target = media_folder(collection) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return Part.objects.create(item=item, position=1, kind=kind, path=path)


def url(collection, part):
    return reverse("annotate:part-media", args=[collection.slug, part.pk])


@pytest.fixture
def get(client, collection):
    client.force_login(cast.member(collection, Role.ANNOTATOR))
    return lambda medium, **headers: client.get(url(collection, medium), headers=headers)


def test_a_member_gets_the_file_under_our_own_type(get, collection):
    response = get(part(collection))
    assert (response.status_code, response.getvalue()) == (200, CONTENT)
    assert response["Content-Type"] == "video/webm"
    assert response["Content-Length"] == str(len(CONTENT))
    assert response["Accept-Ranges"] == "bytes"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert response["Cache-Control"] == "private, max-age=600"


def test_a_file_that_was_stored_late_gets_its_checksum_and_preview_once_it_is_seen(get, collection):
    late = part(collection, "late.png", content=None, kind="image")
    media_inspection_turns.take_turn(collection=collection)
    late.refresh_from_db()
    assert (late.checksum, get(late).status_code) == ("", 404)
    assert media_inspection_turns.overdue() == []
    media_folder(collection).mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (9, 6), "red").save(media_folder(collection) / "late.png")
    assert get(late).status_code == 200
    assert media_inspection_turns.overdue() == [collection.pk]
    media_inspection_turns.take_turn(collection=collection)
    assert previews.take_turn(collection=collection) == 1
    late.refresh_from_db()
    assert (late.preview.width, late.preview.height) == (9, 6)


@pytest.mark.parametrize(
    ("byte_range", "first", "last"),
    [
        ("bytes=0-", 0, 1023),
        ("bytes=100-199", 100, 199),
        ("bytes=-10", 1014, 1023),
        ("bytes=1000-5000", 1000, 1023),
    ],
)
def test_a_player_gets_the_stretch_it_asks_for(get, collection, byte_range, first, last):
    response = get(part(collection), Range=byte_range)
    assert (response.status_code, response.getvalue()) == (206, CONTENT[first : last + 1])
    assert response["Content-Range"] == f"bytes {first}-{last}/1024"


@pytest.mark.parametrize("byte_range", ["bytes=9-2", "bytes=0-1,4-5", "items=0-1", "nonsense"])
def test_a_range_that_makes_no_sense_is_ignored(get, collection, byte_range):
    response = get(part(collection), Range=byte_range)
    assert (response.status_code, response.getvalue()) == (200, CONTENT)


@pytest.mark.parametrize("byte_range", ["bytes=1024-", "bytes=-0"])
def test_a_range_past_the_end_is_answered_with_the_length(get, collection, byte_range):
    response = get(part(collection), Range=byte_range)
    assert (response.status_code, response["Content-Range"]) == (416, "bytes */1024")


def test_a_range_meant_for_another_version_gets_the_whole_file(get, collection):
    medium = part(collection)
    tag = get(medium)["ETag"]
    assert get(medium, Range="bytes=0-1", **{"If-Range": tag}).status_code == 206
    assert get(medium, Range="bytes=0-1", **{"If-Range": '"other"'}).status_code == 200


def test_an_empty_file_is_sent_as_it_is(get, collection):
    response = get(part(collection, content=b""))
    assert (response.status_code, response.getvalue()) == (200, b"")


def test_strangers_and_members_of_other_collections_find_nothing(client, collection):
    medium = part(collection)
    other = cast.collection("other")
    client.force_login(cast.member(other, Role.RESEARCHER))
    assert client.get(url(collection, medium)).status_code == 404
    assert client.get(url(other, medium)).status_code == 404


def test_who_is_not_signed_in_is_sent_to_sign_in(client, collection):
    response = client.get(url(collection, part(collection)))
    assert (response.status_code, response.url.partition("?")[0]) == (302, reverse("account_login"))


@pytest.mark.parametrize(
    "path", ["../secret.png", "/etc/passwd.png", "a/../../secret.png", "https://x.org/secret.png"]
)
def test_no_path_leads_out_of_the_collections_folder(get, collection, path):
    media_folder(collection).mkdir(parents=True)
    (media_folder(collection).parent / "secret.png").write_bytes(b"secret")
    assert get(part(collection, path=path, content=None, kind="image")).status_code == 404


def test_a_link_out_of_the_folder_is_not_followed(get, collection, tmp_path):
    (tmp_path / "secret.png").write_bytes(b"secret")
    media_folder(collection).mkdir(parents=True)
    (media_folder(collection) / "a.png").symlink_to(tmp_path / "secret.png")
    assert get(part(collection, path="a.png", content=None, kind="image")).status_code == 404


def test_a_file_of_a_type_that_is_not_shown_is_not_served(get, collection):
    assert (
        get(part(collection, path="a.html", content=b"<script>", kind="image")).status_code == 404
    )


def test_a_missing_file_is_not_found(get, collection):
    assert get(part(collection, content=None)).status_code == 404


def test_a_text_part_has_no_file(get, collection):
    cast.items(collection, Side.QUERY, 1)
    text = Item.objects.get(side=Side.QUERY).parts.get()
    assert get(text).status_code == 404


def test_each_source_of_a_clip_is_served_as_what_it_was_found_to_be(get, client, collection):
    medium = part(collection, path="a.ogv")
    Part.objects.filter(pk=medium.pk).update(
        type='video/ogg; codecs="theora"',
        also=[
            {"path": "b.webm", "type": 'video/quicktime; codecs="avc1.64001f"'},
            {"path": "c.webm", "type": ""},
        ],
    )
    for name in ("b.webm", "c.webm"):
        (media_folder(collection) / name).write_bytes(name.encode())
    assert get(medium)["Content-Type"] == "video/ogg"
    for number, (name, mime) in enumerate(
        [("b.webm", "video/mp4"), ("c.webm", "video/webm")], start=1
    ):
        answer = client.get(
            reverse("annotate:part-source", args=[collection.slug, medium.pk, number])
        )
        assert (answer.getvalue().decode(), answer["Content-Type"]) == (name, mime)
        assert answer["X-Content-Type-Options"] == "nosniff"
    assert (
        client.get(
            reverse("annotate:part-source", args=[collection.slug, medium.pk, 3])
        ).status_code
        == 404
    )


def test_a_quicktime_file_is_served_as_an_mp4_before_anybody_has_looked_into_it(get, collection):
    assert get(part(collection, path="a.mov"))["Content-Type"] == "video/mp4"


def test_a_card_names_the_sources_in_order_with_what_a_browser_is_asked(collection, settings):
    medium = part(collection, path="a.ogv")
    medium.also = [
        {"path": "https://h/b.mp4?at=1", "type": ""},
        {"path": "c.mp4", "type": 'video/quicktime; codecs="avc1.64001f"'},
        {"path": "d.webm", "type": 'video/matroska; codecs="hvc1.1.6.L30.90"'},
    ]
    medium.type = 'video/ogg; codecs="theora"'
    medium.save()
    content = item_content(medium.item, "films")["parts"][-1]
    base = url(collection, medium)
    assert content["sources"] == [
        {"url": base, "type": 'video/ogg; codecs="theora"', "what": "Ogg, Theora", "defect": ""},
        {"url": "https://h/b.mp4?at=1", "type": "video/mp4", "what": "MP4", "defect": ""},
        {
            "url": f"{base}2/",
            "type": 'video/mp4; codecs="avc1.64001f"',
            "what": "QuickTime, H.264",
            "defect": "",
        },
        {"url": f"{base}3/", "type": "", "what": "Matroska, HEVC", "defect": ""},
    ]
    assert (content["url"], content["type"]) == (base, 'video/ogg; codecs="theora"')


def test_a_member_gets_the_preview_of_a_medium_and_of_no_other(get, client, collection):
    preview = Preview.objects.create(
        collection=collection, checksum="sha256:a", content=b"webp", width=1, height=1
    )
    medium, other = part(collection, "a.png", kind="image"), part(collection, "b.png", kind="image")
    fields = {"checksum": "sha256:a", "preview": preview, "previewed_at": timezone.now()}
    Part.objects.filter(pk=medium.pk).update(**fields)
    address = partial(reverse, "annotate:part-preview")
    response = client.get(address(args=[collection.slug, medium.pk, preview.pk]))
    assert (response.status_code, response.content) == (200, b"webp")
    assert response["Content-Type"] == "image/webp"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert response["Cache-Control"] == "private, max-age=604800, immutable"
    for wrong in ([other.pk, preview.pk], [medium.pk, preview.pk + 1]):
        assert client.get(address(args=[collection.slug, *wrong])).status_code == 404
    client.force_login(cast.member(cast.collection("others"), Role.LEAD))
    hidden = client.get(address(args=[collection.slug, medium.pk, preview.pk]))
    assert hidden.status_code == 404
