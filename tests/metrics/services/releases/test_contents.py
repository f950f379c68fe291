"""What a release holds and what it never holds, and how the programs of others read it."""

import gzip
import io
import json
import warnings
from typing import Any

import mlcroissant
import pytest
from cffconvert import Citation
from pyarrow import parquet

from annotate.models import Annotator, Collection, CountingJudgment, Part, User
from metrics.core.releases.release_tables import TABLES
from metrics.models import ReleaseRun
from pooling.models import Pool, PoolPair, Run
from tests import cast
from tests.metrics import studies
from tests.metrics.services.releases.made_releases import folder, made_release, texts_of
from tests.metrics.services.releases.release_study import busy_study

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]


@pytest.fixture
def study() -> Collection:
    """A study in full swing whose pool has its pairs."""
    study = busy_study()
    pool = Pool.objects.get(collection=study)
    PoolPair.objects.bulk_create(
        PoolPair(pool=pool, pair=row.pair, best_rank=1 + number % 3)
        for number, row in enumerate(pool.own_round().round_pairs.order_by("pk"))
    )
    return study


def manifest(files: dict[str, bytes]) -> dict[str, Any]:
    return dict(json.loads(files["manifest.json"]))


def test_a_run_stands_under_its_name_only_where_its_uploader_lets_it(study):
    first, second = study.runs.order_by("pk")[:2]
    Run.objects.filter(pk=first.pk).update(may_be_published=True, name="run-01", team="Ours")
    Run.objects.filter(pk=second.pk).update(name="zqsecret", team="zqteam", description="zqwords")
    release_files = folder(made_release(study))
    entries = {entry["alias"]: entry for entry in manifest(release_files)["runs"]}
    assert entries["run-01"]["is_named"] and entries["run-01"]["team"] == "Ours"
    assert {alias for alias, entry in entries.items() if not entry["is_named"]} == {
        "run-02",
        "run-03",
    }
    assert "zq" not in texts_of(release_files)
    assert ReleaseRun.objects.get(run=second).alias in entries


def test_the_aliases_do_not_tell_which_run_came_first(study):
    for number in range(9):
        studies.run(study, f"later {number}", seed=number)
    aliases = manifest(folder(made_release(study)))["runs"]
    keys = dict(ReleaseRun.objects.values_list("alias", "run"))
    order = [keys[entry["alias"]] for entry in aliases]
    assert order != sorted(order)


def test_a_hidden_run_leaves_no_trace(study):
    run = study.runs.earliest("pk")
    pool = Pool.objects.get(collection=study)
    pool.runs.add(run)
    Run.objects.filter(pk=run.pk).update(
        is_hidden=True, may_be_published=True, name="zqname", team="zqteam", file_name="zqfile"
    )
    files = folder(made_release(study))
    assert "zq" not in texts_of(files)
    assert not ReleaseRun.objects.filter(run=run).exists()
    assert len(manifest(files)["runs"]) == study.runs.count() - 1
    (entry,) = manifest(files)["pools"]
    assert (entry["runs"], entry["n_hidden_runs"]) == ([], 1)
    rows = parquet.read_table(io.BytesIO(files["pools/pairs.parquet"])).to_pylist()
    assert len(rows) == entry["n_pairs"] > 0
    assert {row["best_rank"] for row in rows} == {None}
    assert {row["inclusion_probability"] for row in rows} == {None}


def test_names_mail_and_comments_of_people_are_in_no_file(study):
    for user in User.objects.all():
        User.objects.filter(pk=user.pk).update(
            email=f"zq{user.pk}@mail.example", first_name="Zqfirst", username=f"zq{user.pk}"
        )
    study.reports.update(note="zqnote")
    assert study.reports.exists()
    content = texts_of(folder(made_release(study)))
    assert "zq" not in content.lower()
    for pseudonym in Annotator.objects.filter(judgments__isnull=False).values_list(
        "pseudonym", flat=True
    ):
        assert pseudonym in content


@pytest.mark.parametrize("texts_leave", [False, True])
@pytest.mark.parametrize("media_leave", [False, True])
def test_texts_and_media_leave_by_their_switches(study, texts_leave, media_leave):
    item = study.items.filter(side="query").earliest("pk")
    Part.objects.filter(item=item).update(text="zqtext")
    Part.objects.create(item=item, position=7, kind="image", path="zqmedium.png")
    Collection.objects.filter(pk=study.pk).update(
        texts_may_leave=texts_leave, media_may_leave=media_leave
    )
    content = texts_of(folder(made_release(study)))
    assert ("zqtext" in content) == texts_leave
    assert ("zqmedium.png" in content) == media_leave


def test_labels_stand_by_seat_with_the_runs_that_brought_their_pairs(study):
    Pool.objects.filter(collection=study).update(strategy="depth-k", parameters={"depth": 3})
    pool = Pool.objects.get(collection=study)
    pool.runs.set(study.runs.filter(direction="forward"))
    release = made_release(study)
    files = folder(release)
    fire = json.loads(gzip.decompress(files["labels/fire.json.gz"]))
    names = dict(study.items.values_list("pk", "external_id"))
    brought = {
        (names[ranking.source_id], names[target], row.alias)
        for row in ReleaseRun.objects.filter(release=release, run__in=pool.runs.all())
        for ranking in row.run.rankings.all()
        for target in ranking.targets[:3]
    }
    grades = {}
    labels = CountingJudgment.objects.labels().filter(collection=study).order_by("number", "seat")
    for query, document, grade in labels.values_list(
        "pair__query__external_id", "pair__document__external_id", "grade"
    ):
        grades.setdefault((query, document), []).append(grade)
    n_with_runs = 0
    for item in [*fire["annotations"], *fire["disagreements"]]:
        pair = (item["query_id"], item["video_id"])
        is_pooled = pool.own_round().name in {fire["queues"][str(n)] for n in item["queue_ids"]}
        assert item["models"] == sorted(
            alias for *ends, alias in brought if is_pooled and tuple(ends) == pair
        )
        assert item["annotator_grades"] == grades[pair]
        n_with_runs += bool(item["models"])
    assert n_with_runs and any(len(set(row)) > 1 for row in grades.values())
    _, *lines = gzip.decompress(files["labels/pairs.tsv.gz"]).decode().splitlines()
    rows = [line.split("\t") for line in lines]
    assert {(row[2], row[3]): row[6] for row in rows if row[6]} == {
        pair: " ".join(map(str, row)) for pair, row in grades.items()
    }


def test_every_record_set_of_croissant_gives_the_rows_of_its_table(study, tmp_path):
    files = folder(made_release(study))
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DeprecationWarning)  # in libraries of theirs
        dataset = mlcroissant.Dataset(str(tmp_path / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    for table in TABLES:
        rows = parquet.read_table(tmp_path / table.path).to_pylist()
        assert len(list(dataset.records(table.name))) == len(rows) > 0, table.name


def test_the_citation_is_valid_for_its_own_validator(study):
    Collection.objects.filter(pk=study.pk).update(
        creators=[{"name": "Byron, Ada", "affiliation": "X", "orcid": "0000-0002-1825-0097"}],
        cite_as='Byron: "A study", 2026',
    )
    study.refresh_from_db()
    text = folder(made_release(study))["CITATION.cff"].decode()
    Citation(text).validate()
    assert "Byron" in text


def test_a_collection_without_labels_runs_or_pools_has_a_release_too():
    collection = cast.collection("empty")
    files = folder(made_release(collection))
    assert "None" not in files["README.md"].decode()
    assert manifest(files)["counts"]["n_labels"] == 0
