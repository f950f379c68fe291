"""The folder of the servers' data."""

import os
import pwd
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.up.home import Home, prepare_home, server_account
from config.up.processes import StartError
from config.up.server_data import data_folder, drop_data_folder, keep_data_folder

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="only root's servers run as somebody else")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A home that the servers' account cannot enter."""
    tmp_path.chmod(0o700)
    home = Home(tmp_path / "var")
    prepare_home(home)
    yield home
    for pointer in tmp_path.glob("*/servers-keep-data-in*"):
        shutil.rmtree(pointer.read_text().strip(), ignore_errors=True)


def test_a_start_that_failed_takes_its_folder_along(home: Home) -> None:
    folder = data_folder(home)
    assert folder.parent == Path("/var/lib") and data_folder(home) == folder
    (folder / "half a database").touch()
    assert drop_data_folder(home)
    assert not folder.exists() and not list(home.var.glob("servers-keep-data-in*"))
    assert not drop_data_folder(home)


def test_a_folder_on_which_the_product_was_ready_stays(home: Home) -> None:
    folder = data_folder(home)
    keep_data_folder(home)
    assert not drop_data_folder(home)
    assert data_folder(home) == folder and folder.is_dir()
    copy = copied(home)
    with pytest.raises(
        StartError, match=r"belongs to .*var, of which .*copy is a copy: delete .*copy, and nothing"
    ):
        data_folder(copy)
    home.var.rename(home.var.with_name("moved"))
    moved = Home(home.var.with_name("moved"))
    assert data_folder(moved) == data_folder(moved) == folder


def test_what_was_moved_away_goes_on_although_another_product_has_its_place(home: Home) -> None:
    folder = data_folder(home)
    keep_data_folder(home)
    moved = Home(home.var.with_name("moved"))
    home.var.rename(moved.var)
    prepare_home(home)
    another = data_folder(home)
    keep_data_folder(home)
    assert data_folder(moved) == folder != another


def test_a_copy_of_a_first_start_leaves_the_folder_to_the_original(home: Home) -> None:
    folder = data_folder(home)
    copy = copied(home)
    keep_data_folder(home)
    assert drop_data_folder(Home(copied(home, "another").var)) is False
    another = data_folder(copy)
    assert another != folder
    shutil.rmtree(another)
    copy.new_pointer.write_text(str(folder))
    assert drop_data_folder(copy) and folder.is_dir()


def test_a_start_without_servers_of_its_own_does_not_keep_a_folder_that_was_never_made(
    home: Home,
) -> None:
    home.new_pointer.write_text("/var/lib/assayer-never-made\n")
    keep_data_folder(home)
    assert not home.pointer.exists()


def test_data_of_another_account_are_refused_with_the_way_out(home: Home) -> None:
    folder = data_folder(home)
    (folder / "postgres").mkdir()
    os.chown(folder / "postgres", pwd.getpwnam("daemon").pw_uid, 0)
    with pytest.raises(
        StartError,
        match=r"belong to daemon, .*: start as daemon, or hand .* \(chown -R .*/postgres\)",
    ):
        data_folder(home)


def copied(home: Home, name: str = "copy") -> Home:
    """A copy of a home."""
    shutil.copytree(home.var, home.var.with_name(name))
    return Home(home.var.with_name(name))


def test_a_first_start_that_was_killed_goes_on_in_its_folder(home: Home) -> None:
    folder = data_folder(home)
    shutil.rmtree(folder)  # killed before it was made
    assert data_folder(home) == folder and folder.is_dir()
    assert drop_data_folder(home)


def test_data_that_are_gone_are_not_replaced_by_an_empty_database(home: Home) -> None:
    folder = data_folder(home)
    keep_data_folder(home)
    shutil.rmtree(folder)
    with pytest.raises(StartError, match=rf"kept in {folder}.* is not there: put it back"):
        data_folder(home)


def test_a_database_in_a_folder_that_was_closed_later_is_not_left_for_an_empty_one(
    home: Home,
) -> None:
    (home.var / "postgres").mkdir()
    account = server_account()
    os.chown(home.var / "postgres", account.pw_uid, account.pw_gid)
    with pytest.raises(
        StartError, match=r"cannot enter .* where the database is: open that folder"
    ):
        data_folder(home)
