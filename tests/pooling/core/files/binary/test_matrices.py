"""Similarity matrices as runs: what fits no ids is refused, and each row keeps its best."""

import io
import zipfile

import numpy as np
import pytest

from tests.pooling.core.files.run_reading import errors_of, rows_of
from tests.pooling.core.files.run_samples import MATRIX, npz


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"sim_mat": None}, "The archive holds neither an array sim_mat"),
        ({"row_ids": None}, "The .npz file holds no arrays row_ids and column_ids"),
        ({"row_ids": np.array(["q1"])}, "sim_mat is (2, 3), but there are 1 row ids"),
        ({"row_ids": np.array(["q1", "q1"])}, 'Entry 2 of row_ids: the id "q1" stands twice.'),
        ({"row_ids": np.array(["q1", ""])}, "Entry 2 of row_ids: the id is blank"),
        ({"row_ids": np.array([["q1", "q2"]])}, "Array row_ids is no list of ids"),
        ({"row_ids": np.array([1.5, 2.5])}, "Array row_ids is no list of ids"),
        ({"sim_mat": np.array([[1, np.nan, 0], [1, 2, 3.0]])}, "Row 1 of sim_mat holds NaN"),
        (
            {"sim_mat": np.ones((2, 3), dtype=int)},
            "sim_mat is int64; save it as float16, float32 or float64.",
        ),
        (
            {"sim_mat": np.array([["a"]], dtype=object)},
            "Array sim_mat holds Python objects, which are never loaded",
        ),
    ],
)
def test_a_matrix_that_does_not_fit_its_ids_is_refused(change, error):
    arrays = {name: array for name, array in (MATRIX | change).items() if array is not None}
    assert errors_of(npz(**arrays))[0].startswith(error)


def test_a_header_that_claims_terabytes_is_refused_before_anything_is_loaded():
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        head, {"descr": "<f4", "fortran_order": False, "shape": (1 << 20, 1 << 20)}
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("sim_mat.npy", head.getvalue())
        for ids in ("row_ids", "column_ids"):
            many = io.BytesIO()
            np.save(many, np.arange(3))
            archive.writestr(f"{ids}.npy", many.getvalue())
    assert errors_of(file.getvalue())[0].startswith("sim_mat is (1048576, 1048576), but")


def test_a_matrix_keeps_the_best_of_each_row_and_ties_as_the_canonical_order_does(monkeypatch):
    monkeypatch.setattr("pooling.core.files.binary.matrices.DEPTH", 2)
    sim = np.array([[1, 1, 1, 0.5], [0, 3, 2, 1]], dtype="float16")
    data = npz(sim_mat=sim, row_ids=np.array([1, 2]), column_ids=np.array(["a", "b", "c", "d"]))
    assert [(q, d) for q, d, _ in rows_of(data)] == [("1", "c"), ("1", "b"), ("2", "b"), ("2", "c")]
