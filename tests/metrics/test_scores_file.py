"""The downloaded file of scores as input of `compare` and `plan`, with the output of run files."""

import re

import numpy as np
import pytest

from annotate.models import Item
from annotate.services.review.exclusions import exclude_item, restore_item
from metrics.models import Download, Score
from metrics.services.numbers import refresh
from tests import cast
from tests.assayer.commands.files.running import assayer, output_of
from tests.metrics import uploads

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]


@pytest.fixture
def judged():
    rng = np.random.default_rng(8)
    upload = uploads.upload(rng, strange=0.2)
    lines = uploads.run_lines(rng, upload.collection, direction="forward", strange=0.2)
    uploads.ingested(upload.collection, "other", lines)
    uploads.labels(rng, upload.collection, n_sets=2)
    refresh.refresh(collection=upload.collection)
    return upload.collection


def numbers(text):
    """The output of a comparison without the names of the runs."""
    return [line.split("\t")[2:] for line in text.splitlines()]


def download_to(path, collection, kind, **parameters):
    path.write_bytes(uploads.downloaded(collection, kind, parameters).file.read())
    return path


@pytest.mark.parametrize("key", ["over:cxc", "none:original"])
def test_compare_and_plan_read_the_file_of_scores(judged, tmp_path, key):
    scores = download_to(tmp_path / "scores.tsv", judged, Download.Kind.SCORES)
    query_set = judged.query_sets.get(direction="forward", name="all")
    runs = []
    for run in judged.runs.order_by("name"):
        runs.append(tmp_path / run.name)
        runs[-1].write_text(uploads.as_scored(run, query_set))
    qrels = download_to(
        tmp_path / "qrels", judged, Download.Kind.QRELS, direction="forward", label_source=key
    )
    (tmp_path / "queries").write_text("\n".join(uploads.sources_of(query_set)))
    with_labels = ("--qrels", qrels, "--queries", tmp_path / "queries")
    for measure in ("AP", "C@1", "nDCG@10"):
        for test in ("newman-keuls", "randomization"):
            about = ("--measure", measure, "--test", test)
            of_file = numbers(output_of("compare", scores, "--label-source", key, *about))
            assert of_file == numbers(
                output_of("compare", *runs, *with_labels, *about, "--groups", scores)
            )
    score = Score.objects.get(run__name="other", label_source=key, measure="AP")
    planned = output_of(
        "plan", scores, "--label-source", key, "--measure", "AP", "--run", "other", "--sizes", "8"
    )
    assert planned.startswith(f"mean\t{score.mean:.4f}\nqueries\t{score.n_queries}\n")


def test_what_is_open_is_asked_for_with_what_there_is(judged, tmp_path):
    scores = download_to(tmp_path / "scores.tsv", judged, Download.Kind.SCORES)
    for options, words in (
        ((), r"several: C@1, .*AP.*Choose one by --measure"),
        (("--measure", "AP"), r"several: none:cxc, .*over:original. Choose one by --label-source"),
    ):
        assert re.search(words, assayer("compare", scores, *options).stderr)


def test_no_value_stands_under_the_name_of_another_query(judged, tmp_path):
    """As many queries count as before, but others: stored values fit none until a refresh."""
    by, (first, second) = (
        cast.user(),
        Item.objects.filter(collection=judged, side="query").order_by("pk")[:2],
    )
    exclude_item(item=first, by=by, reason="It is broken.")
    refresh.refresh(collection=judged)
    restore_item(item=first, by=by)
    exclude_item(item=second, by=by, reason="It is broken.")
    assert download_to(tmp_path / "a", judged, Download.Kind.SCORES).read_text().count("\n") == 1
    refresh.refresh(collection=judged)
    lines = download_to(tmp_path / "b", judged, Download.Kind.SCORES).read_text().splitlines()
    query_names = {line.split("\t")[8] for line in lines[1:] if line.split("\t")[1] == "forward"}
    assert first.external_id in query_names and second.external_id not in query_names


@pytest.mark.parametrize("grouping", ["column", "none"])
def test_the_file_names_the_group_of_each_query_and_the_commands_follow_it(
    judged, tmp_path, grouping
):
    judged.items.filter(external_id__in=["q0", "q1"]).update(group="one  video")
    judged.items.filter(external_id="d1").update(group="other")
    judged.query_groups = grouping
    judged.save(update_fields=["query_groups"])
    scores = download_to(tmp_path / "scores.tsv", judged, Download.Kind.SCORES)
    head, *lines = scores.read_text().splitlines()
    assert head.split("\t")[-3:] == ["query", "value", "group"]
    group_of = {
        (direction, query): group
        for _, direction, *_, query, _, group in (line.split("\t") for line in lines)
    }
    expected = {"q0": "group:one video", "q1": "group:one video"} if grouping == "column" else {}
    forward = {
        query: group for (direction, query), group in group_of.items() if direction == "forward"
    }
    assert (
        forward == {query: expected.get(query, f"query:{query}") for query in forward}
        and len(forward) > 2
    )
    (tmp_path / "groups").write_text(
        "".join(f"{query}\t{group}\n" for query, group in expected.items()) or "q0\tq0\n"
    )
    about = ("--measure", "AP", "--label-source", "over:cxc")
    for command in (
        ("compare", scores, "--test", "randomization"),
        ("plan", scores, "--run", "other", "--sizes", "8"),
    ):
        followed = output_of(*command, *about)
        assert followed == output_of(*command, *about, "--groups", tmp_path / "groups")
        assert followed == output_of(*command, *about, "--groups", scores)
        assert (followed == output_of(*command, *about, "--no-groups")) is (grouping == "none")


def test_captions_of_one_document_are_of_its_group(judged, tmp_path):
    own = cast.reference(judged, {("q0", "d3"): 2, ("q1", "d3"): 2, ("q2", "d4"): 2}, "own")
    judged.reference_sets.exclude(pk=own.pk).delete()
    refresh.refresh(collection=judged)
    lines = (
        download_to(tmp_path / "scores.tsv", judged, Download.Kind.SCORES)
        .read_text()
        .splitlines()[1:]
    )
    group_of = {
        line.split("\t")[8]: line.split("\t")[10]
        for line in lines
        if line.split("\t")[1] == "forward"
    }
    expected = {"q0": "document:d3", "q1": "document:d3", "q2": "document:d4"}
    assert (
        group_of == {query: expected.get(query, f"query:{query}") for query in group_of}
        and len(group_of) > 3
    )
