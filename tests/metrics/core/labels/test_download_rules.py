"""Rules that resolve grades, beside the policy's own and plain Python; archives without times."""

import io
import time
import zipfile
from statistics import median_low

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.files.formats import Problems
from annotate.core.files.references.reference_formats import ReferenceRow, as_line, read_reference
from annotate.core.labels.resolving import LabelPolicy, decide
from metrics.core.files.archives import zip_stream
from metrics.core.labels.download_rules import RULES, resolve_pairs

PAIRS = st.dictionaries(
    st.tuples(st.integers(0, 5), st.integers(0, 5)),
    st.lists(st.integers(0, 4), min_size=1, max_size=6),
    max_size=12,
)
MAJORITY = LabelPolicy(labels_per_pair=1, ceiling=9, tolerance=0, rule="majority", tie="dispute")
ORACLES = {
    "majority": lambda grades: decide(grades, MAJORITY).grade,
    "median": median_low,
    "first": lambda grades: grades[0],
    "largest": max,
    "smallest": min,
}


@pytest.mark.parametrize("rule", RULES)
@given(pairs=PAIRS, seed=st.integers(0, 99))
def test_a_rule_gives_the_grade_that_plain_python_gives(rule, pairs, seed):
    rows = [
        (*pair, number, grade)
        for pair, grades in pairs.items()
        for number, grade in enumerate(grades)
    ]
    table = np.random.default_rng(seed).permutation(np.array(rows, dtype=np.int64).reshape(-1, 4))
    resolved = resolve_pairs(table, rule)
    expected = {pair: ORACLES[rule](grades) for pair, grades in sorted(pairs.items())}
    assert list(zip(*(column.tolist() for column in resolved), strict=True)) == [
        (*pair, grade) for pair, grade in expected.items() if grade is not None
    ]


IDS = st.text(st.characters(exclude_categories=("Z", "C")), min_size=1, max_size=8)


@given(
    rows=st.lists(st.tuples(IDS, IDS, st.integers(-2, 9)), min_size=1, max_size=8),
    strata=st.one_of(st.none(), st.integers(0, 9)),
)
def test_qrels_of_four_and_five_columns_are_read_back_as_they_were_written(rows, strata):
    rows = [row for row in rows if "," not in row[0] and not row[0].startswith(("{", "\ufeff"))]
    text = "".join(as_line(ReferenceRow(*row, 0, strata)) for row in rows)
    if rows:
        rows_read = read_reference(io.BytesIO(text.encode()), "a.qrels", Problems())
        assert [(row.query, row.document, row.grade, row.stratum) for row in rows_read] == [
            (*row, strata) for row in rows
        ]


def test_an_archive_is_the_same_bytes_a_moment_later(monkeypatch):
    first = b"".join(zip_stream([("a.txt", ["one", "é"]), ("b/c.txt", [])]))
    monkeypatch.setattr(time, "time", lambda: 2_000_000_000.0)
    assert b"".join(zip_stream([("a.txt", ["one", "é"]), ("b/c.txt", [])])) == first
    archive = zipfile.ZipFile(io.BytesIO(first))
    assert (
        archive.testzip() is None
        and archive.read("a.txt").decode() == "oneé"
        and archive.read("b/c.txt") == b""
    )
