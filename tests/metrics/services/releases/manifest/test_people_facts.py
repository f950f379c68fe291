"""The annotators of a release by origin, and their work, against the dashboard's numbers."""

import numpy as np
import pytest
from django.db.models import Count, Q

from annotate.core.files.judgments.judgment_formats import JudgmentColumns
from annotate.models import Annotator, Judgment, Seat
from annotate.services.background import kept
from metrics.models import Snapshot
from metrics.services.dashboard import details as dashboard_details
from metrics.services.dashboard.details_page import details_page
from metrics.services.numbers import refresh
from metrics.services.releases.manifest import people_facts
from metrics.services.releases.manifest.numbers import count_numbers
from tests import cast
from tests.annotate.core.files.samples import file
from tests.judgment_imports import import_judgments
from tests.metrics import studies
from tests.metrics.services.releases.release_study import N_PEOPLE, busy_study, read_only

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return busy_study()


def test_annotators_and_their_labels_are_told_by_origin(study):
    with read_only():
        entries = people_facts.people_entries(numbers=count_numbers(collection=study))
    assert [entry.origin for entry in entries] == ["person", "import", "simulated"]
    assert [entry.n_annotators for entry in entries] == [N_PEOPLE, 2, 1]
    done = Q(seats__state="done", seats__purpose__in=Seat.FOR_LABELS)
    for entry in entries:
        annotators = Annotator.objects.filter(collection=study, origin=entry.origin)
        counts = annotators.annotate(n=Count("seats", filter=done)).values_list("n", flat=True)
        assert entry.n_labels == sum(counts)
        assert entry.labels_each == (min(counts), np.median(counts), max(counts))


def test_labels_by_origin_are_those_of_the_dashboards_people(study):
    entries = people_facts.people_entries(numbers=count_numbers(collection=study))
    refresh.refresh(collection=study)
    people = Snapshot.objects.get(collection=study, kind="people").value["people"]
    for entry in entries:
        n_labels = [row["n_labels"] for row in people if row["origin"] == entry.origin]
        assert (entry.n_annotators, entry.n_labels) == (len(n_labels), sum(n_labels))


def test_who_gave_no_counting_label_is_not_told():
    study = studies.study()
    cast.annotator(study)
    assert people_facts.people_entries(numbers=count_numbers(collection=study)) == ()


def spent(study):
    """The hours of people so far of the dashboard; None where no answer has a time."""
    refresh.refresh(collection=study)
    inquiry = dashboard_details.inquiry_of(collection=study)
    kept.compute(inquiry=inquiry)
    value = kept.find(inquiry=inquiry)
    return details_page(details=value, level="ordinal", items={}).forecast.hours_spent


def test_hours_are_those_of_the_dashboard(study):
    with read_only():
        entry = people_facts.work_entry(collection=study)
    assert entry.hours == pytest.approx(spent(study), rel=1e-12)
    assert 0 < entry.hours < 1
    assert (entry.hourly_pay, entry.currency) == (14.5, "USD")


def test_the_time_of_imports_is_not_of_work_here(study):
    study.rounds.filter(name="pool").update(kind="import")
    entry = people_facts.work_entry(collection=study)
    golds = Judgment.objects.filter(collection=study, purpose="gold", seat__isnull=False)
    milliseconds = sum(golds.values_list("active_ms", flat=True))
    assert entry.hours == pytest.approx(milliseconds / 3_600_000) == pytest.approx(spent(study))


def test_the_median_of_one_person_is_that_of_the_dashboard():
    study = studies.judged_study("study", seeds=(0,))
    entry = people_facts.work_entry(collection=study)
    (row,) = Snapshot.objects.get(collection=study, kind="people").value["people"]
    assert entry.median_seconds == row["median_ms"] / 1000


def test_the_median_leaves_training_out():
    study = studies.judged_study("study", seeds=(0,), n=5)
    before = people_facts.work_entry(collection=study).median_seconds
    judgments = Judgment.objects.filter(collection=study).order_by("active_ms")
    Seat.objects.filter(judgment=judgments.last()).update(purpose="training")
    times = list(judgments.values_list("active_ms", flat=True))
    tenths = [(milliseconds + 50) // 100 for milliseconds in times]
    after = people_facts.work_entry(collection=study).median_seconds
    assert before == np.median(tenths) / 10
    assert after == np.median(tenths[:-1]) / 10


def test_days_are_of_peoples_judgments_in_utc():
    study = studies.study()
    rows = [
        "machine,q0,d0,1,2026-01-01T00:00:00Z",
        "ana,q0,d0,1,2026-03-02T01:00:00+09:00",
        "ana,q1,d1,1,2026-03-04T12:00:00Z",
        "ben,q1,d1,1,2026-03-06T23:00:00Z",
    ]
    import_judgments(
        collection=study,
        stream=file("annotator,query,document,grade,time", *rows),
        file_name="a.csv",
        columns=JudgmentColumns(time="time"),
        name="experts",
    )
    annotators = Annotator.objects.filter(collection=study)
    assert people_facts.work_entry(collection=study).first_on is None
    annotators.exclude(external_id="machine").update(origin="person")
    entry = people_facts.work_entry(collection=study)
    assert (entry.first_on, entry.last_on) == ("2026-03-01", "2026-03-06")


def test_without_a_judgment_there_are_no_days_hours_and_pay():
    entry = people_facts.work_entry(collection=studies.study())
    assert entry.first_on is entry.last_on is None
    assert entry.hours is entry.median_seconds is entry.hourly_pay is None
    assert entry.currency == ""
