"""Settings from the environment, and the headers of every answer."""

import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.test import Client

from annotate.models import User
from config.deployment.environment import hosts
from config.up.home import Home

ROOT = Path(__file__).resolve().parent.parent.parent
KEY = secrets.token_urlsafe(64)
AWAY = {"DATABASE_URL": "postgres://a@127.0.0.1:1/b", "REDIS_URL": "redis://127.0.0.1:1/0"}
NEUTRAL = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG")}


def manage(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command with this environment alone."""
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**NEUTRAL, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def printed(code: str, **environment: str) -> str:
    """The last line that Python prints for this code in an environment."""
    env = {**NEUTRAL, "SECRET_KEY": KEY, **environment}
    process = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True
    )
    return process.stdout.splitlines()[-1]


def setting(expression: str, **environment: str) -> str:
    """The value of an expression over the settings in an environment."""
    return printed(f"import config.settings as s; print({expression})", **environment)


@pytest.mark.parametrize("key", ["", "short"])
def test_without_a_long_secret_key_nothing_starts(tmp_path: Path, key: str) -> None:
    process = manage("check", ASSAYER_VAR=str(tmp_path), SECRET_KEY=key)
    assert process.returncode != 0
    assert "SECRET_KEY is missing or shorter than 50 characters" in process.stderr


@pytest.mark.full
def test_the_deployment_check_finds_nothing() -> None:
    process = manage(
        "check",
        "--deploy",
        "--fail-level",
        "WARNING",
        SECRET_KEY=KEY,
        SITE_URL="https://judge.example.org",
        TRUSTED_PROXY="1",
        PATH=os.environ["PATH"],
    )
    assert process.returncode == 0, process.stderr


def test_over_https_cookies_have_the_host_prefix_and_hsts_is_sent() -> None:
    names = "s.SESSION_COOKIE_NAME, s.CSRF_COOKIE_NAME, s.SECURE_HSTS_SECONDS"
    values = setting(names, SECRET_KEY=KEY, SITE_URL="https://judge.example.org", TRUSTED_PROXY="1")
    assert values == "__Host-sessionid __Host-csrftoken 31536000"


def test_a_scheme_in_capitals_is_the_same_one() -> None:
    names = "s.SITE_URL, s.HTTPS, s.SECURE_SSL_REDIRECT, s.CSRF_TRUSTED_ORIGINS"
    values = setting(
        names, SECRET_KEY=KEY, SITE_URL="HTTPS://judge.example.org/", TRUSTED_PROXY="1"
    )
    assert values == "https://judge.example.org True True ['https://judge.example.org']"


@pytest.mark.parametrize(
    ("environment", "host"),
    [
        ({"SITE_URL": "http://judge.lan:8000", "ALLOWED_HOSTS": ""}, "judge.lan:8000"),
        ({"SITE_URL": "", "ALLOWED_HOSTS": " , "}, "127.0.0.1:8000"),
        ({"ALLOWED_HOSTS": "other.lan, judge.lan"}, "judge.lan"),
        ({"SITE_URL": "http://[fd00::1]:8000"}, "[fd00::1]:8000"),
        ({"SITE_URL": "http://[FD00:0::1]:8000"}, "[fd00::1]:8000"),
        ({"ALLOWED_HOSTS": "fd00::1,judge.lan"}, "[fd00::1]"),
        ({"ALLOWED_HOSTS": "judge.lan"}, "127.0.0.1:8000"),
        ({}, "[::1]:8000"),
    ],
)
def test_pages_are_answered_at_each_name_of_the_site(
    environment: dict[str, str], host: str, client: Client, settings: LazySettings
) -> None:
    settings.ALLOWED_HOSTS = hosts(environment)
    assert client.get("/healthz", headers={"host": host}).status_code == 200
    assert client.get("/healthz", headers={"host": "elsewhere.example.org"}).status_code == 400


def test_the_names_of_the_site_are_those_of_the_environment() -> None:
    hosts = setting("s.ALLOWED_HOSTS", SECRET_KEY=KEY, ALLOWED_HOSTS="other.lan, fd00::1")
    assert hosts == "['other.lan', '[fd00::1]', 'localhost', '127.0.0.1', '[::1]']"


def test_a_new_web_worker_has_the_code_of_every_page() -> None:
    look = (
        "before = set(sys.modules); resolve('/healthz'); print(sorted(set(sys.modules) - before))"
    )
    assert (
        printed(f"import sys, config.wsgi; from django.urls import resolve; {look}", **AWAY) == "[]"
    )


@pytest.mark.parametrize(("queue", "n_processors"), [("long", "0"), ("short", "2")])
def test_a_statement_of_long_work_takes_one_processor(
    service_home: Home, queue: str, n_processors: str
) -> None:
    worker = (
        f"c.app.select_queues(['{queue}']); c.lower_priority(sender=SimpleNamespace(app=c.app))"
    )
    ask = "cursor.execute('SHOW max_parallel_workers_per_gather'); print(*cursor.fetchone())"
    imports = "import config.celery as c, django; django.setup(); from types import SimpleNamespace"
    code = (
        f"{imports}; {worker}; from django.db import connection; "
        f"cursor = connection.cursor(); {ask}"
    )
    assert printed(code, DATABASE_URL=service_home.database_url("postgres")) == n_processors


def test_the_demo_gives_way_and_its_statements_take_one_processor(service_home: Home) -> None:
    open_session = "cursor = connection.cursor()"
    ask = "cursor.execute('SHOW max_parallel_workers_per_gather'); (n,) = cursor.fetchone()"
    code = (
        "import os, config.celery, django; django.setup(); from django.db import connection; "
        f"from metrics.management.commands.load_demo import give_way; {open_session}; "
        f"give_way(); {open_session}; {ask}; print(n, os.nice(0))"
    )
    assert printed(code, DATABASE_URL=service_home.database_url("postgres")) == "0 19"


@pytest.mark.parametrize(("program", "seconds"), [("config.wsgi", "0.5"), ("config.celery", "2.0")])
def test_a_request_waits_for_no_redis_that_has_stopped(program: str, seconds: str) -> None:
    """A worker does wait: it polls for a second whether there is work."""
    ask = "print(app.connection_for_write().transport_options['socket_timeout'])"
    assert printed(f"import {program}; from config.celery import app; {ask}", **AWAY) == seconds


def test_addresses_in_the_environment_come_first() -> None:
    names = "s.DATABASES['default']['HOST'], s.CELERY_BROKER_URL"
    addresses = setting(
        names,
        SECRET_KEY=KEY,
        DATABASE_URL="postgres://a:b@db.example.org/c",
        REDIS_URL="redis://r.example.org/3",
    )
    assert addresses == "db.example.org redis://r.example.org/3"


def test_the_proxy_header_is_believed_only_when_asked() -> None:
    expression = "getattr(s, 'SECURE_PROXY_SSL_HEADER', None)"
    assert setting(expression, SECRET_KEY=KEY) == "None"
    assert "X_FORWARDED_PROTO" in setting(expression, SECRET_KEY=KEY, TRUSTED_PROXY="1")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["/healthz", "/accounts/login/", "/no/such/page", "/admin/", "/static/css/base.css"]
)
def test_every_answer_carries_the_security_headers(client: Client, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "camera=()" in headers["Permissions-Policy"]


def test_only_listed_media_hosts_are_foreign_sources() -> None:
    names = (
        "s.CONTENT_SECURITY_POLICY['DIRECTIVES']['media-src'], "
        "s.CONTENT_SECURITY_POLICY['DIRECTIVES']['script-src']"
    )
    policy = setting(names, SECRET_KEY=KEY, MEDIA_HOSTS="https://media.example.org")
    assert policy == "[\"'self'\", 'https://media.example.org'] [\"'self'\"]"


@pytest.mark.django_db
def test_nobody_can_sign_up_alone(client: Client) -> None:
    password = "a long password 1"
    client.post(
        "/accounts/signup/", {"username": "eve", "password1": password, "password2": password}
    )
    assert not User.objects.filter(username="eve").exists()


@pytest.mark.django_db
def test_signed_in_pages_are_not_stored(admin_client: Client) -> None:
    assert "no-store" in admin_client.get("/admin/").headers["Cache-Control"]


def test_hsts_holds_for_other_hosts_and_is_preloaded_only_where_somebody_decided_so() -> None:
    names = "s.SECURE_HSTS_INCLUDE_SUBDOMAINS, s.SECURE_HSTS_PRELOAD"
    https = {"SECRET_KEY": KEY, "SITE_URL": "https://judge.example.org", "TRUSTED_PROXY": "1"}
    assert setting(names, **https) == "False False"
    assert setting(names, **https, HSTS_SUBDOMAINS="1") == "True False"
    assert setting(names, **https, HSTS_PRELOAD="1") == "True True"


def test_without_a_mail_server_no_mail_is_written_to_the_log() -> None:
    assert setting("s.EMAIL_BACKEND", SECRET_KEY=KEY) == "config.site.mail.NoMail"
    assert "smtp" in setting("s.EMAIL_BACKEND", SECRET_KEY=KEY, EMAIL_HOST="mail.example.org")
