"""One-time steps for a folder `var`, and the notes that record them."""

import hashlib
import json
import os
import re
import secrets
from pathlib import Path

from config.deployment.environment import is_local
from config.up.home import Home, write_private
from config.up.server_data import drop_data_folder

BASE_DIR = Path(__file__).resolve().parent.parent.parent
EMBEDDED = "embedded"  # the database of `up`, among the addresses
MIGRATIONS = "{} migrations to apply"  # written by `prepare`, read here
ADMIN = "admin"
ROLES = ("annotator", "lead", "researcher", ADMIN)
SIGN_INS = "sign-in.json"
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
        for kind in ("accounts-made", "demo-loaded"):
            note(home, kind, EMBEDDED).unlink(missing_ok=True)


def needs_demo(home: Home) -> bool:
    """True if this database never had the demo collection (a purged one does not come back)."""
    return not note(home, "demo-loaded").exists() and any(
        BASE_DIR.glob("*/management/commands/load_demo.py")
    )


def note_demo(home: Home) -> None:
    """Record that the demo is loaded."""
    note(home, "demo-loaded").touch()


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
