"""The analysis room in the browser's answers: contents, chapters, one analysis, its table."""

import re
from html import unescape

import pytest

from annotate.models import Kept, Role
from metrics.charts.charts import Figure
from metrics.services.analysis import page as analysis_pages
from metrics.services.analysis.register import ANALYSES, CHAPTERS, analyses_of
from metrics.templatetags.chart_tables import table_heads, table_rows
from pooling.models import Run
from tests import cast
from tests.metrics import studies
from tests.metrics.services.analysis.questions import compute_kept
from tests.pages import text_of

pytestmark = pytest.mark.django_db(transaction=True)
ROOM = "/c/study/results/analysis/"
PAGE = f"{ROOM}collection/positives-per-query/"


@pytest.fixture
def study(client):
    collection = studies.judged_study("study")
    client.force_login(cast.member(collection, Role.RESEARCHER))
    return collection


def test_the_contents_lead_to_every_chapter_and_analysis(client, study):
    page = client.get(ROOM).content.decode()
    for slug, chapter in CHAPTERS.items():
        assert f'href="{ROOM}{slug}/"' in page and chapter.title in page
    for analysis in ANALYSES.values():
        assert f'href="{ROOM}{analysis.chapter.slug}/{analysis.name}/"' in page


def test_a_finding_is_awaited_and_then_shown_with_what_it_is_of(client, study):
    assert "Computing" in text_of(client.get(PAGE))
    state = client.get(f"{PAGE}state/")
    assert "Computing" in state.content.decode()
    compute_kept(study, "positives-per-query")
    for answer in (client.get(PAGE), client.get(f"{PAGE}state/")):
        text = text_of(answer)
        assert "The median of the queries has" in text
        of = "Of 6 queries. Query set “all”, query to document. Labels: people over reference"
        assert of in text
    assert "Definition and source" in text_of(client.get(PAGE))


def test_words_are_explained_where_they_stand(client, study):
    def text(path):
        return unescape(text_of(client.get(f"{ROOM}{path}")))

    assert "C@5: 1 if any positive is among the first k.</p>" in text("collection/hits-by-length/")
    assert " if any " not in text("collection/positives-per-query/")
    rates = text("systems/")
    assert "REER, the retrieval experiment error rate, of each pair" in rates
    assert "the generalizability coefficient, is" in rates
    assert "Phi, the index of dependability, is" in rates
    words = "Planned labels are the first one of a pair and doubles, asked for whatever others said"
    for path in (
        "labels/labels-by-pool/",
        "labels/agreement-by-person/",
        "pool/people-as-systems/",
    ):
        assert words in text(path)


def test_each_chapter_shows_all_of_its_analyses(client, study):
    for name in ANALYSES:
        compute_kept(study, name)
    for chapter in CHAPTERS.values():
        page = client.get(f"{ROOM}{chapter.slug}/").content.decode()
        for analysis in analyses_of(chapter):
            assert f'id="analysis-{analysis.name}-job"' in page
        assert "Computing" not in page


def test_links_hold_every_choice_whatever_the_defaults_are(client, study):
    chapter_address = f"{ROOM}collection/?threshold=2"
    query = "direction=forward&amp;labels=over:original&amp;threshold=2&amp;queries=all"
    assert f'hx-get="{PAGE}state/?{query}"' in client.get(chapter_address).content.decode()
    for name in ("positives-per-query", "hits-by-length"):
        compute_kept(study, name, threshold=2)
    page = client.get(chapter_address).content.decode()
    assert f'href="{PAGE}?{query}"' in page
    keys = [run.pk for run in study.runs.filter(direction="forward").order_by("pk")]
    runs = "".join(f"&amp;run={key}" for key in keys)
    hits = f"{ROOM}collection/hits-by-length/?{query}&amp;measure=C@5{runs}"
    assert f'href="{hits}"' in page
    # the link of before still names its runs when another one comes first by name
    studies.run(study, "aaa", seed=9)
    choices = client.get(unescape(hits)).context["choices"]
    assert [run.name for run in choices.runs] == ["alpha", "beta"]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, "Runs: alpha, beta, the first of 4 by name."),
        ({"team": "Blue"}, "Runs: alpha, beta, the first of 3 by name."),
        ({"team": "Blue", "measure": "C@1 AP"}, "Measure C@1, the first of 2 chosen. Runs: "),
    ],
)
def test_a_polled_finding_is_that_of_the_page_loaded_anew(client, study, parameters, words):
    for name in ("further", "another one"):
        studies.run(study, f"x {name}", seed=len(name))
    Run.objects.filter(direction="forward").exclude(name="x further").update(team="Blue")
    address = f"{ROOM}collection/hits-by-length/"
    (poll,) = re.findall('hx-get="([^"]*)"', client.get(address, parameters).content.decode())
    # an address of all runs would be too long where there are many
    assert ("run=" in poll) == (parameters != {})
    compute_kept(study, "hits-by-length", **parameters)
    polled = client.get(unescape(poll)).content.decode().strip()
    assert words in unescape(polled)
    assert polled in client.get(address, parameters).content.decode()


def test_a_marked_team_is_chosen_on_the_page_and_stays_in_the_address(client, study):
    study.runs.filter(name="alpha").update(team="Blue", uploaded_by=client.session["_auth_user_id"])
    address = f"{ROOM}systems/differences/"
    for query, own in (("", "Blue"), ("?mark=", ""), ("?mark=Blue", "Blue")):
        answer = client.get(f"{address}{query}")
        page = answer.content.decode()
        assert '<select\n        name="mark" id="id_mark"><option value="">None</option>' in page
        assert answer.context["choices"].mark == own
        # also that none is, for people with a team of their own
        assert f"&amp;mark={own}&" in page or f'&amp;mark={own}"' in page
    assert 'name="mark"' not in client.get(f"{ROOM}collection/").content.decode()


def test_a_parameter_that_is_no_choice_is_told(client, study):
    answer = client.get(f"{PAGE}?label_source=only")
    assert answer.status_code == 422
    assert '"label_source" is no choice here; there are: direction, run,' in unescape(
        text_of(answer)
    )


def test_a_form_that_turns_the_direction_shows_the_runs_of_that_direction(client, study):
    keys = "&".join(f"run={run.pk}" for run in study.runs.filter(direction="forward"))
    answer = client.get(f"{ROOM}collection/?{keys}&direction=reverse")
    assert answer.status_code == 200
    assert [run.name for run in answer.context["choices"].runs] == ["gamma"]


def test_chosen_runs_of_the_other_direction_are_told(client, study):
    keys = {run.name: run.pk for run in study.runs.all()}

    def text(path, *names, direction="forward"):
        parameters = {"run": [keys[name] for name in names], "direction": direction}
        return unescape(text_of(client.get(f"{ROOM}{path}", parameters)))

    chapter = "systems/"
    assert "1 of the 3 chosen runs is of the other direction, document to query: figures of" in (
        text(chapter, "alpha", "beta", "gamma")
    )
    assert "2 of the 3 chosen runs are of the other direction, query to document: figures of" in (
        text(chapter, "alpha", "beta", "gamma", direction="reverse")
    )
    turned = "The chosen run is of the other direction, document to query: instead, "
    assert f"{turned}all runs of this direction are shown." in text(chapter, "gamma")
    study.runs.filter(name__in=("beta", "gamma")).update(system="B")
    assert f"{turned}those of the same systems are shown." in text(chapter, "gamma")
    # nobody is told who chose none, those of the direction, or where runs change nothing
    for path, names in ((chapter, ()), (chapter, ("alpha",)), ("labels/labels-by-pool/", keys)):
        assert "the other direction, " not in text(path, *names)


def test_reference_sets_of_the_form_become_one_key(client, study):
    answer = client.get(f"{ROOM}collection/?sets=original&labels=union")
    assert (answer.status_code, answer["Location"]) == (
        302,
        f"{ROOM}collection/?labels=union:original",
    )


def test_unreadable_choices_are_told_with_the_defaults_shown(client, study):
    answer = client.get(f"{PAGE}?direction=sideways")
    assert answer.status_code == 422
    assert "“" not in answer.context["choices"].errors[0]
    assert "is no direction with queries" in text_of(answer)


@pytest.mark.parametrize("path", ["", "collection/", "collection/positives-per-query/"])
def test_every_page_of_the_room_refuses_a_threshold_that_is_no_level(client, study, path):
    answer = client.get(f"{ROOM}{path}?threshold=99")
    assert answer.status_code == 422
    sentence = '"99" is no choice of "threshold"; there are: 1'
    assert sentence in unescape(text_of(answer))
    assert client.get(f"{ROOM}{path}?threshold=1").status_code == 200


def test_what_is_not_defined_is_told_in_a_sentence(client, study):
    compute_kept(study, "hits-by-length", direction="reverse")
    text = text_of(client.get(f"{ROOM}collection/hits-by-length/?direction=reverse"))
    assert "Not defined" in text and "It takes 2 runs of this direction; 1 run is chosen." in text


def test_the_table_comes_as_a_file_once_it_is_there(client, study):
    waiting = client.get(f"{PAGE}table.csv")
    assert (waiting.status_code, waiting["Retry-After"]) == (202, "3")
    compute_kept(study, "positives-per-query")
    answer = client.get(f"{PAGE}table.csv")
    assert answer["Content-Disposition"] == 'attachment; filename="study-positives-per-query.csv"'
    head, first, *_ = answer.content.decode().split("\r\n")
    assert head.startswith("labels,n_positive,n_without,mean,low,high")
    assert first.startswith("people over reference “original”,")
    assert client.get(f"{PAGE}table.csv?threshold=x").status_code == 422
    compute_kept(study, "hits-by-length", direction="reverse")
    undefined = client.get(f"{ROOM}collection/hits-by-length/table.csv?direction=reverse")
    assert undefined.status_code == 422


def test_the_csv_of_a_chart_has_the_rows_that_its_page_leaves_out(client, study):
    compute_kept(study, "positives-per-query")
    page = client.get(PAGE).content.decode()
    assert 'data-download="csv"' not in page
    (link,) = re.findall(r'href="([^"]*)">CSV<span', page)
    assert client.get(unescape(link)).content.startswith(b"labels,")


def panel_of(answer):
    """The one panel of an answer that has its result."""
    panels = answer.context.get("panels") or [answer.context["panel"]]
    (panel,) = [panel for panel in panels if panel.answer is not None]
    return panel


@pytest.mark.parametrize(("has_chart", "n_shown"), [(True, 300), (False, 100)])
def test_pages_read_the_rows_that_they_show_and_files_all(
    client, study, monkeypatch, has_chart, n_shown
):
    compute_kept(study, "positives-per-query")
    row = Kept.objects.get()
    rows = [[f"row {n}", *row.value["rows"][0][1:]] for n in range(1_234)]
    spec = row.value["spec"] if has_chart else None
    Kept.objects.update(value=row.value | {"rows": rows, "spec": spec})
    pages = [PAGE, f"{PAGE}state/", f"{ROOM}collection/"]
    answers = [client.get(page) for page in pages]
    for answer in answers:
        sentence = f"The first {n_shown} of 1,234 rows; the CSV has all."
        assert sentence in answer.content.decode()
        assert f"row {n_shown - 1}<" in answer.content.decode()
        assert f"row {n_shown}<" not in answer.content.decode()
        panel = panel_of(answer)
        assert (len(panel.answer.result.rows), panel.answer.result.n_rows) == (300, 1_234)
    lines = client.get(f"{PAGE}table.csv").content.decode().split("\r\n")
    assert [line.partition(",")[0] for line in lines[1:-1]] == [cells[0] for cells in rows]
    monkeypatch.setattr(analysis_pages, "MOST_ROWS_READ", None)
    for page, answer in zip(pages, answers, strict=True):
        whole = panel_of(client.get(page))
        assert len(whole.answer.result.rows) == 1_234
        assert whole.chart == panel_of(answer).chart


@pytest.mark.parametrize("path", ["nowhere/", "collection/nothing/", "collection/nothing/state/"])
def test_unknown_chapters_and_analyses_are_not_there(client, study, path):
    assert client.get(f"{ROOM}{path}").status_code == 404


def test_a_page_makes_as_many_queries_for_many_runs_as_for_few(
    client, study, django_assert_max_num_queries
):
    for name in ANALYSES:
        compute_kept(study, name)
    with django_assert_max_num_queries(30) as first:
        client.get(f"{ROOM}collection/")
    for number in range(5):
        studies.run(study, f"further {number}", seed=number)
    with django_assert_max_num_queries(len(first)):
        client.get(f"{ROOM}collection/")


def test_choices_go_along_from_chapter_to_chapter(client, study):
    query = "?threshold=2&amp;name=one"
    chapter_page = client.get(f"{ROOM}collection/?threshold=2&name=one").content.decode()
    addresses = [f"{ROOM}{slug}/" for slug in CHAPTERS]
    for address in [ROOM, *addresses, PAGE]:
        assert f'href="{address}{query}"' in chapter_page
    address = f"{ROOM}collection/positives-per-query/?threshold=2&decide=regwq&n=5&team=x"
    form = client.get(address).content.decode().partition('id="choices-form"')[2]
    hidden = '<input type="hidden" name="{}" value="{}">'
    assert all(hidden.format(*pair) in form for pair in (("decide", "regwq"), ("n", "5")))
    assert hidden.format("threshold", "2") not in form
    contents_page = client.get(f"{ROOM}?threshold=2&name=one").content.decode()
    for address in [*addresses, PAGE]:
        assert f'href="{address}{query}"' in contents_page


def test_the_closed_bar_tells_the_choices_of_its_page(client, study):
    def line(path):
        bar = client.get(f"{ROOM}{path}").content.decode().partition('id="choices"')[2]
        return unescape(re.search('<span class="quiet">(.*?)</span></summary>', bar)[1])

    shared = (
        "Query to document · people over reference “original” · positive from grade 2 · "
        "query set “all”"
    )
    assert line("collection/?threshold=2") == shared
    assert line("systems/?threshold=2&measure=AP+C@1") == f"{shared} · AP C@1"


def test_the_contents_list_the_choices_that_their_links_keep(client, study):
    assert "The links below keep" not in text_of(client.get(ROOM))
    query = "threshold=2&measure=AP&decide=regwq&missing=queries&n=5&name=beta"
    text = unescape(text_of(client.get(f"{ROOM}?{query}")))
    assert (
        "The links below keep your choices: Runs (1 of 2) · Query to document · people over "
        "reference “original” · positive from grade 2 · query set “all” · AP · "
    ) in text
    assert 'Typed: n 5. <a href="?">All defaults</a>' in text


def test_a_measure_that_is_not_there_is_cut_in_its_error(client, study):
    text = unescape(text_of(client.get(f"{ROOM}?measure={'x' * 200}")))
    assert f'There is no measure "{"x" * 40}"; there are: ' in text
    assert "The links below keep" not in text


def test_cells_of_tables_are_escaped_and_numbers_keep_their_digits():
    rows = [["<b>", Figure("1,234.5", "1234.5678"), 1200, "a & b", Figure("", "")]]
    cells = (
        '<td class="number" data-value="1234.5678">1,234.5</td><td>1200</td>'
        "<td>a &amp; b</td><td></td>"
    )
    assert table_rows(rows, "number") == f'<tr><th scope="row">&lt;b&gt;</th>{cells}</tr>'


def test_heads_tell_numbers_from_words():
    rows = [["a", Figure("", "")], ["b", Figure("1", "1")]]
    long = "Pairs of two labels <or> more"
    assert table_heads(["Run", long], rows) == (
        '<th scope="col">Run</th>'
        '<th scope="col" class="number words">Pairs of two labels &lt;or&gt; more</th>'
    )
    assert table_heads(["Run", "n"], [["a", 1]]) == '<th scope="col">Run</th><th scope="col">n</th>'


def test_cells_of_more_words_have_some_width():
    rows = [["a name of a run, with words", "a large blue star", "a large blue star over a heart"]]
    assert table_rows(rows) == (
        '<tr><th scope="row" class="words">a name of a run, with words</th>'
        '<td>a large blue star</td><td class="words">a large blue star over a heart</td></tr>'
    )
