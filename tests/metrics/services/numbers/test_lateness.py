"""Pages of older numbers say whether newer ones are being made, or what keeps them away."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.models import Kept, Role, WorkerHeartbeat
from metrics.models import RefreshTries
from metrics.services.leaderboard.choices.parameters import read_choices, read_comparison
from metrics.services.leaderboard.computation import look
from metrics.services.leaderboard.leaderboard import leaderboard_of
from pooling.models import Run
from tests import cast
from tests.metrics import studies
from tests.metrics.services.analysis.questions import compute_kept
from tests.metrics.services.leaderboard import boards
from tests.pages import text_of

pytestmark = pytest.mark.django_db
NOTICES = ("No worker has been seen for a minute", "The numbers could not be refreshed since")


@pytest.fixture
def study(client):
    """A study with kept numbers, whose labels change after."""
    study = studies.judged_study("study", likes=0.9)
    client.force_login(cast.member(study, Role.RESEARCHER))
    return study


def two_runs(study):
    first, second = Run.objects.filter(collection=study).order_by("pk")[:2]
    return {"a": str(first.pk), "b": str(second.pk)}


def pages_of(study):
    """The addresses of pages with kept numbers."""
    runs = two_runs(study)
    boards.compute(
        collection=study, spec=read_choices(collection=study, viewer=None, parameters={}).spec
    )
    choices = read_comparison(collection=study, viewer=None, parameters=runs)
    boards.compute(collection=study, spec=choices.spec)
    compute_kept(study, "positives-per-query")
    return {
        "leaderboard": "/c/study/results/leaderboard/",
        "compare": f"/c/study/results/leaderboard/compare/?a={runs['a']}&b={runs['b']}",
        "analysis": "/c/study/results/analysis/collection/positives-per-query/",
    }


@pytest.mark.parametrize("page", ["leaderboard", "compare", "analysis"])
def test_older_numbers_say_whether_newer_ones_are_being_made(client, study, page):
    address = pages_of(study)[page]
    text = text_of(client.get(address))
    assert "changed" not in text and not any(notice in text for notice in NOTICES)
    Kept.objects.filter(collection=study).update(version="another")
    text = text_of(client.get(address))
    assert "changed since." in text and NOTICES[0] in text and "being made" not in text
    # just now, however slow this is
    WorkerHeartbeat.objects.create(name="worker", queues=["short"], at="2999-01-01T00:00Z")
    text = text_of(client.get(address))
    assert "newer numbers are being made" in text
    assert not any(notice in text for notice in NOTICES)
    now = timezone.now()
    RefreshTries.objects.create(collection=study, n=9, since=now, next_at=now, is_slow=False)
    text = text_of(client.get(address))
    assert "changed since." in text and NOTICES[1] in text and "being made" not in text


def test_scores_without_a_view_are_old_while_a_label_waits(study):
    choices = read_choices(collection=study, viewer=None, parameters={})

    def is_stale():
        version = look(collection=study, spec=choices.spec).version
        board = leaderboard_of(choices=choices, collection=study, view=None, version=version)
        assert board.has_rows
        return board.is_stale

    assert not is_stale()
    studies.judge(cast.annotator(study))
    assert is_stale()


def test_tables_are_grey_once_they_are_a_minute_older(client, study):
    address = pages_of(study)["leaderboard"]
    for days, is_grey in ((1, False), (-1, True)):  # far from now, however slow this is
        at = timezone.now() + timedelta(days=days)
        Kept.objects.filter(collection=study).update(version="another", computed_at=at)
        page = client.get(address).content.decode()
        assert ("card card-flush is-old" in page) == is_grey
