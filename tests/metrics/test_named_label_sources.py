"""Label sources by their keys: counts of conflicts, choices, stored keys and errors."""

import json
from collections import Counter
from html import unescape

import numpy as np
import pytest

from annotate.models import ApiToken, ReferenceLabel, Resolution, Role
from metrics.core.labels.label_sources import LabelSource
from metrics.http import QrelsRequest as QrelsWanted
from metrics.models import Download, Score
from metrics.services.leaderboard.choices.parameters import read_choices, read_comparison
from metrics.services.leaderboard.leaderboard import leaderboard_of
from metrics.services.numbers import refresh, tallies
from tests import cast
from tests.assayer.commands.files.running import assayer, output_of
from tests.metrics import studies, uploads
from tests.metrics.services.leaderboard import boards
from tests.pages import text_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]


def api_qrels(client, collection, **parameters):
    answer = asked_api(client, collection, **parameters)
    assert answer.status_code == 200, answer.content
    return b"".join(answer.streaming_content).decode()


def asked_api(client, collection, **parameters):
    person = cast.member(collection, Role.RESEARCHER)
    headers = cast.bearer(person, ApiToken.Scope.QRELS_READ, collection=collection)
    return client.get(f"/api/v1/collections/{collection.slug}/qrels/", parameters, headers=headers)


@pytest.fixture
def judged():
    """A collection of three reference sets with grades by people."""
    upload = uploads.upload(np.random.default_rng(3))
    uploads.labels(np.random.default_rng(4), upload.collection, n_sets=3)
    tallies.update_tallies(collection=upload.collection, pairs=None)
    refresh.refresh(collection=upload.collection)
    return upload.collection


def differing(collection):
    """Pairs with both grades, and those of them on which they differ, counted by hand."""
    people = {
        (row.pair.query_id, row.pair.document_id): row.grade
        for row in Resolution.objects.filter(collection=collection).select_related("pair")
    }
    both, differ = Counter(), Counter()
    for label in ReferenceLabel.objects.filter(reference_set__collection=collection).select_related(
        "reference_set"
    ):
        grade = people.get((label.query_id, label.document_id))
        both[label.reference_set.name] += grade is not None
        differ[label.reference_set.name] += grade is not None and grade != label.grade
    return both, differ


def test_conflicts_are_counted_and_listed_set_by_set(client, judged):
    client.force_login(cast.member(judged, Role.RESEARCHER))
    both, differ = differing(judged)
    assert len(both) == 3 and min(differ.values()) > 0
    choices = read_choices(
        collection=judged, viewer=None, parameters={"labels": "none:cxc,original"}
    )
    leaderboard = leaderboard_of(choices=choices, collection=judged, view=None, version="")
    assert [(row["name"], row["n_both"]) for row in leaderboard.conflicts] == [
        (name, both[name]) for name in ("cxc", "original")
    ]
    page = client.get(
        f"/c/{judged.slug}/results/leaderboard/", {"labels": "none:cxc,original"}
    ).content.decode()
    assert '<th scope="row">cxc</th>' in page and '<th scope="row">ours' not in page

    download = uploads.downloaded(judged, Download.Kind.CONFLICTS, {})
    header, *lines = download.file.read().decode().splitlines()
    assert header.split("\t") == [
        "reference_set",
        "query",
        "document",
        "reference_grade",
        "people_grade",
    ]
    assert Counter(line.split("\t")[0] for line in lines) == differ
    assert all(line.split("\t")[3] != line.split("\t")[4] for line in lines) and lines == sorted(
        lines
    )


def test_the_choices_of_a_form_become_one_key_in_the_address(client, judged):
    client.force_login(cast.member(judged, Role.RESEARCHER))
    for name in ("results/leaderboard", "results/leaderboard/compare"):
        address = f"/c/{judged.slug}/{name}/"
        answer = client.get(
            address, {"labels": "union", "sets": ["original", "cxc"], "threshold": "2"}
        )
        assert answer.status_code == 302
        assert answer.headers["Location"] == f"{address}?labels=union:cxc,original&threshold=2"
    assert (
        client.get(f"/c/{judged.slug}/results/leaderboard/", {"labels": "union"}).status_code == 422
    )


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"sets": ["cxc"]}, "over:cxc"),
        ({"label_source": "union", "sets": ["cxc", "original"]}, "union:cxc,original"),
        ({"label_source": "over:original", "sets": ["cxc"]}, 'leave out "sets"'),
        ({"label_source": "over:original", "reference": "cxc"}, '"reference" is no parameter'),
        (
            {"label_source": "over:nothing"},
            'no reference set "nothing"; it has, as keys write them, original, cxc, ',
        ),
    ],
)
def test_no_set_that_was_asked_for_is_dropped(client, judged, parameters, expected):
    """Every page and API uses the source that the parameters name, or reports an error."""
    if expected.startswith(("over", "union")):
        by_key = {"label_source": expected, "direction": "forward"}
        assert api_qrels(client, judged, direction="forward", **parameters) == api_qrels(
            client, judged, **by_key
        )
    else:
        assert expected in asked_api(client, judged, **parameters).content.decode().replace(
            '\\"', '"'
        )
    researcher = cast.member(judged, Role.RESEARCHER)
    client.force_login(researcher)
    address_parameters = {
        "labels" if name == "label_source" else name: value for name, value in parameters.items()
    }
    answer = client.get(f"/c/{judged.slug}/results/leaderboard/", address_parameters)
    if answer.status_code == 302:
        assert f"labels={expected}" in answer.headers["Location"]
    elif "reference" not in parameters:
        page = unescape(text_of(answer))
        assert answer.status_code == 422 and expected in page
        assert all(f'value="{name}" checked' in page for name in parameters.get("sets", []))
    answer = client.post(f"/c/{judged.slug}/results/downloads/new/qrels/", parameters)
    if answer.status_code == 422:
        page = unescape(text_of(answer))
        assert expected in page
        assert all(f'value="{name}" checked' in page for name in parameters.get("sets", []))
    elif "reference" not in parameters:
        assert judged.downloads.get().parameters["label_source"] == expected


def test_a_comparison_leads_to_the_explorer_with_its_labels_or_says_that_it_cannot(client, judged):
    client.force_login(cast.member(judged, Role.RESEARCHER))
    (run,) = judged.runs.all()
    lines = uploads.run_lines(np.random.default_rng(6), judged, direction="forward", strange=0)
    uploads.ingested(judged, "other", lines)
    refresh.refresh(collection=judged)
    for key, explored in (("over:cxc", "over:cxc"), ("none:cxc,original", "over:original")):
        parameters = {"labels": key, "a": run.pk, "measure": "AP"}
        choices = read_comparison(
            collection=judged, viewer=None, parameters={**parameters, "a": str(run.pk)}
        )
        boards.compute(collection=judged, spec=choices.spec)
        page = client.get(
            f"/c/{judged.slug}/results/leaderboard/compare/", parameters
        ).content.decode()
        assert f"&amp;labels={explored}" in page
        assert ("The explorer, where the queries below lead" in page) == (key != explored)
    answer = client.get(f"/c/{judged.slug}/results/explorer/", {"labels": "union:cxc"})
    assert answer.status_code == 422 and '"union:cxc" is not shown here' in unescape(
        answer.content.decode()
    )


def test_a_source_without_people_has_scores_of_one_part_and_no_rule(client, judged):
    choices = read_choices(
        collection=judged, viewer=None, parameters={"labels": "none:cxc", "people": "first"}
    )
    boards.compute(collection=judged, spec=choices.spec)
    client.force_login(cast.member(judged, Role.RESEARCHER))
    address = f"/c/{judged.slug}/results/leaderboard/"
    page = client.get(address, {"labels": "none:cxc", "people": "first"}).content.decode()
    assert (
        "Scores with reference “cxc” alone." in page
        and "+ 0.0)" not in page
        and "Of people" not in page
    )
    form = {"label_source": "none:cxc", "rule": "median"}
    assert client.post(f"/c/{judged.slug}/results/downloads/new/qrels/", form).status_code == 302
    download = judged.downloads.get()
    assert (
        "Median" not in download.made_with
        and download.parameters["rule"] == ""
        and "median" not in download.file_name
    )


def test_a_long_source_is_cut_in_a_file_name_with_a_mark_of_its_own():
    sources = [LabelSource.of("over", [f"{part} {'x' * 120}"]) for part in ("a, 1", "a, 2")]
    names = [QrelsWanted("forward", source).file_name for source in sources]
    assert len(set(names)) == 2 and {len(name) for name in names} == {
        len("forward-") + 100 + len(".qrels")
    }
    assert all(name.startswith("forward-over-a%2C%20") for name in names)


def test_the_choices_of_the_downloads_page_are_the_same_source(client, judged):
    client.force_login(cast.member(judged, Role.RESEARCHER))
    address = f"/c/{judged.slug}/results/downloads/new/qrels/"
    assert (
        client.post(address, {"label_source": "over", "sets": ["cxc", "original"]}).status_code
        == 302
    )
    download = judged.downloads.get()
    assert (
        download.parameters["label_source"] == "over:cxc,original"
        and "over-cxc,original" in download.file_name
    )
    assert "people over references “cxc”, “original”" in download.made_with
    page = client.post(address, {"label_source": "none"}).content.decode()
    assert "needs a reference set" in page and judged.downloads.count() == 1
    assert "Nothing was made." in page and '<option value="none" selected>' in page


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
    assert message in assayer("evaluate", "a.run", *options).stderr


def test_evaluate_takes_a_set_whose_name_has_an_equals_sign_and_strata_alone(tmp_path):
    (tmp_path / "a.run").write_text("q0 Q0 d0 1 2 x\nq0 Q0 d1 2 1 x\n")
    (tmp_path / "plain.qrels").write_text("q0 0 d1 1\n")
    (tmp_path / "strata.qrels").write_text("q0 0 d0 1 1\nq0 0 d1 2 1\n")

    def scored(*options):
        text = output_of(
            "evaluate", tmp_path / "a.run", *options, "--measures", "AP xinfAP", "--json"
        )
        return json.loads(text)

    by_name = scored("--reference", f"a%3Db={tmp_path / 'plain.qrels'}")
    assert by_name["label_source"] == "none:a%3Db" and by_name["all"]["AP"] == 0.5
    alone = scored("--reference", f"s={tmp_path / 'strata.qrels'}")
    assert alone["all"] == scored("--qrels", str(tmp_path / "strata.qrels"))["all"]
    both = (f"{name[0]}={tmp_path / name}.qrels" for name in ("strata", "plain"))
    options = [word for file in both for word in ("--reference", file)]
    refusal = assayer("evaluate", tmp_path / "a.run", *options).stderr
    assert "score the run with them alone" in refusal
