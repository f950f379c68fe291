"""One small run in every format, and one with a fault in it."""

import io
import json
import zipfile

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = [("q1", "d1", 2.5), ("q1", "d2", 1.5), ("q2", "d3", -1.0), ("q2", "d1", -3.25)]


def npz(**arrays) -> bytes:
    """As NumPy's savez_compressed writes it, but without the time: each run mutates the same."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive_file:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.asanyarray(array))
            archive_file.writestr(
                zipfile.ZipInfo(f"{name}.npy"), member.getvalue(), zipfile.ZIP_DEFLATED
            )
    return file.getvalue()


MATRIX = {
    "sim_mat": np.array([[2.5, 1.5, -np.inf], [-3.25, -np.inf, -1.0]], dtype="float32"),
    "row_ids": np.array(["q1", "q2"]),
    "column_ids": np.array(["d1", "d2", "d3"]),
}


def parquet(**columns) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def hdf5(**arrays) -> bytes:
    file = io.BytesIO()
    with h5py.File(file, "w") as hdf5:
        for name, array in arrays.items():
            hdf5[name] = array.astype("S") if array.dtype.kind == "U" else array
    return file.getvalue()


SAMPLES = {
    "trec": "".join(f"{q} Q0 {d} {i} {s} tag\n" for i, (q, d, s) in enumerate(ROWS, 1)).encode(),
    "jsonl": "".join(
        json.dumps({"query": q, "document": d, "score": s}) + "\n" for q, d, s in ROWS
    ).encode(),
    "table": ("query,document,score\n" + "".join(f"{q},{d},{s}\n" for q, d, s in ROWS)).encode(),
    "dictionary": json.dumps(
        {q: {d: s for p, d, s in ROWS if p == q} for q in ("q1", "q2")}
    ).encode(),
    "npz": npz(**MATRIX),
    "parquet": parquet(
        **dict(zip(("query", "document", "score"), map(list, zip(*ROWS, strict=True)), strict=True))
    ),
    "hdf5": hdf5(**MATRIX),
}
ONE_ROW_ID = MATRIX | {"row_ids": np.array(["q1"])}
FAULTY = {  # a file, and what its first error says
    "trec": (SAMPLES["trec"] + b"q3 Q0 d1 1\n", "Line 5: expected 6 fields, found 4"),
    "jsonl": (SAMPLES["jsonl"] + b'{"query": "q3"}\n', "Line 5: "),
    "table": (SAMPLES["table"] + b"q3,d1,high\n", 'Line 6: the score "high"'),
    "dictionary": (b'{"q1": {"d1": 1},\n"q2": {"d1": "high"}}', 'Line 2: the score "high"'),
    "npz": (npz(**ONE_ROW_ID), "sim_mat is (2, 3), but there are 1 row ids"),
    "parquet": (parquet(query=["q1"], document=["d1"]), "Line 1: the header names no column score"),
    "hdf5": (hdf5(**ONE_ROW_ID), "sim_mat is (2, 3), but there are 1 row ids"),
}
# the others: a process a file
READ_HERE = [data for name, data in SAMPLES.items() if name not in ("parquet", "hdf5")]
TEXTS = [data for name, data in SAMPLES.items() if name not in ("npz", "parquet", "hdf5")]
RANKINGS = (
    b'{"query":"q1","ranking":[["d1",2.5],["d2",1.5]]}\n'
    b'{"query":"q2","ranking":[["d3",-1],["d1",-3.25]]}\n'
)
TSV = SAMPLES["table"].replace(b",", b"\t")
