"""`manage.py up`: starts the servers and the product's processes, watches over them, stops them.

It does not load Django: that takes a second, and its children do it anyway.
"""

import argparse
import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import TextIO

from config.deployment.environment import faults, is_local
from config.deployment.plainly import REFUSED
from config.up import firststart
from config.up.data import data_folder, keep_data_folder
from config.up.home import Home, prepare_home
from config.up.logs import turn_all
from config.up.parts import Part, beat, long_worker, manage, postgres, redis, web, worker
from config.up.processes import StartError, end_orphans, last_words, note_processes, stop, wait_until
from config.up.progress import Progress
from config.up.room import full_folder, has_room, lack_of_room
from config.up.upgrading import upgrade_cluster

BASE_DIR = Path(__file__).resolve().parent.parent.parent
QUICK_SECONDS = 10  # a part that ends sooner did not really start
LOGS_EVERY = 10.0  # seconds between two looks at their size
QUICK_DEATHS = 5  # and so many in a row are no accident
HIGHEST_PORT = 65_535
TRY_EVERY = 1.0  # seconds between two tries where nothing shows that the disk is full but what fails


def main(arguments: list[str]) -> int:
    """Run the product until Ctrl-C; the exit code says whether it ran."""
    parser = argparse.ArgumentParser(prog="manage.py up", description="Run everything on this machine.")
    parser.add_argument("--port", type=port_number, default=os.environ.get("PORT", "8000"), help="0 takes a free one")
    parser.add_argument("--no-demo", action="store_true", help="do not load the demo collection")
    options = parser.parse_args(arguments)
    home = Home(Path(os.environ.get("ASSAYER_VAR") or BASE_DIR / "var").absolute())
    try:
        prepare_home(home)
        with take_lock(home, "starting"):
            supervisor = Supervisor(home, port=options.port, demo=not options.no_demo)
            try:
                supervisor.run()
            finally:
                supervisor.stop_all()
                firststart.forget_failed_start(home)
    except StartError as error:
        return complain(full_folder(home) or str(error))
    except MemoryError:
        return complain("This machine has not enough free memory.")
    except OSError as error:
        place = f": {error.filename}" if error.filename else ""
        return complain(full_folder(home) or f"{error.strerror or error}{place}.")
    return 0


def complain(sentence: str) -> int:
    """Say what is wrong in one sentence."""
    print(f"Assayer stopped. {sentence}", file=sys.stderr)
    return 1


def take_lock(home: Home, holder: str) -> TextIO:
    """Hold `var` for this process alone, and write down who it is; the lock ends with the process, however it ends."""
    lock = open(home.var / ".lock", "a+")  # noqa: SIM115 - held until the process ends
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        raise StartError(f"It is already running on this folder ({lock.read().strip()}).") from None
    lock.truncate(0)
    lock.write(f"process {os.getpid()}, {holder}")
    lock.flush()
    return lock


def port_number(text: str) -> int:
    """A port, as argparse wants it read."""
    if not text.isdecimal() or int(text) > HIGHEST_PORT:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to {HIGHEST_PORT}, not {text!r}")
    return int(text)


def free_port(port: int) -> int:
    """The port if nobody listens on it; a free one for 0."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except PermissionError:
            raise StartError(f"Only root may use port {port}: choose another with `--port 8000`.") from None
        except OSError as error:
            raise StartError(
                f"Port {port} cannot be used ({error.strerror}): stop the program that uses it, or choose "
                f"another with `python3 manage.py up --port {port + 1 if port < HIGHEST_PORT else 0}`."
            ) from error
        return int(probe.getsockname()[1])


class Supervisor:
    """The running product: its parts in the order of starting."""

    def __init__(self, home: Home, *, port: int, demo: bool) -> None:
        self.home = home
        end_orphans(home.var / "processes.json", home.var)
        for log in home.logs.glob("*.log"):
            log.replace(log.with_suffix(".log.old"))  # what is read out of a log is of this run
        self.port = free_port(port)
        self.url = f"http://127.0.0.1:{self.port}"
        self.demo = demo
        self.parts: list[Part] = []
        self.loading: subprocess.Popen[bytes] | None = None
        self.stopping = False
        self.lacks_room = False
        self.logs_due = 0.0
        self.progress = Progress()
        self.env = {
            **os.environ,
            "ASSAYER_VAR": str(home.var),
            "SITE_URL": os.environ.get("SITE_URL") or self.url,
            "PYTHONUNBUFFERED": "1",
        }

    def run(self) -> None:
        """Start everything, then watch until told to stop."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.on_signal)
        with open(self.home.var / ".lock", "w") as note:
            note.write(f"process {os.getpid()}, {self.url}/")
        begun = time.monotonic()
        key = os.environ.get("SECRET_KEY") or self.home.read_secret_key()
        if refusals := faults({**self.env, "SECRET_KEY": key}):
            raise StartError(" ".join(refusals))
        try:
            self.start_servers()
            self.start_product()
        finally:
            self.progress.end()
        if self.stopping:
            print("Stopped before it was ready.", flush=True)
            return
        keep_data_folder(self.home)
        site, accounts = self.env["SITE_URL"].rstrip("/"), firststart.sign_ins(self.home, self.env["SITE_URL"])
        where = f"{self.url}/" if is_local(self.env) else f"{self.url}/ (people come by {site}/)"
        print(f"\nReady in {time.monotonic() - begun:.1f} s: {where}\n{accounts}\nCtrl-C stops it.", flush=True)
        self.start_demo()
        while not self.stopping:
            time.sleep(0.1)
            self.watch()
        print("\nStopping.", flush=True)

    def tell(self, step: str, detail: str = "") -> None:
        """Show which step it is, unless we are already stopping."""
        if not self.stopping:
            self.progress.show(step, detail)

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        """Stop at the next step; a second Ctrl-C ends the waiting for work in progress."""
        if self.stopping:
            for part in self.parts:
                part.process.send_signal(signal.SIGKILL if part.disposable else part.first_signal)
        self.stopping = True

    def start_servers(self) -> None:
        """Start the embedded servers that no address in the environment replaces."""
        if os.environ.get("REDIS_URL") and os.environ.get("DATABASE_URL"):
            return
        data_folder(self.home)  # it says where that is, if it is elsewhere
        self.tell("Starting the database")
        if not os.environ.get("REDIS_URL"):
            self.add(redis(self.home))
        if not os.environ.get("DATABASE_URL"):
            if not self.stopping:
                upgrade_cluster(self.home, self.progress)
            self.add(postgres(self.home))

    def start_product(self) -> None:
        """Bring the database up to date and start web, worker and beat.

        With the static files as they were, the web server loads while the database is looked at; not where others
        reach it, as it does not start before the demo accounts are closed.
        """
        preparing = manage("prepare", home=self.home, env=self.env)
        early = is_local(self.env) and firststart.static_files_unchanged(self.home)
        if not early:
            self.await_preparation(preparing)
        self.add(web(self.home, env=self.env, port=self.port))
        if early:
            self.await_preparation(preparing)
        self.add(worker(self.home, env=self.env))
        self.add(long_worker(self.home, env=self.env))
        self.add(beat(self.home, env=self.env))
        self.tell("Starting the web server")
        self.await_web()

    def await_preparation(self, preparing: subprocess.Popen[bytes]) -> None:
        """Wait for migrations, static files and accounts."""

        def ended() -> bool:
            self.tell("Preparing the database", firststart.migrations_done(self.home.logs / "prepare.log"))
            return self.stopping or preparing.poll() is not None

        wait_until(ended, seconds=1800, step=0.1)
        if self.stopping:
            stop(preparing)
            return
        reason = last_words(self.home.logs / "prepare.log")
        if preparing.returncode == REFUSED:
            raise StartError(reason)
        if preparing.returncode != 0:
            raise StartError(f"The database could not be prepared: {reason}")

    def await_web(self) -> None:
        """Wait until the web server takes connections."""

        def answers() -> bool:
            self.revive_dead()
            with socket.socket() as probe:
                return self.stopping or probe.connect_ex(("127.0.0.1", self.port)) == 0

        if not wait_until(answers, seconds=120):
            raise StartError(f"The web server did not answer: {last_words(self.home.logs / 'web.log')}")

    def add(self, part: Part) -> None:
        """Start a part, unless we are already stopping."""
        if self.stopping:
            return
        part.start()
        self.parts.append(part)
        self.note()

    def note(self) -> None:
        """Write down who runs, for the next start after a kill -9 and for the tests."""
        note_processes(self.home.var / "processes.json", {part.name: part.process.pid for part in self.parts})

    def watch(self) -> None:
        """Start again what ended; where that cannot be, because the disk is full, wait for room, as people do."""
        try:
            self.revive_dead()
            self.report_demo()
            self.turn_logs()
        except (OSError, StartError) as error:
            if not (sentence := lack_of_room(self.home, error)):
                raise
            self.await_room(sentence)
            return
        if self.lacks_room:
            self.lacks_room = False
            with suppress(OSError):
                self.note()  # one that was started on the full disk may not be written down
            self.say("There is room again.")

    def await_room(self, sentence: str) -> None:
        """Wait until the disk has room again; what was said to be saved is on it.

        There is room again where what had failed goes: a quota of the servers' account lets us write.
        """
        if self.lacks_room:
            time.sleep(TRY_EVERY)
        else:
            self.say(f"{sentence} Nothing can be saved until there is room; it goes on by itself then.")
            self.lacks_room = True
        wait_until(lambda: self.stopping or has_room(self.home), seconds=float("inf"), step=0.5)
        for part in self.parts:
            part.quick_deaths = 0

    def say(self, sentence: str) -> None:
        """Tell who looks at the screen; what is printed may be a file on the full disk."""
        with suppress(OSError):
            self.progress.end(sentence)

    def revive_dead(self) -> None:
        """Start a part again that ended by itself; give up when it keeps ending."""
        for part in self.parts:
            if self.stopping or part.process.poll() is None:
                continue
            reason = last_words(part.log)
            by_itself = part.process.returncode != -signal.SIGKILL  # nobody kills himself with SIGKILL
            quick = by_itself and time.monotonic() - part.started_at < QUICK_SECONDS
            part.quick_deaths = part.quick_deaths + 1 if quick else 0
            if part.quick_deaths == QUICK_DEATHS:
                raise StartError(f"{part.title} keeps ending: {reason}")
            if not self.lacks_room:  # then it is tried again and again
                self.progress.end(f"{part.title} ended (code {part.process.returncode}); starting it again.")
            stop(part.process)  # what is left of its session
            part.start()
            self.note()

    def turn_logs(self) -> None:
        """Look after the logs' size now and then."""
        if time.monotonic() > self.logs_due:
            self.logs_due = time.monotonic() + LOGS_EVERY
            turn_all(self.home.logs)

    def start_demo(self) -> None:
        """Load the demo collection beside the running product, once."""
        if self.demo and firststart.demo_wanted(self.home):
            print("The demo collection is being loaded.", flush=True)
            self.loading = manage("load_demo", home=self.home, env=self.env)

    def report_demo(self) -> None:
        """Say how the loading of the demo ended."""
        if self.loading is None or self.loading.poll() is None:
            return
        if self.loading.returncode == 0:
            firststart.note_demo(self.home)
            print("The demo collection is there.", flush=True)
        else:
            log = self.home.logs / "load_demo.log"
            print(f"The demo collection could not be loaded ({last_words(log)}); the log is {log}.", flush=True)
        self.loading = None

    def stop_all(self) -> None:
        """Stop what was started, the last first."""
        self.stopping = True
        if self.loading:
            stop(self.loading)
        for part in self.parts:
            if part.disposable and part.process.poll() is None:
                part.process.send_signal(part.first_signal)  # these need not wait for one another
        for part in reversed(self.parts):
            first = 0 if part.disposable else part.first_signal  # 0: it has been told
            stop(part.process, first=first, seconds=part.patience)
        (self.home.var / "processes.json").unlink(missing_ok=True)
        with suppress(OSError):
            self.home.sockets.rmdir()
