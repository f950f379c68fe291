"""What is done once for a folder `var`, and the notes that say it is done."""

import hashlib
import json
import os
import re
import secrets
from pathlib import Path

from config.deployment.environment import is_local
from config.up.data import drop_data_folder
from config.up.home import Home, write_private

BASE_DIR = Path(__file__).resolve().parent.parent.parent
EMBEDDED = "embedded"  # the database of `up`, among the addresses
MIGRATIONS = "{} migrations to apply"  # said by `prepare`, read here
ADMIN = "admin"
ROLES = ("annotator", "lead", "researcher", ADMIN)
SIGN_INS = "sign-in.json"
NO_DEMO_ACCOUNTS = (
    "There are no demo accounts, as others reach the site at SITE_URL: "
    "`python3 manage.py make_admin` makes the first account, or unset SITE_URL to try the demo on this machine."
)


def passwords(home: Home) -> dict[str, str]:
    """A random password for one account of each role, made at the first start."""
    file = home.var / SIGN_INS
    if not file.exists():
        write_private(file, json.dumps({role: secrets.token_urlsafe(12) for role in ROLES}, indent=1))
    return dict(json.loads(file.read_text()))


def known_passwords(home: Home) -> dict[str, str]:
    """The same where they were made already, else none."""
    return passwords(home) if (home.var / SIGN_INS).exists() else {}


def sign_ins(home: Home, site_url: str) -> str:
    """The accounts as they are shown at each start; what is shown may be kept by who starts it, so not the admin's."""
    if not is_local({"SITE_URL": site_url}):
        return NO_DEMO_ACCOUNTS
    shown = {**passwords(home), ADMIN: f"(in {home.var / SIGN_INS})"}
    return "\n".join(["Sign in as (user name, password):", *(f"  {role:<12}{word}" for role, word in shown.items())])


def note(home: Home, kind: str, database: str | None = None) -> Path:
    """The file that says a thing was done for a database: the one in use, if no other is named."""
    database = database or os.environ.get("DATABASE_URL") or EMBEDDED
    return home.var / f"{kind}-{hashlib.sha256(database.encode()).hexdigest()[:12]}"


def forget_failed_start(home: Home) -> None:
    """Remove what a first start has put into /var/lib and never used, and what was noted of that database."""
    if drop_data_folder(home):
        for kind in ("accounts-made", "demo-loaded"):
            note(home, kind, EMBEDDED).unlink(missing_ok=True)


def demo_wanted(home: Home) -> bool:
    """Whether this database has not had the demo collection yet (a purged one does not come back)."""
    return not note(home, "demo-loaded").exists() and any(BASE_DIR.glob("*/management/commands/load_demo.py"))


def note_demo(home: Home) -> None:
    """Remember that the demo is loaded."""
    note(home, "demo-loaded").touch()


def migrations_done(log: Path) -> str:
    """How far `prepare` is with changing the tables, as its log says; nothing where they are as they should be."""
    text = log.read_text(errors="replace")
    plan = re.search(MIGRATIONS.format(r"(\d+)"), text)
    return f"step {text.count('... OK')} of {plan.group(1)}" if plan else ""


def static_fingerprint() -> str:
    """What the collected static files were made from: names, sizes and times, and the packages' versions."""
    mark = hashlib.sha256((BASE_DIR / "requirements" / "run.txt").read_bytes())
    for file in sorted((BASE_DIR / "static").rglob("*")):
        found = file.stat()
        mark.update(f"{file}\0{found.st_size}\0{found.st_mtime_ns}\n".encode())
    return mark.hexdigest()


def static_files_unchanged(home: Home) -> bool:
    """Whether the collected static files are still right."""
    if not (home.var / "static").is_dir():
        return False
    try:
        return (home.var / "static-collected").read_text() == static_fingerprint()
    except FileNotFoundError:
        return False


def note_static_files(home: Home) -> None:
    """Remember what the static files were collected from."""
    (home.var / "static-collected").write_text(static_fingerprint())
