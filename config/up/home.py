"""The product's files on this machine: the folder `var`, and the paths that follow from it.

Plain Python: the settings read it, and `up` runs it before Django is loaded.
"""

import hashlib
import os
import pwd
import secrets
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from config.up.processes import StartError

DATABASE = "assayer"
# settings need one to be loaded
NO_KEY_YET = "no key yet: the one of the backup comes to its place, or a new one"
# bytes: a new cluster, its log of changes, the static files, the demo
FIRST_START_BYTES = 300_000_000


@dataclass(frozen=True)
class Home:
    """The folder `var` and the socket folder that follows from it.

    Sockets are not in `var`: a socket's path may have about 100 characters, a folder's any number.
    The name is a function of `var`, so that every command finds the running servers.
    """

    var: Path

    @property
    def sockets(self) -> Path:
        mark = hashlib.sha256(os.fsencode(self.var.resolve())).hexdigest()[:12]
        return Path(f"/tmp/assayer-{os.getuid()}-{mark}")  # noqa: S108 - its owner is checked

    @property
    def redis_socket(self) -> Path:
        return self.sockets / "redis.sock"

    @property
    def redis_url(self) -> str:
        return f"unix://{self.redis_socket}?db=0"

    def database_url(self, name: str = DATABASE, *, port: int | None = None) -> str:
        host = quote(str(self.sockets), safe="")
        return f"postgres://assayer@{host}{f':{port}' if port else ''}/{name}"

    @property
    def logs(self) -> Path:
        return self.var / "log"

    @property
    def secret_key(self) -> Path:
        return self.var / "secret_key"

    @property
    def pointer(self) -> Path:
        """The file that names the folder of the servers' data where that is not `var`."""
        return self.var / "servers-keep-data-in"

    @property
    def new_pointer(self) -> Path:
        """The pointer during a first start, which may yet fail."""
        return self.var / "servers-keep-data-in.new"

    def read_secret_key(self) -> str:
        """The generated key, or nothing when `up` has not made one here."""
        try:
            return self.secret_key.read_text()
        except OSError:
            return ""


def server_account() -> pwd.struct_passwd | None:
    """The account the servers run as: our own (None), but never root (PostgreSQL refuses it)."""
    if os.getuid() != 0:
        try:
            pwd.getpwuid(os.getuid())
        except KeyError:
            raise StartError(
                "PostgreSQL does not run as an account without a name (yours is number "
                f"{os.getuid()}): add a line for it to /etc/passwd, start as another account, or "
                "give `up` DATABASE_URL and REDIS_URL."
            ) from None
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise StartError(
        "PostgreSQL does not run as root and there is no account postgres or nobody: "
        "start as an ordinary user, or set DATABASE_URL and REDIS_URL."
    )


def prepare_home(home: Home) -> None:
    """Make `var`, its log folder and the secret key."""
    make_var(home)
    try:
        if not home.secret_key.exists():
            write_private(home.secret_key, secrets.token_urlsafe(64))
    except OSError as error:
        raise StartError(f"Cannot write in {home.var}: {error.strerror}.") from error
    free = shutil.disk_usage(home.var).free
    if (
        not (home.var / "postgres").exists()
        and not home.pointer.exists()
        and free < FIRST_START_BYTES
    ):
        raise StartError(
            f"A first start needs {FIRST_START_BYTES // 1_000_000} MB for {home.var}; "
            f"{free // 1_000_000} MB are free."
        )


def make_var(home: Home) -> None:
    """Make `var` and its log folder alone."""
    try:
        # the servers of root must pass through
        make_folder(home.var, 0o711 if os.getuid() == 0 else 0o700)
        home.logs.mkdir(exist_ok=True)
    except OSError as error:
        raise StartError(f"Cannot write in {home.var}: {error.strerror}.") from error


def write_private(path: Path, text: str) -> None:
    """Write a file readable by its owner alone, whole or not at all."""
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(descriptor)
    draft.replace(path)


def prepare_sockets(home: Home) -> None:
    """Make the socket folder for us alone; refuse one that somebody else has put there."""
    account, folder = server_account(), home.sockets
    owner = account.pw_uid if account else os.getuid()
    try:
        folder.mkdir(mode=0o700)
        if account:
            os.chown(folder, account.pw_uid, account.pw_gid)
    except FileExistsError:
        pass
    except OSError as error:
        raise StartError(f"Cannot make {folder}: {error.strerror}.") from error
    status = folder.lstat()
    if (
        not stat.S_ISDIR(status.st_mode)
        or status.st_uid not in (owner, os.getuid())
        or status.st_mode & 0o077
    ):
        raise StartError(
            f"{folder} belongs to somebody else or is open to others: remove it and start again."
        )


def reachable(path: Path, account: pwd.struct_passwd | None) -> bool:
    """True if the server's account can reach a path (root's own folder is closed to it)."""
    if account is None:
        return True
    nearest = path.resolve()
    while not nearest.exists():
        nearest = nearest.parent
    for folder in (nearest, *nearest.parents):
        status = folder.stat()
        bit = (
            0o100
            if status.st_uid == account.pw_uid
            else 0o010
            if status.st_gid == account.pw_gid
            else 0o001
        )
        if not status.st_mode & bit:
            return False
    return True


def make_folder(path: Path, mode: int) -> Path:
    """Make a folder with just these rights, whatever the umask; an existing one stays as it is."""
    if not path.exists():
        path.mkdir(parents=True)
        path.chmod(mode)
    return path


def owned_folder(path: Path, account: pwd.struct_passwd | None) -> Path:
    """Make a folder that belongs to the server's account and is closed to all others."""
    path.mkdir(mode=0o700, exist_ok=True)
    if account:
        os.chown(path, account.pw_uid, account.pw_gid)
    return path
