"""Where the servers keep their data."""

import os
import shutil
from pathlib import Path

import pytest

from config.up.home import Home, data_folder, drop_data_folder, keep_data_folder, prepare_home
from config.up.processes import StartError

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="only root's servers run as somebody else")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home that the servers' account cannot enter."""
    tmp_path.chmod(0o700)
    home = Home(tmp_path / "var")
    prepare_home(home)
    return home


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
    try:
        assert not drop_data_folder(home)
        assert data_folder(home) == folder and folder.is_dir()
        copy = Home(home.var.with_name("copy"))
        shutil.copytree(home.var, copy.var)
        with pytest.raises(StartError, match=r"belongs to .* is a copy of that: delete the copy"):
            data_folder(copy)
        home.var.rename(home.var.with_name("moved"))
        moved = Home(home.var.with_name("moved"))
        assert data_folder(moved) == data_folder(moved) == folder
    finally:
        shutil.rmtree(folder)


def test_a_first_start_that_was_killed_goes_on_in_its_folder(home: Home) -> None:
    folder = data_folder(home)
    folder.rmdir()  # killed before it was made
    assert data_folder(home) == folder and folder.is_dir()
    assert drop_data_folder(home)


def test_data_that_are_gone_are_not_replaced_by_an_empty_database(home: Home) -> None:
    folder = data_folder(home)
    keep_data_folder(home)
    shutil.rmtree(folder)
    with pytest.raises(StartError, match=rf"kept in {folder}.* is not there: put it back"):
        data_folder(home)


def test_a_database_in_a_folder_that_was_closed_later_is_not_left_for_an_empty_one(home: Home) -> None:
    (home.var / "postgres").mkdir()
    with pytest.raises(StartError, match=r"cannot enter .* where the database is: open that folder"):
        data_folder(home)
