"""Jobs for programs: whoever sees what a job is about reads it; others learn nothing of it."""

import pytest

from annotate.models import Delivery, Role, Work
from annotate.services.background import works
from annotate.services.webhooks import hooks
from pooling.models import Run
from pooling.services.runs import readings
from tests import cast

pytestmark = pytest.mark.django_db


def status(client, work, person, *, collection=None):
    headers = cast.bearer(person, collection=collection)
    return client.get(f"/api/v1/jobs/{work.pk}/", headers=headers).status_code


@pytest.fixture
def reading(collection, researcher):
    run = cast.run(collection, "plain", {})
    Run.objects.filter(pk=run.pk).update(uploaded_by=researcher)
    readings.request_reading(run=run, kind=Run.ReadingKind.REREADING, by=researcher)
    return run.work


def test_a_job_that_an_answer_names_is_there_for_whoever_gets_that_answer(
    client, collection, reading
):
    colleague = cast.member(collection, Role.RESEARCHER)
    headers = cast.bearer(colleague, "runs:read")
    answer = client.get(f"/api/v1/collections/shapes/runs/{reading.subject}/", headers=headers)
    job = client.get(answer.json()["job"]["url"], headers=headers)
    assert (job.status_code, job.json()) == (200, answer.json()["job"])


def test_a_job_about_a_hidden_run_is_there_for_its_owner_alone(
    client, collection, researcher, reading
):
    Run.objects.filter(pk=reading.subject).update(is_hidden=True)
    colleague = cast.member(collection, Role.RESEARCHER)
    assert status(client, reading, colleague) == 404
    assert status(client, reading, researcher) == 200


@pytest.mark.parametrize(("is_hidden", "events"), [(False, ["job.ended"]), (True, [])])
def test_webhooks_are_told_of_the_end_of_a_job_unless_its_run_is_hidden_from_somebody(
    collection, reading, is_hidden, events
):
    hooks.create_hook(
        collection=collection, url="https://hooks.example.org/x", events=["job.ended"], by=None
    )
    Run.objects.filter(pk=reading.subject).update(is_hidden=is_hidden)
    assert works.finish(work=reading, state=Work.State.CANCELLED)
    assert not works.finish(work=reading), "it ended once"
    deliveries = list(Delivery.objects.all())
    assert [delivery.event for delivery in deliveries] == events
    assert all(delivery.data["state"] == "cancelled" for delivery in deliveries)


def test_annotators_strangers_and_tokens_for_other_collections_learn_nothing_of_a_job(
    client, collection, researcher, reading
):
    assert status(client, reading, cast.annotator(collection).user) == 404
    assert status(client, reading, cast.member(cast.collection("other"), Role.LEAD)) == 404
    elsewhere = cast.collection("elsewhere")
    cast.member(elsewhere, Role.LEAD, researcher)
    assert status(client, reading, researcher, collection=elsewhere) == 404


def test_every_kind_of_job_says_for_whom_it_is():
    assert {name for name, kind in works.KINDS.items() if not kind.readers} == set()
