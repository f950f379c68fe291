"""One key names the same labels on the page, in a download, by API, to `evaluate`, and to an independent tool."""

import json
from collections import Counter
from io import StringIO

import ir_measures
import numpy as np
import pytest
from django.core.management import CommandError, call_command
from ir_measures import AP, Success, nDCG

from annotate.models import ApiToken, ReferenceLabel, Resolution, Role
from metrics.core.label_sources import LabelSource, People
from metrics.models import Download, Score
from metrics.services import leaderboard_views, refresh, tallies
from metrics.services.leaderboard import leaderboard_of
from metrics.services.leaderboard_wanted import read
from tests import cast
from tests.metrics import studies, uploads
from tests.sizes import share_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
MEASURES = {"C@1": Success @ 1, "C@10": Success @ 10, "AP": AP, "nDCG@10": nDCG @ 10}


@pytest.mark.parametrize("case", range(share_of(40)))
def test_a_key_gives_the_same_scores_everywhere(case, client, tmp_path):
    rng = np.random.default_rng([case, 9])
    direction = ("forward", "reverse")[case % 2]
    made = uploads.upload(rng, direction=direction)
    names = uploads.labels(rng, made.collection, n_sets=1 + case % 3)
    some = [name for name in names if rng.random() < 0.7] or names[-1:]
    source = LabelSource.of(rng.choice(list(People)), some)
    refresh.refresh(collection=made.collection)
    client.force_login(cast.member(made.collection, Role.RESEARCHER))

    labels = api_qrels(client, made.collection, direction, source.key)
    assert labels == page_qrels(client, made.collection, direction, source.key)
    cells = page_cells(made, direction, source.key)
    assert cells == pytest.approx(evaluated_file(made, direction, labels, tmp_path), abs=1e-12)
    assert cells == pytest.approx(evaluated_by_key(client, made, direction, source, tmp_path), abs=1e-12)
    assert cells == pytest.approx(independent(made, direction, labels), abs=1e-9)


def page_qrels(client, collection, direction, key):
    answer = client.get(f"/c/{collection.slug}/downloads/qrels/", {"direction": direction, "label_source": key})
    assert answer.status_code == 200, answer.content
    return b"".join(answer.streaming_content).decode()


def api_qrels(client, collection, direction, key):
    person = cast.member(collection, Role.RESEARCHER)
    headers = cast.bearer(person, ApiToken.Scope.QRELS_READ, collection=collection)
    address = f"/api/v1/collections/{collection.slug}/qrels/"
    answer = client.get(address, {"direction": direction, "label_source": key}, headers=headers)
    assert answer.status_code == 200, answer.content
    return b"".join(answer.streaming_content).decode()


def page_cells(made, direction, key):
    """What the leaderboard shows of the run, by measure, unrounded."""
    choices = read(collection=made.collection, viewer=None, given={"labels": key, "measures": " ".join(MEASURES)})
    assert choices.errors == [] and choices.source.key == key
    leaderboard_views.compute(collection=made.collection, wanted=choices.wanted)
    value = leaderboard_views.find(collection=made.collection, wanted=choices.wanted).value
    (own,) = [row for row in value["directions"] if made.run.pk in row["runs"]]
    place = own["runs"].index(made.run.pk)
    return {row["name"]: row["cells"][place]["whole"] for row in own["measures"]}


def scored(made, direction):
    """The run as it was scored, and the queries that count."""
    query_set = made.collection.query_sets.get(direction=direction, name="all")
    return uploads.as_scored(made.run, query_set), uploads.sources_of(query_set)


def evaluate(made, direction, tmp_path, *options):
    run, queries = scored(made, direction)
    (tmp_path / "a.run").write_text(run or "")
    (tmp_path / "queries.txt").write_text("\n".join(queries))
    out = StringIO()
    measures = ("--measures", " ".join(MEASURES), "--queries", str(tmp_path / "queries.txt"), "--json")
    call_command("evaluate", str(tmp_path / "a.run"), *options, *measures, stdout=out)
    return json.loads(out.getvalue())


def evaluated_file(made, direction, labels, tmp_path):
    (tmp_path / "labels.qrels").write_text(labels)
    return evaluate(made, direction, tmp_path, "--qrels", str(tmp_path / "labels.qrels"))["all"]


def evaluated_by_key(client, made, direction, source, tmp_path):
    """`evaluate` with the files of people and of each set, and the key."""
    (tmp_path / "people.qrels").write_text(page_qrels(client, made.collection, direction, "only"))
    options = ["--qrels", str(tmp_path / "people.qrels"), "--label-source", source.key]
    for number, name in enumerate(source.sets):
        path = tmp_path / f"{number}.qrels"
        path.write_text(page_qrels(client, made.collection, direction, str(source.of(People.NONE, [name]))))
        options += ["--reference", f"{name}={path}"]
    said = evaluate(made, direction, tmp_path, *options)
    assert said["label_source"] == source.key
    return said["all"]


def independent(made, direction, labels):
    """The means that ir_measures gives over the queries that count, 0 where it says nothing."""
    run, queries = scored(made, direction)
    values = {name: dict.fromkeys(queries, 0.0) for name in MEASURES}
    names = {measure: name for name, measure in MEASURES.items()}
    for row in ir_measures.iter_calc(MEASURES.values(), uploads.qrels_of(labels), uploads.run_of(run)):
        if row.query_id in values[names[row.measure]]:
            values[names[row.measure]][row.query_id] = row.value
    return {name: float(np.mean(list(found.values()))) for name, found in values.items()}


@pytest.fixture
def judged():
    """A collection of three reference sets with grades by people."""
    made = uploads.upload(np.random.default_rng(3))
    uploads.labels(np.random.default_rng(4), made.collection, n_sets=3)
    tallies.update_tallies(collection=made.collection, pairs=None)
    refresh.refresh(collection=made.collection)
    return made.collection


def differing(collection):
    """Pairs with both grades, and those of them on which they differ, counted by hand."""
    people = {
        (row.pair.query_id, row.pair.document_id): row.grade
        for row in Resolution.objects.filter(collection=collection).select_related("pair")
    }
    both, differ = Counter(), Counter()
    for label in ReferenceLabel.objects.filter(reference_set__collection=collection).select_related("reference_set"):
        grade = people.get((label.query_id, label.document_id))
        both[label.reference_set.name] += grade is not None
        differ[label.reference_set.name] += grade is not None and grade != label.grade
    return both, differ


def test_conflicts_are_counted_and_listed_set_by_set(client, judged):
    client.force_login(cast.member(judged, Role.RESEARCHER))
    both, differ = differing(judged)
    assert len(both) == 3 and min(differ.values()) > 0
    choices = read(collection=judged, viewer=None, given={"labels": "none:cxc,original"})
    shown = leaderboard_of(choices=choices, collection=judged, view=None, version="")
    assert [(row["name"], row["n_both"]) for row in shown.conflicts] == [
        (name, both[name]) for name in ("cxc", "original")
    ]
    page = client.get(f"/c/{judged.slug}/leaderboard/", {"labels": "none:cxc,original"}).content.decode()
    assert '<th scope="row">cxc</th>' in page and '<th scope="row">ours' not in page

    made = uploads.downloaded(judged, Download.Kind.CONFLICTS, {})
    header, *lines = made.file.read().decode().splitlines()
    assert header.split("\t") == ["reference_set", "query", "document", "reference_grade", "people_grade"]
    assert Counter(line.split("\t")[0] for line in lines) == differ
    assert all(line.split("\t")[3] != line.split("\t")[4] for line in lines) and lines == sorted(lines)


def test_the_choices_of_a_form_become_one_key_in_the_address(client, judged):
    client.force_login(cast.member(judged, Role.RESEARCHER))
    for name in ("leaderboard", "leaderboard/compare"):
        address = f"/c/{judged.slug}/{name}/"
        answer = client.get(address, {"labels": "union", "sets": ["original", "cxc"], "threshold": "2"})
        assert answer.status_code == 302
        assert answer.headers["Location"] == f"{address}?labels=union:cxc,original&threshold=2"
    assert client.get(f"/c/{judged.slug}/leaderboard/", {"labels": "union"}).status_code == 422


def test_the_choices_of_the_downloads_page_are_the_same_source(client, judged):
    client.force_login(cast.member(judged, Role.RESEARCHER))
    address = f"/c/{judged.slug}/downloads/new/qrels/"
    assert client.post(address, {"label_source": "over", "sets": ["cxc", "original"]}).status_code == 302
    made = judged.downloads.get()
    assert made.parameters["label_source"] == "over:cxc,original" and "over-cxc,original" in made.file_name
    assert "people over references “cxc”, “original”" in made.made_with
    page = client.post(address, {"label_source": "none"}).content.decode()
    assert "needs a reference set" in page and judged.downloads.count() == 1


def test_scores_of_people_alone_go_when_a_reference_set_comes():
    study = studies.study("bare")
    study.reference_sets.all().delete()
    refresh.refresh(collection=study)
    assert set(Score.objects.values_list("label_source", flat=True)) == {"only"}
    studies.reference(study, {("q0", "d0"): 1}, "late")
    refresh.refresh(collection=study)
    assert set(Score.objects.values_list("label_source", flat=True)) == {"over:late", "none:late"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "Name the labels by --qrels or --reference."),
        (["--reference", "original"], "write NAME=FILE"),
        (["--reference", "a=x.qrels", "--label-source", "over:a"], "needs people's labels"),
        (["--qrels", "x.qrels", "--label-source", "over:cxc"], "needs --reference cxc=FILE"),
        (["--qrels", "x.qrels", "--label-source", "gossip"], "says no part of people's labels"),
    ],
)
def test_evaluate_says_which_file_a_source_lacks(options, message):
    with pytest.raises(CommandError, match=message):
        call_command("evaluate", "a.run", *options)
