"""Counts, levels, agreement and golds of a release against the dashboard's and plain recounts."""

import pytest
from django.db.models import F

from annotate.models import Collection, Report, Resolution, Seat
from annotate.services.background import kept
from metrics.models import Snapshot
from metrics.services.dashboard import dashboard as dashboard_page
from metrics.services.dashboard import details as dashboard_details
from metrics.services.dashboard.dashboard import Dashboard, DashboardOptions
from metrics.services.numbers import refresh
from metrics.services.releases.manifest import label_facts
from metrics.services.releases.manifest.numbers import count_numbers
from metrics.services.scores import labels
from tests import cast
from tests.metrics import studies
from tests.metrics.services.releases.release_study import add_golds, busy_study, read_only

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return busy_study()


def dashboard_of(study: Collection) -> Dashboard:
    """The dashboard of the labels as they are now."""
    refresh.refresh(collection=study)
    kept.compute(inquiry=dashboard_details.inquiry_of(collection=study))
    options = DashboardOptions(study.measurement)
    state = dashboard_page.state_of(collection=study, options=options)
    return dashboard_page.dashboard(collection=study, options=options, state=state)


def counts_of(study):
    with read_only():
        return label_facts.counts_entry(collection=study, numbers=count_numbers(collection=study))


def test_counts_are_those_of_the_dashboard(study):
    counts, page = counts_of(study), dashboard_of(study)
    states = page.totals.states
    assert counts.n_disputed == states["disputed"] + states["escalated"]
    assert states["disputed"] and states["escalated"]
    assert counts.n_open == states["some_labels"] + states["untouched"] > 0
    assert counts.n_labels == page.totals.n_done == sum(row["n_labels"] for row in page.people)


def test_counts_are_those_of_a_recount(study):
    counts = counts_of(study)
    done = Seat.objects.filter(collection=study, purpose__in=Seat.FOR_LABELS, state="done")
    assert counts.n_labels == done.count()
    assert counts.n_judgments == study.judgments.count() > counts.n_labels
    assert counts.n_pairs == done.values("pair").distinct().count()
    assert counts.n_decided == study.resolutions.filter(grade__isnull=False).count()
    assert counts.n_propagated == labels.n_propagated(collection=study) > 0
    reports = Report.objects.filter(collection=study)
    assert (counts.n_reports, reports.count()) == (2, 3)


def test_what_people_and_references_say_differently_is_counted_once_a_pair(study):
    counts = counts_of(study)
    grades = {
        (query, document): grade
        for query, document, grade in study.resolutions.filter(grade__isnull=False).values_list(
            "pair__query", "pair__document", "grade"
        )
    }
    rows = [
        (query, document, grade)
        for reference in study.reference_sets.all()
        for query, document, grade in reference.labels.values_list("query", "document", "grade")
        if (query, document) in grades
    ]
    differing = [pair for *pair, grade in rows if grade != grades[tuple(pair)]]
    refused = [pair for *pair, grade in rows if grade >= 1 > grades[tuple(pair)]]
    assert len(set(map(tuple, differing))) == counts.n_conflicts < len(differing)
    assert len(set(map(tuple, refused))) == counts.n_refused_positives > 0


def test_conflicts_with_one_reference_set_are_those_of_the_leaderboard():
    study = studies.judged_study("study", seeds=(0, 1))
    counts = counts_of(study)
    (row,) = Snapshot.objects.get(collection=study, kind="conflicts").value["references"]
    assert counts.n_conflicts == row["n_both"] - row["n_equal"] > 0
    assert counts.n_refused_positives == row["n_false_positives"] > 0


def test_nothing_is_open_once_every_pool_is_closed(study):
    study.rounds.update(state="closed", closed_at=F("created_at"))
    assert counts_of(study).n_open == 0


REASONS = [{"name": "no match", "what": ["colour", "place"]}, "still"]


def test_levels_are_those_of_the_dashboard(study):
    study.levels.filter(grade=2).update(sentence="It shows it.", reasons=REASONS, colour="violet")
    with read_only():
        entries = label_facts.level_entries(
            collection=study, numbers=count_numbers(collection=study)
        )
    refresh.refresh(collection=study)
    stored = Snapshot.objects.get(collection=study, kind="labels").value["levels"]
    assert [(entry.grade, entry.name, entry.n_labels, entry.n_pairs) for entry in entries] == [
        (row["grade"], row["name"], row["n_given"], row["n_resolved"]) for row in stored
    ]
    assert (entries[0].sentence, entries[0].colour, entries[0].reasons) == (
        "It shows it.",
        "violet",
        ("no match/colour", "no match/place", "still"),
    )
    for entry in entries:
        assert entry.n_pairs == Resolution.objects.filter(grade=entry.grade).count()


@pytest.mark.parametrize("measurement", ["nominal", "ordinal"])
def test_agreement_is_the_headline_of_the_dashboard(study, measurement):
    study.measurement, study.firm_alpha = measurement, 0.9
    study.save()
    with read_only():
        entry = label_facts.agreement_entry(
            numbers=count_numbers(collection=study), marks=study.alpha_marks
        )
    shown = dashboard_of(study).agreement.planned
    assert (entry.alpha, entry.low, entry.high) == (
        shown.alpha["value"],
        shown.alpha["low"],
        shown.alpha["high"],
    )
    assert entry.low < entry.alpha < entry.high
    assert 100 * entry.same_grade == shown.pairwise
    assert entry.n_pairs == shown.alpha["n_pairable_units"]
    assert 2 * entry.n_pairs == entry.n_labels == shown.alpha["n_pairable_labels"]
    assert (entry.measurement, entry.undefined) == (measurement, "")
    assert entry.marks == (0.667, 0.9)


def test_agreement_that_is_undefined_says_why():
    study = studies.judged_study("study", seeds=(0,))
    entry = label_facts.agreement_entry(
        numbers=count_numbers(collection=study), marks=study.alpha_marks
    )
    assert entry.undefined == "no pair has two planned labels yet"
    assert entry.alpha is entry.low is entry.high is entry.same_grade is None
    assert (entry.n_pairs, entry.n_labels) == (0, 0)


def test_alpha_of_pairs_of_one_group_has_no_interval_and_says_why():
    study = studies.judged_study("study", seeds=(0, 1), n_queries=1)
    entry = label_facts.agreement_entry(
        numbers=count_numbers(collection=study), marks=study.alpha_marks
    )
    assert entry.alpha is not None and entry.low is entry.high is None
    assert entry.undefined == "all labels are of one of the queries"


def test_golds_are_those_of_all_people_of_the_dashboard(study):
    with read_only():
        entry = label_facts.golds_entry(numbers=count_numbers(collection=study))
    people = dashboard_of(study).people
    assert entry.n_answers == sum(row["n_gold"] for row in people)
    assert entry.n_right == sum(row["n_right"] for row in people)
    assert 0 < entry.low < entry.share == entry.n_right / entry.n_answers < entry.high < 1


def test_golds_of_one_person_have_the_interval_of_the_dashboard():
    study = studies.study(gold_positives=2)
    add_golds(study)
    studies.judge(cast.annotator(study), seed=3)
    entry = label_facts.golds_entry(numbers=count_numbers(collection=study))
    (row,) = dashboard_of(study).people
    assert row["n_gold"] == entry.n_answers > 0
    assert (100 * entry.share, 100 * entry.low, 100 * entry.high) == (
        row["gold"],
        row["gold_low"],
        row["gold_high"],
    )


def test_without_a_gold_there_is_no_share():
    study = studies.judged_study("study", seeds=(0,))
    entry = label_facts.golds_entry(numbers=count_numbers(collection=study))
    assert (entry.n_answers, entry.n_right) == (0, 0)
    assert entry.share is entry.low is entry.high is None
