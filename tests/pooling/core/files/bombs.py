"""Files made to take all memory or time, each with the reader it is for and what that answers.

`python -m tests.pooling.core.files.bombs FOLDER` writes them, as 0.bin and so on: making them takes
memory too.
"""

import gzip
import io
import struct
import sys
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.annotate.core.files.samples import archive

DEEP = b"[" * 1_000_000


def npy(shape: tuple[int, ...] = (), array: np.ndarray | None = None) -> bytes:
    file = io.BytesIO()
    if array is None:
        np.lib.format.write_array_header_1_0(
            file, {"descr": "<f4", "fortran_order": False, "shape": shape}
        )
    else:
        np.save(file, array)
    return file.getvalue()


HUGE = (1 << 20, 750_000)
BOTH = {f"{side}_ids.npy": npy(array=np.arange(3)) for side in ("row", "column")}
XML = (
    b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "%s">]>\n'
    b'<topics><topic number="1"><title>&a;</topic>'
)


def zeros(name: str) -> io.BytesIO:
    """An archive of one file of 70 MB."""
    return archive({name: bytes(70_000_000)}, compresslevel=1)


def many_members() -> bytes:
    """An archive whose directory lists a file 400,000 times."""
    entry = (
        struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0)
        + b"a"
    )
    directory = entry * 400_000
    return (
        b"PK\x03\x04"
        + b"\0" * 30
        + directory
        + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, len(directory), 34, 0)
    )


def overlapping() -> bytes:
    """An archive in which 2,000 entries share one packed stretch of a megabyte of zeros."""
    first_archive = archive({"0": bytes(1 << 20)})
    with zipfile.ZipFile(first_archive, "a") as changed:
        first = changed.infolist()[0]
        for number in range(1, 2_000):
            twin = zipfile.ZipInfo(str(number))
            for field in (
                "compress_type",
                "CRC",
                "compress_size",
                "file_size",
                "header_offset",
                "flag_bits",
            ):
                setattr(twin, field, getattr(first, field))
            changed.filelist.append(twin)
        changed._didModify = True
    return first_archive.getvalue()


def hdf5(*, columns: int, rows: int, ids: bool, **options: object) -> bytes:
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        matrix = file.create_dataset("sim_mat", (rows, columns), "f4", **options)
        file["row_ids"] = np.arange(rows if ids else 3)
        file["column_ids"] = np.arange(columns if ids else 3)
        if options.get("compression"):
            matrix[0, 0] = 0
    return buffer.getvalue()


def elsewhere(*, link: bool) -> bytes:
    """A matrix whose data is in another file."""
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        if link:
            file["sim_mat"] = h5py.ExternalLink("/etc/passwd", "x")
        else:
            file.create_dataset("sim_mat", (3, 3), "f4", external=[("/etc/passwd", 0, 36)])
        file["row_ids"] = file["column_ids"] = np.arange(3)
    return buffer.getvalue()


def parquet(**columns: object) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, compression="zstd")
    return buffer.getvalue()


def repeated_rows() -> bytes:
    zeros = np.zeros(6_000_000, dtype=np.int8)
    return parquet(query=zeros, document=zeros, score=zeros)


BOMBS = {
    "gzip of a run": (
        "run",
        lambda: gzip.compress(b"q Q0 d 1 1 t\n" * 5_500_000, 1),
        "unpacks to more than 50 times",
    ),
    "gzip of one line": (
        "items",
        lambda: gzip.compress(b'{"a":"' + b"x" * 20_000_000, 1),
        "longer than",
    ),
    "gzip of one value": (
        "run",
        lambda: gzip.compress(b'{"q":{"' + b"x" * 20_000_000, 1),
        "a value is longer than",
    ),
    "gzip of blanks": ("run", lambda: gzip.compress(b"\n" * 5_000_000, 1), "blank"),
    "gzip of blanks in JSON": (
        "reference",
        lambda: gzip.compress(b'{"q":[' + b" " * 70_000_000, 1),
        "longer than",
    ),
    "zip ratio": ("items", lambda: zeros("a.jsonl"), "unpacks to more than is allowed"),
    "zip ratio of labels": (
        "reference",
        lambda: zeros("a.qrels"),
        "unpacks to more than is allowed",
    ),
    "zip ratio of a matrix": ("run", lambda: zeros("sim_mat.npy"), "more than is accepted"),
    "zip members": ("items", many_members, "longer than that of any archive"),
    "zip members of a run": ("run", many_members, "lists more files"),
    "zip overlap": ("items", overlapping, "refused"),
    "zip in zip": ("items", lambda: archive({"a.zip": archive({"b.zip": b"x"}).getvalue()}), ""),
    "npz of 3 TB": (
        "run",
        lambda: archive({"sim_mat.npy": npy(HUGE), **BOTH}),
        "sim_mat is (1048576, 750000), but",
    ),
    "npz ids of 3 TB": (
        "run",
        lambda: archive({"sim_mat.npy": npy((3, 3)), **BOTH, "row_ids.npy": npy((7 * 10**11,))}),
        "is no list of ids",
    ),
    "npy of 3 TB": (
        "run",
        lambda: archive({"m.npy": npy(HUGE), "rows.txt": b"a\nb\n", "columns.txt": b"c\n"}),
        "sim_mat is (1048576, 750000), but",
    ),
    "nested run": ("run", lambda: b'{"q": ' + DEEP, "nested too deeply"),
    "nested lines": ("run", lambda: b'{"query": "q", "document": ' + DEEP, "nested too deeply"),
    "nested items": ("items", lambda: b'{"side": ' + DEEP, "nested too deeply"),
    "nested captions": ("items", lambda: b'{"videos": ' + DEEP, "nested too deeply"),
    "nested references": (
        "reference",
        lambda: b'{"q": ' + b'{"a":' * 1_000_000,
        "nested too deeply",
    ),
    "nested ids": ("ids", lambda: b'{"q": ' + DEEP, "nested too deeply"),
    "nested judgments": ("judgments", lambda: b'{"query": ' + DEEP, "nested too deeply"),
    "many small objects": (
        "reference",
        lambda: b'{"q":[' + b"[]," * 600_000 + b"1]}",
        "document is blank",
    ),
    "long line": (
        "judgments",
        lambda: b"query,document,annotator,grade\n" + b"x" * 9_000_000,
        "longer than",
    ),
    "entities": ("items", lambda: XML % (b"&b;" * 9_000), ""),
    "tags": (
        "items",
        lambda: b"<top>\n<num> 1\n<title>" + b"< " * 900_000 + b"\n",
        "does not end within",
    ),
    "hdf5 of 3 TB": (
        "run",
        lambda: hdf5(rows=1 << 20, columns=750_000, ids=False, chunks=(1, 1_000)),
        "sim_mat is (1048576, 750000), but",
    ),
    "hdf5 of zeros": (
        "run",
        lambda: hdf5(rows=20_000, columns=20_000, ids=True, chunks=(1_000, 1_000)),
        "takes 1,600,000,000 bytes",
    ),
    "hdf5 of one piece": (
        "run",
        lambda: hdf5(
            rows=5_000, columns=5_000, ids=True, chunks=(5_000, 5_000), compression="gzip"
        ),
        "pieces of more than",
    ),
    "hdf5 link": ("run", lambda: elsewhere(link=True), "links are never followed"),
    "hdf5 outside": ("run", lambda: elsewhere(link=False), "links are never followed"),
    "parquet of one row": ("run", repeated_rows, "claims 6,000,000 rows"),
    "parquet of one text": ("run", lambda: parquet(query=["x" * 70_000_000]), "unpacks to"),
    "parquet footer": (
        "run",
        lambda: b"PAR1" + b"\x15" * 1_000 + struct.pack("<L", 0x7FFFFFFF) + b"PAR1",
        "damaged",
    ),
}


def write(folder: Path) -> None:
    """Make the files."""
    for number, (_, make, _) in enumerate(BOMBS.values()):
        bomb = make()
        (folder / f"{number}.bin").write_bytes(
            bomb.getvalue() if isinstance(bomb, io.BytesIO) else bomb
        )


if __name__ == "__main__":
    write(Path(sys.argv[1]))
