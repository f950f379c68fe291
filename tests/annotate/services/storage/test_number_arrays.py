"""Whole numbers of the database are read as arrays, also where there are none."""

import numpy as np
import pytest
from django.db import connection

from annotate.models import Collection
from annotate.services.storage.number_arrays import (
    column,
    copied_columns,
    sent_elements,
    statement_columns,
    table,
)

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


def test_a_null_is_refused_and_no_number_slips_into_its_place():
    with pytest.raises(ValueError, match="null"):
        copied_columns("VALUES (1, 2), (NULL, 3), (4, NULL)", ["a", "b"], [])
    columns = copied_columns("VALUES (1, 2), (4, 3)", ["a", "b"], [])
    assert [values.tolist() for values in columns.values()] == [[1, 4], [2, 3]]


@pytest.mark.parametrize(
    ("element_type", "sql_type", "values"),
    [(np.int64, "bigint", [-(2**63), 7, 2**63 - 1]), (np.float64, "float8", [0.1, -1e300, 2.5])],
)
def test_arrays_are_joined_as_they_were_sent(element_type, sql_type, values):
    arrays = [values, [], values[:1]]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT array_send(a::{sql_type}[]), array_send(b::{sql_type}[]), "
            f"array_send(c::{sql_type}[]) FROM (VALUES (%s, %s, %s)) AS row (a, b, c)",
            arrays,
        )
        sent = cursor.fetchone()
    elements = sent_elements(sent, element_type)
    assert (elements.dtype, elements.tolist()) == (element_type, values + values[:1])
    assert sent_elements([], element_type).tolist() == []
