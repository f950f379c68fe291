"""Items for programs: in pages, filtered, with their parts and media, and nothing of others."""

import base64
from urllib.parse import urlencode

import pytest
from django.utils import timezone

from annotate.models import ApiToken, Duplicate, Item, Part, Role, Side
from annotate.services.collection.media import media_folder
from tests import cast

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
ITEMS = "/api/v1/collections/shapes/items/"
CLIP = bytes(range(256))


@pytest.fixture
def collection():
    return cast.collection("shapes", n_queries=3, n_documents=4)


@pytest.fixture
def headers(collection):
    person = cast.member(collection, Role.RESEARCHER)
    return cast.bearer(person, ApiToken.Scope.NUMBERS_READ, collection=collection)


def item_of(collection, external_id):
    return Item.objects.get(collection=collection, external_id=external_id)


def walk(client, headers, **parameters):
    """The ids on all pages, by following `next`."""
    ids, address = [], f"{ITEMS}?{urlencode(parameters)}"
    while address:
        answer = client.get(address, headers=headers).json()
        ids += [row["id"] for row in answer["items"]]
        address = answer["next"]
    return ids


def test_pages_hold_every_item_once_queries_first(client, collection, headers):
    cast.items(cast.collection("other"), Side.QUERY, 2)
    ids = ["q0", "q1", "q2", "d0", "d1", "d2", "d3"]
    for page_size in (1, 2, 3, 4, 100):
        assert walk(client, headers, page_size=page_size) == ids
        assert walk(client, headers, page_size=page_size, side="query") == ids[:3]
        assert walk(client, headers, page_size=page_size, side="document") == ids[3:]
    assert walk(client, headers, id="d2") == walk(client, headers, id="d2", side="document")
    assert walk(client, headers, id="d2") == ["d2"]
    assert walk(client, headers, id="d2", side="query") == walk(client, headers, id="d") == []


def test_an_item_has_its_state_and_its_text(client, collection, headers):
    item = item_of(collection, "d1")
    Item.objects.filter(pk=item.pk).update(group="g", warning="Loud.", split="train")
    value = client.get(ITEMS, {"id": "d1"}, headers=headers).json()["items"][0]
    assert value["url"] == f"{ITEMS}{item.pk}/"
    assert client.get(value["url"], headers=headers).json() == value
    names = ("pk", "side", "split", "group", "warning", "is_in_use", "excluded_at", "duplicate_of")
    assert [value[name] for name in names] == [
        item.pk, "document", "train", "g", "Loud.", False, None, None,
    ]  # fmt: skip
    (part,) = value["parts"]
    assert (part["kind"], part["text"], part["sources"]) == ("text", "text of d1", [])


def test_excluded_items_and_duplicates_say_so(client, collection, headers):
    excluded_item, duplicate = item_of(collection, "d0"), item_of(collection, "d3")
    fields = {"excluded_at": timezone.now(), "excluded_reason": "Broken."}
    Item.objects.filter(pk=excluded_item.pk).update(**fields)
    original = item_of(collection, "d1")
    fields = {"collection": collection, "side": Side.DOCUMENT}
    Duplicate.objects.create(item=duplicate, original=original, **fields)
    assert walk(client, headers, excluded="true") == ["d0"]
    assert walk(client, headers, excluded="false", side="document") == ["d1", "d2", "d3"]
    answer = client.get(ITEMS, {"side": "document"}, headers=headers).json()
    rows = {row["id"]: row for row in answer["items"]}
    assert (rows["d0"]["is_in_use"], rows["d0"]["excluded_reason"]) == (False, "Broken.")
    assert rows["d0"]["excluded_at"].endswith("Z")
    assert [rows[name]["duplicate_of"] for name in ("d1", "d3")] == [None, "d1"]


def test_pages_of_html_are_cleaned_and_media_have_addresses(client, collection, headers):
    item = item_of(collection, "q1")
    page = "<p>Plain</p><script>run()</script>"
    Part.objects.create(item=item, position=1, kind="html", text=page)
    also = [{"path": "https://videos.example.org/a.mp4", "type": "video/mp4"}]
    part = Part.objects.create(
        item=item, position=2, kind="video", path="a.webm", also=also, start=1.5, checksum=""
    )
    folder = media_folder(collection)
    folder.mkdir(parents=True)
    (folder / "a.webm").write_bytes(CLIP)
    _, html, video = client.get(f"{ITEMS}{item.pk}/", headers=headers).json()["parts"]
    assert "Plain" in html["text"] and "script" not in html["text"]
    assert (video["text"], video["start"], video["end"]) == (None, 1.5, None)
    own, elsewhere = video["sources"]
    assert own == {"url": f"/api/v1/collections/shapes/media/{part.pk}/0/", "type": ""}
    assert elsewhere["url"] == also[0]["path"]
    answer = client.get(own["url"], headers=headers)
    assert (answer.getvalue(), answer["Content-Type"]) == (CLIP, "video/webm")
    answer = client.get(own["url"], headers=headers | {"Range": "bytes=10-19"})
    assert (answer.status_code, answer.getvalue()) == (206, CLIP[10:20])
    for number in (1, 2):  # elsewhere, and nowhere
        address = own["url"].replace("/0/", f"/{number}/")
        assert client.get(address, headers=headers).status_code == 404


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"modality": "video"}, '"modality" is no parameter; there are side, id, excluded, '),
        ({"side": "left"}, '"left" is no choice of "side"; there are: query, document.'),
        ({"excluded": "1"}, '"1" is no choice of "excluded"; there are: true, false.'),
        ({"id": "x" * 256}, '"id": Ensure this field has no more than 255 characters.'),
    ],
)
def test_what_is_no_filter_is_refused(client, collection, headers, parameters, sentence):
    answer = client.get(ITEMS, parameters, headers=headers)
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    assert sentence in answer.json()["detail"]


def test_what_no_text_can_hold_is_refused(client, collection, headers):
    nul = base64.b64encode(b"p=%00").decode()
    for parameters in ({"id": "a\0"}, {"cursor": nul}, {"cursor": nul, "side": "document"}):
        assert client.get(ITEMS, parameters, headers=headers).status_code == 400
    assert client.get(ITEMS, {"id": b"\xed\xa0\x80"}, headers=headers).json()["items"] == []


def test_many_items_take_as_many_queries_as_one(
    client, collection, headers, django_assert_max_num_queries
):
    with django_assert_max_num_queries(99) as one:
        client.get(ITEMS, {"id": "d0"}, headers=headers)
    with django_assert_max_num_queries(len(one)):
        assert len(client.get(ITEMS, {"side": "document"}, headers=headers).json()["items"]) == 4


def test_the_same_page_is_not_sent_again(client, collection, headers):
    tag = {"If-None-Match": client.get(ITEMS, headers=headers)["ETag"]}
    assert client.get(ITEMS, headers=headers | tag).status_code == 304
    cast.items(collection, Side.QUERY, 1)
    assert client.get(ITEMS, headers=headers | tag).status_code == 200


def test_items_are_for_leads_and_researchers_of_their_collection(client, collection, headers):
    item = item_of(collection, "q0")
    part = Part.objects.create(item=item, position=1, kind="image", path="a.png")
    folder = media_folder(collection)
    folder.mkdir(parents=True)
    (folder / "a.png").write_bytes(CLIP)
    addresses = [ITEMS, f"{ITEMS}{item.pk}/", f"/api/v1/collections/shapes/media/{part.pk}/0/"]
    person = cast.member(collection, Role.RESEARCHER)
    other = cast.collection("other", n_queries=1)
    cast.member(other, Role.RESEARCHER, person)
    scope = ApiToken.Scope.NUMBERS_READ
    for address in addresses:
        assert client.get(address, headers=headers).status_code == 200
        assert client.get(address, headers=cast.bearer(person, "qrels:read")).status_code == 403
        of_other = cast.bearer(person, scope, collection=other)
        assert client.get(address, headers=of_other).status_code == 404
        annotator = cast.bearer(cast.member(collection, Role.ANNOTATOR), scope)
        assert client.get(address, headers=annotator).status_code == 403
        both = cast.bearer(person, scope)
        if address != ITEMS:
            moved = address.replace("/shapes/", "/other/")
            assert client.get(moved, headers=both).status_code == 404
