#!/usr/bin/env python3
"""Django's commands, and the two that need nothing but Python: `up` and `test`.

    python3 manage.py up      everything on http://127.0.0.1:8000/, data in ./var, Ctrl-C stops it
    python3 manage.py test    the test suite on two cores; with arguments of pytest, as these say

Every command runs in `.venv`, which is made from the hashed lock in requirements/ when it is not
there or the lock has changed, unless the calling environment has the very packages of the lock, or
ASSAYER_NO_BOOTSTRAP=1 says to stay in it.
"""

import os
import pathlib
import signal
import sys
from io import TextIOWrapper

if sys.version_info < (3, 11):  # before anything that an older Python does not understand
    sys.exit(
        f"Assayer needs Python 3.11 or newer; this is {sys.version.split()[0]}: "
        "install python3.11 or newer."
    )

ROOT = os.path.dirname(os.path.realpath(__file__))
FILE_OPTION = "--scores"  # with it `analyse` needs no database


def main(argv: list[str]) -> None:
    """Run one command."""
    if isinstance(sys.stdout, TextIOWrapper):  # there may be none
        # in their order with what goes to stderr, in a file too
        sys.stdout.reconfigure(line_buffering=True)
    sys.path[:0] = [] if ROOT in sys.path else [ROOT]
    command = argv[1] if len(argv) > 1 else ""
    if os.environ.get("ASSAYER_NO_BOOTSTRAP") != "1":
        change_environment(command, argv)
    from assayer.console import FILE_COMMANDS
    from assayer.console import main as console

    if command in FILE_COMMANDS and (command != "analyse" or FILE_OPTION in " ".join(argv)):
        sys.exit(console(argv[1:]))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if command == "test":
        os.chdir(ROOT)
        os.execv(sys.executable, [sys.executable, "-m", "pytest", *test_arguments(argv[2:])])
    if command == "up":
        # nothing runs yet; as an exception, an import may swallow it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        from config.up.supervisor import main as up

        sys.exit(up(argv[2:]))
    if command == "restore" and not os.environ.get("SECRET_KEY"):
        from config.up.home import NO_KEY_YET, Home

        var = os.environ.get("ASSAYER_VAR") or os.path.join(ROOT, "var")
        os.environ["SECRET_KEY"] = Home(pathlib.Path(var)).read_secret_key() or NO_KEY_YET
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    try:
        execute_from_command_line(argv)
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    except OperationalError as error:
        # the database answered, so the fault is the command's
        if getattr(error.__cause__, "sqlstate", None):
            raise
        sys.exit(
            f"The database cannot be reached ({str(error).splitlines()[0]}): "
            "run `python3 manage.py up` in another terminal, or set DATABASE_URL."
        )


def test_arguments(arguments: list[str]) -> list[str]:
    """Arguments for pytest: a whole suite runs on two cores, unless it measures."""
    if set(arguments) - {"--full", "--no-browser"}:
        return arguments
    processes = "3" if "--full" in arguments else "2"  # tests that start the product often wait
    return [*arguments, "-n", processes, "--dist", "worksteal"]


def change_environment(command: str, argv: list[str]) -> None:
    """Go on in `.venv`, made first if need be, after the checks that would stop the command."""
    from config.up import machine

    if os.name == "nt":  # where the rest cannot even be loaded
        sys.exit(machine.wrong_machine())
    from config.up import virtual_environment as environment
    from config.up.home import server_account
    from config.up.processes import StartError

    lock = environment.lock_for(command)
    try:
        if environment.is_ready(lock):
            return
        reason = machine.obstacle()
        if reason:
            raise StartError(reason)
        has_servers = os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL")
        if command == "test" or (command == "up" and not has_servers):
            server_account()
        environment.make(lock)
        environment.run_in_venv([os.path.join(ROOT, "manage.py"), *argv[1:]])
    except StartError as error:
        sys.exit(str(error))
    except OSError as error:
        file_name = f": {error.filename}" if error.filename else ""
        sys.exit(
            "The environment .venv cannot be made or entered: "
            f"{error.strerror or error}{file_name}."
        )
    except KeyboardInterrupt:
        sys.exit("Stopped before the packages were installed; the next start begins with them.")


if __name__ == "__main__":
    try:
        main(sys.argv)
    except KeyboardInterrupt:
        sys.exit("Stopped.")
