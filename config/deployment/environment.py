"""Faults of the environment, with which no start and no command goes on.

Plain Python: the settings use it, and `up` does before Django is loaded.
"""

import logging
import os
from collections.abc import Callable, Mapping
from ipaddress import IPv6Address
from urllib.parse import SplitResult, urlsplit

from annotate.core.webhooks.receiver_urls import BadUrl, listed_authority
from config.loopback import is_loopback

LOCAL = "http://127.0.0.1:8000"  # the default of SITE_URL
OWN_NAMES = ("localhost", "127.0.0.1", "::1")  # this machine's names, which health checks use
KEY_LENGTH = 50
MILLION = 1_000_000  # megabytes, a terabyte; requests, more than a server can
NUMBERS = {  # with the smallest and the largest value of each
    "EMAIL_PORT": (1, 65_535),
    "MATRICES_MAX_MB": (0, MILLION),
    "UPLOAD_MAX_MB": (1, MILLION),
    "KEEP_UPLOADS_DAYS": (0, 36_500),
    "API_REQUESTS_A_MINUTE": (1, MILLION),
}
SWITCHES = (
    "DEBUG",
    "TRUSTED_PROXY",
    "LEADS_NEED_MFA",
    "EMAIL_USE_TLS",
    "HSTS_PRELOAD",
    "HSTS_SUBDOMAINS",
)
CHOICES = {
    "STATIC_FILES": ("hashed", "compressed", "plain"),
    "ASSAYER_DEMO": ("both", "study", "none"),
}
DIGITS = 10  # a number of so many digits is no sensible value
KEY_CHARACTERS = 8  # different ones; fifty random digits or letters have more
# characters in a row that occur twice; one in ten million random keys of fifty digits has them
REPEAT_LENGTH = 10
GENERATE = '`python3 -c "import secrets; print(secrets.token_urlsafe(64))"` makes one'


def faults(env: Mapping[str, str]) -> list[str]:
    """Return a sentence for each fault; an empty list where a start may go on.

    env : the environment, in which SECRET_KEY is the key in use, wherever it comes from
    """
    checks: tuple[Callable[[Mapping[str, str]], str], ...] = (
        key_is_short,
        key_is_known,
        no_site,
        https_without_proxy,
        debug_in_public,
        any_host,
        no_hosts,
        no_numbers,
        no_switches,
        no_database,
        no_redis,
        no_log_level,
        no_choices,
        no_webhook_hosts,
        no_ffmpeg,
    )
    return [sentence for check in checks if (sentence := check(env))]


def key_is_short(env: Mapping[str, str]) -> str:
    """Check the length of SECRET_KEY: a short key can be found by trying."""
    if len(env.get("SECRET_KEY", "")) >= KEY_LENGTH:
        return ""
    return (
        f"SECRET_KEY is missing or shorter than {KEY_LENGTH} characters: set it in the environment "
        f"({GENERATE}), or run `python3 manage.py up` once, which makes one in var/secret_key."
    )


def key_is_known(env: Mapping[str, str]) -> str:
    """Check for known keys: readers of this repository, or Django's, could sign in as anybody."""
    if len(env.get("SECRET_KEY", "")) >= KEY_LENGTH and is_guessable(env["SECRET_KEY"]):
        return (
            "SECRET_KEY is an example that others know too, not a secret: "
            f"set one drawn at random ({GENERATE})."
        )
    if any(is_guessable(key) for key in env.get("SECRET_KEY_FALLBACKS", "").split()):
        return (
            "SECRET_KEY_FALLBACKS has a key that others know too, "
            "whose links would still be believed: take it out."
        )
    return ""


def is_guessable(key: str) -> bool:
    """True if a key looks like an example: few different characters, or repeated ones."""
    pieces = [key[start : start + REPEAT_LENGTH] for start in range(len(key) - REPEAT_LENGTH + 1)]
    has_repeats = len(set(pieces)) < len(pieces)
    return key.startswith("django-insecure-") or len(set(key)) < KEY_CHARACTERS or has_repeats


def no_site(env: Mapping[str, str]) -> str:
    """Check SITE_URL: without an address no page is answered, and no link leads to one."""
    if site(env).netloc:
        return ""
    return (
        f'SITE_URL is "{env["SITE_URL"]}", which is no address of a site: give the one that people '
        "use, with http:// or https:// before it and no path behind it, such as "
        "https://judge.example.org or http://[fd00::1]:8000."
    )


def https_without_proxy(env: Mapping[str, str]) -> str:
    """Check for a proxy: the web server speaks HTTP alone, and knows of HTTPS only from a proxy."""
    if site(env).scheme != "https" or env.get("TRUSTED_PROXY") == "1":
        return ""
    return (
        "SITE_URL is https and TRUSTED_PROXY is not 1, so that every page would be redirected to "
        "itself for ever: set TRUSTED_PROXY=1, behind a proxy that takes the HTTPS and sets "
        "X-Forwarded-Proto and X-Forwarded-For itself, "
        "or set SITE_URL to the http address that people use."
    )


def debug_in_public(env: Mapping[str, str]) -> str:
    """Check DEBUG: its error pages show settings, and other people's input."""
    names = (site(env).hostname or "", *hosts(env))
    public = [name for name in names if name and not is_loopback(name.strip("[]"))]
    if env.get("DEBUG") != "1" or not public:
        return ""
    return (
        f"DEBUG=1 shows everybody at {public[0]} what only developers may see: "
        "unset DEBUG, or let SITE_URL and ALLOWED_HOSTS name this machine alone."
    )


def any_host(env: Mapping[str, str]) -> str:
    """Check ALLOWED_HOSTS: with "*", strangers choose the host of links in mails and of caches."""
    if "*" not in hosts(env):
        return ""
    return (
        'ALLOWED_HOSTS is "*", so that strangers choose the host of the site\'s own links: '
        "name the hosts, separated by commas, or unset it, which allows that of SITE_URL."
    )


def no_hosts(env: Mapping[str, str]) -> str:
    """Check the names in ALLOWED_HOSTS: the site does not answer to a malformed one."""
    for name in hosts(env):
        is_number = name.startswith("[")  # of IPv6, which has colons
        if any(character in name for character in ("/ \t@" if is_number else "/ \t@:")):
            return (
                f'ALLOWED_HOSTS has "{name}", which is no host: name hosts, '
                "as judge.example.org, between commas."
            )
    return ""


def no_numbers(env: Mapping[str, str]) -> str:
    """Check the numbers: with a negative number of days, files would be swept at once."""
    for name, (least, most) in NUMBERS.items():
        text = env.get(name, "")
        if text and not (
            text.isascii() and text.isdigit() and len(text) < DIGITS and least <= int(text) <= most
        ):
            return (
                f'{name} is "{text}": set it to a whole number from {least:,} to {most:,}, '
                "or unset it."
            )
    return ""


def no_switches(env: Mapping[str, str]) -> str:
    """Check the switches: another word than 1, meant to turn one on, would leave it off."""
    for name in SWITCHES:
        if (text := env.get(name, "")) not in ("", "0", "1"):
            return f'{name} is "{text}": set it to 1, which turns it on, or to 0, or unset it.'
    return ""


def no_database(env: Mapping[str, str]) -> str:
    """Check DATABASE_URL, to avoid tracebacks. The sentence hides it, as it may hold a password."""
    if not (address := env.get("DATABASE_URL", "")):
        return ""
    scheme, path = _parts(address)
    if scheme in ("postgres", "postgresql", "pgsql") and path.strip("/"):
        return ""
    return (
        "DATABASE_URL is no address of a PostgreSQL database: write it as "
        "postgresql://user:password@host:5432/name, what is no letter or digit of the password as "
        "% and two hexadecimal digits, or unset it."
    )


def no_redis(env: Mapping[str, str]) -> str:
    """Check REDIS_URL and CACHE_URL: without Redis no message is sent, and nothing is cached."""
    for name in ("REDIS_URL", "CACHE_URL"):
        if address := env.get(name, ""):
            scheme, path = _parts(address)
            number = path.strip("/")
            if scheme != "unix" and (
                scheme not in ("redis", "rediss") or (number and not number.isdecimal())
            ):
                return (
                    f"{name} is no address of a Redis: write it as redis://host:6379/0, "
                    "or unset it."
                )
    return ""


def no_log_level(env: Mapping[str, str]) -> str:
    """Check LOG_LEVEL: with an unknown one no process starts."""
    if not (level := env.get("LOG_LEVEL", "")) or level in logging.getLevelNamesMapping():
        return ""
    return (
        f'LOG_LEVEL is "{level}": set it to DEBUG, INFO, WARNING, ERROR or CRITICAL, or unset it.'
    )


def no_choices(env: Mapping[str, str]) -> str:
    """Check settings with a few values: with an unknown kind of files no process starts."""
    for name, values in CHOICES.items():
        if (text := env.get(name, "")) and text not in values:
            return f'{name} is "{text}": set it to {", ".join(values)}, or unset it.'
    return ""


def no_webhook_hosts(env: Mapping[str, str]) -> str:
    """Check WEBHOOK_HOSTS: a malformed one lists nothing, and its receiver is refused later."""
    for text in env.get("WEBHOOK_HOSTS", "").split():
        try:
            listed_authority(text)
        except BadUrl:
            return (
                f'WEBHOOK_HOSTS has "{text}", which is no host:port: list receivers as '
                "hooks.lab:8080 or [fd00::1]:443, without http:// and paths, between blanks, or "
                "unset it."
            )
    return ""


def no_ffmpeg(env: Mapping[str, str]) -> str:
    """Check FFMPEG: without the program no poster of a clip would ever be drawn."""
    path = env.get("FFMPEG", "")
    if not path or (os.path.isabs(path) and os.path.isfile(path) and os.access(path, os.X_OK)):
        return ""
    return (
        f'FFMPEG is "{path}", where no program is: set it to the absolute path of ffmpeg on this '
        "machine, such as /usr/bin/ffmpeg, or unset it."
    )


def _parts(address: str) -> tuple[str, str]:
    """Scheme and path of a server's address; empty texts where it is malformed."""
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 - raises where it is no number
    except ValueError:
        return "", ""
    return parts.scheme, parts.path


def site(env: Mapping[str, str]) -> SplitResult:
    """The site's address for people; an empty one where SITE_URL is malformed."""
    try:
        parts = urlsplit((env.get("SITE_URL") or LOCAL).strip().rstrip("/"))
        has_more = (
            parts.path
            or parts.query
            or parts.fragment
            or any(sign in parts.netloc for sign in "@ \t")
        )
        is_address = (
            parts.scheme in ("http", "https")
            and parts.hostname
            and parts.port != 0
            and not has_more
        )
    except ValueError:  # half a bracket, or a port that is no number
        is_address = False
    return parts if is_address else urlsplit("")


def is_local(env: Mapping[str, str]) -> bool:
    """True if the site's address is this machine's own, so that nobody else reaches it."""
    return is_loopback(site(env).hostname or "")


def hosts(env: Mapping[str, str]) -> list[str]:
    """The hosts that the site answers to: this machine's, and ALLOWED_HOSTS, else SITE_URL's."""
    host_names = [
        name for text in env.get("ALLOWED_HOSTS", "").split(",") if (name := text.strip())
    ]
    return [
        as_browsers_write(name)
        for name in (*(host_names or [site(env).hostname or ""]), *OWN_NAMES)
    ]


def as_browsers_write(host: str) -> str:
    """A host as browsers write it: names unchanged, IPv6 addresses short and in brackets."""
    try:
        return f"[{IPv6Address(host.strip('[]'))}]"
    except ValueError:
        return host
