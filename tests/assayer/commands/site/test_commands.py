"""The commands that talk to a site."""

import io
import json
import sys

import pytest

from metrics.services.numbers.refresh import refresh
from pooling.models import Pool, Run
from tests import cast
from tests.metrics import studies

STUDY = ("--collection", "study")
RUN = "q0 Q0 d0 1 9 t\nq0 Q0 d1 2 8 t\n"


@pytest.fixture(autouse=True)
def of_site(site):
    """Every command finds the site in its environment."""


@pytest.fixture
def run_file(tmp_path):
    """A run file."""
    file = tmp_path / "bm25.run"
    file.write_text(RUN)
    return str(file)


def test_collections_are_listed(console):
    assert console.rows("collections") == [
        {"slug": "study", "name": "Study", "roles": "lead, researcher"}
    ]
    assert console("collections", "--json") == 0
    assert json.loads(console.out)[0]["url"] == "/api/v1/collections/study/"


def test_a_run_is_uploaded_under_the_name_of_its_file_and_once(console, run_file):
    words = ("upload-run", run_file, *STUDY, "--tag", "a", "--tag", "b", "--hidden")
    first, again = console.rows(*words), console.rows(*words)
    assert first == again and (first[0]["name"], first[0]["state"]) == ("bm25", "ready")
    run = Run.objects.get(name="bm25")
    assert (run.tags, run.is_hidden, run.file_name) == (["a", "b"], True, "bm25.run")
    assert console.err == "bm25: 2 rows, 1 of 6 queries.\n"


def test_a_run_comes_from_standard_input(console, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
    assert console("upload-run", "-", *STUDY) == 1 and "needs a --name" in console.err
    assert console.rows("upload-run", "-", "--name", "piped", *STUDY)[0]["state"] == "ready"


def test_a_run_that_is_none_is_told_in_one_line(console, run_file, tmp_path):
    (tmp_path / "bad.run").write_text("q0 d0\n")
    assert console("upload-run", str(tmp_path / "bad.run"), *STUDY) == 1
    assert console.err == (
        "assayer upload-run: Run bad was rejected. Line 1: expected 6 fields, found 2.\n"
    )
    assert console("upload-run", str(tmp_path / "none.run"), *STUDY) == 1
    assert console.err.endswith("none.run is no file.\n")


def test_a_file_that_may_not_be_read_is_told_in_one_line(console, run_file, monkeypatch):
    def refuse(*words: object) -> None:
        raise PermissionError(13, "Permission denied", run_file)

    monkeypatch.setattr("assayer.client.contents.open", refuse, raising=False)
    assert console("upload-run", run_file, *STUDY) == 1
    assert console.err == f"assayer upload-run: {run_file}: Permission denied.\n"


def test_a_pool_is_previewed_and_opened(console):
    words = ("open-pool", "new", "--parameter", "depth=2", "--run", "alpha", *STUDY)
    preview = console.rows(*words, "--preview")[0]
    assert preview["n_pairs"] == "12" and not Pool.objects.filter(name="new").exists()
    row = console.rows(*words)[0]
    assert (row["name"], row["state"], row["pairs"]) == ("new", "open", "12")
    assert console(*words) == 1 and "already exists" in console.err
    assert console("open-pool", "x", "--parameter", "depth", *STUDY) == 2
    assert "depth is not NAME=VALUE" in console.err


def test_progress_is_a_row_for_each_pool_and_one_for_all(console):
    pool, everything = console.rows("progress", *STUDY)
    assert (pool["name"], pool["pairs"], everything["name"]) == ("depth 3", "18", "all")
    assert everything["labels"] == "6" and everything["labels left"] == "30"
    assert console.err.startswith("No forecast")


def test_progress_is_shown_anew_where_it_has_changed(console, study, monkeypatch):
    def judge() -> None:
        studies.judge(cast.annotator(study), seed=1)
        refresh(collection=study)

    steps = iter([judge, lambda: None])
    monkeypatch.setattr("assayer.commands.site.progress.sleep", lambda seconds: next(steps)())
    with pytest.raises(StopIteration):
        console("progress", "--watch", "7", *STUDY)
    console.out, _ = console.capsys.readouterr()
    lines = [line.split("\t") for line in console.out.splitlines() if line.startswith("all")]
    assert [line[-2] for line in lines] == ["6", "24"]


def test_progress_is_watched_until_no_label_is_wanted(console, client):
    levels = [{"grade": 1, "name": "Relevant"}, {"grade": 0, "name": "Not relevant"}]
    client.make_collection("new", name="New", levels=levels)
    assert console.rows("progress", "--watch", "7", "--collection", "new")[-1]["labels left"] == "0"


def test_agreement_is_that_of_the_site_where_a_collection_is_named(console):
    planned, everything = console.rows("agreement", *STUDY)
    assert (planned["labels"], everything["labels"]) == ("planned", "all")
    assert planned["alpha"] == "" and "no pair has two planned labels yet" in console.err
    assert console("agreement", "--collection=study", "--json") == 0
    assert json.loads(console.out)["planned"]["n_pairs"] == 0


def test_the_leaderboard_has_a_line_for_each_run(console):
    rows = console.rows("leaderboard", "--measure", "AP", "--measure", "nDCG@10", *STUDY)
    assert sorted(row["run"] for row in rows) == ["alpha", "beta", "gamma"]
    assert all(0 <= float(row["AP"]) <= 1 for row in rows)
    long = console.rows("leaderboard", "--measure", "AP", "--run", "alpha", "--long", *STUDY)
    (alpha,) = [row for row in rows if row["run"] == "alpha"]
    assert [(row["measure"], row["score"]) for row in long] == [("AP", alpha["AP"])]
    assert console.err.startswith("Labels: ")


def test_a_file_is_fetched(console, tmp_path, monkeypatch):
    folder = tmp_path / "files"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert console("download", "judgments", "--parameter", "format=csv", *STUDY) == 0
    (path,) = console.out.splitlines()
    assert console("download", "qrels", "--to", str(folder / "own.qrels"), *STUDY) == 0
    assert console.out == f"{folder / 'own.qrels'}\n"
    assert console("download", "qrels", "--parameter", "grades=many", *STUDY) == 1
    assert "grades:" in console.err and path.endswith(".csv")
    assert (folder / path).exists()


def test_a_release_is_made_compared_published_and_withdrawn(console, tmp_path):
    made = console.rows("release", "make", "1.0", "--title", "First", *STUDY)[0]
    assert (made["version"], made["state"], made["title"]) == ("1.0", "made", "First")
    assert console.rows("release", "list", *STUDY) == [made]
    files = {row["path"]: row for row in console.rows("release", "files", "1.0", *STUDY)}
    to = tmp_path / "card.md"
    words = ("release", "download", "1.0", "--path", "README.md", "--to", str(to), *STUDY)
    assert console(*words) == 0 and to.stat().st_size == int(files["README.md"]["n_bytes"])
    tables = console.rows("release", "diff", "1.0", *STUDY)
    assert {row["table"] for row in tables} >= {"grades", "scores"}
    assert console("release", "diff", "1.0", "--table", "moods", *STUDY) == 1
    assert "There are tables of grades" in console.err
    assert console.rows("release", "diff", "1.0", "--table", "agreement", *STUDY)
    for action in ("publish", "unpublish"):
        assert console.rows("release", action, "1.0", *STUDY)[0]["version"] == "1.0"
    assert console("release", "withdraw", "1.0", *STUDY) == 2
    assert console.rows("release", "withdraw", "1.0", "--reason", "Wrong.", *STUDY)[0]["state"] == (
        "withdrawn"
    )


def test_refusals_are_one_line_and_status_1(console, live_server):
    assert console("progress", "--collection", "none") == 1
    assert console.err.count("\n") == 1
    assert console.err.startswith("assayer progress: There is nothing at this address")
    assert console("collections", "--url", "http://example.org") == 1
    assert "not encrypted" in console.err
    assert console("collections", "--url", "https://[::1") == 1 and "is no address" in console.err
    assert console("download", "qrels", "--to", "/nowhere/x", *STUDY) == 1
    assert console.err == "assayer download: There is no folder /nowhere.\n"
    assert console("progress", "--watch", "-1", *STUDY) == 2 and "not above 0" in console.err
    assert console("upload-items", "--items", __file__, "--make", "New", *STUDY) == 1
    assert "--make is for the other sources" in console.err
    assert console("collections", "--token-file", "/nowhere") == 1
    assert console.err == "assayer collections: /nowhere cannot be read.\n"
