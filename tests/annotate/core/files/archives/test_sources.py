"""Files, folders and archives: nothing outside them is ever opened, bombs are refused unread."""

import io
import stat
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.core.files.archives.sources import FolderSource, ZipSource, open_source, path_fault
from annotate.core.files.formats import FormatError
from annotate.core.files.text_files import Limits
from tests.annotate.core.files.samples import archive, file, zipped


def test_an_archive_is_told_by_its_bytes():
    assert open_source(archive({"a.txt": b"x"}), "a.jsonl").names() == ["a.txt"]
    assert open_source(file("PK is no archive"), "a.zip").names() == ["a.zip"]


def test_the_one_folder_around_all_files_is_left_out():
    assert ZipSource(archive({"set/a": b"1", "set/m/b": b"2"}), "z").names() == ["a", "m/b"]
    assert ZipSource(archive({"a": b"1", "m/b": b"2"}), "z").names() == ["a", "m/b"]


def test_what_tools_leave_behind_is_skipped():
    members = {"set/a": b"1", "__MACOSX/set/._a": b"x", "set/.DS_Store": b"x"}
    assert ZipSource(archive(members), "z").names() == ["a"]


@pytest.mark.parametrize(
    "name", ["../a", "/etc/passwd", "a/../../b", "a\\b", "C:/a", "a//b", "a/./b", "x\u202ey"]
)
def test_an_archive_with_a_name_that_leads_out_is_refused_whole(name):
    with pytest.raises(FormatError, match="The zip archive is refused"):
        ZipSource(archive({"fine.txt": b"1", name: b"2"}), "z")


def test_an_archive_with_an_empty_name_is_refused():
    stream = archive({"a": b"1"})
    with zipfile.ZipFile(stream, "a") as packed_file:
        packed_file.writestr("b", b"2")
        packed_file.infolist()[-1].filename = ""  # goes into the directory at the end
    with pytest.raises(FormatError, match=r"the name .* is blank"):
        ZipSource(stream, "z")


def test_a_link_in_an_archive_is_refused():
    stream = archive({"a": b"1"})
    with zipfile.ZipFile(stream, "a") as packed_file:
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed_file.writestr(link, "/etc/passwd")
    with pytest.raises(FormatError, match="is a link"):
        ZipSource(stream, "z")


def test_a_bomb_is_refused_by_what_it_says_it_unpacks_to():
    stream = archive({"a": b"0" * 5_000_000})
    with pytest.raises(FormatError, match="unpacks to more"):
        ZipSource(stream, "z", Limits(free=1_000_000))


def test_too_many_files_are_refused():
    with pytest.raises(FormatError, match="more than 3 files"):
        ZipSource(archive({str(i): b"" for i in range(4)}), "z", Limits(members=3))


def test_a_name_twice_is_refused():
    with pytest.warns(UserWarning, match="Duplicate"):
        stream = archive({"a": b"1"})
        with zipfile.ZipFile(stream, "a") as packed_file:
            packed_file.writestr("a", b"2")
    with pytest.raises(FormatError, match="same name"):
        ZipSource(stream, "z")


def test_an_archive_cut_short_is_refused():
    whole = archive({"a": b"x" * 1000}).getvalue()
    with pytest.raises(FormatError, match="cannot be read"):
        open_source(io.BytesIO(whole[:-30]), "z")


def test_a_folder_opens_only_what_lies_in_it(tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    inside = tmp_path / "in"
    (inside / "m").mkdir(parents=True)
    (inside / "m" / "a.txt").write_text("fine")
    (inside / "link.txt").symlink_to(tmp_path / "secret.txt")
    source = FolderSource(inside)
    with source.open("m/a.txt") as stream:
        assert stream.read() == b"fine"
    for name in (
        "../secret.txt",
        "link.txt",
        "m/../../secret.txt",
        str(tmp_path / "secret.txt"),
        "m",
        "none",
    ):
        assert not source.holds(name)
        with pytest.raises(FormatError):
            source.open(name)


@given(st.text(alphabet="./\\:ab\x00\n ~", max_size=12))
def test_a_path_without_fault_stays_inside_any_folder(tmp_path_factory, name):
    folder = tmp_path_factory.getbasetemp()
    if not path_fault(name):
        assert (folder / name).resolve().is_relative_to(folder.resolve())


def test_files_in_one_folder_of_an_archive_are_found_with_and_without_it():
    source = zipped({"media/a.txt": "one", "media/b.txt": "two"})
    assert source.names() == ["a.txt", "b.txt"]
    for name in ("a.txt", "media/a.txt"):
        assert source.holds(name)
        assert source.size(name) == 3
        assert source.open(name).read() == b"one"
