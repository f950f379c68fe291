"""`datasets` and `ir_datasets`, as others have them, load the folder of a release as it lies."""

import gzip
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from annotate.models import Collection, QuerySet, QuerySetItem
from metrics.core.releases.manifest import LabelSourceEntry, QrelsEntry, QuerySetEntry
from metrics.core.releases.release_tables import TABLES
from metrics.models import Release
from metrics.services.releases.ir_datasets_file import SOURCE
from pooling.models import Pool, PoolPair
from tests.metrics import studies
from tests.metrics.core.releases.samples.manifests import example_manifest
from tests.metrics.services.releases import outside_loaders
from tests.metrics.services.releases.made_releases import folder, made_release
from tests.metrics.services.releases.release_study import published_run

RELEASE = "assayer/study/1.0"
CONTENTS = """
import json, sys
sys.path.insert(0, sys.argv[1])
import ir_datasets, ir_datasets_release
facts = {}
for name in ir_datasets_release.IDS[::2]:
    dataset = ir_datasets.load(name)
    facts[name.rpartition("/")[2]] = [dataset.has_docs(), len(dataset.queries_cls()._fields) > 1]
print(json.dumps(facts))
"""
SOURCES = ("over-original", "none-original", "only")


@pytest.fixture
def study() -> Collection:
    """Two query sets of forward runs, one with a gallery, and a run that may be published."""
    study = studies.unordered_study()
    published_run(study, "bm25")
    few = QuerySet.objects.create(collection=study, name="few", direction="forward")
    for side, part in (("query", "source"), ("document", "gallery")):
        QuerySetItem.objects.bulk_create(
            QuerySetItem(query_set=few, item=item, part=part)
            for item in study.items.filter(side=side).order_by("pk")[:5]
        )
    pool = Pool.objects.get(collection=study)
    PoolPair.objects.bulk_create(
        PoolPair(pool=pool, pair=row.pair, best_rank=1)
        for row in pool.own_round().round_pairs.all()
    )
    return study


def unpacked(release: Release, path: Path) -> Path:
    """The folder of a release where somebody unpacked it."""
    for name, content in folder(release).items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return path


def loaded(tmp_path: Path, *folders: Path) -> dict[str, Any]:
    """What both programs load."""
    return dict(printed(tmp_path, outside_loaders.__file__, *map(str, folders)))


def printed(tmp_path: Path, *arguments: str) -> Any:
    """The JSON that Python prints last, without the net, with caches and homes in this folder."""
    homes = ("HOME", "HF_HOME", "IR_DATASETS_HOME", "IR_DATASETS_TMP", "TMPDIR")
    environment = {name: str(tmp_path / "home") for name in homes}
    (tmp_path / "home").mkdir()
    result = subprocess.run(
        [sys.executable, *arguments],
        env=environment
        | {"PATH": os.environ["PATH"], "HF_HUB_OFFLINE": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1])


def rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a Parquet table as JSON has them."""
    return list(json.loads(json.dumps(parquet.read_table(path).to_pylist(), default=str)))


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("media_root")
def test_both_load_what_the_files_hold_and_write_nothing_there(study, tmp_path):
    Collection.objects.filter(pk=study.pk).update(texts_may_leave=True)
    study.refresh_from_db()
    open_folder = unpacked(made_release(study), tmp_path / "a folder")
    Collection.objects.filter(pk=study.pk).update(texts_may_leave=False)
    study.refresh_from_db()
    bare_folder = unpacked(made_release(study, "1.1"), tmp_path / "another")
    paths = sorted(tmp_path.rglob("*"))
    facts = loaded(tmp_path, open_folder, bare_folder)
    home = tmp_path / "home"
    assert [
        path for path in sorted(tmp_path.rglob("*")) if home not in (path, *path.parents)
    ] == paths
    check_tables(facts["tables"], open_folder)
    check_query_sets(facts["sets"], open_folder)
    check_scores(facts, open_folder)
    check_that_texts_stay(facts["sets"])


def entry(name: str, direction: str, n_sources: int, n_gallery: int | None) -> QuerySetEntry:
    """A query set by its figures in the manifest."""
    path = f"query-sets/{name}-{direction}.tsv"
    return QuerySetEntry(name, direction, n_sources, n_gallery, path)


@pytest.mark.parametrize(
    ("n_sources", "n_gallery", "leave", "expected"),
    [
        (1330, None, (True, True), {"a": "DQ", "b": "DQ", "r": "DQ"}),
        (1330, 7, (True, True), {"a": "DQ", "b": "-Q", "r": "D-"}),
        (10, None, (True, True), {"a": "DQ", "b": "D-", "r": "-Q"}),
        (1330, None, (False, True), {"a": "D-", "b": "D-", "r": "-Q"}),
        (1330, None, (True, False), {"a": "-Q", "b": "-Q", "r": "D-"}),
    ],
)
def test_no_query_set_has_half_of_its_texts(tmp_path, n_sources, n_gallery, leave, expected):
    """Sets a and b of captions and r of images, of which a is the first; (docs, queries)."""
    query_sets = (
        entry("r", "reverse", 1261, None),
        entry("b", "forward", 900, None),
        entry("a", "forward", n_sources, n_gallery),
    )
    qrels = tuple(
        QrelsEntry(row.name, row.direction, f"qrels/{row.name}-{row.direction}.only.qrels.gz")
        for row in query_sets
    )
    manifest = replace(
        example_manifest(),
        texts_leave=leave[0],
        media_leave=leave[1],
        query_sets=query_sets,
        label_sources=(LabelSourceEntry("only", "people only", qrels),),
        runs=(),
    )
    path = tmp_path / "release"
    path.mkdir()
    (path / "manifest.json").write_text(manifest.json)
    (path / SOURCE.name).write_bytes(SOURCE.read_bytes())
    facts = printed(tmp_path, "-c", CONTENTS, str(path))
    assert {
        stem[0]: ("D" if has_docs else "-") + ("Q" if has_texts else "-")
        for stem, (has_docs, has_texts) in facts.items()
    } == expected


def check_tables(tables: dict[str, Any], path: Path) -> None:
    """Fails unless every table has the rows of its Parquet file."""
    assert tables.pop("card") == tables["qrels"]
    assert tables.keys() == {table.name for table in TABLES}
    for table in TABLES:
        assert tables[table.name] == rows(path / table.path) != [], table.name


def check_query_sets(sets: dict[str, Any], path: Path) -> None:
    """Fails unless each query set has its qrels by label source, and each run its rankings."""
    names = [
        (stem, source)
        for stem in ("all-forward", "all-reverse", "few-forward")
        for source in ("", *SOURCES)
    ]
    runs = {"all-forward/runs/bm25": "bm25", "few-forward/runs/bm25": "bm25.few-forward"}
    expected = {f"{RELEASE}/{stem}/{source}".rstrip("/") for stem, source in names}
    expected |= {f"{RELEASE}/{name}" for name in runs}
    assert {name for name in sets if name.startswith(RELEASE)} == expected
    for stem, source in names:
        facts = sets[f"{RELEASE}/{stem}/{source}".rstrip("/")]
        lines = packed_lines(path / f"qrels/{stem}.{source or SOURCES[0]}.qrels.gz")
        qrels = [[query, item, int(grade), origin] for query, origin, item, grade in lines]
        assert facts["qrels"] == qrels != []
        check_items(facts, path, stem)
    for name, file in runs.items():
        lines = packed_lines(path / f"runs/{file}.run.gz")
        assert sets[f"{RELEASE}/{name}"]["scoreddocs"] == [
            [query, item, float(score)] for query, _, item, _, score, _ in lines
        ]


def check_items(facts: dict[str, Any], path: Path, stem: str) -> None:
    """Fails unless queries and docs are those of the query set, with their texts."""
    lines = (path / f"query-sets/{stem}.tsv").read_text().splitlines()
    queries = [line.removeprefix("source\t") for line in lines if line.startswith("source")]
    gallery = [line.removeprefix("gallery\t") for line in lines if line.startswith("gallery")]
    assert len(gallery) == (5 if "few" in stem else 0)
    assert [query["query_id"] for query in facts["queries"]] == queries
    side = "queries" if "reverse" in stem else "corpus"
    items = map(json.loads, (path / f"beir/{side}.jsonl").read_text().splitlines())
    docs = [
        [item["_id"], item["text"], item["metadata"]]
        for item in items
        if not gallery or item["_id"] in gallery
    ]
    assert facts["docs"] == docs
    assert (facts["n_docs"], facts["n_queries"]) == (len(docs), len(queries))
    assert facts["looked_up"] == [key for key, *_ in docs[:2]]
    assert all("text of " in text for _, text, _ in docs)
    assert all("text of " in query["text"] for query in facts["queries"])


def packed_lines(path: Path) -> list[list[str]]:
    """The fields of each line of a packed file."""
    return [line.split() for line in gzip.decompress(path.read_bytes()).decode().splitlines()]


def check_scores(facts: dict[str, Any], path: Path) -> None:
    """Fails unless the qrels and the run that ir_datasets has give the scores of the release."""
    assert facts["card"] == f"{RELEASE}/all-forward"
    scores = {
        row["measure"]: row
        for row in rows(path / "scores/scores.parquet")
        if (row["run"], row["query_set"], row["label_source"]) == ("bm25", "all", "over:original")
    }
    for measure, total in facts["scores"].items():
        row = scores[measure]
        assert total / row["n_queries"] == pytest.approx(row["mean"], abs=1e-12), measure
    scheme = json.loads((path / "scheme.json").read_text())
    levels = facts["sets"][facts["card"]]["levels"]
    assert [words.split(": ")[0] for words in levels.values()] == [
        level["name"] for level in scheme["levels"]
    ]
    assert facts["sets"][facts["card"]]["citation"] == "Study, version 1.0 (2026)."


def check_that_texts_stay(sets: dict[str, Any]) -> None:
    """Fails unless the release without texts has ids for queries, and no docs."""
    facts = [entry for name, entry in sets.items() if name.startswith("assayer/study/1.1/")]
    assert len(facts) == len(sets) / 2
    for entry in facts:
        assert entry["docs"] is None
        assert {tuple(query) for query in entry["queries"]} == {("query_id",)}
        assert entry["qrels"]
