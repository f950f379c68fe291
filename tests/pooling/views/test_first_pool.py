"""Setting up: several runs uploaded at once, a first pool by one press, and the way on."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotate.models import Role
from annotate.services.collection.collections import change_policy
from pooling.forms.runs import name_of_file
from pooling.models import Pool, Run
from tests import cast
from tests.pages import text_of
from tests.pooling import factories
from tests.pooling.views.addresses import url
from tests.works import perform_work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
LINES = factories.lines({0: [1, 2]})


@pytest.fixture
def collection():
    return factories.collection()


def upload(client, collection, *names, **fields):
    files = [SimpleUploadedFile(name, factories.lines({0: [1, 2]})) for name in names]
    fields = {"direction": "forward", "file": files, **fields}
    return client.post(url("run-upload", collection), fields)


def next_page(collection, page):
    return reverse("metrics:setup-next", args=[collection.slug], query={"after": page})


@pytest.mark.parametrize(
    ("file_name", "name"),
    [("bm25.run", "bm25"), ("a.forward.run.gz", "a.forward"), ("plain", "plain"), ("x.npz", "x")],
)
def test_a_run_is_called_by_its_file_without_the_endings(file_name, name):
    assert name_of_file(file_name) == name


def test_several_files_are_runs_of_their_names_and_the_next_step_opens(
    client, collection, researcher
):
    answer = upload(client, collection, "bm25.run", "clip.run.gz")
    assert answer.url == next_page(collection, "pooling:runs")
    assert sorted(Run.objects.values_list("name", flat=True)) == ["bm25", "clip"]
    page = text_of(client.get(answer.url, follow=True))
    assert "Being read: bm25 and clip." in page
    assert "Items or runs are being read" in page
    poll = {"HX-Request": "true"}
    assert "HX-Refresh" not in client.get(url("pools", collection), headers=poll).headers
    for run in Run.objects.all():
        perform_work(run)
    assert client.get(url("pools", collection), headers=poll).headers["HX-Refresh"] == "true"
    assert "Draft" in text_of(client.get(url("pools", collection)))


def test_in_a_collection_in_use_several_runs_lead_to_the_list(client, collection, researcher):
    collection.scheme_frozen_at = timezone.now()
    collection.save()
    assert upload(client, collection, "a.run", "b.run").url == url("runs", collection)


def test_one_name_for_several_files_is_refused(client, collection, researcher):
    answer = upload(client, collection, "a.run", "b.run", name="both")
    assert answer.status_code == 422
    assert "several files take the names of their own" in text_of(answer)
    assert not Run.objects.exists()


def test_of_several_files_all_are_kept_or_none(client, collection, researcher):
    factories.run(collection, "b", {1: [3]})
    answer = upload(client, collection, "a.run", "b.run")
    assert answer.status_code == 422
    assert "Run &quot;b&quot; already exists" in answer.content.decode()
    assert list(Run.objects.values_list("name", flat=True)) == ["b"]


def test_without_a_file_the_form_asks_for_one(client, collection, researcher):
    answer = upload(client, collection)
    assert (answer.status_code, "This field is required" in text_of(answer)) == (422, True)


def test_a_first_pool_opens_by_its_form_as_it_stands_on_the_page_of_pools(
    client, collection, researcher
):
    runs = [factories.run(collection, name, {0: [1, 2], 1: [3]}) for name in ("a", "b")]
    page = client.get(url("pools", collection)).content.decode()
    assert "of a and b." in text_of(client.get(url("pools", collection)))
    fields: dict[str, list[str]] = {}
    for name, value in re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page):
        fields.setdefault(name, []).append(value)
    preview = client.post(url("pool-preview", collection), fields)
    assert (preview.status_code, b"Labels to give" in preview.content) == (200, True)
    answer = client.post(url("pool-new", collection), fields)
    assert answer.url == next_page(collection, "pooling:pool")
    pool = Pool.objects.get()
    assert (pool.name, pool.strategy, set(pool.runs.all())) == ("Pool 1", "depth-k", set(runs))
    # the pool is under way: what is left is to invite people, which a lead does
    assert client.get(answer.url).url == reverse("metrics:collection", args=[collection.slug])
    cast.member(collection, Role.LEAD, researcher)
    assert client.get(answer.url).url == reverse("annotate:members", args=[collection.slug])
    perform_work(pool)
    page = client.get(url("pool-new", collection)).content.decode()
    assert 'name="name" value="Pool 2"' in page


def policy_shown(answer):
    """The version that a page, or a price, sends back; "" before a price is shown."""
    text = answer.content.decode()
    (version,) = re.findall(r'name="policy_version" id="policy-version"(?: value="(\d*)")?', text)
    return version


@pytest.mark.parametrize("page", ["pools", "pool-new"])
def test_a_pool_opens_under_the_policy_that_its_price_was_shown_for(
    client, collection, researcher, page
):
    run = factories.run(collection, "a", {0: [1, 2], 1: [3]})
    assert policy_shown(client.get(url(page, collection))) == ""
    fields = {"name": "Pool 1", "strategy": "depth-k", "depth": "2", "runs": [run.pk]}
    price = client.post(url("pool-preview", collection), fields)
    assert price.context["preview"].n_labels == 3
    fields["policy_version"] = policy_shown(price)
    newest = change_policy(collection=collection, by=None, labels_per_pair=3)
    refused = client.post(url("pool-new", collection), fields | {"name": ""})
    assert "The policy is version" not in text_of(refused)
    assert policy_shown(refused) == fields["policy_version"]  # no other price was shown meanwhile
    refused = client.post(url("pool-new", collection), fields)
    assert refused.status_code == 422 and not Pool.objects.exists()
    assert f"The policy is version {newest.version} by now" in text_of(refused)
    assert 'hx-trigger="click, load"' in refused.content.decode()
    price = client.post(url("pool-preview", collection), fields)
    assert price.context["preview"].n_labels == 9
    answer = client.post(
        url("pool-new", collection), fields | {"policy_version": policy_shown(price)}
    )
    assert answer.status_code == 302 and Pool.objects.exists()


def test_who_opens_no_pools_is_offered_none(client, collection, lead):
    factories.run(collection, "a", {0: [1]})
    assert "Open the pool" not in text_of(client.get(url("pools", collection)))
