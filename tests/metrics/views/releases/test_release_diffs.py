"""The page of a diff: computed by a worker, then tables, charts and files."""

import csv
import io

import pytest
from django.core.files.storage import default_storage
from django.urls import reverse

from annotate.models import Collection, Role
from metrics.core.labels.label_sources import LabelSource
from metrics.models import Release
from metrics.services.numbers.refresh import refresh
from metrics.services.releases import releases
from metrics.services.releases.diffs.computation import DiffRequest
from tests import cast
from tests.metrics import studies
from tests.metrics.services.releases.made_releases import made_release
from tests.pages import text_of
from tests.works import compute_anew

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
DIFF = "/c/study/results/releases/1.0/diff/"
SOURCE = LabelSource.parse("over:original")


@pytest.fixture
def study(client) -> Collection:
    """A study with scores; a researcher signed in."""
    study = studies.judged_study("study", n=6, seeds=(0, 1))
    client.force_login(cast.member(study, Role.RESEARCHER))
    return study


@pytest.fixture
def pair_of_releases(study) -> tuple[Release, Release]:
    """A release, and one with more labels."""
    first = made_release(study, "1.0")
    studies.judge(study.annotators.earliest("pk"), seed=5, n=6)
    return first, made_release(study, "1.1")


def test_a_diff_is_computed_by_a_worker_and_then_shown(client, pair_of_releases):
    address = f"{DIFF}?to=1.1&label_source=over%3Aoriginal"
    page = client.get(address).content.decode()
    state = f"{DIFF}state/?to=1.1&amp;label_source=over%3Aoriginal"
    assert "Comparing" in page and f'hx-get="{state}"' in page
    assert client.get(address.replace("?", "state/?")).status_code == 200
    assert client.get(f"{DIFF}grades.csv?to=1.1").status_code == 202
    compute_anew(DiffRequest(*pair_of_releases, SOURCE).inquiry())
    answer = client.get(address.replace("?", "state/?"))
    assert answer.headers["HX-Redirect"] == address
    page = text_of(client.get(address))
    assert "From 1.0 to 1.1" in page and "people over reference “original”" in page
    assert "6 labels added, 0 removed, 0 changed" in page
    assert "Systems that changed places" in page and "of 2 moved" in page


def test_its_page_has_a_release_the_present_and_every_table_of_scores(client, pair_of_releases):
    first, _ = pair_of_releases
    compute_anew(DiffRequest(first, None, SOURCE).inquiry())
    page = client.get(DIFF).content.decode()
    assert "From 1.0 to the labels now" in page
    assert '<option value="reverse all C@1">' in page
    assert "C@1:" in page
    other = client.get(DIFF, {"board": "forward all AP"}).content.decode()
    assert "AP:" in other and '<option value="forward all AP" selected>' in other
    assert "C@1:" in client.get(DIFF, {"board": "no such"}).content.decode()


def test_tables_are_files_with_the_names_of_both_sides(client, pair_of_releases):
    compute_anew(DiffRequest(*pair_of_releases, SOURCE).inquiry())
    answer = client.get(f"{DIFF}people.csv?to=1.1")
    assert answer["Content-Disposition"] == 'attachment; filename="study-1.0-1.1-people.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [(row["added"], row["share"]) for row in rows] == [("6", "100.0")]
    waiting = client.get(f"{DIFF}labels.csv?to=1.1")
    assert waiting.status_code == 202
    state = f"{DIFF}state/?to=1.1&amp;table=labels"
    assert f'hx-get="{state}"' in waiting.content.decode()
    assert client.get(state.replace("&amp;", "&")).status_code == 200
    compute_anew(DiffRequest(*pair_of_releases, SOURCE).inquiry("labels"))
    redirect = client.get(state.replace("&amp;", "&")).headers["HX-Redirect"]
    assert redirect.startswith(f"{DIFF}labels.csv?to=1.1")
    lines = client.get(redirect).content.decode()
    assert len(lines.splitlines()) == 1 + 6
    assert client.get(f"{DIFF}nothing.csv?to=1.1").status_code == 404


@pytest.mark.parametrize(("file", "table"), [("people", ""), ("labels", "labels")])
def test_a_file_of_earlier_labels_waits_for_the_newer_ones(client, study, file, table):
    diff = DiffRequest(made_release(study, "1.0"), None, SOURCE)
    compute_anew(diff.inquiry(table))
    assert client.get(f"{DIFF}{file}.csv").status_code == 200
    studies.judge(study.annotators.earliest("pk"), seed=5, n=6)
    refresh(collection=study)
    page = client.get(f"{DIFF}{file}.csv")
    state = f"{DIFF}state/?table={file}"
    assert page.status_code == 202 and f'hx-get="{state}"' in page.content.decode()
    assert "HX-Redirect" not in client.get(state).headers
    if not table:
        assert client.get(DIFF).status_code == 200  # the page says that newer ones are computed
    compute_anew(diff.inquiry(table))
    address = client.get(state).headers["HX-Redirect"]
    assert address.startswith(f"{DIFF}{file}.csv")
    rows = client.get(address).content.decode().splitlines()[1:]
    assert len(rows) == (1 if file == "people" else 6)


def test_what_cannot_be_compared_is_said(client, pair_of_releases):
    answer = client.get(f"{DIFF}?to=3.0")
    assert answer.status_code == 422
    assert "There is no &quot;3.0&quot; to choose; there are: now, 1.1." in text_of(answer)
    assert client.get(f"{DIFF}grades.csv?label_source=x").status_code == 422
    assert client.get(f"{DIFF}state/?to=3.0").status_code == 404
    releases.withdraw(release=pair_of_releases[0], reason="Ours no longer.", by=None)
    assert client.get(DIFF).status_code == 404
    assert client.get(DIFF.replace("1.0", "1.1"), {"to": "1.0"}).status_code == 422


def test_an_archive_that_is_gone_is_told_on_the_page_and_in_files(client, pair_of_releases):
    default_storage.delete(pair_of_releases[1].file.name)
    diff = DiffRequest(*pair_of_releases, SOURCE)
    for table in ("", "pairs"):
        compute_anew(diff.inquiry(table))
    sentence = "The archive of release 1.1 is not in the store"
    page = client.get(f"{DIFF}?to=1.1")
    assert page.status_code == 200 and sentence in text_of(page)
    for table in ("scores", "pairs"):
        answer = client.get(f"{DIFF}{table}.csv?to=1.1")
        assert answer.status_code == 422 and sentence in answer.content.decode()


def test_a_made_release_leads_to_its_diff(client, pair_of_releases):
    page = client.get(reverse("metrics:release", args=["study", "1.0"])).content.decode()
    assert f'href="{DIFF}"' in page
    releases.withdraw(release=pair_of_releases[0], reason="Ours no longer.", by=None)
    page = client.get(reverse("metrics:release", args=["study", "1.0"])).content.decode()
    assert f'href="{DIFF}"' not in page


def test_a_page_takes_as_many_queries_for_many_runs(
    client, study, pair_of_releases, django_assert_max_num_queries
):
    compute_anew(DiffRequest(*pair_of_releases, SOURCE).inquiry())
    client.get(f"{DIFF}?to=1.1")
    with django_assert_max_num_queries(16):
        client.get(f"{DIFF}?to=1.1")
