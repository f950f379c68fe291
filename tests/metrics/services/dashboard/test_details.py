"""The dashboard's details, against krippendorff and plain loops; and their task.

They are agreement on subsets, people and pace.
"""

from datetime import timedelta

import krippendorff
import numpy as np
import pytest
from django.utils import timezone

from annotate.models import Judgment, Seat
from annotate.services.background import kept
from metrics.models import Snapshot
from metrics.services.dashboard import details as dashboard_details
from metrics.services.dashboard.label_rows import LABEL, label_rows
from metrics.services.numbers import refresh
from tests import cast, works
from tests.metrics import studies
from tests.tables.fixture_cache import cached_rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return judged_by_three()


@cached_rows
def judged_by_three():
    """A study judged by three people, with pairs of one, two and three labels.

    It is refreshed, with the details computed.
    """
    study = studies.study(n_queries=10, n_documents=10, labels_per_pair=2, ceiling=3)
    for seed in range(4):
        studies.judge(cast.annotator(study), seed=seed, n=16)
        # what she has not judged is there for the next one, whose batch holds all of it: no draw
        # chooses
        Seat.objects.filter(collection=study, state="held").update(
            leased_until=timezone.now() - timedelta(minutes=1)
        )
    refresh.refresh(collection=study)
    kept.compute(inquiry=dashboard_details.inquiry_of(collection=study))
    return study


def value(study):
    return kept.find(inquiry=dashboard_details.inquiry_of(collection=study)).value


def matrix(study, pairs=None, *, why=Seat.Why):
    """The labels in the form of the package krippendorff: annotators x pairs, NaN for none."""
    rows = Seat.objects.filter(collection=study, purpose="label", state="done", why__in=list(why))
    triples = list(rows.values_list("pair", "annotator", "judgment__level__grade"))
    units = sorted({pair for pair, _, _ in triples} if pairs is None else pairs)
    people = sorted({annotator for _, annotator, _ in triples})
    table = np.full((len(people), len(units)), np.nan)
    for pair, annotator, grade in triples:
        if pair in units:
            table[people.index(annotator), units.index(pair)] = grade
    return table, people, units


def test_alpha_by_number_of_labels_is_krippendorffs_on_those_pairs(study):
    table, _, _ = matrix(study)
    size = (~np.isnan(table)).sum(axis=0)
    rows = {row["key"]: row for row in value(study)["by_size"]}
    assert set(rows) == {2, 3}
    for m, row in rows.items():
        part = table[:, size == m]
        assert row["n_pairs"] == row["n_shared"] == part.shape[1]
        for level in ("nominal", "ordinal", "interval", "ratio"):
            alpha = row["alpha"][level]
            true = krippendorff.alpha(part, level_of_measurement=level, value_domain=[0, 1, 2])
            assert alpha["value"] == pytest.approx(true, abs=1e-12)
            assert alpha["low"] <= alpha["value"] <= alpha["high"]
        same = [len(set(column[~np.isnan(column)])) == 1 for column in part.T]
        assert row["unanimous"] == pytest.approx(np.mean(same))


def test_leaving_one_person_out_is_krippendorff_without_that_row(study):
    table, people, _ = matrix(study)
    everybody = krippendorff.alpha(table, level_of_measurement="ordinal", value_domain=[0, 1, 2])
    people_rows = {row["annotator"]: row for row in value(study)["people"]}
    assert list(people_rows) == people
    for i, annotator in enumerate(people):
        without = krippendorff.alpha(
            np.delete(table, i, 0), level_of_measurement="ordinal", value_domain=[0, 1, 2]
        )
        assert people_rows[annotator]["alpha_without"] == pytest.approx(without, abs=1e-12)
        assert people_rows[annotator]["drag"] == pytest.approx(without - everybody, abs=1e-12)


def test_a_persons_levels_times_and_agreement_are_those_of_the_rows(study):
    table, people, units = matrix(study)
    for row in value(study)["people"]:
        own = table[people.index(row["annotator"])]
        others_table = np.delete(table, people.index(row["annotator"]), 0)
        assert row["levels"] == [int(np.sum(own == grade)) for grade in range(3)]
        compared = [
            (own[i], grade)
            for i in range(len(units))
            for grade in others_table[:, i]
            if not np.isnan(own[i] + grade)
        ]
        assert sum(step["of"] for step in row["steps"]) == len(compared)
        assert sum(step["hits"] for step in row["steps"]) == sum(a == b for a, b in compared)
        times = Judgment.objects.filter(annotator=row["annotator"]).values_list(
            "active_ms", flat=True
        )
        assert row["seconds"] == pytest.approx(np.median(times) / 1000)
        shared = [
            others_table[:, i][~np.isnan(others_table[:, i])]
            for i in range(len(units))
            if not np.isnan(own[i])
        ]
        shares = [
            [np.mean(grades == grade) for grade in range(3)] for grades in shared if len(grades)
        ]
        assert row["others"] == pytest.approx(np.mean(shares, axis=0))


def test_levels_beside_one_another_add_up_to_the_planned_labels_of_shared_pairs(study):
    table, _, _ = matrix(study, why=("first", "double"))
    shared = table[:, (~np.isnan(table)).sum(axis=0) > 1]
    together = np.array(value(study)["by_level"]["together"])
    assert np.allclose(together, together.T)
    assert together.sum(axis=1) == pytest.approx([np.sum(shared == grade) for grade in range(3)])
    row = value(study)["by_level"]["rows"][2]
    twos = np.where(np.isnan(shared), np.nan, shared == 2)
    assert row["alpha"]["value"] == pytest.approx(
        krippendorff.alpha(twos, level_of_measurement="nominal"), abs=1e-12
    )


def test_pools_and_modalities_hold_all_pairs_where_there_is_one_of_each(study):
    details = value(study)
    (pool,), (modality,) = details["by_pool"], details["by_modality"]
    snapshot = Snapshot.objects.get(collection=study, kind="agreement").value
    assert (pool["key"], modality["key"]) == ("depth 3", "text to text")
    for part in (pool, modality):
        assert part["alpha"]["ordinal"]["value"] == pytest.approx(
            snapshot["planned"]["ordinal"]["value"], abs=1e-12
        )
        assert part["unanimous"] == snapshot["percent"]["planned"]["unanimous_units"]


def test_the_worst_queries_come_first_and_carry_their_own_alpha(study):
    queries = value(study)["queries"]
    shares = [row["pairwise"] for row in queries["rows"]]
    assert shares == sorted(shares) and len(shares) == queries["n_ranked"]
    for row in queries["rows"]:
        pairs = set(study.pairs.filter(query=row["item"]).values_list("pk", flat=True))
        table, _, _ = matrix(study, pairs, why=("first", "double"))
        table = table[:, (~np.isnan(table)).sum(axis=0) > 1]
        assert row["n_shared"] == table.shape[1]
        if row["alpha"]["value"] is not None:
            true = krippendorff.alpha(table, level_of_measurement="ordinal", value_domain=[0, 1, 2])
            assert row["alpha"]["value"] == pytest.approx(true, abs=1e-12)


def test_rows_are_all_that_counts_for_a_seat(study):
    rows = label_rows(collection=study)
    done_seats = Seat.objects.filter(collection=study, state="done")
    assert sorted(rows.pair.tolist()) == sorted(done_seats.values_list("pair", flat=True))
    assert set(rows.kind.tolist()) == {LABEL} and (np.diff(rows.at) >= 0).all()
    planned = done_seats.filter(why__in=("first", "double")).values_list("pair", "annotator")
    is_planned = rows.where(rows.is_planned == 1)
    assert set(zip(is_planned.pair.tolist(), is_planned.annotator.tolist(), strict=True)) == set(
        planned
    )
    assert 0 < len(is_planned.pair) < len(rows.pair)


def test_hours_are_active_times_and_a_single_day_makes_no_forecast(study):
    forecast = value(study)["forecast"]
    times = list(Judgment.objects.filter(collection=study).values_list("active_ms", flat=True))
    assert forecast["spent"] == pytest.approx(sum(times) / 3_600_000)
    assert forecast["hours_a_label"]["value"] == pytest.approx(np.mean(times) / 3_600_000)
    assert (
        forecast["pace"] is None
        and forecast["n_left"]
        == Seat.objects.filter(collection=study, state__in=("free", "held")).count()
    )


def details_of(study):
    return dashboard_details.inquiry_of(collection=study)


def test_it_is_asked_for_once_in_a_while_and_only_after_a_refresh_wrote_something(study):
    inquiry = details_of(study)
    with works.value_requests() as requests:
        assert kept.look(inquiry=inquiry).is_fresh
        studies.judge(cast.annotator(study), n=3)
        refresh.refresh(collection=study)
        assert not kept.look(inquiry=inquiry).is_fresh
        kept.look(inquiry=inquiry)
        assert requests == [inquiry]
        assert kept.compute(inquiry=inquiry)
        assert kept.look(inquiry=inquiry).is_fresh
        studies.judge(cast.annotator(study), n=3)
        refresh.refresh(collection=study)
        assert not kept.look(inquiry=inquiry).is_fresh
        assert requests == [inquiry], "a minute is not over"


def test_the_same_labels_are_computed_once_and_a_rebuild_gives_the_same_bytes(study):
    kept.delete_all(collection=study)  # when people judged is part of it, and other in a copy
    kept.compute(inquiry=details_of(study))
    before = kept.find(inquiry=details_of(study))
    refresh.rebuild(collection=study)
    assert not kept.compute(inquiry=details_of(study)), "another refresh, the same labels"
    assert kept.look(inquiry=details_of(study)).is_fresh
    kept.delete_all(collection=study)
    assert kept.compute(inquiry=details_of(study))
    after = kept.find(inquiry=details_of(study))
    assert (after.value, after.digest) == (before.value, before.digest)


def test_before_the_first_refresh_there_is_nothing_to_look_at():
    study = studies.study()
    assert not kept.compute(inquiry=details_of(study))
    assert kept.look(inquiry=details_of(study)).row is None


def test_a_study_without_a_label_has_empty_parts():
    study = studies.study()
    refresh.refresh(collection=study)
    kept.compute(inquiry=dashboard_details.inquiry_of(collection=study))
    details = value(study)
    assert (
        details["by_size"]
        == details["by_pool"]
        == details["by_modality"]
        == details["people"]
        == []
    )
    assert details["queries"]["rows"] == [] and details["forecast"]["hours_a_label"] is None
