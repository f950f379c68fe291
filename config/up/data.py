"""The folder of the servers' data: `var`, or one in /var/lib when root's servers cannot reach `var`.

Not in /var/tmp, which many machines empty after a month. A file in `var` names that folder, and a note in the folder
names its `var`: a copy of the product's folder brings the file along, and must neither use nor remove what it names.
"""

import os
import pwd
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from config.up.home import ROOM, Home, make_folder, reachable, server_account, write_private
from config.up.processes import StartError

ELSEWHERE = Path("/var/lib")
OWNER = "belongs-to"


def data_folder(home: Home) -> Path:
    """Where the servers' files are; made if need be."""
    account = server_account()
    check_account(home.var, account)
    folder = named_folder(home) or new_folder(home, account)
    check_account(folder, account)
    return folder


def kept_in(home: Home) -> Path:
    """Where the servers' files are, as it is written down; nothing is made or checked."""
    for pointer in (home.pointer, home.new_pointer):
        with suppress(OSError):
            return Path(pointer.read_text().strip())
    return home.var


def named_folder(home: Home) -> Path | None:
    """The folder in /var/lib of earlier starts, or of a first start that was killed; None if there is none."""
    if home.pointer.exists():
        folder = Path(home.pointer.read_text().strip())
        if not folder.is_absolute() or not folder.is_dir():
            raise StartError(
                f"The database is kept in {folder}, as {home.pointer} says, and that folder is not there: "
                f"put it back, or delete {home.var} to begin with nothing."
            )
        if owner := other_owner(folder, home):
            raise StartError(
                f"The database in {folder} belongs to {owner}, of which {home.var} is a copy: "
                f"delete {home.var}, and nothing else, to begin with nothing here."
            )
        return claimed(folder, home)
    if home.new_pointer.exists():
        folder = Path(home.new_pointer.read_text().strip())
        if folder.is_absolute() and not other_owner(folder, home):
            return claimed(make_folder(folder, 0o711), home)
    return None


def new_folder(home: Home, account: pwd.struct_passwd | None) -> Path:
    """`var`, or a new folder in /var/lib, which can be dropped again until the first start has succeeded.

    Its name is written down before it is made: a start that is killed here leaves nothing that nobody knows of.
    """
    if account is None or reachable(home.var, account):
        return home.var
    if (home.var / "postgres").exists():
        raise StartError(
            f"The servers run as {account.pw_name}, who cannot enter {home.var}, where the database is: "
            "open that folder and those above it to others (chmod o+x)."
        )
    folder = ELSEWHERE / f"assayer-{secrets.token_hex(6)}"
    write_private(home.new_pointer, f"{folder}\n")
    print(f"The servers cannot reach {home.var}, so they keep their data in {folder}.")
    free = shutil.disk_usage(ELSEWHERE).free
    if free < ROOM:
        raise StartError(f"A first start needs {ROOM // 1_000_000} MB in {ELSEWHERE}; {free // 1_000_000} MB are free.")
    return claimed(make_folder(folder, 0o711), home)


def check_account(folder: Path, account: pwd.struct_passwd | None) -> None:
    """Refuse data of another account: the product was started by another person, or the machine has a new account."""
    uid = account.pw_uid if account else os.getuid()
    written = [path for path in (folder / "postgres", folder / "redis") if path.exists()]
    of_others = [path for path in written if path.stat().st_uid != uid]
    if of_others:
        name, other = account_name(uid), account_name(of_others[0].stat().st_uid)
        raise StartError(
            f"The data in {folder} belong to {other}, and the servers would run as {name}: start as {other}, or hand "
            f"the data over as root (chown -R {name}: {' '.join(map(str, of_others))})."
        )


def account_name(uid: int) -> str:
    """What an account is called, or its number."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def other_owner(folder: Path, home: Home) -> Path | None:
    """Another `var` that the data of a folder belong to; None if they are ours, or that one is gone."""
    note = folder / OWNER
    owner = Path(os.fsdecode(note.read_bytes())) if note.exists() else home.var.resolve()
    names = [pointer.name for pointer in (home.pointer, home.new_pointer)]
    named = [(owner / name).read_text().strip() for name in names if (owner / name).exists()]
    return owner if owner != home.var.resolve() and str(folder) in named else None


def claimed(folder: Path, home: Home) -> Path:
    """The folder, with a note of whose its data are."""
    (folder / OWNER).write_bytes(os.fsencode(home.var.resolve()))
    return folder


def keep_data_folder(home: Home) -> None:
    """Let a folder in /var/lib stay: the product has been ready on it."""
    if home.new_pointer.exists() and Path(home.new_pointer.read_text().strip()).is_dir():
        home.new_pointer.replace(home.pointer)


def drop_data_folder(home: Home) -> bool:
    """Remove the folder in /var/lib of a first start that came to nothing; says whether there was one."""
    try:
        folder = Path(home.new_pointer.read_text().strip())
    except FileNotFoundError:
        return False
    if not other_owner(folder, home):
        shutil.rmtree(folder, ignore_errors=True)
    home.new_pointer.unlink()
    return True
