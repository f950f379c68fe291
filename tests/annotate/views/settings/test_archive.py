"""A lead archives a collection and takes it back; everybody else finds it folded away."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils.timezone import now

from annotate.models import Gold, Role, TrainingPair
from annotate.services.golds import golds
from annotate.services.supervision import archiving, pausing
from annotate.services.training import setup
from pooling.models import Run
from pooling.services.pools import run_retirement
from pooling.services.runs import runs
from tests import campaigns, cast
from tests.pages import CHANGED_SINCE, notice_form, text_of
from tests.pooling.unknown_item_runs import run_of
from tests.works import perform_work

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


@pytest.fixture
def collection():
    return cast.collection("birds", n_queries=1, n_documents=1)


def test_a_lead_archives_a_collection_and_takes_it_back_from_the_notice(client, collection):
    lead = cast.member(collection, Role.LEAD)
    cast.member(collection, Role.RESEARCHER, lead)
    client.force_login(lead)
    settings = reverse("annotate:settings", args=["birds"])
    assert "No pool is open." in text_of(client.get(settings))
    url = reverse("annotate:archive-change", args=["birds"])
    page = text_of(client.post(url, {"act": "archive"}, follow=True))
    assert "This collection was archived on" in page and "Unarchive" in page
    home = text_of(client.get("/"))
    assert "Archived, 1" in home and "You are in no collection yet" not in home
    assert client.get("/c/birds/").status_code == 200
    refused = client.post(
        reverse("pooling:run-upload", args=["birds"]),
        {
            "name": "a",
            "direction": "forward",
            "file": SimpleUploadedFile("a.run", b"q0 Q0 d0 1 1 a"),
        },
    )
    assert refused.status_code == 403
    assert "nothing is uploaded or opened in it" in text_of(refused)
    assert "” was archived on <time datetime=" in text_of(refused)
    assert not Run.objects.exists()
    undo_url, fields = notice_form(page)
    assert (undo_url, fields["act"]) == (url, "unarchive")
    client.post(undo_url, fields)
    collection.refresh_from_db()
    assert collection.archived_at is None and "Archived" not in text_of(client.get("/"))
    again = client.post(undo_url, fields, follow=True)
    assert "Nothing was changed: it had been done before." in text_of(again)
    client.post(url, {"act": "archive"})
    assert CHANGED_SINCE in text_of(client.post(undo_url, fields, follow=True))
    collection.refresh_from_db()
    assert collection.archived_at is not None


def test_an_annotator_finishes_what_is_in_hand_and_reads_then_that_there_is_nothing_to_do(client):
    collection, (hand_out,) = campaigns.collection_with_batch(pairs=1, slug="birds")
    annotator = hand_out.batch.annotator
    archiving.archive_collection(collection=collection, by=cast.user())
    client.force_login(annotator.user)
    page = text_of(client.get("/c/birds/"))
    assert "Finish the pairs in hand" in page and "nothing to do" not in page
    pausing.pause(annotator=annotator, by=None, reason="ill")
    page = text_of(client.get("/c/birds/"))
    assert "there is nothing to do in it" in page
    assert "<p>This collection was archived on <time datetime=" in page
    pausing.resume(annotator=annotator, by=cast.user())
    campaigns.judge(hand_out)
    page = text_of(client.get("/c/birds/"))
    assert "there is nothing to do in it" in page and "in hand" not in page
    assert client.get(reverse("annotate:judge", args=["birds"])).status_code == 200


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("pooling:run-upload", None),
        ("pooling:pool-new", None),
        ("annotate:load", "items"),
        ("annotate:golds", None),
        ("annotate:training-pairs", None),
        ("annotate:training-setup", None),
        ("annotate:training-questions", None),
    ],
)
def test_a_form_that_would_be_refused_cannot_be_sent(client, collection, name, kind):
    lead = cast.member(collection, Role.LEAD)
    cast.member(collection, Role.RESEARCHER, lead)
    client.force_login(lead)
    url = reverse(name, args=["birds", *filter(None, [kind])])
    assert "disabled>" not in client.get(url).content.decode()
    archiving.archive_collection(collection=collection, by=lead)
    assert "disabled>" in client.get(url).content.decode()


def test_what_would_be_refused_of_runs_golds_pairs_and_pools_cannot_be_sent(client):
    campaign = campaigns.campaign("birds")
    collection = campaign.collection
    held_run = run_of(collection, {"q0": "x d0"}, name="held")
    training_pair = TrainingPair.objects.filter(pair__collection=collection).first()
    setup.retire_pair(pair=training_pair)
    golds.retire_gold(gold=Gold.objects.filter(collection=collection).first(), by=None)
    run_retirement.retire_run(run=campaign.run, by=None)
    archiving.archive_collection(collection=collection, by=campaign.lead)
    client.force_login(cast.member(collection, Role.RESEARCHER, campaign.lead))
    for name, keys, values in (
        ("pooling:run", [campaign.run.pk], ["restore"]),
        ("pooling:run", [held_run.pk], ["use", "make-documents"]),
        ("annotate:golds", [], ["restore"]),
        ("annotate:training-pairs", [], ["restore"]),
    ):
        page = client.get(reverse(name, args=[collection.slug, *keys])).content.decode()
        assert all(f'value="{value}" disabled>' in page for value in values)
        assert not any(f'value="{value}">' in page for value in values)


def test_no_page_urges_anybody_to_do_what_would_be_refused(client):
    campaign = campaigns.campaign("birds")
    client.force_login(cast.member(campaign.collection, Role.RESEARCHER, campaign.lead))
    urgings = {
        "metrics:collection": ["Load items", "Load labels", "Load a query set"],
        "pooling:runs": ["Upload runs"],
        "pooling:pools": ["Build a pool"],
    }
    for is_archived in (False, True):
        for name, words in urgings.items():
            page = text_of(client.get(reverse(name, args=["birds"])))
            assert ("This collection was archived on" in page) == is_archived
            assert [word in page for word in words] == [not is_archived] * len(words)
        archiving.archive_collection(collection=campaign.collection, by=campaign.lead)


def test_a_run_leads_nobody_to_a_form_that_would_refuse(client):
    campaign = campaigns.campaign("birds")
    researcher = cast.member(campaign.collection, Role.RESEARCHER, campaign.lead)
    client.force_login(researcher)
    strange_run = run_of(campaign.collection, {"q0": "d0 x"}, name="strange")
    faulty_run = runs.receive_run(
        collection=campaign.collection,
        name="faulty",
        direction="forward",
        upload=SimpleUploadedFile("faulty.run", b"short line\n"),
    ).run
    perform_work(faulty_run)
    load, upload, build = (
        reverse(name, args=["birds", *keys])
        for name, keys in (
            ("annotate:load", ["items"]),
            ("pooling:run-upload", []),
            ("pooling:pool-new", []),
        )
    )
    links = {
        ("run", strange_run.pk): [load],
        ("run", faulty_run.pk): [upload],
        ("run-adds", strange_run.pk): [f"{build}?", load, "#report"],
    }

    def pages():
        # what a run adds is counted of one in use, which is not on hold
        for (name, pk), addresses in links.items():
            on_hold_since = now() if name == "run" else None
            Run.objects.filter(pk=pk, state="ready").update(on_hold_since=on_hold_since)
            page = client.get(reverse(f"pooling:{name}", args=["birds", pk])).content.decode()
            yield page.split("<main")[-1], addresses

    for is_archived in (False, True):
        for page, addresses in pages():
            assert [address in page for address in addresses] == [not is_archived] * len(addresses)
        archiving.archive_collection(collection=campaign.collection, by=campaign.lead)
    assert (
        "1 fault in faulty.run"
        in client.get(reverse("pooling:run", args=["birds", faulty_run.pk])).content.decode()
    )
    part = text_of(client.get(reverse("pooling:run-adds", args=["birds", strange_run.pk])))
    assert "this run adds 0 new pairs" in part and "so nobody can be asked about them." in part


def test_an_archived_collection_without_anything_has_no_step_to_do(client, collection):
    lead = cast.member(collection, Role.LEAD)
    cast.member(collection, Role.RESEARCHER, lead)
    client.force_login(lead)
    pages = {
        "metrics:collection": "Set-up:",
        "annotate:imports": "Load items",
        "annotate:golds": "Step 7 of",
        "pooling:runs": "Upload runs",
        "pooling:pools": "Upload runs",
    }
    for is_archived in (False, True):
        for name, words in pages.items():
            page = text_of(client.get(reverse(name, args=["birds"])))
            assert (words in page) != is_archived, name
        archiving.archive_collection(collection=collection, by=lead)
