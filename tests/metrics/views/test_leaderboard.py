"""The leaderboard: its cells, its readers, and its queries to the database."""

import html
import random
import re
from urllib.parse import parse_qs

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.models import Change, Kept, QuerySet, QuerySetItem, Role
from metrics.models import Score
from metrics.services.leaderboard import computation
from metrics.services.leaderboard.cells import ScoreCell
from metrics.services.leaderboard.choices.parameters import read_choices
from metrics.services.leaderboard.leaderboard import leaderboard_of
from metrics.services.numbers import refresh
from metrics.services.scores import query_groups
from pooling.models import Ranking, Run
from tests import cast
from tests.metrics import studies
from tests.metrics.services.leaderboard import boards
from tests.pages import text_of

LEADERBOARD = "/c/study/results/leaderboard/"
COMPARE = f"{LEADERBOARD}compare/"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def board(client):
    """A study with a judge, refreshed, and a researcher signed in."""
    study = studies.judged_study("study", likes=0.9)
    client.force_login(cast.member(study, Role.RESEARCHER))
    return study


def shown_on(study, **parameters):
    """The page's leaderboard with every run visible, before any view is computed."""
    choices = read_choices(collection=study, viewer=None, parameters=parameters)
    return leaderboard_of(choices=choices, collection=study, view=None, version="")


def test_a_cell_is_the_whole_the_reference_and_the_difference_that_add_up():
    assert ScoreCell(62.46, 41.0, 50, 70, None, 0).text == "62.5 (41.0 + 21.5)"
    assert ScoreCell(40.0, 41.2, 50, 70, None, 0).text == "40.0 (41.2 \N{MINUS SIGN} 1.2)"
    assert ScoreCell(40.0, None, 50, 70, None, 0).text == "40.0"


def test_cells_are_the_stored_scores(board):
    leaderboard = shown_on(board)
    forward, reverse = leaderboard.tables
    assert ({row.run.name for row in forward.rows}, [row.run.name for row in reverse.rows]) == (
        {"alpha", "beta"},
        ["gamma"],
    )
    assert forward.rows[0].cells[0].whole >= forward.rows[1].cells[0].whole
    for row in forward.rows:
        for column, cell in zip(leaderboard.columns, row.cells, strict=True):
            scores = {
                s.label_source: s for s in Score.objects.filter(run=row.run, measure=column.name)
            }
            assert cell.whole == 100 * scores["over:original"].mean
            assert cell.reference == 100 * scores["none:original"].mean
            assert cell.low / 100 <= scores["over:original"].mean <= cell.high / 100
            whole, reference, sign, difference = re.fullmatch(
                r"(\S+) \((\S+) (.) (\S+)\)", cell.text
            ).groups()
            parts = float(reference) + (float(difference) if sign == "+" else -float(difference))
            assert float(whole) == pytest.approx(parts, abs=1e-9)


def cells_as_shown(study):
    """Every cell of the page, with all that belongs to it, and whether it is stale."""
    choices = read_choices(collection=study, viewer=None, parameters={})
    look = computation.look(collection=study, spec=choices.spec)
    leaderboard = leaderboard_of(
        choices=choices, collection=study, view=look.row, version=look.version
    )
    return cells_of(leaderboard), leaderboard.is_stale


def cells_of(leaderboard):
    return [cell for table in leaderboard.tables for row in table.rows for cell in row.cells]


def as_of_now(study):
    """The same cells as the stored scores give them now."""
    choices = read_choices(collection=study, viewer=None, parameters={})
    inquiry = computation.inquiry_of(collection=study, spec=choices.spec)
    value = computation.compute(inquiry, None).value
    view = Kept(value=value, version="", computed_at=timezone.now())
    return cells_of(leaderboard_of(choices=choices, collection=study, view=view, version=""))


def test_whenever_one_looks_all_numbers_are_of_one_state_of_the_labels(board):
    """Labels come between every two steps of refreshing, computing and looking."""
    people = [cast.annotator(board) for _ in range(4)]
    spec = read_choices(collection=board, viewer=None, parameters={}).spec
    boards.compute(collection=board, spec=spec)
    chance, states, n_stale = random.Random(3), [as_of_now(board)], 0
    for step in range(40):
        studies.judge(chance.choice(people), n=3, seed=step, likes=0.5)
        action = chance.choice(["refresh", "compute", "look"])
        if action == "refresh":
            refresh.refresh(collection=board)
        elif action == "compute":
            boards.compute(collection=board, spec=spec)
        states.append(as_of_now(board))
        cells, is_stale = cells_as_shown(board)
        assert cells in states
        assert is_stale or cells == states[-1]
        assert all(cell.low <= cell.whole <= cell.high for cell in cells)
        ends = [(cell.least, cell.whole, cell.most) for cell in cells if cell.least is not None]
        assert len(ends) == len(cells) // 2  # C@1, C@5 and C@10 of six
        assert all(least == whole <= most for least, whole, most in ends)
        n_stale += is_stale
    assert n_stale and len({str(state) for state in states}) > 3


def test_the_page_states_label_source_query_set_threshold_and_conflicts(client, board):
    page = text_of(client.get(LEADERBOARD))
    assert "people over reference “original” (<code>over:original</code>)" in page
    assert "Query set “all”, 6 queries" in page
    assert "A pair is positive from grade 1 up" in page
    assert "People and the reference" in page and '<th scope="row">original</th>' in page
    words = (
        "whatever the unjudged documents that the run returned, and the unjudged pairs of the "
        "pools, turn out to be"
    )
    why = "AP, nDCG@10, mAP@R: only where measures are chosen, as theirs are not kept"
    right = (
        "labels taken as right, also a reference\N{RIGHT SINGLE QUOTATION MARK}s, which people may "
        "still overrule"
    )
    assert f"{words}, {right} ({why})" in page
    assert "data-sortable" in page and "/c/study/results/downloads/" in page
    assert 'id="scores-forward-1-spec"' in page and 'id="scores-reverse-6-spec"' in page


@pytest.mark.parametrize(
    ("few", "warning"), [(25, "intervals are rough"), (1, "successes or failures are rough")]
)
def test_a_table_says_once_that_intervals_are_rough(client, board, monkeypatch, few, warning):
    monkeypatch.setattr(query_groups, "FEW_QUERIES", few)
    monkeypatch.setattr(query_groups, "FEW", few)
    content = client.get(LEADERBOARD).content.decode()
    tables = content.split('aria-label="Scores, ')
    assert len(tables) == 3
    assert [part.count(warning) for part in tables] == [1, 1, 0]
    assert content.count("rough") == 2


def test_another_reference_set_and_query_set_can_be_chosen(client, board):
    studies.reference(board, {("q0", "d3"): 2}, name="second")
    few = QuerySet.objects.create(collection=board, name="few", direction="forward")
    QuerySetItem.objects.create(query_set=few, item=board.items.get(external_id="q0"))
    refresh.refresh(collection=board)
    page = client.get(LEADERBOARD, {"labels": "over:second", "queries": "few"}).content.decode()
    assert "over reference “second”" in page and "Query set “few”, 1 query" in page
    leaderboard = shown_on(board, labels="over:nonsense", queries="nonsense")
    assert (leaderboard.label_source.key, leaderboard.choices.spec.query_set) == (
        "over:original",
        "all",
    )
    assert leaderboard.choices.errors == [
        '"nonsense" is no choice of "queries"; there are: all, few.',
        'The collection has no reference set "nonsense"; it has original, second.',
    ]


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("threshold", "9", '"9" is no choice of "threshold"; there are: 1, 2.'),
        ("threshold", "0", '"0" is no choice of "threshold"; there are: 1, 2.'),
        ("people", "0", '"0" is no choice of "people"; there are: first'),
        ("queries", "few", '"few" is no choice of "queries"; there are: all.'),
        ("run", "0", "Runs that the address names and that are not there: 1 of 1 (“0”)."),
        ("decide", "anova", '"anova" is no choice of "decide"; there are: randomized-tukey,'),
    ],
)
def test_what_an_address_names_and_is_not_there_is_told_and_no_file_is_given(
    client, board, name, value, error
):
    page = client.get(LEADERBOARD, {name: value})
    assert page.status_code == 422 and error in html.unescape(page.content.decode())
    file = client.get(f"{LEADERBOARD}table.csv", {name: value})
    assert file.status_code == 422 and error in file.content.decode()


def test_without_a_positive_pair_the_page_says_that_scores_say_nothing(client):
    study = studies.study("bare")
    refresh.refresh(collection=study)
    client.force_login(cast.member(study, Role.RESEARCHER))
    for labels, says_nothing in (("none:original", False), ("only", True)):
        parameters = {"labels": labels, "measures": "AP C@1"}
        boards.compute(
            collection=study,
            spec=read_choices(collection=study, viewer=None, parameters=parameters).spec,
        )
        page = client.get("/c/bare/results/leaderboard/", parameters).content.decode()
        assert ("No pair is positive by these labels" in page) == says_nothing
        assert (" so far at " in page) != says_nothing


def test_no_lengths_between_a_larger_and_a_smaller_number_of_words(client, board):
    page = client.get(LEADERBOARD, {"words_from": "5", "words_to": "2"})
    assert (
        page.status_code == 422
        and "No query has 5 words or more and 2 or fewer" in page.content.decode()
    )


def test_files_say_whether_labels_have_changed_since(client, board):
    choices = read_choices(collection=board, viewer=None, parameters={})
    staleness = []
    for version in ("", "another"):
        boards.compute(collection=board, spec=choices.spec)
        if version:
            Kept.objects.filter(collection=board).update(version=version)
        csv, tex = (
            client.get(f"{LEADERBOARD}table.{form}").content.decode() for form in ("csv", "tex")
        )
        staleness.append(
            (csv.splitlines()[1].rsplit(",", 1)[1], "Labels or settings have changed since." in tex)
        )
    assert staleness == [("no", False), ("yes", True)]


def test_ends_are_rounded_as_the_score_is():
    cell = ScoreCell(32.25, None, 32.25, 32.35, None, 1, least=32.25, most=32.25)
    assert (cell.text, cell.interval_text, cell.bounds_text) == (
        "32.3",
        "32.3\N{EN DASH}32.4",
        "32.3 … 32.3",
    )


def test_a_retired_first_run_is_told_and_the_second_stays(client, board):
    gamma, alpha = board.runs.get(name="gamma"), board.runs.get(name="alpha")
    page = client.get(COMPARE, {"a": "0", "b": alpha.pk}).content.decode()
    assert (
        "There is no run &quot;0&quot; to compare" in page and "cannot be compared with" not in page
    )
    assert "<h1>beta against alpha</h1>" in page
    page = client.get(COMPARE, {"b": gamma.pk}).content.decode()
    assert "cannot be compared with" not in page


def test_a_grade_below_the_threshold_leaves_what_takes_grades_its_scores(client):
    study = studies.study("bare")
    study.reference_sets.all().delete()
    alpha = Run.objects.get(collection=study, name="alpha")
    first = Ranking.objects.filter(run=alpha).first()
    cast.reference(study, {}, name="low").labels.create(
        query_id=first.source_id, document_id=first.targets[0], grade=1
    )
    refresh.refresh(collection=study)
    client.force_login(cast.member(study, Role.RESEARCHER))
    parameters = {"labels": "none:low", "threshold": "2", "measures": "AP nDCG@10"}
    boards.compute(
        collection=study,
        spec=read_choices(collection=study, viewer=None, parameters=parameters).spec,
    )
    page = client.get("/c/bare/results/leaderboard/", parameters).content.decode()
    assert " with 0 positive pairs" in page and "says nothing of the runs yet" not in page
    assert " so far at AP" not in page  # of which all are 0


@pytest.mark.parametrize(
    ("a", "b", "error"),
    [
        ("alpha", "alpha", "alpha cannot be compared with alpha: it is the same run."),
        ("alpha", "gamma", "gamma cannot be compared with alpha: it ranks in the other direction."),
    ],
)
def test_runs_that_cannot_be_compared_are_told(client, board, a, b, error):
    keys = {run.name: run.pk for run in board.runs.all()}
    page = client.get(COMPARE, {"a": keys[a], "b": keys[b]})
    assert page.status_code == 422 and error in page.content.decode()


def test_runs_are_not_compared_by_a_median(client, board):
    page = client.get(COMPARE, {"measure": "MedR"}, follow=True)
    assert page.status_code == 422
    assert "MedR is a median, and runs are compared by means; AP is shown." in page.content.decode()


@pytest.mark.parametrize("name", ["a", "b"])
def test_a_run_to_compare_that_is_not_there_is_told(client, board, name):
    page = client.get(COMPARE, {name: "0"})
    assert page.status_code == 422
    assert f'There is no run "0" to compare; the address names it by "{name}".' in html.unescape(
        page.content.decode()
    )


def test_without_a_reference_set_people_stand_alone(client):
    study = studies.study("bare")
    studies.judge(cast.annotator(study))
    study.reference_sets.all().delete()
    refresh.refresh(collection=study)
    client.force_login(cast.member(study, Role.RESEARCHER))
    page = client.get("/c/bare/results/leaderboard/").content.decode()
    assert (
        "Scores with people&#x27;s labels alone" in page
        or "Scores with people's labels alone" in page
    )
    assert shown_on(study).tables[0].rows[0].cells[0].reference is None


def test_runs_without_scores_are_named_and_retired_ones_are_gone(client, board):
    studies.run(board, "latecomer")
    Run.objects.filter(name="alpha").update(retired_at=timezone.now())
    page = text_of(client.get(LEADERBOARD))
    assert "Not scored yet: latecomer." in page and "No worker has been seen for a minute" in page
    assert "alpha" not in page


def test_an_empty_leaderboard_says_what_is_next(client):
    study = studies.study("empty", with_runs=False)
    client.force_login(cast.member(study, Role.LEAD))
    assert "No runs yet" in client.get("/c/empty/results/leaderboard/").content.decode()


def test_annotators_and_strangers_do_not_find_it(client, board):
    for person in (cast.member(board, Role.ANNOTATOR), cast.user()):
        client.force_login(person)
        assert client.get(LEADERBOARD).status_code == 404


def test_the_page_takes_as_many_queries_however_many_runs_there_are(client, board):
    def queries():
        with CaptureQueriesContext(connection) as caught:
            assert client.get(LEADERBOARD).status_code == 200
        return len(caught)

    queries()  # what reference labels link is read once a process
    before = queries()
    for seed in range(5):
        studies.run(board, f"run {seed}", seed=seed, direction=["forward", "reverse"][seed % 2])
    refresh.refresh(collection=board)
    assert queries() == before


def test_a_table_says_what_was_ranked_and_when_the_last_of_it_joined(client, board):
    board.items.update(joined_at=None)
    n = board.items.filter(side="document").count()
    refresh.refresh(collection=board)
    Change.objects.create(collection=board)
    refresh.refresh(collection=board)
    page = client.get(f"/c/{board.slug}/results/leaderboard/").content.decode()
    assert f"The gallery is of {n:,} documents.</p>" in page
    (joined,) = cast.items(board, "document", 1)
    joined.refresh_from_db()
    Change.objects.create(collection=board)
    refresh.refresh(collection=board)
    sentence = (
        f"The gallery is of {n + 1:,} documents, the last of which joined on "
        f"{joined.joined_at:%-d %B %Y};"
    )
    page = client.get(f"/c/{board.slug}/results/leaderboard/").content.decode()
    assert sentence in page and page.count(">earlier gallery<") == 2
    for query_string in ("", "?measures=AP"):  # stored, and measured for who looks
        choices = read_choices(
            collection=board, viewer=None, parameters={"measures": "AP"} if query_string else {}
        )
        boards.compute(collection=board, spec=choices.spec)
        assert (
            sentence
            in client.get(f"/c/{board.slug}/results/leaderboard/{query_string}").content.decode()
        )


def test_the_link_to_compare_two_runs_has_the_best_two_and_the_first_measure(client, board):
    choices = read_choices(collection=board, viewer=None, parameters=QueryDict(""))
    boards.compute(collection=board, spec=choices.spec)
    page = client.get(LEADERBOARD).content.decode()
    link = html.unescape(re.search(r'href="([^"]*/compare/[^"]*)">Compare two', page)[1])
    parameters = parse_qs(link.partition("?")[2])
    rows = re.findall(r'<th scope="row">(\w+)', page.split("Scores, ")[1])
    names = [board.runs.get(pk=parameters[name][0]).name for name in ("a", "b")]
    assert names == rows[:2] and parameters["measure"] == ["C@1"]
