"""A purged collection leaves no rows or files, and other collections are not touched."""

from io import StringIO
from uuid import uuid4

import pytest
from django.apps import apps
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from annotate.checks.check import run
from annotate.models import (
    Collection,
    Judgment,
    Level,
    Membership,
    Quiz,
    QuizAttempt,
    ReferenceLabel,
    ReferenceSet,
    Report,
    Role,
    SignInTry,
    User,
)
from annotate.services.collection.lifecycle import deletion_notes, purging
from annotate.services.collection.media import media_folder
from annotate.services.judging import claiming, reports
from annotate.services.storage import collection_rows
from annotate.services.storage.collection_rows import NotOwner
from annotate.tasks import delete_unjudged
from config.management.commands.fsck import CHECKS
from pooling.models import Run
from tests import campaigns, cast
from tests.pages import text_of
from tests.pooling import factories

pytestmark = pytest.mark.django_db


def rows():
    """Number of rows by model, except tables of people."""
    apps_of_product = [
        apps.get_app_config(label) for label in collection_rows.applications_with_rows()
    ]
    models = [
        model for app in apps_of_product for model in app.get_models(include_auto_created=True)
    ]
    people_models = (User, SignInTry)
    return {
        model.__name__: model.objects.count()
        for model in models
        if model not in people_models and model._meta.managed
    }


@pytest.mark.parametrize(
    ("frozen_at", "may_delete", "text"),
    [
        (
            timezone.now(),
            True,
            "It has been judged, so it stays: labels are never deleted from here. The operator "
            "can, with <code>purge_collection</code>.",
        ),
        (
            None,
            True,
            "It can be deleted from here as long as nobody has judged in it.",
        ),
        (
            None,
            False,
            "Everything in it goes for good: items, media, runs, pools, members. The pages of this "
            "site may not delete it, as their database role does not "
            "own the tables; the operator can: <code>docker compose run --rm migrate python "
            "manage.py purge_collection birds --yes</code>",
        ),
    ],
)
def test_leads_read_who_may_delete_a_collection(frozen_at, may_delete, text):
    collection = Collection(slug="birds", scheme_frozen_at=frozen_at)
    assert deletion_notes.DeletionNote(collection, may_delete).text == text


def test_a_page_tells_all_that_goes_with_a_collection_in_three_queries(
    django_assert_max_num_queries,
):
    collection = factories.collection()
    factories.opened(collection, [factories.run(collection, "a", {0: [1]})])
    reference_set = ReferenceSet.objects.create(collection=collection, name="old")
    query, document = (collection.items.filter(side=side)[0] for side in ("query", "document"))
    ReferenceLabel.objects.create(
        reference_set=reference_set, query=query, document=document, grade=1
    )
    cast.member(collection, Role.LEAD)
    n_items, n_people = collection.items.count(), collection.memberships.count()
    with django_assert_max_num_queries(3):
        consequences = deletion_notes.deletion_note(collection=collection).consequences
    assert consequences.button == f"Delete {collection.slug} with {n_items} items for good"
    assert consequences.sentences[0] == (
        f"Everything in it goes for good: {n_items} items, 1 reference label, 1 run and 1 pool, "
        "with all files of it."
    )
    assert consequences.sentences[2].startswith("1 person can" if n_people == 1 else f"{n_people} ")
    assert consequences.way_back == "It cannot be taken back."


def test_every_row_of_the_collection_goes_and_no_other():
    campaigns.campaign("kept")
    before = rows()
    collection = campaigns.campaign("made").collection
    with_both = rows()
    counts = purging.purge_collection(collection=collection)
    assert rows() == before
    assert sum(counts.values()) == sum(with_both.values()) - sum(before.values())
    assert [finding.lines for finding in run(CHECKS)] == []


def test_the_campaign_of_the_tests_fills_every_table_that_belongs_to_a_collection():
    campaigns.campaign("made")
    filled_models = {model for model, n in rows().items() if n}
    owned_models = {
        model.__name__
        for label in collection_rows.applications_with_rows()
        for model, _ in collection_rows.models_with_rows(label)
    }
    # which has rows where numbers could not be refreshed alone
    assert owned_models - filled_models == {"RefreshTries"}


def test_files_of_the_collection_go_too(campaign, media_root, django_capture_on_commit_callbacks):
    campaign.run.file.save("bm25.run", ContentFile(b"1 Q0 d 1 0.5 x"))
    file = campaign.run.file.path
    folder = media_folder(campaign.collection)
    folder.mkdir(parents=True)
    (folder / "a.webm").write_bytes(b"x")
    with django_capture_on_commit_callbacks(execute=True):
        purging.purge_collection(collection=campaign.collection)
    assert not folder.exists()
    assert not Run._meta.get_field("file").storage.exists(file)


def test_after_a_purge_judgments_cannot_be_deleted_again():
    kept_collection = campaigns.campaign("kept").collection
    with transaction.atomic():
        purging.purge_collection(collection=campaigns.campaign("made").collection)
        with connection.cursor() as cursor:
            # as the end of the transaction does
            cursor.execute("SELECT set_config('assayer.purge', '', true)")
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        Judgment.objects.filter(collection=kept_collection)._raw_delete("default")


def test_a_role_that_does_not_own_the_tables_deletes_nothing():
    collection = campaigns.campaign("made").collection
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE ROLE lodger; GRANT ALL ON ALL TABLES IN SCHEMA public TO lodger; "
            "SET ROLE lodger"
        )
    try:
        with pytest.raises(NotOwner, match="does not own"):
            purging.purge_collection(collection=collection)
        with connection.cursor() as cursor:
            cursor.execute("SET assayer.purge = 'made'")
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            Judgment.objects.filter(collection=collection)._raw_delete("default")
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET ROLE; RESET assayer.purge")


def test_the_command_wants_to_be_meant():
    campaigns.campaign("made")
    with pytest.raises(CommandError, match="judgments; add --yes"):
        call_command("purge_collection", "made")
    with pytest.raises(CommandError, match='no collection "nothing"'):
        call_command("purge_collection", "nothing", "--yes")
    out = StringIO()
    call_command("purge_collection", "made", "--yes", stdout=out)
    assert out.getvalue().startswith('Deleted "made": ')
    assert not Collection.objects.exists()
    assert not Level.objects.exists()


def test_who_leads_deletes_a_collection_in_which_nobody_has_judged(client):
    other, collection = (
        campaigns.campaign("kept").collection,
        cast.collection("fresh", n_queries=2, n_documents=3),
    )
    lead = cast.member(collection, Role.LEAD)
    Membership.objects.create(user=lead, collection=other, role=Role.LEAD)
    client.force_login(lead)
    page = text_of(client.get("/c/fresh/settings/"))
    assert "It can be deleted from here as long as nobody has judged in it." in page
    assert "Everything in it goes for good: 5 items, with all files of it." in page
    assert "Delete fresh with 5 items for good" in page
    refused = client.post("/c/fresh/settings/delete/", {"slug": "other"})
    assert (refused.status_code, "short name is “fresh”" in refused.content.decode()) == (422, True)
    sent = {"slug": "fresh", "expected": "4"}
    refused = client.post("/c/fresh/settings/delete/", sent, follow=True)
    assert "It would be about 5 items by now, not 4; look again." in text_of(refused)
    before = rows()
    response_text = client.post(
        "/c/fresh/settings/delete/", {"slug": "fresh", "expected": "5"}, follow=True
    ).content.decode()
    assert "fresh is being deleted" in response_text.lower()
    delete_unjudged(collection_id=collection.pk, by_id=lead.pk, expected=4)  # more since
    assert rows() == before
    delete_unjudged(collection_id=collection.pk, by_id=lead.pk, expected=5)
    delete_unjudged(collection_id=collection.pk, by_id=lead.pk)  # a second one finds nothing
    assert not Collection.objects.filter(slug="fresh").exists()
    assert before["Item"] - rows()["Item"] == 5
    assert "labels are never deleted from here" in client.get("/c/kept/settings/").content.decode()
    response_text = client.post(
        "/c/kept/settings/delete/", {"slug": "kept"}, follow=True
    ).content.decode()
    assert "People have answered in" in response_text


def quiz_answered(collection):
    guidelines = collection.guidelines.latest("version")
    quiz = Quiz.objects.create(collection=collection, version=1, guidelines=guidelines)
    QuizAttempt.objects.create(
        annotator=cast.annotator(collection), quiz=quiz, n_right=0, passed=False
    )


def pair_reported(collection):
    factories.opened(collection, [factories.run(collection, "a", {0: [1]})])
    annotator = cast.annotator(collection)
    claiming.current_batch(annotator=annotator)
    token = claiming.open_hand_outs(annotator=annotator).get().token
    kind, submission = Report.Kind.CANNOT_JUDGE, uuid4()
    reports.report_pair(
        annotator=annotator, token=token, kind=kind, submission_id=submission, reason="broken"
    )


@pytest.mark.parametrize("answer", [quiz_answered, pair_reported])
@pytest.mark.usefixtures("media_root")
def test_a_collection_with_any_answer_stays(answer):
    collection = factories.collection()
    purging.require_unjudged(collection=collection)
    answer(collection)
    with pytest.raises(purging.CollectionJudged, match=f"purge_collection {collection.slug}"):
        purging.require_unjudged(collection=collection)
    assert not purging.delete_if_unjudged(collection_id=collection.pk, by=None)
    assert Collection.objects.filter(pk=collection.pk).exists()
