"""Whole numbers of the database are read as arrays, also where there are none."""

import numpy as np
import pytest

from annotate.models import Collection
from annotate.services.storage.number_arrays import column, statement_columns, table

pytestmark = pytest.mark.django_db
PAIRS = "SELECT n, n * n FROM generate_series(1, {}) AS n"


def test_rows_are_read_as_columns():
    two = statement_columns(PAIRS.format("%s"), 2, [3])
    assert two.dtype == np.int64 and two.tolist() == [[1, 2, 3], [1, 4, 9]]
    assert statement_columns(PAIRS.format("%(n)s"), 2, {"n": 0}).shape == (2, 0)


def test_no_rows_are_an_empty_table():
    rows = Collection.objects.none().values_list("pk", "pk")
    assert table(rows, 2).shape == (0, 2)
    assert column(Collection.objects.none().values_list("pk")).shape == (0,)
