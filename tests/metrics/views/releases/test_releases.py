"""The pages of releases: a lead makes one, members fetch its files, a withdrawn one says why."""

import hashlib

import pytest
from django.core.files.storage import default_storage
from django.urls import reverse
from django.utils import timezone

from annotate.models import Collection, Role, Work
from metrics.models import Release
from tests import cast
from tests.metrics import studies
from tests.metrics.services.releases.made_releases import archive, folder, made_release
from tests.pages import text_of
from tests.works import perform_work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
PAGE = "/c/study/results/releases/"
FORM = {"version": "1.0", "title": "The study", "notes": "", "released_on": "2026-03-05"}


@pytest.fixture
def study(client) -> Collection:
    """A study; a lead signed in."""
    study = studies.unordered_study()
    client.force_login(cast.member(study, Role.LEAD))
    return study


def content(answer) -> bytes:
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)


def test_a_lead_requests_a_release_and_its_page_says_what_is_happening(client, study):
    answer = client.post(f"{PAGE}new/", FORM)
    assert (answer.status_code, answer.url) == (302, f"{PAGE}1.0/")
    page = client.get(f"{PAGE}1.0/").content.decode()
    assert "Making release 1.0" in page and f'hx-get="{PAGE}1.0/state/"' in page
    assert client.get(f"{PAGE}1.0/state/").status_code == 200
    perform_work(study.releases.get())
    assert client.get(f"{PAGE}1.0/state/").headers["HX-Redirect"] == f"{PAGE}1.0/"
    page = client.get(f"{PAGE}1.0/").content.decode()
    assert "The study, 1.0" in page and "Curation rationale" in page
    assert "pretty_name" not in page, "the front matter is for programs"


def test_the_form_has_the_day_as_browsers_read_it(client, study):
    day = timezone.localdate().isoformat()
    assert f'name="released_on" value="{day}"' in client.get(PAGE).content.decode()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": ""}, "This field is required."),
        ({"version": "new"}, "A digit, then digits, letters, dots and dashes"),
        ({"version": "1/../2"}, "A digit, then digits, letters, dots and dashes"),
        ({"version": "1..0"}, "A digit, then digits, letters, dots and dashes"),
        ({"version": "v1.0."}, "A digit, then digits, letters, dots and dashes"),
        ({"released_on": "0001-01-01"}, "A day from the year 2000 on."),
        ({"version": "1" * 21}, "at most 20 characters"),
        ({"title": ""}, "This field is required."),
        ({"released_on": "yesterday"}, "Enter a valid date."),
    ],
)
def test_what_is_wrong_with_the_form_is_said_and_nothing_is_made(client, study, change, message):
    answer = client.post(f"{PAGE}new/", {**FORM, **change})
    assert answer.status_code == 422
    assert message in text_of(answer)
    assert not Release.objects.exists() and not Work.objects.filter(kind="release").exists()


def test_a_version_is_taken_once(client, study):
    client.post(f"{PAGE}new/", FORM)
    answer = client.post(f"{PAGE}new/", FORM)
    assert answer.status_code == 422
    assert "This collection has a release 1.0 already; choose another version." in text_of(answer)
    assert study.releases.count() == 1


def test_members_fetch_the_archive_and_each_of_its_files(client, study):
    release = made_release(study)
    files = folder(release)
    client.force_login(cast.member(study, Role.RESEARCHER))
    answer = client.get(f"{PAGE}1.0/archive/")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="study-1.0.zip"'
    assert hashlib.sha256(content(answer)).hexdigest() == release.sha256
    for path, expected in files.items():
        answer = client.get(reverse("metrics:release-file", args=["study", "1.0", path]))
        assert content(answer) == expected
        assert answer.headers["Content-Length"] == str(len(expected))
    assert client.get(f"{PAGE}1.0/files/no/such.file").status_code == 404


def test_researchers_see_releases_and_make_none(client, study):
    client.force_login(cast.member(study, Role.RESEARCHER))
    assert "A lead of this collection makes the first one." in text_of(client.get(PAGE))
    assert client.post(f"{PAGE}new/", FORM).status_code == 404
    made_release(study)
    page = client.get(f"{PAGE}1.0/").content.decode()
    assert "Download all" in page and "Withdraw" not in page


def test_a_withdrawn_release_says_why_and_its_files_are_gone(client, study):
    release = made_release(study)
    path = release.files.get(path="README.md")
    assert client.post(f"{PAGE}1.0/withdraw/", {"reason": " "}).status_code == 422
    client.post(f"{PAGE}1.0/withdraw/", {"reason": "A text was not ours."})
    page = text_of(client.get(f"{PAGE}1.0/"))
    assert "A text was not ours." in page and path.sha256 in page and release.sha256 in page
    assert "Download all" not in page
    assert client.get(f"{PAGE}1.0/archive/").status_code == 404
    assert client.get(f"{PAGE}1.0/files/README.md").status_code == 404


def test_a_cancelled_release_is_made_once_more_or_discarded(client, study):
    client.post(f"{PAGE}new/", FORM)
    client.post(f"{PAGE}1.0/cancel/")
    page = text_of(client.get(f"{PAGE}1.0/"))
    assert "Cancelled" in page and "Make it once more" in page
    client.post(f"{PAGE}1.0/again/")
    assert "Making release 1.0" in text_of(client.get(f"{PAGE}1.0/"))
    client.post(f"{PAGE}1.0/cancel/")
    assert client.post(f"{PAGE}1.0/discard/").url == PAGE
    assert not Release.objects.exists()


def test_a_made_release_is_not_discarded(client, study):
    release = made_release(study)
    client.post(f"{PAGE}1.0/discard/")
    client.post(f"{PAGE}1.0/again/")
    assert "stays as it is" in text_of(client.get(f"{PAGE}1.0/"))
    release.refresh_from_db()
    assert archive(release)


def test_a_page_without_its_archive_says_what_it_can(client, study):
    release = made_release(study)
    default_storage.delete(release.file.name)
    page = text_of(client.get(f"{PAGE}1.0/"))
    assert release.sha256 in page and "Download all" not in page
    assert client.get(f"{PAGE}1.0/archive/").status_code == 404


def test_members_see_which_run_an_alias_is_but_for_hidden_ones(client, study):
    made_release(study)
    aliases = dict(study.releases.get().runs.values_list("run__name", "alias"))
    page = text_of(client.get(f"{PAGE}1.0/"))
    assert "3 runs, and what the release calls them" in page
    assert all(name in page and alias in page for name, alias in aliases.items())
    study.runs.filter(name="beta").update(is_hidden=True)
    page = text_of(client.get(f"{PAGE}1.0/"))
    assert "beta" not in page and "hidden or deleted since" in page
