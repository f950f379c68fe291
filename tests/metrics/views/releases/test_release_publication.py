"""A lead sees what becomes public with a release, publishes it, and takes that back."""

import pytest

from annotate.models import Collection, Role
from metrics.models import Release
from pooling.models import Run
from tests import cast
from tests.metrics import studies
from tests.metrics.services.releases.made_releases import (
    made_release,
    published_release,
    request_release,
)
from tests.pages import notice_form, text_of
from tests.works import perform_work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
PAGE = "/c/study/results/releases/1.0/"
PUBLIC = "/releases/study/1.0/"


@pytest.fixture
def study(client) -> Collection:
    """A study; a lead signed in."""
    study = studies.unordered_study()
    client.force_login(cast.member(study, Role.LEAD))
    return study


def test_a_lead_publishes_after_a_preview_and_takes_it_back(client, study):
    made_release(study)
    page = text_of(client.get(PAGE))
    assert "Not public" in page and f'href="{PAGE}publication/"' in page
    preview = text_of(client.get(f"{PAGE}publication/"))
    for words in (
        "README.md",
        "qrels/qrels.parquet",
        "run-01",
        "CC-BY-4.0",
        "are not in it",
        PUBLIC,
    ):
        assert words in preview
    answer = client.post(f"{PAGE}publish/")
    assert (answer.status_code, answer.url) == (302, PAGE)
    page = text_of(client.get(PAGE))
    assert "Public since" in page and f'href="{PUBLIC}"' in page
    assert client.get(PUBLIC).status_code == 200
    assert notice_form(page)[0] == f"{PAGE}unpublish/"
    assert "whoever follows a link or a citation finds nothing there" in page
    client.post(f"{PAGE}unpublish/")
    page = text_of(client.get(PAGE))
    assert "is no longer public" in page
    assert client.get(PUBLIC).status_code == 404
    undo_url, undo_fields = notice_form(page)
    client.post(undo_url, undo_fields)
    assert client.get(PUBLIC).status_code == 200
    assert "see in place of its public page that it was withdrawn" in text_of(client.get(PAGE))


def test_the_preview_says_that_there_is_no_licence(client, study):
    release = request_release(study)
    Release.objects.filter(pk=release.pk).update(licence="")
    perform_work(release)
    assert "nobody tells them what they may do" in text_of(client.get(f"{PAGE}publication/"))
    client.post(f"{PAGE}publish/")
    assert "No licence was chosen." in text_of(client.get(PUBLIC))


def test_what_cannot_be_published_says_why_and_has_no_button(client, study):
    run = study.runs.earliest("pk")
    Run.objects.filter(pk=run.pk).update(may_be_published=True)
    made_release(study)
    Run.objects.filter(pk=run.pk).update(may_be_published=False)
    preview = text_of(client.get(f"{PAGE}publication/"))
    assert f"Run {run.name} was hidden since" in preview and "Make it public" not in preview
    answer = client.post(f"{PAGE}publish/", follow=True)
    assert answer.redirect_chain[-1][0] == f"{PAGE}publication/"
    assert f"Run {run.name} was hidden since" in text_of(answer)


def test_researchers_see_that_it_is_public_and_change_nothing(client, study):
    client.force_login(cast.member(study, Role.RESEARCHER))
    release = made_release(study)
    assert "Not public" not in text_of(client.get(PAGE))
    assert client.get(f"{PAGE}publication/").status_code == 404
    assert client.post(f"{PAGE}publish/").status_code == 404
    client.force_login(cast.member(study, Role.LEAD))
    client.post(f"{PAGE}publish/")
    client.force_login(cast.member(study, Role.RESEARCHER))
    page = text_of(client.get(PAGE))
    assert "Public since" in page and "Take the publication back" not in page
    assert client.post(f"{PAGE}unpublish/").status_code == 404
    release.refresh_from_db()
    assert release.published_at is not None


def test_the_page_of_a_release_tells_what_became_of_it(client, study):
    published_release(study)
    client.post(f"{PAGE}withdraw/", {"reason": "A text was not ours."})
    page = text_of(client.get(PAGE))
    assert page.index("<span>Published</span>") < page.index("<span>Withdrawn</span>")
    assert "Public since" not in page
