"""`manage.py up`: starts the servers and the product's processes, watches them, and stops them.

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

from config.deployment.clean_exit import REFUSED_EXIT_CODE
from config.deployment.environment import faults, is_local
from config.up import first_start
from config.up.child_processes import (
    SupervisedService,
    beat,
    long_worker,
    manage,
    postgres,
    redis,
    web,
    webhook_worker,
    worker,
)
from config.up.cluster_upgrade import upgrade_cluster
from config.up.disk_space import disk_full_sentence, full_folder, has_space
from config.up.home import Home, prepare_home
from config.up.logs import rotate_all
from config.up.processes import (
    StartError,
    end_orphans,
    last_words,
    note_processes,
    stop,
    wait_until,
)
from config.up.progress import ConsoleProgress
from config.up.server_data import data_folder, keep_data_folder

BASE_DIR = Path(__file__).resolve().parent.parent.parent
QUICK_SECONDS = 10  # a service that ends sooner did not really start
LOGS_EVERY = 10.0  # seconds between two checks of their size
QUICK_DEATHS = 5  # so many in a row are no accident
HIGHEST_PORT = 65_535
TRY_EVERY = 1.0  # seconds between two tries where only failures show that the disk is full


def main(arguments: list[str]) -> int:
    """Run the product until Ctrl-C; the exit code tells whether it ran."""
    parser = argparse.ArgumentParser(
        prog="manage.py up", description="Run everything on this machine."
    )
    parser.add_argument(
        "--port",
        type=port_number,
        default=os.environ.get("PORT", "8000"),
        help="0 takes a free one",
    )
    parser.add_argument(
        "--no-demo", action="store_true", help="load no demo collection; see ASSAYER_DEMO"
    )
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
                first_start.forget_failed_start(home)
    except StartError as error:
        return complain(full_folder(home) or str(error))
    except MemoryError:
        return complain("This machine has not enough free memory.")
    except OSError as error:
        file_name = f": {error.filename}" if error.filename else ""
        return complain(full_folder(home) or f"{error.strerror or error}{file_name}.")
    return 0


def complain(sentence: str) -> int:
    """Print a sentence on the fault; return the exit code 1."""
    print(f"Assayer stopped. {sentence}", file=sys.stderr)
    return 1


def take_lock(home: Home, holder: str) -> TextIO:
    """Lock `var` for this process and record its holder.

    The lock ends with the process in any case.
    """
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
    """Parse a port for argparse."""
    if not text.isdecimal() or int(text) > HIGHEST_PORT:
        raise argparse.ArgumentTypeError(
            f"a port is a number from 0 to {HIGHEST_PORT}, not {text!r}"
        )
    return int(text)


def free_port(port: int) -> int:
    """Return the port if no program listens on it; a free one for 0."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except PermissionError:
            raise StartError(
                f"Only root may use port {port}: choose another with `--port 8000`."
            ) from None
        except OSError as error:
            raise StartError(
                f"Port {port} cannot be used ({error.strerror}): stop the program that uses it, or "
                "choose another with `python3 manage.py up --port "
                f"{port + 1 if port < HIGHEST_PORT else 0}`."
            ) from error
        return int(probe.getsockname()[1])


class Supervisor:
    """The running product: its services in the order of starting."""

    def __init__(self, home: Home, *, port: int, demo: bool) -> None:
        self.home = home
        end_orphans(home.var / "processes.json", home.var)
        for log in home.logs.glob("*.log"):
            log.replace(log.with_suffix(".log.old"))  # so that a log holds this run alone
        self.port = free_port(port)
        self.url = f"http://127.0.0.1:{self.port}"
        self.services: list[SupervisedService] = []
        self.stopping = False
        self.lacks_space = False
        self.logs_due = 0.0
        self.progress = ConsoleProgress()
        self.env = {
            **os.environ,
            "ASSAYER_VAR": str(home.var),
            "SITE_URL": os.environ.get("SITE_URL") or self.url,
            "PYTHONUNBUFFERED": "1",
        }
        self.demo = first_start.DemoLoader(
            self.home, env=self.env, parts=first_start.demo_parts(self.env) if demo else ()
        )

    def run(self) -> None:
        """Start everything, then watch until told to stop."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.on_signal)
        with open(self.home.var / ".lock", "w") as note:
            note.write(f"process {os.getpid()}, {self.url}/")
        started_at = time.monotonic()
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
        site, accounts = (
            self.env["SITE_URL"].rstrip("/"),
            first_start.sign_in_lines(self.home, self.env["SITE_URL"]),
        )
        addresses = (
            f"{self.url}/" if is_local(self.env) else f"{self.url}/ (people come by {site}/)"
        )
        print(
            f"\nReady in {time.monotonic() - started_at:.1f} s: "
            f"{addresses}\n{accounts}\nCtrl-C stops it.",
            flush=True,
        )
        if self.demo.parts:
            print("The demo collection is being loaded.", flush=True)
        while not self.stopping:
            time.sleep(0.1)
            self.watch()
        print("\nStopping.", flush=True)

    def tell(self, step: str, detail: str = "") -> None:
        """Show the current step, unless we are already stopping."""
        if not self.stopping:
            self.progress.show(step, detail)

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        """Stop at the next step; a second Ctrl-C ends the waiting for work in progress."""
        if self.stopping:
            for service in self.services:
                service.process.send_signal(
                    signal.SIGKILL if service.disposable else service.first_signal
                )
        self.stopping = True

    def start_servers(self) -> None:
        """Start the embedded servers that no address in the environment replaces."""
        if os.environ.get("REDIS_URL") and os.environ.get("DATABASE_URL"):
            return
        data_folder(self.home)  # it prints the folder if it is not `var`
        self.tell("Starting the database")
        if not os.environ.get("REDIS_URL"):
            self.add(redis(self.home))
        if not os.environ.get("DATABASE_URL"):
            if not self.stopping:
                upgrade_cluster(self.home, self.progress)
            self.add(postgres(self.home))

    def start_product(self) -> None:
        """Bring the database up to date and start web, worker and beat.

        If the static files are unchanged, the web server loads while the database is prepared; not
        where others reach it, as it does not start before the demo accounts are closed.
        """
        preparation = manage("prepare", home=self.home, env=self.env)
        web_starts_early = is_local(self.env) and first_start.static_files_unchanged(self.home)
        if not web_starts_early:
            self.await_preparation(preparation)
        self.add(web(self.home, env=self.env, port=self.port))
        if web_starts_early:
            self.await_preparation(preparation)
        self.add(worker(self.home, env=self.env))
        self.add(long_worker(self.home, env=self.env))
        self.add(webhook_worker(self.home, env=self.env))
        self.add(beat(self.home, env=self.env))
        self.tell("Starting the web server")
        self.await_web()

    def await_preparation(self, preparation: subprocess.Popen[bytes]) -> None:
        """Wait for migrations, static files and accounts."""

        def ended() -> bool:
            self.tell(
                "Preparing the database",
                first_start.migrations_done(self.home.logs / "prepare.log"),
            )
            return self.stopping or preparation.poll() is not None

        wait_until(ended, seconds=1800, step=0.1)
        if self.stopping:
            stop(preparation)
            return
        reason = last_words(self.home.logs / "prepare.log")
        if preparation.returncode == REFUSED_EXIT_CODE:
            raise StartError(reason)
        if preparation.returncode != 0:
            raise StartError(f"The database could not be prepared: {reason}")

    def await_web(self) -> None:
        """Wait until the web server takes connections."""

        def answers() -> bool:
            self.restart_dead()
            with socket.socket() as probe:
                return self.stopping or probe.connect_ex(("127.0.0.1", self.port)) == 0

        if not wait_until(answers, seconds=120):
            raise StartError(
                f"The web server did not answer: {last_words(self.home.logs / 'web.log')}"
            )

    def add(self, service: SupervisedService) -> None:
        """Start a service, unless we are already stopping."""
        if self.stopping:
            return
        service.start()
        self.services.append(service)
        self.note()

    def note(self) -> None:
        """Record the running services, for the next start after a kill -9 and for the tests."""
        note_processes(
            self.home.var / "processes.json",
            {service.name: service.process.pid for service in self.services},
        )

    def watch(self) -> None:
        """Restart services that ended; where the disk is full, wait for space."""
        try:
            self.restart_dead()
            self.demo.go_on()
            self.rotate_logs()
        except (OSError, StartError) as error:
            if not (sentence := disk_full_sentence(self.home, error)):
                raise
            self.await_space(sentence)
            return
        if self.lacks_space:
            self.lacks_space = False
            with suppress(OSError):
                self.note()  # a service started on the full disk may not be recorded
            self.say("There is room again.")

    def await_space(self, sentence: str) -> None:
        """Wait until the disk has space again; everything confirmed as saved is on it.

        The failed step then shows whether there is: a quota of the servers' account lets us write.
        """
        if self.lacks_space:
            time.sleep(TRY_EVERY)
        else:
            self.say(
                f"{sentence} Nothing can be saved until there is room; it goes on by itself then."
            )
            self.lacks_space = True
        wait_until(lambda: self.stopping or has_space(self.home), seconds=float("inf"), step=0.5)
        for service in self.services:
            service.quick_deaths = 0

    def say(self, sentence: str) -> None:
        """Print a sentence, if possible: the output may be a file on the full disk."""
        with suppress(OSError):
            self.progress.end(sentence)

    def restart_dead(self) -> None:
        """Restart a service that ended by itself; give up when it keeps ending."""
        for service in self.services:
            if self.stopping or service.process.poll() is None:
                continue
            reason = last_words(service.log)
            # nobody kills himself with SIGKILL
            ended_by_itself = service.process.returncode != -signal.SIGKILL
            died_quickly = ended_by_itself and time.monotonic() - service.started_at < QUICK_SECONDS
            service.quick_deaths = service.quick_deaths + 1 if died_quickly else 0
            if service.quick_deaths == QUICK_DEATHS:
                raise StartError(f"{service.title} keeps ending: {reason}")
            if not self.lacks_space:  # without space it is tried again and again
                self.progress.end(
                    f"{service.title} ended (code {service.process.returncode}); starting it again."
                )
            stop(service.process)  # the rest of its session
            service.start()
            self.note()

    def rotate_logs(self) -> None:
        """Rotate too large logs now and then."""
        if time.monotonic() > self.logs_due:
            self.logs_due = time.monotonic() + LOGS_EVERY
            rotate_all(self.home.logs)

    def stop_all(self) -> None:
        """Stop the started services, the last one first."""
        self.stopping = True
        self.demo.stop()
        for service in self.services:
            if service.disposable and service.process.poll() is None:
                # these need not wait for one another
                service.process.send_signal(service.first_signal)
        for service in reversed(self.services):
            first = 0 if service.disposable else service.first_signal  # 0: it got its signal above
            stop(service.process, first=first, seconds=service.patience)
        (self.home.var / "processes.json").unlink(missing_ok=True)
        with suppress(OSError):
            self.home.sockets.rmdir()
