"""One-time steps for a folder `var`, the demo among them, and the notes that record them."""

import hashlib
import json
import os
import re
import secrets
import subprocess
from collections.abc import Mapping
from pathlib import Path

from config.deployment.environment import is_local
from config.up.child_processes import manage
from config.up.home import Home, write_private
from config.up.processes import last_words, stop
from config.up.server_data import drop_data_folder

BASE_DIR = Path(__file__).resolve().parent.parent.parent
EMBEDDED = "embedded"  # the database of `up`, among the addresses
MIGRATIONS = "{} migrations to apply"  # written by `prepare`, read here
ADMIN = "admin"
ROLES = ("annotator", "lead", "researcher", ADMIN)
SIGN_INS = "sign-in.json"
STUDY, CAMPAIGN = "study", "campaign"
ARGUMENTS = {STUDY: (), CAMPAIGN: ("--campaign", "--background")}
PARTS = {"none": (), "study": (STUDY,), "both": (STUDY, CAMPAIGN)}  # by ASSAYER_DEMO
NAMES = {STUDY: "The demo collection", CAMPAIGN: "The demo campaign, made in the background,"}
DEMO_NOTES = {STUDY: "demo-loaded", CAMPAIGN: "campaign-made"}
NO_DEMO_ACCOUNTS = (
    "There are no demo accounts, as others reach the site at SITE_URL: "
    "`python3 manage.py make_admin` makes the first account, "
    "or unset SITE_URL to try the demo on this machine."
)


def passwords(home: Home) -> dict[str, str]:
    """A random password for one account of each role, made at the first start."""
    file = home.var / SIGN_INS
    if not file.exists():
        write_private(
            file, json.dumps({role: secrets.token_urlsafe(12) for role in ROLES}, indent=1)
        )
    return dict(json.loads(file.read_text()))


def existing_passwords(home: Home) -> dict[str, str]:
    """The passwords if they exist already, else an empty dictionary."""
    return passwords(home) if (home.var / SIGN_INS).exists() else {}


def sign_in_lines(home: Home, site_url: str) -> str:
    """The accounts as each start shows them: no admin's password, as output may be kept."""
    if not is_local({"SITE_URL": site_url}):
        return NO_DEMO_ACCOUNTS
    account_passwords = {**passwords(home), ADMIN: f"(in {home.var / SIGN_INS})"}
    return "\n".join(
        [
            "Sign in as (user name, password):",
            *(f"  {role:<12}{word}" for role, word in account_passwords.items()),
        ]
    )


def note(home: Home, kind: str, database: str | None = None) -> Path:
    """The file that records a one-time step for a database; by default for the one in use."""
    database = database or os.environ.get("DATABASE_URL") or EMBEDDED
    return home.var / f"{kind}-{hashlib.sha256(database.encode()).hexdigest()[:12]}"


def forget_failed_start(home: Home) -> None:
    """Remove a failed first start's unused folder in /var/lib, and the notes on its database."""
    if drop_data_folder(home):
        for kind in ("accounts-made", *DEMO_NOTES.values()):
            note(home, kind, EMBEDDED).unlink(missing_ok=True)


def needs_demo(home: Home, part: str) -> bool:
    """True if this database never had this part of the demo (a purged one does not come back)."""
    return not note(home, DEMO_NOTES[part]).exists() and any(
        BASE_DIR.glob("*/management/commands/load_demo.py")
    )


def note_demo(home: Home, part: str) -> None:
    """Record that a part of the demo is loaded."""
    note(home, DEMO_NOTES[part]).touch()


def migrations_done(log: Path) -> str:
    """Progress of the migrations in the log of `prepare`; "" where there are none."""
    text = log.read_text(errors="replace")
    plan = re.search(MIGRATIONS.format(r"(\d+)"), text)
    return f"step {text.count('... OK')} of {plan.group(1)}" if plan else ""


def static_fingerprint() -> str:
    """Fingerprint of the static files' sources: names, sizes, times, and packages' versions."""
    digest = hashlib.sha256((BASE_DIR / "requirements" / "run.txt").read_bytes())
    for file in sorted((BASE_DIR / "static").rglob("*")):
        status = file.stat()
        digest.update(f"{file}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def static_files_unchanged(home: Home) -> bool:
    """True if the collected static files are up to date."""
    if not (home.var / "static").is_dir():
        return False
    try:
        return (home.var / "static-collected").read_text() == static_fingerprint()
    except FileNotFoundError:
        return False


def note_static_files(home: Home) -> None:
    """Record the fingerprint of the collected static files."""
    (home.var / "static-collected").write_text(static_fingerprint())


def demo_parts(env: Mapping[str, str]) -> tuple[str, ...]:
    """The parts that the environment asks for; where others reach the site, the study alone."""
    return PARTS[env.get("ASSAYER_DEMO") or ("both" if is_local(env) else "study")]


class DemoLoader:
    """Makes the parts that this database never had, one after the other.

    A purged one does not come back. One that fails is told, and the next start tries again.
    """

    def __init__(self, home: Home, *, env: Mapping[str, str], parts: tuple[str, ...]) -> None:
        self.home = home
        self.env = env
        self.parts = [part for part in parts if needs_demo(home, part)]
        self.process: subprocess.Popen[bytes] | None = None

    def go_on(self) -> None:
        """Tell the outcome of the part that has ended, and begin the next one."""
        if self.process is not None and self.process.poll() is not None:
            self._report(self.parts.pop(0), self.process.returncode)
            self.process = None
        if self.process is None and self.parts:
            arguments = ARGUMENTS[self.parts[0]]
            self.process = manage("load_demo", *arguments, home=self.home, env=self.env)

    def stop(self) -> None:
        """End the part under way; the next start makes it anew."""
        if self.process is not None:
            stop(self.process)

    def _report(self, part: str, exit_code: int) -> None:
        if exit_code == 0:
            note_demo(self.home, part)
            print(f"{NAMES[part]} is there.", flush=True)
            return
        log = self.home.logs / "load_demo.log"
        print(
            f"{NAMES[part]} could not be loaded ({last_words(log)}); the log is {log}.", flush=True
        )
