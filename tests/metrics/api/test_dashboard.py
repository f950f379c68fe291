"""Progress and agreement for programs: the numbers of the dashboard, and when they are of."""

import re

import pytest
from django.utils import timezone

from annotate.models import ApiToken, Change, Role, Seat
from annotate.services import seating
from annotate.services.background import kept
from annotate.services.pages.stuck_labels import StuckLabels
from annotate.templatetags.numbers import alpha_low, at_most, coefficient, share, whole
from metrics.api.dashboard import forecast_json
from metrics.models import Snapshot
from metrics.services.dashboard import dashboard as service
from metrics.services.dashboard import details as dashboard_details
from metrics.services.dashboard.details_page import ValueRange
from metrics.services.dashboard.tabs import DashboardTab
from metrics.services.numbers import refresh
from tests import cast
from tests.metrics import studies

pytestmark = pytest.mark.django_db(transaction=True)
PROGRESS = "/api/v1/collections/study/progress/"
AGREEMENT = "/api/v1/collections/study/agreement/"
COUNTS = {"n_pairs", "states", "n_labels", "n_seats_left"}


@pytest.fixture
def study():
    """A study with two judges and a third one on what they disagree about, refreshed."""
    return studies.judged_study("study", seeds=range(3))


@pytest.fixture
def lead(study):
    return cast.member(study, Role.LEAD)


@pytest.fixture
def headers(study, lead):
    return cast.bearer(lead, ApiToken.Scope.NUMBERS_READ, collection=study)


def cells_of(page, heading):
    """The cells of the row with this heading, of a table of the page."""
    _, _, rest = page.partition(heading)
    return re.findall(r'class="number">([^<]+)</td>', rest.partition("</tr>")[0])


def test_progress_has_the_counts_of_the_snapshot_and_of_each_pool(client, study, headers):
    value = client.get(PROGRESS, headers=headers).json()
    snapshot = Snapshot.objects.get(collection=study, kind="progress")
    total = snapshot.value["total"]
    assert {name: value[name] for name in COUNTS} == {
        "n_pairs": total["n_pairs"],
        "states": total["states"],
        "n_labels": total["n_done"],
        "n_seats_left": total["n_left"],
    }
    assert value["n_pairs"] == 18 and value["n_labels"] == snapshot.n_judgments == 48
    assert sum(n for name, n in value["states"].items() if name != "left_out") == 18
    (pool,) = value["pools"]
    assert (pool["name"], pool["kind"], pool["state"]) == ("depth 3", "pool", "open")
    assert pool["pool"] == study.pools.get().pk
    assert {name: pool[name] for name in COUNTS} == {name: value[name] for name in COUNTS}
    assert value["is_stale"] is False and value["forecast"] is None


def test_progress_has_a_forecast_once_the_details_are_computed(client, study, headers):
    kept.compute(inquiry=dashboard_details.inquiry_of(collection=study))
    value = client.get(PROGRESS, headers=headers).json()
    forecast = value["forecast"]
    assert forecast["labels_a_day"] is None and forecast["days_left"] is None
    assert forecast["reason"].startswith("it takes three whole days with labels")
    assert forecast["n_timed"] + forecast["n_untimed"] == value["n_labels"]
    assert forecast["n_seats_left"] == value["n_seats_left"]
    assert forecast["is_stale"] is False


def test_labels_that_nobody_can_give_are_counted_by_the_answer(client):
    study = studies.judged_study("study", n=4)
    kept.compute(inquiry=dashboard_details.inquiry_of(collection=study))
    headers = cast.bearer(cast.member(study, Role.LEAD), ApiToken.Scope.NUMBERS_READ)
    study.annotators.update(paused_at=timezone.now())
    forecast = client.get(PROGRESS, headers=headers).json()["forecast"]
    # what is in hand is not stuck
    free_seats = Seat.objects.filter(collection=study, purpose="label", state="free")
    assert forecast["n_stuck"] == free_seats.count() > 0


def test_no_days_are_promised_for_labels_that_nobody_can_give(study):
    kept.compute(inquiry=dashboard_details.inquiry_of(collection=study))
    options = service.DashboardOptions("ordinal", tab=DashboardTab.FORECAST)
    state = service.state_of(collection=study, options=options)
    page = service.dashboard(collection=study, options=options, state=state)
    forecast = page.details.forecast._replace(
        pace=ValueRange(10.0, 8.0, 12.0), days_left=ValueRange(4.0, 2.0, 8.0), reason="", n_left=40
    )
    page = page._replace(details=page.details._replace(forecast=forecast), stuck=None)
    assert days_and_reason(page) == (4.0, None, 0)
    stuck = StuckLabels(10, 10, False, 2, 0, 0)
    assert days_and_reason(page._replace(stuck=stuck)) == (3.0, None, 10)
    nobody = stuck._replace(n_labels=40, n_people=0)
    reason = "nobody here can give the labels that are left"
    assert days_and_reason(page._replace(stuck=nobody)) == (None, reason, 40)
    text = "archived since 3 December 2026, 07:08 UTC"
    assert days_and_reason(page._replace(archived_text=text)) == (None, text, 0)


def days_and_reason(page):
    """The days left of the answer, why there are none, and how many labels are stuck."""
    forecast = forecast_json(page)
    days = forecast["days_left"]
    return days and days["value"], forecast["reason"], forecast["n_stuck"]


def test_agreement_is_that_of_the_page(client, study, lead, headers):
    client.force_login(lead)
    for level in ("nominal", "interval"):
        value = client.get(AGREEMENT, {"level": level}, headers=headers).json()
        page = client.get("/c/study/dashboard/agreement/", {"level": level}).content.decode()
        columns = value["planned"], value["all"]
        for heading, name, as_printed in (
            ("Krippendorff's alpha, <", "alpha", coefficient),
            ("Pairs unanimous, %", "percent_unanimous", share),
            ("Two labels of one pair equal, %", "percent_equal", share),
            ("Pairs with two labels or more</th>", "n_pairs", whole),
            ("Labels on them", "n_labels", whole),
        ):
            printed = [as_printed(column[name]) for column in columns]
            assert cells_of(page, heading) == printed, heading
        for column in columns:
            low, high = alpha_low(column["low"], study.alpha_marks), at_most(column["high"])
            assert f"{low} to {high}" in page
        assert value["level"] == level and value["planned"] != value["all"]


def test_the_usual_level_is_that_of_the_collection(client, study, headers):
    value = client.get(AGREEMENT, headers=headers).json()
    snapshot = Snapshot.objects.get(collection=study, kind="agreement").value
    for name in ("planned", "all"):
        stored, shown = snapshot[name]["ordinal"], value[name]
        for end in ("low", "high", "n_replicates", "n_groups", "seed"):
            assert shown[end] == stored[end]
        assert (shown["alpha"], shown["reason"]) == (stored["value"], None)
        assert shown["percent_equal"] == 100 * snapshot["percent"][name]["mean_of_units"]
    assert (value["level"], value["sampling_units"]) == ("ordinal", snapshot["drawn"])


def test_what_is_undefined_is_null_with_a_reason(client):
    study = studies.judged_study("study")
    headers = cast.bearer(cast.member(study, Role.RESEARCHER), ApiToken.Scope.NUMBERS_READ)
    planned = client.get(AGREEMENT, headers=headers).json()["planned"]
    assert planned["alpha"] is None and planned["percent_unanimous"] is None
    assert "planned label" in planned["reason"] and planned["interval_reason"] is None


def test_an_interval_that_is_undefined_has_a_reason(client):
    """All pairs are of one query: there is nothing to resample."""
    study = studies.judged_study("study", seeds=range(2), n_queries=1)
    headers = cast.bearer(cast.member(study, Role.RESEARCHER), ApiToken.Scope.NUMBERS_READ)
    planned = client.get(AGREEMENT, {"level": "nominal"}, headers=headers).json()["planned"]
    assert planned["alpha"] is not None and planned["low"] is None and planned["reason"] is None
    assert planned["interval_reason"].startswith("all labels are of one of the ")


def test_numbers_are_stale_until_a_refresh_has_followed(client, study, headers):
    first = client.get(PROGRESS, headers=headers)
    tag = {"If-None-Match": first["ETag"]}
    assert client.get(PROGRESS, headers=headers | tag).status_code == 304
    seating.note_changes(collection_id=study.pk, pair_ids=[None])
    for address in (PROGRESS, AGREEMENT):
        assert client.get(address, headers=headers | tag).json()["is_stale"] is True
    refresh.refresh(collection=study)
    assert not Change.objects.exists()
    assert client.get(PROGRESS, headers=headers).json() == first.json()


def test_a_collection_that_nothing_came_into_is_not_waited_for(client):
    empty = cast.collection("empty")
    Change.objects.filter(collection=empty).delete()
    headers = cast.bearer(cast.member(empty, Role.LEAD), ApiToken.Scope.NUMBERS_READ)
    answers = [
        client.get(f"/api/v1/collections/empty/{name}/", headers=headers)
        for name in ("progress", "agreement")
    ]
    assert [answer.status_code for answer in answers] == [200, 200]
    progress, agreement = (answer.json() for answer in answers)
    assert (progress["n_pairs"], progress["computed_at"], progress["pools"]) == (0, None, [])
    assert agreement["planned"]["alpha"] is None
    assert agreement["planned"]["reason"] == "No label has come in yet."


def test_before_the_first_numbers_the_answer_is_202(client, study, headers):
    Snapshot.objects.all().delete()
    for address in (PROGRESS, AGREEMENT):
        answer = client.get(address, headers=headers)
        assert (answer.status_code, answer["Retry-After"]) == (202, "3")
        assert answer.json()["detail"].startswith("They appear here once runs")


def test_wrong_parameters_are_refused(client, headers):
    for address, query, sentence in (
        (AGREEMENT, "level=rank", '"rank" is no choice of "level"; there are: nominal, ordinal, '),
        (AGREEMENT, "level=", '"" is no choice of "level"; there are: nominal, ordinal, '),
        (AGREEMENT, "names=1", '"names" is no parameter; there are level.'),
        (PROGRESS, "level=nominal", '"level" is no parameter; there are none.'),
    ):
        answer = client.get(f"{address}?{query}", headers=headers)
        assert answer.status_code == 422 and answer.json()["detail"].startswith(sentence)


def test_a_token_without_the_scope_or_the_role_gets_no_number(client, study, lead):
    annotator = study.annotators.first().user
    for address in (PROGRESS, AGREEMENT):
        other_scope = cast.bearer(lead, ApiToken.Scope.QRELS_READ)
        assert client.get(address, headers=other_scope).status_code == 403
        without_role = cast.bearer(annotator, *ApiToken.Scope)
        assert client.get(address, headers=without_role).status_code == 403
