"""Items in tables of analyses: pages show them, files name them."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotate.models import Item, Part, Preview, Role
from annotate.services.background import kept
from metrics.services.analysis.item_columns import with_items
from metrics.services.analysis.register import ANALYSES
from tests import cast
from tests.metrics import studies
from tests.metrics.services.analysis.pool.pooled_study import pooled_study
from tests.metrics.services.analysis.questions import answer_of, compute_kept

pytestmark = pytest.mark.django_db(transaction=True)
ROOM = "/c/study/results/analysis/"
CELL = re.compile(r"<(?:td|th)\b[^>]*>\s*([^<]*?)\s*</(?:td|th)>")


@pytest.fixture
def study(client):
    """A judged study of texts and images, where two texts are the same."""
    collection = studies.judged_study("study", likes=0.9)
    client.force_login(cast.member(collection, Role.RESEARCHER))
    for item in collection.items.all():
        item.parts.all().delete()
        text = "the same words" if item.external_id in ("q0", "q1") else item.external_id
        if item.side == "query":
            Part.objects.create(item=item, position=0, kind="text", text=f"words of {text}")
        else:
            illustrate(item)
    return collection


def illustrate(item):
    """Make an image with a preview of the item's first part."""
    checksum = f"sha256:{item.external_id}"
    preview = Preview.objects.create(
        collection=item.collection, checksum=checksum, content=b"x", width=1, height=1
    )
    image = {"kind": "image", "path": f"{item.external_id}.png", "checksum": checksum}
    Part.objects.create(
        item=item, position=0, preview=preview, previewed_at=timezone.now(), **image
    )


def exclude(collection, n):
    """Exclude some queries and documents."""
    for side in ("query", "document"):
        keys = collection.items.filter(side=side).order_by("-pk").values_list("pk", flat=True)
        Item.objects.filter(pk__in=list(keys[:n])).update(
            excluded_at=timezone.now(), excluded_reason="blurred"
        )


def page_of(client, name):
    return client.get(f"{ROOM}{ANALYSES[name].chapter.slug}/{name}/").content.decode()


def picture_of(item):
    part = item.parts.get()
    return reverse("annotate:part-preview", args=["study", part.pk, part.preview_id])


def test_pages_show_the_items_that_tables_name(client, study):
    exclude(study, 1)
    for name in ("duplicates", "excluded-items", "topic-difficulty", "deciding-topics"):
        compute_kept(study, name)
    ids = set(study.items.values_list("external_id", flat=True))
    for name in ("duplicates", "excluded-items", "topic-difficulty", "deciding-topics"):
        page = page_of(client, name)
        named_items = {
            str(cell) for row in answer_of(study, name).result.rows for cell in row if cell in ids
        }
        assert named_items
        for external_id in named_items:
            item = study.items.get(external_id=external_id)
            assert f'class="brief-id">{external_id}</span>' in page
            assert (picture_of(item) if item.side == "document" else "words of") in page
        # no cell has but the id, none the content that stands beneath it
        assert not ids & set(CELL.findall(page))
        assert ">Content</th>" not in page


def test_queries_to_judge_deeper_are_shown(client, media_root):
    collection = pooled_study()
    client.force_login(cast.member(collection, Role.RESEARCHER))
    compute_kept(collection, "saturated-queries")
    address = f"/c/{collection.slug}/results/analysis/pool/saturated-queries/"
    page = client.get(address).content.decode()
    assert page.count('class="brief-id"') == page.count('<th scope="row"') > 0


def test_a_polled_table_shows_them_too(client, study):
    exclude(study, 1)
    compute_kept(study, "excluded-items")
    address = f"{ROOM}labels/excluded-items/"
    polled = client.get(f"{address}state/").content.decode().strip()
    assert 'class="brief-id">d8</span>' in polled
    assert polled in client.get(address).content.decode()


def test_files_keep_ids_and_contents(client, study):
    exclude(study, 1)
    compute_kept(study, "excluded-items")
    head, *rows = client.get(f"{ROOM}labels/excluded-items/table.csv").content.decode().split()
    assert head == "kind,query,query_content,document,document_content,reason,at,n_labels"
    assert rows[0].startswith("document,,,d8,d8.png,blurred,")


def test_many_items_take_no_more_queries_than_one(client, study):
    numbers = set()
    for n in (1, 3):
        exclude(study, n)
        kept.delete_all(collection=study)
        compute_kept(study, "excluded-items")
        with CaptureQueriesContext(connection) as queries:
            page = page_of(client, "excluded-items")
        assert page.count("brief-id") == 2 * n
        numbers.add(len(queries))
    assert len(numbers) == 1


def test_an_item_that_is_gone_keeps_its_id(study):
    """As after a change of the collection that the kept table does not know yet."""
    exclude(study, 1)
    result = answer_of(study, "excluded-items").result
    chart = result.chart(id="excluded", caption="")
    shown_chart = with_items(
        chart,
        result,
        item_columns=ANALYSES["excluded-items"].item_columns,
        source_side="query",
        items={},
        slug="study",
    )
    assert [str(row[2]) for row in shown_chart.rows] == ["d8", ""]
