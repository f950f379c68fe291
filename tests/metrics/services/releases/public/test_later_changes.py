"""A release and its public pages stay byte for byte, whatever happens to its collection later.

The next release shows that it did happen.
"""

import gzip
import json
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.test import Client

from annotate.core.labels.answers import JudgmentAnswer, Telemetry
from annotate.models import Collection, HandOut
from annotate.services.collection.lifecycle import purging
from annotate.services.judging import judging
from annotate.services.people import accounts
from annotate.services.review import exclusions
from metrics.models import Release
from metrics.services.numbers import refresh
from pooling.services.pools import run_retirement
from pooling.services.runs import deletion
from tests import cast
from tests.addresses.canaries import Crawler
from tests.metrics import studies
from tests.metrics.services.releases.made_releases import (
    archive,
    folder,
    made_release,
    published_release,
)
from tests.works import perform_work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
Files = dict[str, bytes]


@pytest.fixture
def study() -> Collection:
    return studies.unordered_study()


def change_labels(study: Collection) -> None:
    """Each annotator gives the lowest grade, in place of what she said before."""
    hand_outs = HandOut.objects.filter(batch__collection=study, answered_at__isnull=False)
    for hand_out in hand_outs.select_related("batch__annotator"):
        answer = JudgmentAnswer(
            submission_id=uuid4(), grade=0, telemetry=Telemetry(active_ms=3_000)
        )
        judging.record_judgment(
            annotator=hand_out.batch.annotator, token=hand_out.token, answer=answer
        )


def erase_people(study: Collection) -> None:
    """Nobody who judged has an account any more."""
    for annotator in study.annotators.all():
        accounts.erase_person(user=annotator.user)


def retire_run(study: Collection) -> None:
    """A run is used no more."""
    run = study.runs.earliest("pk")
    run_retirement.retire_run(run=run, by=cast.user())
    run_retirement.settle_marks(run=run)


def delete_run(study: Collection) -> None:
    """A run is there no more."""
    deletion.delete_run(run=study.runs.earliest("pk"), by=None)


def exclude_items(study: Collection) -> None:
    """All queries but one are left out of evaluation."""
    for item in study.items.filter(side="query").order_by("pk")[1:]:
        perform_work(exclusions.exclude_item(item=item, by=cast.user(), reason="Blurred."))


def grades(files: Files) -> set[str]:
    """The grades of the qrels under people's labels alone."""
    lines = gzip.decompress(files["qrels/all-forward.only.qrels.gz"]).decode().splitlines()
    return {line.split()[3] for line in lines}


def pseudonyms(files: Files) -> set[str]:
    """The names under which people stand in the judgments."""
    lines = gzip.decompress(files["judgments/judgments.jsonl.gz"]).splitlines()
    return {json.loads(line)["annotator"] for line in lines}


def n_runs(files: Files) -> int:
    """The number of runs."""
    return len(json.loads(files["manifest.json"])["runs"])


def sources(files: Files) -> list[bytes]:
    """The sources that count."""
    return files["query-sets/all-forward.tsv"].splitlines()


@pytest.mark.parametrize(
    ("change", "figure", "is_other"),
    [
        (change_labels, grades, True),
        pytest.param(erase_people, pseudonyms, False, marks=pytest.mark.full),
        pytest.param(retire_run, n_runs, True, marks=pytest.mark.full),
        pytest.param(delete_run, n_runs, True, marks=pytest.mark.full),
        pytest.param(exclude_items, sources, True, marks=pytest.mark.full),
    ],
    ids=["labels changed", "people erased", "run retired", "run deleted", "items excluded"],
)
def test_later_changes_leave_a_release_and_its_pages_as_they_are(
    study: Collection,
    change: Callable[[Collection], None],
    figure: Callable[[Files], object],
    is_other: bool,
) -> None:
    release = published_release(study)
    content, pages = archive(release), public_pages()
    change(study)
    refresh.refresh(collection=study)
    assert archive(Release.objects.get(pk=release.pk)) == content
    assert public_pages() == pages
    later = folder(made_release(study, "2.0"))
    assert (figure(later) != figure(folder(release))) == is_other


def public_pages() -> dict[str, str]:
    """All that everybody reads of the releases, with its headers."""
    crawler = Crawler(Client())
    crawler.follow("/releases/study/")
    assert {reply.status for reply in crawler.replies} == {200}
    assert len(crawler.replies) > 40
    return {reply.request: reply.text for reply in crawler.replies}


def test_a_deleted_collection_takes_the_public_pages_of_its_releases_with_it(study):
    published_release(study)
    pages = public_pages()
    purging.purge_collection(collection=study)
    own_pages = [request for request in pages if " /releases/" in request]
    assert len(own_pages) > 40
    assert {Client().get(request.removeprefix("GET ")).status_code for request in own_pages} == {
        404
    }
