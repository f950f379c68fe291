"""The leaderboard as CSV and LaTeX: the numbers of the page with all digits, and their subject."""

import csv
import io
import re

import pytest
from django.http import QueryDict

from annotate.models import Role
from metrics.models import Score
from metrics.services.leaderboard import computation
from metrics.services.leaderboard.choices.parameters import read_choices
from metrics.services.leaderboard.files import as_csv, as_latex
from metrics.services.leaderboard.leaderboard import leaderboard_of
from pooling.models import Run
from tests import cast
from tests.metrics import studies
from tests.metrics.services.leaderboard import boards
from tests.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return studies.judged_study("study", likes=0.9)


def leaderboard_with(study, **parameters):
    choices = read_choices(collection=study, viewer=None, parameters=parameters)
    boards.compute(collection=study, spec=choices.spec)
    look = computation.look(collection=study, spec=choices.spec)
    return leaderboard_of(choices=choices, collection=study, view=look.row, version=look.version)


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_a_line_a_run_and_measure_has_every_digit_of_the_score(study):
    rows = rows_of(as_csv(leaderboard=leaderboard_with(study), collection=study))
    assert len(rows) == 3 * 6
    for row in rows:
        score = Score.objects.get(
            run__name=row["run"], measure=row["measure"], label_source="over:original"
        )
        printed = [
            row[name]
            for name in ("score", "low", "high", "bound_low", "bound_high", "score_with_positive")
        ]
        ends = [score.mean, score.best] if row["measure"].startswith("C@") else [None, None]
        stored = [score.mean, score.low, score.high, *ends, score.mean_with_positive]
        assert printed == ["" if value is None else repr(value) for value in stored]
        reference = Score.objects.get(
            run=score.run, measure=row["measure"], label_source="none:original"
        )
        assert row["reference_only"] == repr(reference.mean)
        assert (row["unit"], row["collection"], row["label_source"]) == (
            "share",
            "study",
            "over:original",
        )
        numbers = [row[name] for name in ("n_gallery", "n_queries", "n_missing")]
        assert numbers == [str(score.n_gallery), str(score.n_queries), str(score.n_missing)]
    first = [row for row in rows if row["direction"] == "forward" and row["measure"] == "C@1"]
    assert [float(row["score"]) for row in first] == sorted(
        (float(row["score"]) for row in first), reverse=True
    )


def test_names_are_no_formulas_and_no_commands(study):
    Run.objects.filter(name="alpha").update(name="=1+1", system="a_b & 50%")
    board = leaderboard_with(study)
    assert {row["run"] for row in rows_of(as_csv(leaderboard=board, collection=study))} == {
        "'=1+1",
        "beta",
        "gamma",
    }
    Run.objects.filter(name="=1+1").update(name=r"a_b & 50% \input{x} ~^")
    text = as_latex(leaderboard=leaderboard_with(study), collection=study)
    assert r"a\_b \& 50\% \textbackslash{}input\{x\} \textasciitilde{}\textasciicircum{} &" in text


def test_latex_has_a_table_a_direction_with_all_digits_in_per_cent(study):
    board = leaderboard_with(study, measures="AP MedR")
    text = as_latex(leaderboard=board, collection=study)
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 2
    assert r"Run & {AP} & {MedR} \\" in text
    assert "in per cent, MedR in ranks." in text
    for table in board.tables:
        for row in table.rows:
            (line,) = re.findall(rf"^{row.run.name} & (.*) \\\\$", text, re.MULTILINE)
            whole, rank = (facts and facts["whole"] for facts in row.facts)
            cells = line.split(" & ")
            assert float(cells[0]) == pytest.approx(100 * whole, abs=1e-12)
            assert len(cells[0].replace(".", "").lstrip("0")) >= len(
                repr(whole).replace(".", "").lstrip("0")
            )
            assert cells[1] == "{--}" if rank is None else float(cells[1]) == rank


def test_a_choice_of_runs_is_measured_alone_and_stands_in_the_address(client, study):
    chosen = Run.objects.get(name="beta")
    client.force_login(cast.member(study, Role.RESEARCHER))
    address = f"/c/study/results/leaderboard/table.csv?run={chosen.pk}"
    waiting = client.get(address)
    assert (waiting.status_code, waiting["Retry-After"]) == (202, "3")
    page = text_of(client.get(f"/c/study/results/leaderboard/?run={chosen.pk}"))
    assert "runs (1 of 3)" in page
    board = rooms_view(study, chosen)
    answer = client.get(address)
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/csv; charset=utf-8")
    assert {row["run"] for row in rows_of(answer.content.decode())} == {"beta"}
    assert board.value["directions"][0]["runs"] == [chosen.pk]
    assert client.get(f"/c/study/results/leaderboard/table.tex?run={chosen.pk}")[
        "Content-Type"
    ].startswith("application/x-tex")
    assert client.get("/c/study/results/leaderboard/table.pdf").status_code == 404
    wrong = client.get("/c/study/results/leaderboard/table.csv?measures=Nonsense")
    assert (wrong.status_code, "There is no measure" in text_of(wrong)) == (422, True)


def rooms_view(study, *runs):
    """The view of these runs alone, whose scores are the stored ones."""
    choices = read_choices(
        collection=study,
        viewer=None,
        parameters=QueryDict("&".join(f"run={run.pk}" for run in runs)),
    )
    assert choices.is_stored
    boards.compute(collection=study, spec=choices.spec)
    return boards.find(collection=study, spec=choices.spec)
