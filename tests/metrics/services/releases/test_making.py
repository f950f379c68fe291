"""Releases are made whole or not at all, of one moment, with the same bytes from the same data."""

import gzip
import hashlib
import io
import subprocess
from pathlib import Path, PurePosixPath
from threading import Thread

import ir_measures
import pytest
from django.core.files.storage import default_storage
from pyarrow import parquet

from annotate.models import Collection, Role
from annotate.services.background.progress import ignore_progress
from annotate.services.storage.transactions import read_only_moment
from metrics.core.files.folder_archives import FolderArchive
from metrics.core.files.stretches import FileStretch
from metrics.models import ReleaseFile, Score
from metrics.services.downloads.progress import ProgressReporter
from metrics.services.numbers import refresh
from metrics.services.releases.contents import write_contents
from metrics.services.releases.writer import ReleaseWriter
from tests import cast
from tests.metrics import studies
from tests.metrics.services.releases.made_releases import (
    archive,
    folder,
    forget_releases,
    made_release,
    request_release,
)
from tests.metrics.services.releases.release_study import published_run
from tests.servers.databases import closing_connections
from tests.servers.worker_kills import kill_worker
from tests.works import perform_work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media_root")]
PUBLISHED = "bm25"
MAKE = (
    "import django, sys; django.setup(); from annotate import tasks; "
    "import metrics.services.releases.making; tasks.perform_work(work_id=int(sys.argv[1]))"
)
DOCUMENTS = {
    "CITATION.cff",
    "README.md",
    "SHA256SUMS",
    "croissant.json",
    "ir_datasets_release.py",
    "ir_metadata.yaml",
    "manifest.json",
    "policies.json",
    "scheme.json",
}
SOURCES = ("none-original", "only", "over-original")


@pytest.fixture
def study() -> Collection:
    """People's labels over a reference, and four runs, of which one may be published."""
    study = studies.unordered_study()
    published_run(study, PUBLISHED)
    return study


def rows(content: bytes) -> list[dict[str, object]]:
    return parquet.read_table(io.BytesIO(content)).to_pylist()


def test_a_release_is_one_folder_of_data_and_documents(study):
    release = made_release(study)
    files = folder(release)
    stems = ("all-forward", "all-reverse")
    expected = {f"qrels/{stem}.{source}.qrels.gz" for stem in stems for source in SOURCES}
    assert DOCUMENTS | expected <= files.keys()
    assert set(files) == {file.path for file in release.files.all()}
    assert release.files.get(path="ir_datasets_release.py").media_type == "text/x-python"
    assert release.n_bytes == len(archive(release))
    assert release.sha256 == hashlib.sha256(archive(release)).hexdigest()


def test_each_file_is_the_stretch_of_the_archive_that_its_row_tells(study):
    release = made_release(study)
    files = folder(release)
    for file in release.files.all():
        with release.file.open("rb") as stream:
            content = FileStretch(stream, file.offset, file.n_bytes).read()
        assert content == files[file.path]
        assert hashlib.sha256(content).hexdigest() == file.sha256


def test_the_checksums_are_those_that_sha256sum_reads(study, tmp_path):
    files = folder(made_release(study))
    unpacked(files, tmp_path)
    told = subprocess.run(
        ["sha256sum", "--strict", "-c", "SHA256SUMS"],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert told.returncode == 0, told.stderr
    assert len(told.stdout.splitlines()) == len(files) - 1


def unpacked(files: dict[str, bytes], path: Path) -> None:
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)


def test_made_twice_with_nothing_changed_it_has_the_same_bytes(study):
    first = archive(made_release(study))
    forget_releases(study)
    assert archive(made_release(study)) == first


def test_qrels_and_run_give_any_program_the_scores(study, tmp_path):
    files = folder(made_release(study))
    unpacked(files, tmp_path)
    name = PUBLISHED
    qrels = list(
        ir_measures.read_trec_qrels(gzip_text(files["qrels/all-forward.over-original.qrels.gz"]))
    )
    run = list(ir_measures.read_trec_run(gzip_text(files[f"runs/{name}.run.gz"])))
    scores = {
        (row["measure"]): row["mean"]
        for row in rows(files["scores/scores.parquet"])
        if (row["run"], row["label_source"]) == (name, "over:original")
    }
    queries = files["query-sets/all-forward.tsv"].decode().count("source\t")
    positive = study.positive_from
    measures = {
        "AP": ir_measures.AP(rel=positive),
        "nDCG@10": ir_measures.nDCG @ 10,
        "C@5": ir_measures.Success(rel=positive) @ 5,
        "Judged@10": ir_measures.Judged @ 10,
    }
    for measure, theirs in measures.items():
        values = [value.value for value in theirs.iter_calc(qrels, run)]
        assert sum(values) / queries == pytest.approx(scores[measure], abs=1e-12), measure


def gzip_text(content: bytes) -> io.StringIO:
    return io.StringIO(gzip.decompress(content).decode())


def test_scores_are_those_of_the_leaderboard(study):
    refresh.refresh(collection=study)
    scores = {
        (row["query_set"], row["direction"], row["label_source"], row["measure"], row["run"]): row
        for row in rows(folder(made_release(study))["scores/scores.parquet"])
    }
    aliases = {run.run_id: run.alias for run in study.releases.get().runs.all()}
    stored_scores = Score.objects.filter(run__collection=study).exclude(measure="n_positive")
    assert len(scores) == stored_scores.count() > 0
    for score in stored_scores.select_related("query_set"):
        row = scores[
            score.query_set.name,
            score.query_set.direction,
            score.label_source,
            score.measure,
            aliases[score.run_id],
        ]
        for name in ("mean", "low", "high", "best", "n_queries", "n_missing", "n_with_positive"):
            assert row[name] == getattr(score, name), (name, score)


def test_labels_that_come_while_it_is_made_are_not_in_it(study):
    """The folder is of the moment at which its making began."""
    release = request_release(study)
    annotator = study.annotators.earliest("pk")
    before = study.judgments.count()
    late = Thread(target=closing_connections(studies.judge), args=[annotator], kwargs={"n": 3})
    with (
        read_only_moment(),
        io.BytesIO() as stream,
        ProgressReporter(ignore_progress) as reporter,
        FolderArchive(stream, "study") as folder_archive,
    ):
        late.start()
        late.join()
        writer = ReleaseWriter(folder_archive, reporter)
        manifest = write_contents(writer, release=release, aliases=[])
    assert study.judgments.count() > before
    assert manifest.counts.n_judgments == before
    rows = {file.path: file.n_rows for file in writer.files}
    assert rows["judgments/judgments.parquet"] == rows["judgments/judgments.jsonl.gz"] == before


def test_a_worker_killed_while_it_makes_one_leaves_nothing_and_the_next_makes_the_same(
    study, client, service_home
):
    expected = archive(made_release(study))
    forget_releases(study)
    release = request_release(study)
    kill_worker(release.making, MAKE, service_home, at=ReleaseFile)
    release.refresh_from_db()
    assert (release.making.state, release.made_at, release.file.name) == ("running", None, "")
    assert not release.files.exists() and not release.runs.exists()
    assert client.get("/releases/study/1.0/").status_code == 404
    client.force_login(cast.member(study, Role.LEAD))
    assert "Download all" not in client.get("/c/study/results/releases/1.0/").content.decode()
    assert client.get("/c/study/results/releases/1.0/archive/").status_code == 404
    assert archive(perform_work(release)) == expected
    assert release.making.attempts == 2
    path = PurePosixPath(release.file.name)
    archives = default_storage.listdir(str(path.parent))[1]
    assert [name for name in archives if name.startswith(f"{release.pk}-")] == [path.name]
