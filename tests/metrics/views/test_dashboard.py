"""The lead's dashboard: its numbers, its access, and its number of database queries."""

import re
from html import unescape

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate import tasks
from annotate.models import Concern, Judgment, Role, WorkerHeartbeat
from annotate.services.background import kept
from annotate.services.supervision import concerns
from metrics.services.dashboard import details as dashboard_details
from metrics.services.numbers import refresh
from tests import cast
from tests.metrics import studies
from tests.pages import text_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(client):
    """A study with two judges, refreshed, and its lead signed in."""
    study = studies.judged_study("study", seeds=range(2))
    client.force_login(cast.member(study, Role.LEAD))
    return study


def status_of(client, address, tag):
    """The status of a live part for a browser that has the one of this tag: 304 unless changed."""
    return client.get(address, headers={"If-None-Match": tag}).status_code


def compute_details(study):
    """Compute the closer look, as a worker does once somebody has looked."""
    kept.compute(inquiry=dashboard_details.inquiry_of(collection=study))


def test_the_first_page_shows_progress_alpha_with_interval_and_people(client, study):
    page = text_of(client.get("/c/study/dashboard/"))
    assert "6 of 18 pairs complete" in page
    assert ", ordinal, of planned labels on 18 pairs" in page
    for annotator in study.annotators.all():
        assert annotator.pseudonym in page
    assert page.count('data-label="Last seen"') == 2, "on a phone no column names it"


@pytest.mark.parametrize(
    ("tab", "words"),
    [
        ("agreement", ['">ordinal<', "Pairs unanimous, %", "alpha-history"]),
        ("people", ["Median time"]),
        ("forecast", ["depth 3", "Labels left"]),
        ("levels", ["Labels by level"]),
    ],
)
def test_each_tab_has_its_part_and_is_live(client, study, tab, words):
    page = client.get(f"/c/study/dashboard/{tab}/").content.decode()
    assert [word for word in words if word not in page.replace("&#x27;", "'")] == []
    assert f"dashboard/{tab}/numbers/?level=ordinal" in page
    first = client.get(f"/c/study/dashboard/{tab}/numbers/")
    assert status_of(client, f"/c/study/dashboard/{tab}/numbers/", first["ETag"]) == 304
    cache.clear()
    assert status_of(client, "/c/study/dashboard/numbers/", first["ETag"]) == 200


def test_a_page_that_the_dashboard_does_not_have_is_not_found(client, study):
    assert client.get("/c/study/dashboard/overview/").status_code == 404
    assert client.get("/c/study/dashboard/nonsense/numbers/").status_code == 404


def test_all_numbers_are_of_one_moment_and_what_has_come_since_is_counted(client, study):
    assert "All numbers are as of" in text_of(client.get("/c/study/dashboard/people/"))
    assert "all other numbers are as of" in text_of(client.get("/c/study/dashboard/"))
    assert "have come since" not in text_of(client.get("/c/study/dashboard/"))
    studies.judge(cast.annotator(study), seed=5)
    assert "labels of 12 pairs have come since" in text_of(client.get("/c/study/dashboard/"))
    refresh.refresh(collection=study)
    assert "have come since" not in text_of(client.get("/c/study/dashboard/people/"))


def test_alpha_without_a_pair_of_two_labels_is_a_sentence_and_no_chart(client):
    study = studies.judged_study("bare")
    client.force_login(cast.member(study, Role.LEAD))
    page = client.get("/c/bare/dashboard/agreement/").content.decode()
    assert "Drawn once some pair has two labels." in page
    assert 'id="alpha-history-spec"' not in page
    assert 'id="levels-spec"' in client.get("/c/bare/dashboard/levels/").content.decode()


def test_another_level_of_measurement_is_one_click_away(client, study):
    page = client.get("/c/study/dashboard/", {"level": "nominal"}).content.decode()
    assert ", nominal, of planned" in page
    assert "dashboard/numbers/?level=nominal" in page
    assert client.get("/c/study/dashboard/", {"level": "nonsense"}).status_code == 200


def test_the_live_part_is_304_until_numbers_change(client, study):
    first = client.get("/c/study/dashboard/numbers/")
    again = client.get("/c/study/dashboard/numbers/", headers={"If-None-Match": first["ETag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
    other_level = "/c/study/dashboard/numbers/?level=ratio"
    assert status_of(client, other_level, first["ETag"]) == 200
    cache.clear()
    # just now, however slow this is
    WorkerHeartbeat.objects.create(name="worker", queues=["short"], at="2999-01-01T00:00Z")
    assert status_of(client, "/c/study/dashboard/numbers/", first["ETag"]) == 200


def test_a_new_label_changes_the_live_part(client, study):
    first = client.get("/c/study/dashboard/numbers/")
    studies.reference(study, {("q0", "d5"): 2}, name="second")
    refresh.refresh(collection=study)
    cache.clear()
    assert status_of(client, "/c/study/dashboard/numbers/", first["ETag"]) == 200


def test_before_the_first_numbers_the_page_waits_and_says_when_no_worker_lives(client):
    study = studies.study("young")
    client.force_login(cast.member(study, Role.LEAD))
    page = text_of(client.get("/c/young/dashboard/"))
    assert "Waiting for the first numbers" in page
    assert "No worker has been seen for a minute" in page
    # just now, however slow this is
    WorkerHeartbeat.objects.create(name="worker", queues=["short"], at="2999-01-01T00:00Z")
    assert "No worker" not in client.get("/c/young/dashboard/").content.decode()


def test_what_is_not_defined_yet_says_why(client):
    study = studies.study("young")
    refresh.refresh(collection=study)
    client.force_login(cast.member(study, Role.RESEARCHER))
    page = client.get("/c/young/dashboard/").content.decode()
    assert "</span> is not defined yet" in page


@pytest.mark.parametrize("path", ["/c/study/dashboard/", "/c/study/dashboard/numbers/"])
def test_annotators_and_strangers_do_not_find_it(client, study, path):
    client.force_login(cast.member(study, Role.ANNOTATOR))
    assert client.get(path).status_code == 404
    client.force_login(cast.user())
    assert client.get(path).status_code == 404
    client.logout()
    assert client.get(path).status_code == 302


def test_the_page_takes_as_many_queries_however_much_there_is(client, study):
    def queries(path):
        with CaptureQueriesContext(connection) as caught:
            assert client.get(path).status_code == 200
        return len(caught)

    paths = ("/c/study/dashboard/", "/c/study/dashboard/numbers/")
    before = [queries(path) for path in paths]
    for seed in range(3):
        studies.run(study, f"run {seed}", seed=seed)
        studies.judge(cast.annotator(study), seed=seed)
        refresh.refresh(collection=study)
    assert [queries(path) for path in paths] == before


def enqueued_tasks(monkeypatch):
    """Collections whose details views have computed, collected instead of sent."""
    enqueued = []
    monkeypatch.setattr(
        tasks.compute_value,
        "apply_async",
        lambda **rest: enqueued.append(rest["kwargs"]["collection_id"]),
    )
    return enqueued


def test_whoever_looks_has_the_closer_look_computed_and_then_sees_it(client, study):
    tabs = ("agreement/", "people/", "forecast/", "levels/")

    def pages():
        return [client.get(f"/c/study/dashboard/{tab}").content.decode() for tab in tabs]

    assert all("are being computed; they appear here within a minute" in page for page in pages())
    compute_details(study)
    page = "".join(pages())
    for words in (
        "Agreement in parts",
        "2 labels",
        "text to text",
        "Agreement by level",
        "Queries people disagree on",
    ):
        assert words in page
    for chart in ("by-labels", "confusion", "labels-a-day"):
        assert f'id="{chart}-spec"' in page
    assert "it takes three whole days with labels" in page and "no pay an hour is set" in page


def test_queries_that_people_disagree_on_have_words_and_open(
    client, study, django_assert_num_queries
):
    studies.judge(cast.annotator(study), seed=2)  # now all pairs have two labels
    study.items.filter(external_id="q3").update(external_id="q/3&4")
    compute_details(study)
    with CaptureQueriesContext(connection) as many:
        page = unescape(client.get("/c/study/dashboard/agreement/").content.decode())
    (address,) = re.findall(r'href="([^"]*)"[^>]*>q/3&4<', page)
    assert all(f"text of q{number}" in page for number in range(6))
    details = kept.find(inquiry=dashboard_details.inquiry_of(collection=study))
    del details.value["queries"]["rows"][1:]
    details.save()
    with django_assert_num_queries(len(many)):
        client.get("/c/study/dashboard/agreement/")
    query = client.get(address).context["page"].query
    assert query.item_content.item.external_id == "q/3&4"


def test_a_closer_look_that_is_older_than_the_tiles_says_so_and_stands_whole(client, study):
    compute_details(study)
    words, address = "Older than the other numbers", "/c/study/dashboard/agreement/"
    assert words not in client.get(address).content.decode()
    studies.judge(cast.annotator(study), seed=7)
    refresh.refresh(collection=study)
    page = client.get(address).content.decode()
    assert words in page and "is-old" in page
    compute_details(study)
    assert words not in client.get(address).content.decode()


@pytest.mark.parametrize(
    ("tab", "start", "end"),
    [
        ("people/", 'class="number is-old"', "</td>"),
        ("forecast/", 'class="chart is-old" data-spec="labels-a-day-spec"', "</figcaption>"),
        ("levels/", 'class="chart is-old" data-spec="confusion-spec"', "</figcaption>"),
        ("agreement/", 'class="chart is-old" data-spec="by-labels-spec"', "</figcaption>"),
    ],
)
def test_what_is_older_than_the_other_numbers_is_grey_and_says_so(client, study, tab, start, end):
    compute_details(study)
    words, address = "Older than the other numbers", f"/c/study/dashboard/{tab}"
    page = text_of(client.get(address))
    assert words not in page and "is-old" not in page
    studies.judge(cast.annotator(study), seed=7)
    refresh.refresh(collection=study)
    page = text_of(client.get(address))
    older_part = page.split(start)[1].split(end)[0]
    assert words in (older_part if end == "</figcaption>" else page)


def test_nobody_has_judged_is_not_said_beneath_labels(client):
    empty = studies.study("young")
    client.force_login(cast.member(empty, Role.LEAD))
    refresh.refresh(collection=empty)
    compute_details(empty)
    assert "nobody has judged" in client.get("/c/young/dashboard/agreement/").content.decode()
    studies.judge(cast.annotator(empty))
    refresh.refresh(collection=empty)
    page = client.get("/c/young/dashboard/agreement/").content.decode()
    assert "nobody has judged" not in page
    assert "nobody had judged then" in page


def test_the_live_part_asks_for_a_closer_look_once_in_a_while(client, study, monkeypatch):
    enqueued = enqueued_tasks(monkeypatch)
    for _ in range(3):
        client.get("/c/study/dashboard/numbers/")
    assert enqueued == [study.pk]
    compute_details(study)
    cache.clear()
    client.get("/c/study/dashboard/numbers/")
    assert len(enqueued) == 1


def test_hours_at_a_pay_are_money(client, study):
    compute_details(study)
    study.hourly_pay, study.currency = 3600, "CHF"
    study.save()
    times = Judgment.objects.filter(collection=study).values_list("active_ms", flat=True)
    spent = sum(times) / 1000
    page = client.get("/c/study/dashboard/forecast/").content.decode()
    assert f"{spent:,.0f} CHF so far" in page
    assert "<dt>Last label</dt><dd>Nobody here can give the labels that are left." in page


def test_a_persons_page_shows_her_numbers_and_curves(client, study):
    annotator = study.annotators.first()
    address = f"/c/study/dashboard/people/{annotator.pk}/"
    assert "The closer look is being computed" in client.get(address).content.decode()
    compute_details(study)
    page = client.get(address).content.decode()
    assert f"<h1>{annotator.pseudonym}</h1>" in page and "Alpha of all labels without these" in page
    for chart in ("agreement-over-time", "seconds", "level-use"):
        assert f'id="{chart}-spec"' in page
    assert "Not defined yet: there is nothing to draw it from." in page  # no gold was asked
    tag = client.get(f"{address}numbers/")["ETag"]
    assert status_of(client, f"{address}numbers/", tag) == 304
    assert client.get("/c/study/dashboard/people/999999/").status_code == 404


def test_flags_of_guards_stand_beside_the_person_on_every_page_of_hers(client, study):
    annotator = study.annotators.first()
    addresses = [
        f"/c/study/dashboard/{page}" for page in ("", "people/", f"people/{annotator.pk}/")
    ]
    first_tags = [client.get(f"{address}numbers/")["ETag"] for address in addresses]
    concern = Concern.objects.create(
        collection=study,
        annotator=annotator,
        guard="speed",
        evidence={"n_hits": 41, "n": 50, "n_expected": 5.0, "mark": 1.0},
    )
    cache.clear()  # it keeps a version for a second
    for address, tag in zip(addresses, first_tags, strict=True):
        text = text_of(client.get(address))
        assert "Too fast" in text and concern.sentence in text
        # the page that is open shows it, too
        assert status_of(client, f"{address}numbers/", tag) == 200
    concerns.decide(concern=concern, act="settle", by=study.memberships.get(role="lead").user)
    for address in addresses:
        assert "Too fast" not in text_of(client.get(address))


def test_a_flag_says_since_when_and_researchers_are_told_the_day_alone(client, study):
    annotator = study.annotators.first()
    Concern.objects.create(
        collection=study,
        annotator=annotator,
        guard="speed",
        evidence={"n_hits": 41, "n": 50, "n_expected": 5.0, "mark": 1.0},
        at="2026-03-04T11:12Z",
        faded_at="2026-03-05T13:14Z",
    )
    address = f"/c/study/dashboard/people/{annotator.pk}/"
    people = "/c/study/dashboard/people/"
    for role, shows_minutes in (("lead", True), ("researcher", False)):
        client.force_login(cast.member(study, role))
        for path in (address, f"{address}numbers/"):
            text = text_of(client.get(path))
            assert ">4 Mar 2026" in text and "No longer so since <time" in text
            has_minutes = ["2026-03-04T" in text, "2026-03-05T" in text, "5 Mar 2026 13" in text]
            assert has_minutes == 3 * [shows_minutes]
        for path in (people, f"{people}numbers/"):
            text = text_of(client.get(path))
            assert "No longer so since 5 Mar 2026 (UTC)." in text
            assert "2026-03-0" not in text and "5 Mar 2026 13" not in text


def test_drift_stands_beside_the_person_with_its_evidence(client, study):
    compute_details(study)
    details = kept.find(inquiry=dashboard_details.inquiry_of(collection=study))
    details.value["people"][0]["drift"] = "Equal to another label in 90 % of"
    details.save()
    drifting = details.value["people"][0]["annotator"]
    for page in ("", "people/", f"people/{drifting}/"):
        text = text_of(client.get(f"/c/study/dashboard/{page}"))
        assert "Drifting" in text and "Equal to another label in 90 % of" in text


def test_names_are_for_leads_who_ask(client, study):
    names = [annotator.user.username for annotator in study.annotators.all()]
    paths = [
        "/c/study/dashboard/people/",
        f"/c/study/dashboard/people/{study.annotators.first().pk}/",
    ]

    def names_shown(query):
        text = "".join(client.get(path + query).content.decode() for path in paths)
        return [name for name in names if f">{name}<" in text]

    assert names_shown("") == [] and names_shown("?names=1") == names
    client.force_login(cast.member(study, Role.RESEARCHER))
    assert names_shown("?names=1") == []


def test_what_tells_whether_the_page_changed_is_not_read_again_for_it(
    client, study, django_assert_max_num_queries
):
    client.get("/c/study/dashboard/")  # its details are computed
    with django_assert_max_num_queries(31):
        client.get("/c/study/dashboard/")


def test_a_thousand_viewers_ask_the_database_once_a_second(
    client, study, django_assert_num_queries
):
    address = "/c/study/dashboard/numbers/"
    tag = client.get(address)["ETag"]
    with django_assert_num_queries(0):
        answer = client.get(address, headers={"If-None-Match": tag})
    assert (answer.status_code, answer["ETag"], answer.content) == (304, tag, b"")
    client.logout()
    for guess in ("*", '"0123456789abcdef0123456789abcdef"', f'W/{tag}, "x"'):
        assert client.get(address, headers={"If-None-Match": guess}).status_code == 302
