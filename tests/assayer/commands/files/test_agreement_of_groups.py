"""The agreement command over groups of units."""

import json
from pathlib import Path

import numpy as np
import pytest

from metrics.core.agreement.agreement import alpha_of_counts
from metrics.core.agreement.counts import UnitCounts
from metrics.core.agreement.unit_samples import GroupedUnits
from metrics.core.statistics.groups import Groups
from tests.assayer.commands.files.grouped_queries import QUERIES, VIDEO, write, write_files
from tests.assayer.commands.files.running import arguments, assayer, rows

LABELS = [
    (query, f"d{document}", annotator, int(value))
    for rng in [np.random.default_rng(11)]
    for query in QUERIES[:36]
    for document in range(3)
    for usual in [rng.integers(0, 3)]
    for annotator, value in zip(
        "abc", np.where(rng.random(3) < 0.7, usual, rng.integers(0, 3, 3)), strict=True
    )
    if rng.random() < 0.7
]


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    return write_files(tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="module")
def labels(files) -> str:
    """A table of labels with the query and the video of each, in no order."""
    order = np.random.default_rng(1).permutation(len(LABELS))
    lines = [",".join([*map(str, LABELS[at]), VIDEO[LABELS[at][0]]]) for at in order]
    write(files / "labels.csv", ["query,document,who,grade,video", *lines])
    return f"{files}/labels.csv"


OF_LABELS = arguments("--unit query,document --annotator who --value grade --bootstrap 300 --json")


def expected_alpha(level: str, group_of: dict[str, str]):
    """Alpha from a row a unit, computed otherwise than by the command."""
    counts: dict[tuple[str, str], np.ndarray] = {}
    for query, document, _, value in LABELS:
        counts.setdefault((query, document), np.zeros(3, dtype=np.int64))[value] += 1
    table, n = np.stack(list(counts.values())), len(counts)
    group = Groups.of([group_of[query] or query for query, _ in counts]).of_query
    where = GroupedUnits(group, np.arange(n), np.ones(n, dtype=np.int64))
    unit_counts = UnitCounts(table, np.ones(n, dtype=np.int64), np.arange(3))
    return alpha_of_counts(unit_counts, level=level, n_replicates=300, grouped_units=where)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_agreement_draws_whole_groups(files, labels, level):
    of = ("agreement", labels, "--level", level, *OF_LABELS)
    plain = json.loads(assayer(*of).stdout)
    assert "n_groups" not in plain
    by_query, by_video = {query: query for query in QUERIES}, VIDEO
    for options, groups in (
        (("--group", "query"), by_query),
        (("--group", "1"), by_query),
        (("--group", "video,query"), by_query),
        (("--group", "query", "--groups", f"{files}/groups"), by_video),
        (("--group", "query", "--groups", f"{files}/turned.csv"), by_video),
        (("--group", "query", "--groups", f"{files}/shuffled.tsv"), by_video),
    ):
        report, expected = json.loads(assayer(*of, *options).stdout), expected_alpha(level, groups)
        facts = [report.pop(name) for name in ("alpha", "low", "high", "seed", "n_groups")]
        assert facts[:3] == pytest.approx([expected.value, expected.low, expected.high], abs=1e-12)
        assert facts[3:] == [expected.seed, expected.n_groups]
        assert report.items() <= plain.items()
        assert facts[0] == plain["alpha"] and facts[1:3] != [plain["low"], plain["high"]]


def test_agreement_prints_groups_and_takes_each_unit_with_a_blank_by_itself(files, labels):
    of = ("agreement", labels, "--level", "ordinal", *OF_LABELS[:-1])
    report = dict(rows(assayer(*of, "--group", "video").stdout))
    units = {(query, document) for query, document, *_ in LABELS}
    several = {unit for unit in units if sum(label[:2] == unit for label in LABELS) > 1}
    alone = [unit for unit in several if not VIDEO[unit[0]]]
    assert report["n_groups"] == str(5 + len(alone))
    own = assayer(*of, "--group", "query,document")
    assert own.stdout == assayer(*of).stdout  # each unit is a group: units are drawn
    unnamed = assayer(*of, "--group", "query", "--groups", f"{files}/groups").stderr
    assert "does not name 6 of 36 values of --group, such as" in unnamed


def test_agreement_says_what_is_wrong_with_its_groups(files, labels):
    of = ("agreement", labels, "--level", "nominal", *OF_LABELS)
    for options in (("--group", "query", "--bootstrap", "0"), ("--groups", f"{files}/groups")):
        assert "--group is of the interval" in assayer(*of, *options).stderr
    message = assayer(*of, "--unit", "document", "--group", "query").stderr
    assert (
        f"assayer agreement: {labels}: Line " in message
        and "a unit belongs to one group." in message
    )
    two_columns = assayer(*of, "--group", "query,document", "--groups", f"{files}/groups")
    assert "name one by --group" in two_columns.stderr
    single_group = assayer(*of, "--group", "query", "--groups", f"{files}/one")
    assert (
        "units with two labels are of one group" in single_group.stderr
        and "leave out --group" in single_group.stderr
    )
    broken = assayer(*of, "--group", "query", "--groups", f"{files}/broken")
    assert broken.stderr.startswith(f"assayer agreement: {files}/broken: Line 3: query")
    assert assayer(*of, "--group", "query", "--groups", f"{files}/nothing").stderr == (
        f"assayer agreement: {files}/nothing: No such file or directory\n"
    )
    write(files / "none.csv", ["query,document,who,grade", "q1,d1,a,1"])
    none = json.loads(assayer("agreement", f"{files}/none.csv", *of[2:], "--group", "query").stdout)
    assert (none["alpha"], none["not_defined"]) == (None, "no unit has two labels yet")
