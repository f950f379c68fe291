"""Faults refused by a start and by `check --deploy`, and settings that both accept.

To see these tests fail: leave a check out of `environment.faults` or of
`service_checks.SERVER_CHECKS`, `check_services` out of `wsgi` or `celery`, or let `check_services`
take an outage for a fault.
"""

import os
import random
import string
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
import redis
from django.conf import LazySettings
from psycopg import sql
from pytest_django import DjangoDbBlocker

from annotate.services.people import accounts
from config.deployment.clean_exit import REFUSED_EXIT_CODE
from config.deployment.environment import CHOICES, faults
from config.up.embedded import create_database
from config.up.home import Home
from tests.config.deployment.deployment_starts import (
    BEAT,
    CHECK,
    CHECK_ALL,
    KEY,
    UP,
    WEB,
    WORKER,
    environment,
    listening,
    run_all,
)
from tests.servers.databases import migrated_template, using_database
from tests.servers.stack import separate_redis

PUBLIC = {"SITE_URL": "https://judge.example.org", "TRUSTED_PROXY": "1"}
NOWHERE = {"DATABASE_URL": "postgres://a@127.0.0.1:1/b", "REDIS_URL": "redis://127.0.0.1:1/0"}
REFUSED_SETTINGS = {
    "no key": ({"SECRET_KEY": ""}, "SECRET_KEY is missing"),
    "short key": ({"SECRET_KEY": KEY[:49]}, "SECRET_KEY is missing or shorter"),
    "Django's key": ({"SECRET_KEY": f"django-insecure-{KEY}"}, "SECRET_KEY is an example"),
    "one letter": ({"SECRET_KEY": "k" * 50}, "SECRET_KEY is an example"),
    "few letters": ({"SECRET_KEY": "0110100" * 8 + "7"}, "SECRET_KEY is an example"),
    "digits again and again": ({"SECRET_KEY": "0123456789" * 6}, "SECRET_KEY is an example"),
    "a word and digits": (
        {"SECRET_KEY": "changeme-" * 5 + "0123456789"},
        "SECRET_KEY is an example",
    ),
    "the alphabet twice": ({"SECRET_KEY": string.ascii_lowercase * 2}, "SECRET_KEY is an example"),
    "known earlier key": (
        {"SECRET_KEY_FALLBACKS": f"{KEY} {'0123456789' * 6}"},
        "SECRET_KEY_FALLBACKS has a key",
    ),
    "no scheme": (
        {"SITE_URL": "judge.lan:8000"},
        'SITE_URL is "judge.lan:8000", which is no address',
    ),
    "another scheme": ({"SITE_URL": "ftp://judge.lan", "DEBUG": "1"}, "which is no address"),
    "no host": ({"SITE_URL": "https://:8000", "TRUSTED_PROXY": "1"}, "which is no address"),
    "half a bracket": ({"SITE_URL": "http://[::1"}, "which is no address"),
    "no port": ({"SITE_URL": "http://judge.lan:port"}, "which is no address"),
    "no proxy": ({"SITE_URL": "https://judge.example.org"}, "set TRUSTED_PROXY=1"),
    "no proxy, in capitals": ({"SITE_URL": "HTTPS://judge.example.org"}, "set TRUSTED_PROXY=1"),
    "proxy off": ({**PUBLIC, "TRUSTED_PROXY": "0"}, "set TRUSTED_PROXY=1"),
    "debug": ({**PUBLIC, "DEBUG": "1"}, "DEBUG=1 shows everybody at judge.example.org"),
    "days below none": (
        {"KEEP_UPLOADS_DAYS": "-1"},
        'KEEP_UPLOADS_DAYS is "-1": set it to a whole number',
    ),
    "megabytes in words": ({"UPLOAD_MAX_MB": "lots"}, 'UPLOAD_MAX_MB is "lots"'),
    "debug by another name": (
        {"DEBUG": "1", "ALLOWED_HOSTS": "localhost,10.0.0.7"},
        "at 10.0.0.7 what",
    ),
    "another database": (
        {"DATABASE_URL": "mysql://a:secret@db/b"},
        "DATABASE_URL is no address of a PostgreSQL",
    ),
    "a database without a name": (
        {"DATABASE_URL": "postgres://a:secret@db"},
        "DATABASE_URL is no address",
    ),
    "a slash in a password": (
        {"DATABASE_URL": "postgres://a:sec/ret@db/b"},
        "as % and two hexadecimal digits",
    ),
    "no Redis": ({"REDIS_URL": "localhost:6379"}, "REDIS_URL is no address of a Redis"),
    "no cache": ({"CACHE_URL": "redis://localhost:port"}, "CACHE_URL is no address of a Redis"),
    "no number of a Redis": (
        {"REDIS_URL": "redis://redis:6379/queue"},
        "REDIS_URL is no address of a Redis",
    ),
    "no level": ({"LOG_LEVEL": "loud"}, 'LOG_LEVEL is "loud": set it to DEBUG, INFO'),
    "no kind of files": (
        {"STATIC_FILES": "bogus"},
        'STATIC_FILES is "bogus": set it to hashed, compressed, plain',
    ),
    "no choice of a demo": (
        {"ASSAYER_DEMO": "yes"},
        'ASSAYER_DEMO is "yes": set it to both, study, none, or unset it.',
    ),
    "a path": ({"SITE_URL": "http://judge.lan/assayer/"}, "no path behind it"),
    "a query": ({"SITE_URL": "http://judge.lan?x=1"}, "no path behind it"),
    "a blank": (
        {"SITE_URL": "http://judge lan"},
        'SITE_URL is "http://judge lan", which is no address',
    ),
    "a password": ({"SITE_URL": "http://user:secret@judge.lan"}, "no path behind it"),
    "an address among hosts": (
        {"ALLOWED_HOSTS": "http://judge.lan"},
        'ALLOWED_HOSTS has "http://judge.lan"',
    ),
    "a port of a host": ({"ALLOWED_HOSTS": "judge.lan:8000"}, 'ALLOWED_HOSTS has "judge.lan:8000"'),
    "hosts between blanks": (
        {"ALLOWED_HOSTS": "a.lan b.lan"},
        'ALLOWED_HOSTS has "a.lan b.lan", which is no host',
    ),
    "a switch in words": (
        {"LEADS_NEED_MFA": "true"},
        'LEADS_NEED_MFA is "true": set it to 1, which turns it on',
    ),
    "the address of a receiver": (
        {"WEBHOOK_HOSTS": "10.1.2.3:443 http://hooks.lab:8080/x"},
        'WEBHOOK_HOSTS has "http://hooks.lab:8080/x", which is no host:port',
    ),
    "receivers between commas": ({"WEBHOOK_HOSTS": "a.lab:80,b.lab:80"}, "between blanks"),
    "the path of a receiver": ({"WEBHOOK_HOSTS": "hooks.lab:8080/"}, "without http:// and paths"),
    "a receiver without brackets": ({"WEBHOOK_HOSTS": "fd00::1"}, 'has "fd00::1"'),
    "no port of a receiver": ({"WEBHOOK_HOSTS": "hooks.lab:0"}, 'has "hooks.lab:0"'),
    "a password of a receiver": ({"WEBHOOK_HOSTS": "me:word@hooks.lab:80"}, "no host:port"),
    "a program without its path": ({"FFMPEG": "ffmpeg"}, 'FFMPEG is "ffmpeg", where no program is'),
    "a folder in place of a program": ({"FFMPEG": "/usr/bin"}, "such as /usr/bin/ffmpeg"),
    "a file that is no program": ({"FFMPEG": "/etc/passwd"}, "where no program is"),
    "days without end": (
        {"KEEP_UPLOADS_DAYS": "3000000"},
        "set it to a whole number from 0 to 36,500",
    ),
    "no file": ({"UPLOAD_MAX_MB": "0"}, "set it to a whole number from 1 to"),
    "any host": ({"ALLOWED_HOSTS": "judge.example.org, *"}, 'ALLOWED_HOSTS is "*"'),
}
ALL_STARTS = (
    "no key",
    "digits again and again",
    "half a bracket",
    "no proxy",
    "debug",
    "any host",
    "another database",
)


@pytest.mark.parametrize("name", REFUSED_SETTINGS)
def test_each_has_its_sentence(name: str) -> None:
    settings, sentence = REFUSED_SETTINGS[name]
    (fault,) = faults({"SECRET_KEY": KEY, **settings})
    assert sentence in fault


@pytest.mark.parametrize(
    "settings",
    [
        {},
        PUBLIC,
        {
            **PUBLIC,
            "ALLOWED_HOSTS": "judge.example.org,.example.org",
            "SECRET_KEY_FALLBACKS": KEY[::-1],
        },
        {"SITE_URL": "http://judge.lan:8000"},
        {"WEBHOOK_HOSTS": " "},
        {"FFMPEG": sys.executable},
        {"FFMPEG": ""},
        {"WEBHOOK_HOSTS": "hooks:8080 Hooks.Lab 10.1.2.3:443 [fd00::1] [FD00:0::1]:8443"},
        {"SITE_URL": "http://[fd00::1]:8000/", "ALLOWED_HOSTS": ""},
        {"SITE_URL": "", "DEBUG": "1"},
        {"DEBUG": "1"},
        {
            "DEBUG": "1",
            "SITE_URL": "http://localhost:8001",
            "ALLOWED_HOSTS": "localhost,127.0.0.1,[::1]",
        },
        {**PUBLIC, "DEBUG": "0"},
        {
            "DATABASE_URL": "postgresql://assayer@/assayer?host=/run/postgresql",
            "REDIS_URL": "unix:///run/redis.sock?db=1",
        },
        {
            "DATABASE_URL": "postgres://a:s%2Fcret@[fd00::2]:5432/b",
            "REDIS_URL": "rediss://:key@redis:6380/0",
        },
        {
            "DATABASE_URL": "",
            "REDIS_URL": "",
            "CACHE_URL": "",
            "LOG_LEVEL": "",
            "STATIC_FILES": "",
            "ASSAYER_DEMO": "",
            "DEBUG": "",
        },
        {
            "LOG_LEVEL": "WARN",
            "STATIC_FILES": "compressed",
            "ASSAYER_DEMO": "study",
            "KEEP_UPLOADS_DAYS": "0",
            "MATRICES_MAX_MB": "0",
        },
    ],
)
def test_right_settings_have_none(settings: dict[str, str]) -> None:
    assert faults({"SECRET_KEY": KEY, **settings}) == []


def test_every_kind_of_static_files_may_be_set(settings: LazySettings) -> None:
    assert set(settings.STATIC_STORAGE) == set(CHOICES["STATIC_FILES"])


@pytest.mark.parametrize(
    "alphabet", [string.digits, string.hexdigits[:16], string.ascii_letters + string.digits]
)
def test_keys_drawn_at_random_are_taken(alphabet: str) -> None:
    draw = random.Random(7)
    keys = ["".join(draw.choices(alphabet, k=50)) for _ in range(200)]
    assert [key for key in keys if faults({"SECRET_KEY": key})] == []


def test_several_are_told_at_once(tmp_path: Path) -> None:
    env = environment(tmp_path, DEBUG="1", SITE_URL="https://judge.example.org", ALLOWED_HOSTS="*")
    ((code, output),) = run_all(CHECK, env=env)
    assert code == 1
    assert "Traceback" not in output
    assert all(word in output for word in ("TRUSTED_PROXY", "DEBUG", "ALLOWED_HOSTS"))


@pytest.mark.full
@pytest.mark.parametrize("name", ALL_STARTS)
def test_settings_are_refused_by_every_start_and_the_deployment_check(
    tmp_path: Path, name: str
) -> None:
    settings, sentence = REFUSED_SETTINGS[name]
    if name == "no key":  # `up` makes one
        settings, commands = {**settings, **NOWHERE}, (CHECK, WEB, WORKER, BEAT)
    else:
        commands = (CHECK, WEB, WORKER, BEAT, UP)
    for command, (code, output) in zip(
        commands, run_all(*commands, env=environment(tmp_path, **settings)), strict=True
    ):
        assert code == (1 if command in (CHECK, UP) else REFUSED_EXIT_CODE), output
        assert sentence in output
        assert "Traceback" not in output


@pytest.fixture
def servers(
    service_home: Home, tmp_path: Path, open_folder: Path, django_db_blocker: DjangoDbBlocker
) -> Iterator[dict[str, str]]:
    """The environment of a faultless product with a database and a Redis of its own."""
    name = f"deployment_{tmp_path.stat().st_ino}"
    create_database(service_home, name, template=migrated_template(service_home, django_db_blocker))
    with separate_redis(open_folder) as redis_url:
        media = str(tmp_path / "media")
        yield environment(
            tmp_path / "var",
            DATABASE_URL=service_home.database_url(name),
            REDIS_URL=redis_url,
            MEDIA_ROOT=media,
            **PUBLIC,
        )


def lose_commits(env: dict[str, str], blocker: DjangoDbBlocker) -> str:
    """Set the database to answer before it has written, for all connections."""
    name = env["DATABASE_URL"].rpartition("/")[2]
    with psycopg.connect(env["DATABASE_URL"], autocommit=True) as operator:
        operator.execute(
            sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(sql.Identifier(name))
        )
    return "synchronous_commit is off, as its database says"


def evict(env: dict[str, str], blocker: DjangoDbBlocker) -> str:
    """Set Redis to evict keys when it is full."""
    with redis.Redis.from_url(env["REDIS_URL"]) as client:
        client.config_set("maxmemory", 64_000_000, "maxmemory-policy", "allkeys-lru")
    return "throws queued work away once it holds 64 MB (maxmemory-policy is allkeys-lru)"


def close_media(env: dict[str, str], blocker: DjangoDbBlocker) -> str:
    """Name a media folder that nobody, not even root, can make."""
    env["MEDIA_ROOT"] = "/proc/no-such-place"
    return "Uploads cannot be written to MEDIA_ROOT, /proc/no-such-place"


def open_demo(env: dict[str, str], blocker: DjangoDbBlocker) -> str:
    """Use a database with the demo's accounts, without the file of their passwords."""
    with using_database(env["DATABASE_URL"], blocker):
        accounts.ensure_demo_accounts(
            passwords={"lead": "a long password", "admin": "another password"}
        )
    return "The demo accounts admin, lead have the passwords of the demo"


@pytest.mark.full
@pytest.mark.parametrize("spoil", [lose_commits, evict, close_media, open_demo])
def test_services_are_refused_by_every_start_and_the_deployment_check(
    servers: dict[str, str], spoil: Callable[..., str], django_db_blocker: DjangoDbBlocker
) -> None:
    sentence = spoil(servers, django_db_blocker)
    # `up` closes the accounts of a demo itself
    closes_them = (UP,) if spoil is not open_demo else ()
    commands = (CHECK_ALL, WEB, WORKER, *closes_them)
    for command, (code, output) in zip(commands, run_all(*commands, env=servers), strict=True):
        assert code == (1 if command in (CHECK_ALL, UP) else REFUSED_EXIT_CODE), output
        assert sentence in " ".join(output.split())
        assert "Traceback" not in output


@pytest.mark.full
def test_a_right_site_behind_a_proxy_passes_and_answers(
    servers: dict[str, str], tmp_path: Path
) -> None:
    ((code, output),) = run_all(CHECK_ALL, env=servers)
    assert code == 0, output
    # the check may be another account's than the web server's
    assert not Path(servers["MEDIA_ROOT"]).exists()
    with listening(servers, tmp_path / "web.log") as url:
        headers = {
            "Host": "judge.example.org",
            "X-Forwarded-Proto": "https",
            "X-Forwarded-For": "192.0.2.7",
        }
        with urllib.request.urlopen(
            urllib.request.Request(f"{url}/accounts/login/", headers=headers)
        ) as answer:
            assert answer.status == 200
        assert Path(servers["MEDIA_ROOT"]).is_dir()


@pytest.mark.full
def test_services_that_are_away_keep_no_web_server_from_starting(tmp_path: Path) -> None:
    env = environment(tmp_path, **NOWHERE)
    with (
        listening(env, tmp_path / "web.log") as url,
        urllib.request.urlopen(f"{url}/healthz") as answer,
    ):
        assert answer.status == 200
    log_text = (tmp_path / "web.log").read_text()
    assert "It starts although the database is away" in log_text
    assert "It starts although Redis is away" in log_text


@pytest.mark.full
def test_the_check_says_what_it_could_not_see(tmp_path: Path) -> None:
    away = {"REDIS_URL": NOWHERE["REDIS_URL"], "DATABASE_URL": os.environ["DATABASE_URL"]}
    ((code, output),) = run_all(CHECK_ALL, env=environment(tmp_path, **PUBLIC, **away))
    assert code == 1
    assert "Redis is away or does not tell" in " ".join(output.split())
