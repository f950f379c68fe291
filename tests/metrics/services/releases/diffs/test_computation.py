"""A diff of two releases, or of a release and the present, against the files of both."""

import csv
import gzip
import io
import json
from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from typing import Any

import pytest
from django.core.files.storage import default_storage

from annotate.core.files.judgments.judgment_formats import JudgmentColumns
from annotate.models import Collection, QuerySetItem, ReferenceLabel
from annotate.services.background import kept
from annotate.services.seating import note_changes
from metrics.core.labels.label_sources import LabelSource
from metrics.core.measures.measures import parse_one
from metrics.models import Release
from metrics.services.numbers.refresh import refresh
from metrics.services.releases import releases
from metrics.services.releases.diffs.changed_labels import changed_grades, changed_labels
from metrics.services.releases.diffs.computation import DiffRequest
from pooling.models import Run
from tests import cast
from tests.annotate.core.files.samples import file
from tests.judgment_imports import import_judgments
from tests.metrics import studies
from tests.metrics.services.releases.made_releases import folder, made_release

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
SOURCE = LabelSource.parse("over:original")
N_QUERIES = 12


def value_of(before: Release, after: Release | None, source: LabelSource = SOURCE) -> Any:
    """The value of a diff as it is kept."""
    inquiry = DiffRequest(before, after, source).inquiry()
    kept.compute(inquiry=inquiry)
    row = kept.find(inquiry=inquiry)
    assert row is not None
    return json.loads(json.dumps(row.value))


def judge_by_file(study: Collection, *lines: str) -> None:
    """Judgments of a file: annotator, query, document, grade; then the numbers follow."""
    import_judgments(
        collection=study,
        stream=file("annotator,query,document,grade", *lines),
        file_name="experts.csv",
        columns=JudgmentColumns(),
        name="experts",
    )
    refresh(collection=study)


@pytest.fixture
def study() -> Collection:
    """A study in which the reference is for `own`, and later the people are for `next`."""
    study = studies.study(n_queries=N_QUERIES, n_documents=N_QUERIES, with_runs=False)
    items = {item.external_id: item.pk for item in study.items.all()}
    documents = [items[f"d{i}"] for i in range(N_QUERIES)]
    for name, step in (("own", 0), ("next", 1)):
        rankings = {
            items[f"q{i}"]: (
                documents[i + step :] + documents[: i + step],
                [1.0 - 0.01 * k for k in range(N_QUERIES)],
            )
            for i in range(N_QUERIES)
        }
        rankings = {
            query: (targets[:N_QUERIES], ranked) for query, (targets, ranked) in rankings.items()
        }
        cast.run(study, name, rankings)
    refresh(collection=study)
    return study


@pytest.fixture
def pair_of_releases(study) -> tuple[Release, Release]:
    """1.0 by the reference and few labels; 1.1 by people who say the contrary."""
    judge_by_file(study, "ann,q0,d0,2", "ann,q1,d1,1", "bo,q1,d1,0")
    first = made_release(study, "1.0")
    own = [f"ann,q{i},d{i},0" for i in range(N_QUERIES - 1)]
    others = [f"bo,q{i},d{(i + 1) % N_QUERIES},2" for i in range(N_QUERIES)]
    # so that more of next's top is judged than of own's
    ReferenceLabel.objects.filter(query__external_id=f"q{N_QUERIES - 1}").delete()
    note_changes(collection_id=study.pk, pair_ids=[None])
    judge_by_file(study, *own, *others)
    return first, made_release(study, "1.1")


def grades_in(files: dict[str, bytes]) -> dict[tuple[str, str], int]:
    """The grades of pairs in all qrels of the source."""
    result = {}
    for path, content in files.items():
        if path.endswith(".over-original.qrels.gz"):
            for line in gzip.decompress(content).decode().splitlines():
                source, _, target, grade = line.split()
                key = (target, source) if "reverse" in path else (source, target)
                result[key] = int(grade)
    assert result
    return result


def labels_in(files: dict[str, bytes]) -> dict[tuple[str, str, str], int]:
    """The labels of annotators that count."""
    lines = gzip.decompress(files["judgments/judgments.jsonl.gz"]).decode().splitlines()
    rows = [json.loads(line) for line in lines]
    return {
        (row["query"], row["document"], row["annotator"]): row["grade"]
        for row in rows
        if row["status"] == "counts" and row["purpose"] in ("label", "import")
    }


def scores_in(files: dict[str, bytes]) -> dict[tuple[str, ...], float]:
    """The means of the source by direction, query set, measure and alias."""
    rows = csv.DictReader(io.StringIO(files["scores/scores.tsv"].decode()), delimiter="\t")
    return {
        (row["direction"], row["query_set"], row["measure"], row["run"]): float(row["mean"])
        for row in rows
        if row["label_source"] == SOURCE.key and row["mean"]
    }


def differing(before: dict, after: dict) -> Iterator[tuple[Any, int | None, int | None]]:
    for key in sorted(before.keys() | after.keys()):
        if before.get(key) != after.get(key):
            yield key, before.get(key), after.get(key)


def counts(
    changes: list[tuple[Any, int | None, int | None]], position: int
) -> set[tuple[Any, ...]]:
    """Of each query or person the number of labels added, removed and changed."""
    rows = {}
    for key, old, new in changes:
        row = rows.setdefault(key[position], [0, 0, 0])
        row[0 if old is None else 1 if new is None else 2] += 1
    return {(name, *row) for name, row in rows.items()}


def test_labels_that_changed_are_those_of_the_files(pair_of_releases):
    value, files = value_of(*pair_of_releases), [folder(release) for release in pair_of_releases]
    before, after = map(grades_in, files)
    changes = list(differing(before, after))
    assert len(changes) > N_QUERIES
    assert {(row[0], row[1]): row[2] for row in value["grades"]["counts"]} == Counter(
        (before.get(key), after.get(key)) for key in before.keys() | after.keys()
    )
    assert {tuple(row) for row in value["queries"]} == counts(changes, 0)
    before, after = map(labels_in, files)
    changes = list(differing(before, after))
    n_labels = [Counter(key[2] for key in labels) for labels in (before, after)]
    assert {tuple(row) for row in value["people"]} == {
        (name, *row, *(counter[name] for counter in n_labels)) for name, *row in counts(changes, 2)
    }
    assert value["labels"]["whole"] == [
        sum(old is None for _, old, _ in changes),
        sum(new is None for _, _, new in changes),
        sum(None not in (old, new) for _, old, new in changes),
    ]


def test_the_lines_of_files_are_the_labels_that_changed(pair_of_releases):
    files = [folder(release) for release in pair_of_releases]
    for changed, labels in ((changed_grades, grades_in), (changed_labels, labels_in)):
        lines = changed(*pair_of_releases, SOURCE)
        rows = list(csv.reader(io.StringIO("".join(lines))))
        assert rows[0][-2:] == ["before", "after"]
        assert [(tuple(row[:-2]), *row[-2:]) for row in rows[1:]] == [
            (key, *("" if grade is None else str(grade) for grade in grades))
            for key, *grades in differing(*map(labels, files))
        ]


def test_agreement_and_scores_are_those_of_the_files(pair_of_releases):
    value, files = value_of(*pair_of_releases), [folder(release) for release in pair_of_releases]
    manifests = [json.loads(content["manifest.json"]) for content in files]
    assert value["agreement"] == [manifest["agreement"] for manifest in manifests]
    for position, content in enumerate(files):
        assert {
            (*row[:3], value["runs"][row[3]][position]): row[4 + position][1]
            for row in value["scores"]
            if row[4 + position][1] is not None
        } == scores_in(content)


def test_runs_that_changed_places_are_those_of_the_files_and_decided_where_they_are(
    pair_of_releases,
):
    value, files = value_of(*pair_of_releases), [folder(release) for release in pair_of_releases]
    before, after = map(scores_in, files)
    swaps = set()
    for key, other in permutations(before, 2):
        sign = -1 if parse_one(key[2]).entry.smaller_is_better else 1
        was_better = sign * before[key] > sign * before[other]
        if key[:3] == other[:3] and was_better and sign * after[key] < sign * after[other]:
            swaps.add((*key[:3], key[3], other[3]))
    of_systems = {row for row in swaps if not row[2].startswith("Judged")}
    assert of_systems < swaps, "more of the other one's top is judged now, which is no merit"
    names = {key: aliases[0] for key, aliases in value["runs"].items()}
    assert {(*row[:3], names[row[3]], names[row[4]]) for row in value["swaps"]} == of_systems
    # each query says the same of the two, so that no test can miss it
    (precision,) = [row for row in value["swaps"] if row[2] == "C@1"]
    assert precision[5:] == [1.0, -1.0, True, True]
    assert {(*row[2:3], *row[4:]) for row in value["tests"] if row[2] == "C@1"} == {
        ("C@1", "randomized-tukey", "")
    }


def test_a_release_and_now_differ_as_that_release_and_one_made_now(study):
    judge_by_file(study, "ann,q0,d0,2")
    first = made_release(study, "1.0")
    judge_by_file(study, "ann,q0,d0,0", "bo,q0,d0,1", "bo,q3,d4,2")
    Run.objects.filter(collection=study, name="own").update(may_be_published=True)
    now = value_of(first, None)
    assert now == value_of(first, made_release(study, "1.1"))
    assert "own" in [after for before, after in now["runs"].values() if before != after]


def test_the_present_is_computed_anew_when_labels_have_come(study):
    first = made_release(study, "1.0")
    inquiry = DiffRequest(first, None, SOURCE).inquiry()
    assert value_of(first, None)["grades"]["whole"] == [0, 0, 0]
    assert kept.find_fresh(inquiry=inquiry)
    judge_by_file(study, "ann,q0,d0,0")
    assert not kept.find_fresh(inquiry=inquiry)
    assert value_of(first, None)["grades"]["whole"] == [0, 0, 1]


def test_runs_of_one_side_have_their_scores_and_change_no_places(study):
    first = made_release(study, "1.0")
    Run.objects.filter(collection=study, name="next").delete()
    studies.run(study, "new", seed=3)
    refresh(collection=study)
    value = value_of(first, made_release(study, "1.1"))
    sides = {tuple(side is None for side in row[4:]) for row in value["scores"]}
    assert sides == {(False, False), (True, False), (False, True)}
    assert value["swaps"] == value["tests"] == []


def test_labels_of_people_leave_the_reference_as_it_was(pair_of_releases):
    value = value_of(*pair_of_releases, LabelSource.parse("none:original"))
    assert (value["grades"]["whole"], value["queries"]) == ([0, 1, 0], [["q11", 0, 1, 0]])
    assert value["labels"]["whole"] != [0, 0, 0]


def test_a_run_that_is_deleted_stays_the_same_in_both_releases(study):
    """Its scores stand side by side, and the pairs that it changed places with stay."""
    judge_by_file(study, "ann,q0,d0,2")
    first = made_release(study, "1.0")
    judge_by_file(
        study,
        *(f"ann,q{i},d{i},0" for i in range(N_QUERIES)),
        *(f"bo,q{i},d{(i + 1) % N_QUERIES},2" for i in range(N_QUERIES)),
    )
    second = made_release(study, "1.1")
    before = value_of(first, second)
    Run.objects.filter(collection=study, name="next").delete()
    kept.delete_all(collection=study)
    assert value_of(first, second) == before
    assert before["swaps"]


def test_nobody_sees_the_old_value_of_a_run_that_was_hidden_since(study):
    Run.objects.filter(collection=study, name="next").update(may_be_published=True)
    first = made_release(study, "1.0")
    assert "next" in str(value_of(first, None))
    diff = DiffRequest(first, None, SOURCE)
    assert kept.find(inquiry=diff.inquiry()) is not None
    Run.objects.filter(collection=study, name="next").update(is_hidden=True)
    assert kept.find(inquiry=diff.inquiry()) is None
    assert value_of(first, None)["runs"] != {} and "next" not in [
        after for _, after in value_of(first, None)["runs"].values()
    ]


def test_scores_that_do_not_know_the_last_labels_are_marked(study):
    first = made_release(study, "1.0")
    assert value_of(first, None)["scores_wait"] is False
    note_changes(collection_id=study.pk, pair_ids=[None])
    kept.delete_all(collection=study)
    assert value_of(first, None)["scores_wait"] is True


def test_query_sets_with_other_items_are_named(study):
    first = made_release(study, "1.0")
    item = study.items.get(external_id="q3")
    QuerySetItem.objects.filter(query_set__collection=study, item=item).delete()
    refresh(collection=study)
    assert value_of(first, None)["query_sets"] == [["forward", "all"]]
    assert value_of(first, made_release(study, "1.1"))["query_sets"] == [["forward", "all"]]


def test_a_diff_of_two_releases_never_grows_old(study):
    first, second = made_release(study, "1.0"), made_release(study, "1.1")
    value_of(first, second)
    row = kept.find(inquiry=DiffRequest(first, second, SOURCE).inquiry())
    assert row.fresh_until is None
    value_of(first, None)
    row = kept.find(inquiry=DiffRequest(first, None, SOURCE).inquiry())
    assert row.fresh_until is not None


def test_an_archive_that_is_gone_is_a_reason(study):
    first, second = made_release(study, "1.0"), made_release(study, "1.1")
    default_storage.delete(second.file.name)
    reason = value_of(first, second)["reason"]
    assert reason.startswith("The archive of release 1.1 is not in the store")
    releases.withdraw(release=first, reason="Ours no longer.", by=None)
    kept.delete_all(collection=study)
    assert value_of(first, second)["reason"] == "Release 1.0 is withdrawn."


def test_a_collection_without_items_is_compared_with_itself():
    empty = cast.collection("empty", grades=3)
    value = value_of(made_release(empty), None, LabelSource.parse("only"))
    assert value["grades"] == {"counts": [], "whole": [0, 0, 0]}
    assert value["scores"] == value["people"] == []
