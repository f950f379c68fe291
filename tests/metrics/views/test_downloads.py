"""Downloads: qrels with the leaderboard's numbers in other tools, and the same bytes each time."""

import re

import ir_measures
import numpy as np
import pytest
from eccv_caption._metrics import compute_eccv_metrics
from ir_measures import AP, Qrel, ScoredDoc, Success, nDCG

from annotate.models import ApiToken, Item, Role
from metrics.models import Score
from metrics.services.scores.measuring import AUXILIARY
from pooling.models import Ranking, Run
from tests import cast
from tests.assayer.commands.files.running import output_of
from tests.metrics import studies
from tests.metrics.services.downloads.download_files import downloaded
from tests.works import perform_work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
PAGE = "/c/study/results/downloads/"


@pytest.fixture
def study(client):
    """A study out of order with its numbers; a researcher signed in."""
    study = studies.unordered_study(with_numbers=True)
    client.force_login(cast.member(study, Role.RESEARCHER))
    return study


def text(response):
    assert response.status_code == 200
    return b"".join(response.streaming_content).decode()


def parsed(qrels):
    return [
        Qrel(q, d, int(grade)) for q, _, d, grade in (line.split() for line in qrels.splitlines())
    ]


def scored(run):
    names = dict(Item.objects.values_list("pk", "external_id"))
    return [
        ScoredDoc(names[row.source_id], names[target], score)
        for row in Ranking.objects.filter(run=run)
        for target, score in zip(row.targets, row.scores, strict=True)
    ]


@pytest.mark.parametrize("source", ["over:original", "none:original"])
@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_ir_measures_on_the_files_gives_the_leaderboards_numbers(client, study, direction, source):
    qrels = parsed(downloaded(client, study, "qrels", direction=direction, label_source=source))
    their_measures = {
        "C@1": Success(rel=2) @ 1,
        "C@5": Success(rel=2) @ 5,
        "C@10": Success(rel=2) @ 10,
        "AP": AP(rel=2),
        "nDCG@10": nDCG @ 10,
    }
    for run in Run.objects.filter(collection=study, direction=direction):
        values = list(ir_measures.iter_calc(their_measures.values(), qrels, scored(run)))
        for name, measure in their_measures.items():
            score = Score.objects.get(run=run, measure=name, label_source=source)
            total = sum(row.value for row in values if row.measure == measure)
            assert score.mean == pytest.approx(total / score.n_queries, abs=1e-9)


@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_eccv_captions_formula_on_the_files_gives_map_at_r(client, study, direction):
    qrels = parsed(downloaded(client, study, "qrels", direction=direction))
    positives = {}
    for row in qrels:
        if row.relevance >= 2:
            positives.setdefault(row.query_id, []).append(row.doc_id)
    for run in Run.objects.filter(collection=study, direction=direction):
        ranking = {}
        for row in scored(run):
            ranking.setdefault(row.query_id, []).append(row.doc_id)
        their_measures = compute_eccv_metrics(ranking, positives)
        score = Score.objects.get(run=run, measure="mAP@R", label_source="over:original")
        assert score.mean_with_positive == pytest.approx(their_measures["eccv_map_at_r"], abs=1e-9)


def test_the_same_labels_give_the_same_bytes_in_the_order_of_the_ids(client, study):
    lines = downloaded(client, study, "qrels").splitlines()
    assert downloaded(client, study, "qrels").splitlines() == lines
    keys = [(q.encode(), d.encode()) for q, _, d, _ in (line.split() for line in lines)]
    assert keys == sorted(keys) and len(set(keys)) == len(keys)


def test_binary_qrels_hold_1_from_the_threshold_up(client, study):
    graded = parsed(downloaded(client, study, "qrels"))
    binary = parsed(downloaded(client, study, "qrels", grades="binary"))
    strict = parsed(downloaded(client, study, "qrels", grades="binary", threshold=3))
    assert [row.relevance for row in binary] == [int(row.relevance >= 2) for row in graded]
    assert [row.relevance for row in strict] == [int(row.relevance >= 3) for row in graded]


def test_disputed_pairs_come_with_all_their_grades(client, study):
    lines = downloaded(client, study, "disputed").splitlines()
    assert lines[0] == "query\tdocument\tstatus\tgrades"
    disputed = study.resolutions.filter(status="disputed").select_related(
        "pair__query", "pair__document"
    )
    assert disputed.count() == len(lines) - 1 > 0
    for line in lines[1:]:
        _, _, status, grades = line.split("\t")
        assert status == "disputed" and len(grades.split()) >= 2


EXACT = "C@1 C@5 C@10 AP nDCG@10 mAP@R Judged@10"


def run_file(run, path):
    """A run as a TREC file, from its stored rankings."""
    rows = [(row.query_id, row.doc_id, row.score) for row in scored(run)]
    path.write_text(
        "".join(
            f"{query} Q0 {document} 0 {score!r} {run.name}\n" for query, document, score in rows
        )
    )
    return str(path)


def evaluate_output(run, qrels, threshold, *options):
    """The output of `manage.py evaluate` for a run and qrels, by measure."""
    arguments = [
        "--measures",
        EXACT,
        "--threshold",
        str(threshold),
        "--digits",
        "8",
        "--score-type",
        "float64",
        *options,
    ]
    text = output_of("evaluate", run, "--qrels", qrels, *arguments)
    return {line.split("\t")[0]: line.split("\t")[2] for line in text.splitlines()}


@pytest.mark.parametrize("source", ["over:original", "none:original"])
def test_evaluate_on_the_downloaded_files_prints_the_leaderboards_numbers(
    client, study, tmp_path, source
):
    for direction in ("forward", "reverse"):
        parameters = {"direction": direction, "label_source": source}
        qrels, binary = tmp_path / "qrels", tmp_path / "binary"
        qrels.write_text(downloaded(client, study, "qrels", **parameters))
        binary.write_text(downloaded(client, study, "qrels", **parameters, grades="binary"))
        for run in Run.objects.filter(collection=study, direction=direction):
            file = run_file(run, tmp_path / run.name)
            printed = evaluate_output(file, qrels, 2)
            defined = evaluate_output(file, qrels, 2, "--positive-queries")
            by_binary = evaluate_output(file, binary, 1)
            for score in Score.objects.filter(run=run, label_source=source).exclude(
                measure__in=AUXILIARY
            ):
                if score.n_queries == int(printed["num_q"]):
                    assert printed[score.measure] == f"{score.mean:.8f}"
                    if score.measure != "nDCG@10":  # gains are grades
                        assert by_binary[score.measure] == printed[score.measure]
                if score.measure != "Judged@10":
                    assert defined[score.measure] == f"{score.mean_with_positive:.8f}"


def test_scores_a_query_average_to_the_leaderboard(client, study):
    lines = [line.split("\t") for line in downloaded(client, study, "scores").splitlines()]
    assert lines[0][-3:] == ["query", "value", "group"]
    rows = [
        line for line in lines[1:] if line[:5] == ["alpha", "forward", "all", "over:original", "AP"]
    ]
    score = Score.objects.get(run__name="alpha", measure="AP", label_source="over:original")
    assert len(rows) == 8
    assert np.mean([float(row[-2]) for row in rows]) == pytest.approx(score.mean, abs=1e-12)


def test_judgments_come_in_each_format(client, study):
    page = client.get(PAGE).content.decode()
    for kind, first in (("csv", "query,document"), ("jsonl", '{"query"')):
        assert f'value="{kind}"' in page
        assert downloaded(client, study, "judgments", format=kind).startswith(first)
    assert 'value="parquet"' in page
    assert client.post(f"{PAGE}new/judgments/", {"format": "exe"}).status_code == 422


def test_a_file_is_asked_for_made_and_fetched_from_the_page(client, study, media_root):
    parameters = {"direction": "reverse", "label_source": "only", "grades": "binary"}
    assert client.post(f"{PAGE}new/qrels/", parameters).status_code == 302
    download = study.downloads.get()
    assert f"{PAGE}{download.pk}/state/" in client.get(PAGE).content.decode()
    assert client.get(f"{PAGE}{download.pk}/file/").status_code == 404
    perform_work(download)
    page = client.get(PAGE).content.decode()
    assert (
        download.sha256 in page and "People only" in page and f"{PAGE}{download.pk}/file/" in page
    )
    assert client.get(f"{PAGE}{download.pk}/state/").headers["HX-Redirect"] == PAGE
    answer = client.get(f"{PAGE}{download.pk}/file/")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{download.file_name}"'
    assert text(answer) == downloaded(client, study, "qrels", **parameters)


def test_what_cannot_be_made_is_said_at_its_field_and_nothing_is_asked_for(client, study):
    answer = client.post(f"{PAGE}new/beir/", {"direction": "sideways"})
    assert (
        answer.status_code == 422
        and "sideways is not one of the available choices" in answer.content.decode()
    )
    assert client.post(f"{PAGE}new/qrels/", {"rule": "dice"}).status_code == 422
    assert client.post(f"{PAGE}new/gossip/").status_code == 404
    assert not study.downloads.exists()


def test_every_field_of_the_page_has_an_id_of_its_own_so_that_its_label_names_it(client, study):
    ids = re.findall(r'<(?:input|select)[^>]* id="([^"]+)"', client.get(PAGE).content.decode())
    assert "judgments_packed" in ids and len(ids) == len(set(ids))


def test_annotators_and_strangers_find_no_download(client, study):
    for person in (cast.member(study, Role.ANNOTATOR), cast.user()):
        client.force_login(person)
        assert client.get(PAGE).status_code == 404
        assert client.post(f"{PAGE}new/qrels/").status_code == 404


def bearer(study, scope, person=None):
    return cast.bearer(person or cast.member(study, Role.RESEARCHER), scope, collection=study)


def test_a_program_gets_the_same_qrels_by_token(client, study):
    page = downloaded(client, study, "qrels", direction="reverse")
    headers = bearer(study, ApiToken.Scope.QRELS_READ)
    answer = client.get("/api/v1/collections/study/qrels/?direction=reverse", headers=headers)
    assert text(answer) == page


def test_a_program_without_the_scope_or_the_role_gets_none(client, study):
    path = "/api/v1/collections/study/qrels/"
    assert client.get(path).status_code == 401
    assert client.get(path, headers=bearer(study, ApiToken.Scope.RUNS_WRITE)).status_code == 403
    annotator = cast.member(study, Role.ANNOTATOR)
    refusal = client.get(path, headers=bearer(study, ApiToken.Scope.QRELS_READ, annotator))
    assert refusal.status_code == 403
    assert "researcher" in refusal.json()["detail"]
    stranger = bearer(study, ApiToken.Scope.QRELS_READ, cast.user())
    assert client.get(path, headers=stranger).status_code == 404


def test_wrong_parameters_are_told_to_programs_by_field(client, study):
    headers = bearer(study, ApiToken.Scope.QRELS_READ)
    answer = client.get("/api/v1/collections/study/qrels/?direction=sideways", headers=headers)
    assert answer.status_code == 422
    assert [row["field"] for row in answer.json()["errors"]] == ["direction"]
