"""Folders as archives that compress nothing: any program reads them, and so does a stretch."""

import gzip
import hashlib
import io
import zipfile

from metrics.core.files.folder_archives import FolderArchive, StoredFile, gzip_pieces
from metrics.core.files.stretches import FileStretch

FILES = {"README.md": b"# A collection\n", "qrels/alle Größen.qrels": b"", "b/c.bin": b"\0" * 9_000}


def archive(files: dict[str, bytes]) -> tuple[io.BytesIO, list[StoredFile]]:
    stream = io.BytesIO()
    with FolderArchive(stream, "shapes-1.0") as folder:
        stored_files = [
            folder.add(path, [content[:5], content[5:]]) for path, content in files.items()
        ]
    return stream, stored_files


def test_other_programs_find_the_files_in_one_folder_uncompressed() -> None:
    stream, _ = archive(FILES)
    with zipfile.ZipFile(stream) as other:
        assert other.testzip() is None
        contents = {name: other.read(name) for name in other.namelist()}
        assert {info.compress_type for info in other.infolist()} == {zipfile.ZIP_STORED}
        assert {info.date_time for info in other.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert contents == {f"shapes-1.0/{path}": content for path, content in FILES.items()}


def test_each_file_is_the_stretch_that_is_told() -> None:
    stream, stored_files = archive(FILES)
    for stored_file, (path, content) in zip(stored_files, FILES.items(), strict=True):
        stretch = FileStretch(
            io.BytesIO(stream.getvalue()), stored_file.offset, stored_file.n_bytes
        )
        assert stored_file.path == path
        assert stored_file.sha256 == hashlib.sha256(content).hexdigest()
        assert stretch.read() == content


def test_a_stretch_is_read_in_blocks_and_ends_where_its_file_ends() -> None:
    stretch = FileStretch(io.BytesIO(b"0123456789"), 2, 5)
    assert [stretch.read(3), stretch.read(3), stretch.read(3)] == [b"234", b"56", b""]


def test_closing_a_stretch_closes_its_file() -> None:
    stream = io.BytesIO(b"0123456789")
    with FileStretch(stream, 0, 1):
        pass
    assert stream.closed


def test_the_same_files_give_the_same_bytes() -> None:
    assert archive(FILES)[0].getvalue() == archive(FILES)[0].getvalue()


def test_packed_pieces_have_no_time_and_no_name() -> None:
    packed = b"".join(gzip_pieces([b"a" * 100_000, b"b"]))
    assert gzip.decompress(packed) == b"a" * 100_000 + b"b"
    assert packed[3] == 0, "flags: no name"
    assert packed[4:8] == b"\0\0\0\0", "time"
