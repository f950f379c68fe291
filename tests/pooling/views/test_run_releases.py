"""The page of a run says what releases show of it, and lets its uploader choose."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotate.models import Role
from pooling.models import Run
from tests import cast
from tests.pooling import factories
from tests.pooling.views.addresses import url

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
OFFER = "May be published under its name, with its file</button>"


def upload(client, collection, **fields):
    file = SimpleUploadedFile("a.run", factories.lines({0: [1]}))
    fields = {"name": "bm25", "direction": "forward", "file": file, **fields}
    assert client.post(url("run-upload", collection), fields).status_code == 302
    return Run.objects.get()


def act(client, collection, run, action):
    answer = client.post(url("run-act", collection, run.pk), {"action": action}, follow=True)
    run.refresh_from_db()
    return answer.content.decode()


def test_its_uploader_allows_it_and_takes_that_back(client, collection, researcher):
    run = upload(client, collection)
    page = client.get(url("run", collection, run.pk)).content.decode()
    assert "It is called run-01, or the like, and its file is left out." in page
    assert OFFER in page
    page = act(client, collection, run, "allow-releases")
    assert run.may_be_published
    assert "It may be published under its name, with its file." in page
    assert "Take that back</button>" in page
    assert "May be published in releases" in page  # what was done to it
    page = act(client, collection, run, "forbid-releases")
    assert not run.may_be_published
    assert "Those made before stay as they are." in page


def test_the_form_of_an_upload_asks(client, collection, researcher):
    page = client.get(url("run-upload", collection)).content.decode()
    assert "May be published under its name, with its file" in page
    assert upload(client, collection, may_be_published="on").may_be_published


@pytest.mark.parametrize(("role", "status"), [(Role.RESEARCHER, 302), (Role.LEAD, 404)])
def test_others_see_it_and_cannot_change_it(client, collection, role, status):
    run = factories.run(collection, "A", {0: [1]})
    Run.objects.filter(pk=run.pk).update(uploaded_by=cast.member(collection, Role.RESEARCHER))
    client.force_login(cast.member(collection, role))
    page = client.get(url("run", collection, run.pk)).content.decode()
    assert "It is called run-01" in page
    assert OFFER not in page
    assert ("Only who uploaded it decides that." in page) is (role == Role.RESEARCHER)
    answer = client.post(url("run-act", collection, run.pk), {"action": "allow-releases"})
    assert answer.status_code == status
    if status == 302:
        page = act(client, collection, run, "allow-releases")
        assert "Only who uploaded a run may say whether it may be published." in page
    run.refresh_from_db()
    assert (run.may_be_published, run.events.count()) == (False, 0)
