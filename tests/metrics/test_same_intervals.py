"""The same data have the same interval on every page, in every file and from every command."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from annotate.models import Item, Kept
from annotate.services.background import kept
from annotate.services.collection import judgment_export
from metrics.core.measures.measures import parse_one
from metrics.core.statistics.groups import Groups
from metrics.core.statistics.intervals import mean_intervals
from metrics.forms.qrels import QrelsForm
from metrics.models import Score, Snapshot
from metrics.services.dashboard import details as dashboard_details
from metrics.services.downloads import lines as download_rows
from metrics.services.downloads.qrels import qrels_of
from metrics.services.leaderboard import comparison as leaderboard_comparison
from tests.assayer.commands.files.running import output_of
from tests.metrics import studies

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study():
    return studies.judged_study("study", seeds=range(3), likes=0.5)


def run_lines(run):
    names = dict(Item.objects.values_list("pk", "external_id"))
    return "".join(
        f"{names[row.source_id]} Q0 {names[target]} 0 {score!r} t\n"
        for row in run.rankings.all()
        for target, score in zip(row.targets, row.scores, strict=True)
    )


def command(name, *arguments):
    return json.loads(output_of(name, *arguments))


def test_alpha_of_the_dashboard_of_its_parts_and_of_a_file_of_the_labels(study, tmp_path):
    table, scores = tmp_path / "labels.csv", tmp_path / "scores.tsv"
    table.write_bytes(b"".join(judgment_export.write(collection=study, kind="csv")))
    scores.write_text("".join(download_rows.scores_per_query(collection=study, viewer=None)))
    value = Snapshot.objects.get(collection=study, kind="agreement").value
    columns = (
        "--unit",
        "query,document",
        "--value",
        "grade",
        "--group",
        "query",
        "--groups",
        scores,
    )
    for name, options in (("planned", ["--planned"]), ("all", [])):
        page = value[name]["ordinal"]
        printed = command(
            "agreement",
            table,
            "--level",
            "ordinal",
            "--bootstrap",
            1000,
            *columns,
            *options,
            "--json",
        )
        assert page["low"] < page["value"]
        assert [printed[name] for name in ("alpha", "low", "high", "seed")] == [
            page[name] for name in ("value", "low", "high", "seed")
        ]
    assert value["planned"]["ordinal"]["value"] != value["all"]["ordinal"]["value"]
    page = value["planned"]["ordinal"]
    kept.compute(inquiry=dashboard_details.inquiry_of(collection=study))
    (pool,) = Kept.objects.get(collection=study, kind=dashboard_details.KIND).value["by_pool"]
    assert [pool["alpha"]["ordinal"][name] for name in ("value", "low", "high")] == [
        page[name] for name in ("value", "low", "high")
    ]


def test_a_score_on_the_page_in_the_file_of_scores_and_from_evaluate(study, tmp_path):
    score = Score.objects.get(run__name="alpha", measure="AP", label_source="over:original")
    lines = "".join(download_rows.scores_per_query(collection=study, viewer=None)).splitlines()
    head = lines[0].split("\t")
    rows = [dict(zip(head, line.split("\t"), strict=True)) for line in lines[1:]]
    values = [
        float(row["value"])
        for row in rows
        if (row["run"], row["measure"], row["label_source"]) == ("alpha", "AP", score.label_source)
    ]
    (interval,) = mean_intervals(np.array([sorted(values, reverse=True)]), are_shares=True)
    assert interval == pytest.approx((score.low, score.high), abs=1e-12)
    parameters = {"direction": "forward", "label_source": score.label_source}
    form = QrelsForm(parameters, collection=study)
    assert form.is_valid()
    (tmp_path / "qrels").write_text(
        "".join(qrels_of(collection=study, qrels_request=form.qrels_request()))
    )
    (tmp_path / "run").write_text(run_lines(score.run))
    files = tmp_path / "run", "--qrels", tmp_path / "qrels", "--score-type", "float64"
    printed = command("evaluate", *files, "--measures", "AP", "--intervals", "--json")
    assert printed["all"]["AP"] == pytest.approx(score.mean, abs=1e-12)
    assert printed["intervals"]["AP"] == pytest.approx([score.low, score.high], abs=1e-12)


def test_two_runs_have_the_same_interval_and_the_same_p_whichever_is_named_first(study):
    first, second = (
        np.frombuffer(
            Score.objects.get(run__name=name, measure="AP", label_source="over:original").per_query
        )
        for name in ("alpha", "beta")
    )
    queries = study.items.filter(side="query").order_by("pk").values_list("pk", flat=True)
    scope, groups = SimpleNamespace(sources=np.array(queries)), Groups.single(len(queries))
    inputs = SimpleNamespace(scope=scope, groups=groups, measures=[parse_one("AP")])
    forth, back = (
        leaderboard_comparison._comparison_facts(inputs, *both)
        for both in ((first, second), (second, first))
    )
    assert (forth["low"], forth["high"]) == (-back["high"], -back["low"])
    assert [test["p"] for test in forth["tests"]] == [test["p"] for test in back["tests"]]


def test_queries_that_the_qrels_do_not_name_count_where_a_list_does(tmp_path):
    (tmp_path / "run").write_text("q1 Q0 d1 1 2 t\nq2 Q0 d1 1 2 t\n")
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "ids").write_text("q1\nq2\nq3\n")
    files = tmp_path / "run", "--qrels", tmp_path / "qrels", "--measures", "AP", "--json"
    assert command("evaluate", *files)["all"]["AP"] == 1
    printed = command("evaluate", *files, "--queries", tmp_path / "ids")
    assert (printed["num_q"], printed["num_q_missing"], printed["all"]["AP"]) == (
        3,
        1,
        pytest.approx(1 / 3),
    )
