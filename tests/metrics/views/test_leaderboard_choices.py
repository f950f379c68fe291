"""The choices on the leaderboard: in the address, in a browser, with hidden runs."""

import re
from html import unescape
from urllib.parse import parse_qs

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from playwright.sync_api import expect

from annotate.core.figures import p_text
from annotate.models import Kept, Role
from metrics.services.leaderboard.choices.parameters import read_choices, read_comparison
from metrics.services.leaderboard.leaderboard import leaderboard_of
from pooling.models import Run
from tests import cast
from tests.metrics import studies
from tests.metrics.services.leaderboard import boards
from tests.pages import text_of

pytestmark = pytest.mark.django_db(transaction=True)
COMPARE = "/c/study/results/leaderboard/compare/"


@pytest.fixture
def board(client):
    """A study with a judge, refreshed, and a researcher signed in."""
    study = studies.judged_study("study", n=8, likes=0.9)
    client.force_login(cast.member(study, Role.RESEARCHER))
    return study


def compute(study, **parameters):
    boards.compute(
        collection=study,
        spec=read_choices(collection=study, viewer=None, parameters=parameters).spec,
    )


def test_the_page_of_two_runs_names_both_chances_with_their_formulas(client, board):
    alpha, beta = (str(board.runs.get(name=name).pk) for name in ("alpha", "beta"))
    parameters = {"a": alpha, "b": beta, "measure": "AP"}
    spec = read_comparison(collection=board, viewer=None, parameters=parameters).spec
    boards.compute(collection=board, spec=spec)
    view = boards.find(collection=board, spec=spec)
    page = unescape(client.get(COMPARE, parameters).content.decode())
    chances = re.findall(
        r"<dt>(Reversal|REER)([^<]*)</dt>\s*<dd>([0-9.]+)\s*<span class=\"under\">([^<]*)<", page
    )
    assert [(name, value) for name, _, value, _ in chances] == [
        ("Reversal", p_text(view.value["swaps"]["reversal"])),
        ("REER", p_text(view.value["swaps"]["reer"])),
    ]
    assert "another set of as many queries turns this order round" in chances[0][1]
    assert "T(-|t| / √2)" in chances[0][3] and "half the p of that test" in chances[0][3]
    assert (
        "two new sets of as many queries disagree" in chances[1][1]
        and "2 Φ(-|t|) (1 - Φ(-|t|))" in chances[1][3]
    )
    ends = [row["item"] for rows in view.value["ends"] for row in rows]
    assert len(ends) > 2
    for query in board.items.in_bulk(ends).values():
        assert re.search(rf'\?q={query}&[^"]*">{query}</a><span[^>]*>text of {query}<', page)
    Kept.objects.update(value={**view.value, "swaps": {}})  # as of a single query
    assert client.get(COMPARE, parameters).content.decode().count("a single query or group") == 2


def test_the_page_of_two_runs_takes_as_many_queries_however_many_it_names(client, board):
    alpha, beta = (str(board.runs.get(name=name).pk) for name in ("alpha", "beta"))
    parameters = {"a": alpha, "b": beta, "measure": "AP"}
    spec = read_comparison(collection=board, viewer=None, parameters=parameters).spec
    boards.compute(collection=board, spec=spec)
    view = boards.find(collection=board, spec=spec)

    def queries():
        with CaptureQueriesContext(connection) as captured:
            client.get(COMPARE, parameters)
        return len(captured)

    many = queries()
    ends = [rows[:1] for rows in view.value["ends"]]
    assert ends != view.value["ends"]
    Kept.objects.filter(pk=view.pk).update(value={**view.value, "ends": ends})
    assert queries() == many


def test_addresses_that_cannot_be_read_are_told_and_the_usual_table_is_shown(client, board):
    for parameters, words in (
        ({"measures": "AP Nonsense@3"}, "There is no measure"),
        ({"words_from": "many"}, "is not a number of words"),
        ({"measures": "AP@0"}, "whole number from 1 up"),
        ({"measures": "ERR(max_grade=1)"}, "takes grades up to 1, and the levels go up to 2"),
    ):
        answer = client.get("/c/study/results/leaderboard/", parameters)
        assert answer.status_code == 422 and words in answer.content.decode()
        assert "alpha" in answer.content.decode()
    answer = client.get("/c/study/results/leaderboard/", {"measures": "R@3 R@7"})
    assert answer.status_code == 200 and "Measuring the runs" in answer.content.decode()
    compute(board, measures="R@3 R@7")
    page = text_of(client.get("/c/study/results/leaderboard/", {"measures": "R@3 R@7"}))
    assert "R@7" in page and "Measuring the runs" not in page and "Pairs that differ" in page
    hidden = Run.objects.get(name="beta")
    hidden.is_hidden, hidden.uploaded_by = True, cast.user()
    hidden.save()
    page = client.get("/c/study/results/leaderboard/", {"measures": "R@3 R@7"}).content.decode()
    assert "Measuring the runs" in page and "beta" not in page, (
        "the table of all runs is not this person's"
    )


def test_a_page_that_waits_is_reloaded_where_it_is(client, board):
    state = "/c/study/results/leaderboard/state/"
    assert "HX-Refresh" not in client.get(state, {"measures": "R@3"}).headers
    compute(board, measures="R@3")
    assert client.get(state, {"measures": "R@3"})["HX-Refresh"] == "true"


def test_people_and_the_reference_stand_at_the_threshold_of_the_collection(client, board):
    usual, other = (
        text_of(client.get("/c/study/results/leaderboard/", {"threshold": threshold}))
        for threshold in ("1", "2")
    )
    assert "positive from 1 up. <a" in usual
    assert "positive from 1 up, as the collection has it, whatever is chosen here: <a" in other


def test_a_form_without_a_ticked_run_is_told_that_all_are_shown(client, board):
    address = "/c/study/results/leaderboard/"
    assert '<input type="hidden" name="run" value="">' in client.get(address).content.decode()
    answer = client.get(address, {"run": ""})
    assert answer.status_code == 422 and "No run is ticked: all are shown." in text_of(answer)
    key = str(board.runs.get(name="alpha").pk)
    answer = client.get(address, {"run": ["", key]})
    assert answer.status_code == 200
    assert [run.name for run in answer.context["choices"].runs] == ["alpha"]


def test_a_choice_in_a_browser_is_computed_and_shown(live_server, page, board):
    cast.sign_in(page.context, live_server.url, cast.member(board, Role.RESEARCHER))
    page.goto(f"{live_server.url}/c/study/results/leaderboard/")
    page.get_by_text("Measures, runs (3 of 3), labels and queries").click()
    page.get_by_label("Measures", exact=True).fill("R@3 AP")
    page.get_by_label("Label source").select_option("union")
    page.get_by_label("Positive from").select_option("2")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_text("Measuring the runs")).to_be_visible()
    compute(board, measures="R@3 AP", labels="union:original", threshold="2")
    assert Kept.objects.get().parameters["threshold"] == 2
    expect(page.locator("th", has_text="R@3").first).to_be_visible()
    expect(page.get_by_text("A pair is positive from grade 2 up")).to_be_visible()
    expect(page.get_by_label("Label source")).to_have_value("union")


def test_runs_are_found_ticked_and_measured_alone(live_server, page, board):
    for number in range(7):
        cast.run(board, f"other {number}", {})
    cast.sign_in(page.context, live_server.url, cast.member(board, Role.RESEARCHER))
    page.goto(f"{live_server.url}/c/study/results/leaderboard/")
    page.get_by_text("Measures, runs (10 of 10), labels and queries").click()
    choice = page.get_by_role("group", name="Runs 10 of 10")
    choice.get_by_role("button", name="None").click()
    expect(page.get_by_role("group", name="Runs 0 of 10")).to_be_visible()
    choice = page.get_by_role("group", name="Runs 0 of 10")
    choice.get_by_label("Find a run by its name").fill("ALPH")
    expect(choice.get_by_label("beta")).to_be_hidden()
    choice.get_by_role("button", name="All").click()
    page.get_by_role("group", name="Runs 1 of 10").get_by_label("Find a run by its name").fill("")
    expect(page.get_by_role("checkbox", name="beta")).not_to_be_checked()
    page.get_by_role("button", name="Show", exact=True).click()
    page.wait_for_url("**run=*")
    assert len(re.findall(r"run=[0-9]", page.url)) == 1
    expect(page.get_by_text("Measures, runs (1 of 10), labels and queries")).to_be_visible()


def test_a_chart_is_saved_with_its_font(live_server, page, board):
    compute(board)
    cast.sign_in(page.context, live_server.url, cast.member(board, Role.RESEARCHER))
    page.goto(f"{live_server.url}/c/study/results/leaderboard/")
    figure = page.locator("#scores-forward-1")
    expect(figure.locator("svg")).to_be_visible()
    with page.expect_download() as download:
        figure.get_by_role("button", name="SVG").click()
    svg = download.value.path().read_text()
    # letters are Latin
    assert svg.count("@font-face{font-family:Inter;src:url(data:font/woff2;base64,d09G") == 1
    assert "alpha" in svg


def test_a_comparison_of_no_named_runs_leads_to_the_address_of_the_best_two(client):
    study = studies.judged_study("study", likes=0.9)
    client.force_login(cast.member(study, Role.RESEARCHER))
    choices = read_choices(collection=study, viewer=None, parameters={"labels": "over:original"})
    best = leaderboard_of(choices=choices, collection=study, view=None, version="").best_runs
    for run, name in ((best.first, "second by name"), (best.second, "first by name")):
        study.runs.filter(pk=run.pk).update(name=name)
    answer = client.get(COMPARE, {"labels": "over:original", "a": ""}, follow=True)
    ((address, status),) = answer.redirect_chain
    assert status == 302 and parse_qs(address.partition("?")[2]) == {
        "labels": ["over:original"],
        "a": [str(best.first.pk)],
        "b": [str(best.second.pk)],
        "measure": ["C@1"],
    }
    page = answer.content.decode()
    assert "<h1>second by name against first by name</h1>" in page
    assert answer.context["choices"].spec.measures == ("C@1",)
    # the page polls for the same runs, whichever are the best by then
    (poll,) = re.findall(r'hx-get="([^"]*/compare/state/[^"]*)"', unescape(page))
    assert parse_qs(poll.partition("?")[2]) == parse_qs(address.partition("?")[2])


def test_a_named_measure_of_no_named_runs_stays_and_runs_alone_are_not_led_on(client, board):
    answer = client.get(COMPARE, {"measure": "AP"})
    assert parse_qs(answer.url.partition("?")[2])["measure"] == ["AP"]
    board.runs.exclude(name="alpha").update(retired_at=timezone.now())
    answer = client.get(COMPARE)
    assert answer.status_code == 200 and answer.context["choices"].compared_runs is None
