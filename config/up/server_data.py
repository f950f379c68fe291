"""The folder of the servers' data: `var`, or one in /var/lib if root's servers cannot reach it.

Not in /var/tmp, which many machines empty after a month. A file in `var` names that folder, and a
note in the folder names its `var`: a copy of the product's folder has a copy of the file, and must
neither use nor remove the folder named in it.
"""

import os
import pwd
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from config.up.home import (
    FIRST_START_BYTES,
    Home,
    make_folder,
    reachable,
    server_account,
    write_private,
)
from config.up.processes import StartError

SYSTEM_FOLDER = Path("/var/lib")
OWNER = "belongs-to"


def data_folder(home: Home) -> Path:
    """Return the folder of the servers' files, and make it if need be."""
    account = server_account()
    check_account(home.var, account)
    folder = named_folder(home) or new_folder(home, account)
    check_account(folder, account)
    return folder


def recorded_folder(home: Home) -> Path:
    """Return the recorded folder of the servers' files, without making or checking anything."""
    for pointer in (home.pointer, home.new_pointer):
        with suppress(OSError):
            return Path(pointer.read_text().strip())
    return home.var


def named_folder(home: Home) -> Path | None:
    """Return the folder in /var/lib of earlier starts, or of a killed first start.

    Returns None without one.
    """
    if home.pointer.exists():
        folder = Path(home.pointer.read_text().strip())
        if not folder.is_absolute() or not folder.is_dir():
            raise StartError(
                f"The database is kept in {folder}, as {home.pointer} says, and that folder is not "
                f"there: put it back, or delete {home.var} to begin with nothing."
            )
        if owner := other_owner(folder, home):
            raise StartError(
                f"The database in {folder} belongs to {owner}, of which {home.var} is a copy: "
                f"delete {home.var}, and nothing else, to begin with nothing here."
            )
        return claim(folder, home)
    if home.new_pointer.exists():
        folder = Path(home.new_pointer.read_text().strip())
        if folder.is_absolute() and not other_owner(folder, home):
            return claim(make_folder(folder, 0o711), home)
    return None


def new_folder(home: Home, account: pwd.struct_passwd | None) -> Path:
    """Return `var`, or a new folder in /var/lib, which may be dropped until a first start succeeds.

    Its name is recorded before it is made: a start that is killed here leaves no unknown folder.
    """
    if account is None or reachable(home.var, account):
        return home.var
    if (home.var / "postgres").exists():
        raise StartError(
            f"The servers run as {account.pw_name}, who cannot enter {home.var}, where the "
            "database is: open that folder and those above it to others (chmod o+x)."
        )
    folder = SYSTEM_FOLDER / f"assayer-{secrets.token_hex(6)}"
    write_private(home.new_pointer, f"{folder}\n")
    print(f"The servers cannot reach {home.var}, so they keep their data in {folder}.")
    free = shutil.disk_usage(SYSTEM_FOLDER).free
    if free < FIRST_START_BYTES:
        raise StartError(
            f"A first start needs {FIRST_START_BYTES // 1_000_000} MB in {SYSTEM_FOLDER}; "
            f"{free // 1_000_000} MB are free."
        )
    return claim(make_folder(folder, 0o711), home)


def check_account(folder: Path, account: pwd.struct_passwd | None) -> None:
    """Refuse data of another account: of another person, or after the machine got a new account."""
    uid = account.pw_uid if account else os.getuid()
    server_folders = [path for path in (folder / "postgres", folder / "redis") if path.exists()]
    foreign = [path for path in server_folders if path.stat().st_uid != uid]
    if foreign:
        name, other = account_name(uid), account_name(foreign[0].stat().st_uid)
        raise StartError(
            f"The data in {folder} belong to {other}, and the servers would run as {name}: start "
            f"as {other}, or hand the data over as root (chown -R {name}: "
            f"{' '.join(map(str, foreign))})."
        )


def account_name(uid: int) -> str:
    """Name of an account, or its number."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def other_owner(folder: Path, home: Home) -> Path | None:
    """Another `var` that owns a folder's data.

    Returns None if they are ours, or the other `var` is gone.
    """
    note = folder / OWNER
    owner = Path(os.fsdecode(note.read_bytes())) if note.exists() else home.var.resolve()
    names = [pointer.name for pointer in (home.pointer, home.new_pointer)]
    recorded_paths = [
        (owner / name).read_text().strip() for name in names if (owner / name).exists()
    ]
    return owner if owner != home.var.resolve() and str(folder) in recorded_paths else None


def claim(folder: Path, home: Home) -> Path:
    """Write the owner of a folder's data into it, and return the folder."""
    (folder / OWNER).write_bytes(os.fsencode(home.var.resolve()))
    return folder


def keep_data_folder(home: Home) -> None:
    """Keep a folder in /var/lib for good: the product has been ready on it."""
    if home.new_pointer.exists() and Path(home.new_pointer.read_text().strip()).is_dir():
        home.new_pointer.replace(home.pointer)


def drop_data_folder(home: Home) -> bool:
    """Remove the folder in /var/lib of a failed first start; return whether there was one."""
    try:
        folder = Path(home.new_pointer.read_text().strip())
    except FileNotFoundError:
        return False
    if not other_owner(folder, home):
        shutil.rmtree(folder, ignore_errors=True)
    home.new_pointer.unlink()
    return True
