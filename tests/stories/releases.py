"""A release in the hands of others: unpacked, verified, and compared with what must come of it."""

import csv
import hashlib
import io
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import ir_measures
import pytest

from tests.servers.stack import Stack
from tests.stories import campaign

SUMS = "SHA256SUMS"
QUERY_SETS = {"all": tuple(campaign.TRUTH), "short": campaign.SHORT}


class ReleaseCopy(NamedTuple):
    """A release as somebody fetched it: the archive, and all files one by one."""

    archive: bytes
    files: dict[str, bytes]


def unpacked(archive: bytes) -> dict[str, bytes]:
    """The files of an archive by their paths in the folder of the release."""
    with zipfile.ZipFile(io.BytesIO(archive)) as members:
        return {name.partition("/")[2]: members.read(name) for name in members.namelist()}


def assert_same_bytes(copies: dict[str, ReleaseCopy]) -> None:
    """Every way gives the same archive and the same files, with the checksums that they name."""
    assert len(copies) > 1
    archive = next(iter(copies.values())).archive
    files = unpacked(archive)
    for route, copy in copies.items():
        assert copy.archive == archive, route
        assert copy.files.keys() == files.keys(), route
        assert [path for path in files if copy.files[path] != files[path]] == [], route
    sums = dict(reversed(line.split("  ")) for line in files[SUMS].decode().splitlines())
    assert sums == {
        path: hashlib.sha256(content).hexdigest() for path, content in files.items() if path != SUMS
    }


def assert_is_expected(folder: Path, stack: Stack) -> None:
    """Qrels and scores of a release are those of the campaign's inputs, and it verifies."""
    output = stack.manage("verify", str(folder))
    assert "All that can be checked is right." in output, output
    scores = list(csv.DictReader((folder / "scores/scores.tsv").open(), delimiter="\t"))
    for query_set, queries in QUERY_SETS.items():
        assert qrels_of(folder, query_set) == campaign.expected_qrels(queries)
        values = {
            (row["run"], row["measure"]): float(row["mean"])
            for row in scores
            if (row["query_set"], row["label_source"]) == (query_set, "over:original")
            and row["measure"] in campaign.MEASURES
        }
        assert values == pytest.approx(campaign.expected_scores(queries), abs=1e-12)
        assert values == pytest.approx(scores_by_ir_measures(folder, query_set), abs=1e-12)


def assert_board_is_expected(rows: Iterable[Mapping[str, Any]]) -> None:
    """The scores of a leaderboard are those of the inputs; rows : of its CSV, or of the API."""
    values = {}
    for row in rows:
        values[row["run"], row["measure"]] = float(row["score"])
        if row["measure"] == "C@5":
            values[row["run"], "Judged@5"] = float(row["judged"])
    expected_scores = campaign.expected_scores()
    assert {key: values.get(key) for key in expected_scores} == pytest.approx(
        expected_scores, abs=1e-12
    )


def qrels_of(folder: Path, query_set: str) -> dict[campaign.Pair, int]:
    """The grades of a qrels file of a release, as ir_measures reads it."""
    path = folder / f"qrels/{query_set}-forward.over-original.qrels.gz"
    return {
        (row.query_id, row.doc_id): row.relevance for row in ir_measures.read_trec_qrels(str(path))
    }


def scores_by_ir_measures(folder: Path, query_set: str) -> dict[tuple[str, str], float]:
    """Means by ir_measures of the files of a release alone."""
    path = folder / f"qrels/{query_set}-forward.over-original.qrels.gz"
    qrels = list(ir_measures.read_trec_qrels(str(path)))
    return {
        (run.name.partition(".")[0], name): ir_measures.calc_aggregate(
            [measure], qrels, list(ir_measures.read_trec_run(str(run)))
        )[measure]
        for run in sorted((folder / "runs").iterdir())
        for name, measure in campaign.MEASURES.items()
    }
