"""What the environment alone tells: no start, and no command, goes on with any of it.

Plain Python: the settings ask it, and `up` does before Django is loaded.
"""

from collections.abc import Callable, Mapping
from ipaddress import IPv6Address
from urllib.parse import SplitResult, urlsplit

from config.addresses import is_loopback

LOCAL = "http://127.0.0.1:8000"  # SITE_URL where nothing is said
KEY_LENGTH = 50
NUMBERS = ("EMAIL_PORT", "MATRICES_MAX_MB", "UPLOAD_MAX_MB", "KEEP_UPLOADS_DAYS")
KEY_CHARACTERS = 8  # different ones; of fifty digits or letters drawn at random there are more
REPEATED = 10  # characters in a row that come twice; of keys of fifty random digits one in ten million has them
GENERATE = '`python3 -c "import secrets; print(secrets.token_urlsafe(64))"` makes one'


def faults(env: Mapping[str, str]) -> list[str]:
    """A sentence for each thing to mend; none where a start may go on.

    env : the environment, in which SECRET_KEY is the key in use, wherever it comes from
    """
    checks: tuple[Callable[[Mapping[str, str]], str], ...] = (
        key_is_short, key_is_known, no_site, https_without_proxy, debug_in_public, any_host, no_numbers,
    )  # fmt: skip
    return [sentence for check in checks if (sentence := check(env))]


def key_is_short(env: Mapping[str, str]) -> str:
    """Whoever tries all keys would find it."""
    if len(env.get("SECRET_KEY", "")) >= KEY_LENGTH:
        return ""
    return (
        f"SECRET_KEY is missing or shorter than {KEY_LENGTH} characters: set it in the environment "
        f"({GENERATE}), or run `python3 manage.py up` once, which makes one in var/secret_key."
    )


def key_is_known(env: Mapping[str, str]) -> str:
    """Whoever has read this repository, or Django's documentation, could sign in as anybody."""
    if len(env.get("SECRET_KEY", "")) >= KEY_LENGTH and is_guessable(env["SECRET_KEY"]):
        return f"SECRET_KEY is an example that others know too, not a secret: set one drawn at random ({GENERATE})."
    if any(is_guessable(key) for key in env.get("SECRET_KEY_FALLBACKS", "").split()):
        return "SECRET_KEY_FALLBACKS has a key that others know too, whose links would still be believed: take it out."
    return ""


def is_guessable(key: str) -> bool:
    """Whether a key is what Django or a person types as an example: a few characters, or the same ones again."""
    pieces = [key[place : place + REPEATED] for place in range(len(key) - REPEATED + 1)]
    repeats = len(set(pieces)) < len(pieces)
    return key.startswith("django-insecure-") or len(set(key)) < KEY_CHARACTERS or repeats


def no_site(env: Mapping[str, str]) -> str:
    """No page would be answered, and no link would lead to one."""
    if site(env).netloc:
        return ""
    return (
        f'SITE_URL is "{env["SITE_URL"]}", which is no address of a site: give the one that people use, with http:// '
        "or https:// before it, such as https://judge.example.org or http://[fd00::1]:8000."
    )


def https_without_proxy(env: Mapping[str, str]) -> str:
    """The web server speaks HTTP alone; that a request came by HTTPS it learns from the proxy in front, or never."""
    if site(env).scheme != "https" or env.get("TRUSTED_PROXY") == "1":
        return ""
    return (
        "SITE_URL is https and TRUSTED_PROXY is not 1, so that every page would be redirected to itself for ever: "
        "set TRUSTED_PROXY=1, behind a proxy that takes the HTTPS and sets X-Forwarded-Proto and X-Forwarded-For "
        "itself, or set SITE_URL to the http address that people use."
    )


def debug_in_public(env: Mapping[str, str]) -> str:
    """Its error pages show settings, and what others sent."""
    names = (site(env).hostname or "", *hosts(env))
    public = [name for name in names if name and not is_loopback(name.strip("[]"))]
    if env.get("DEBUG") != "1" or not public:
        return ""
    return (
        f"DEBUG=1 shows everybody at {public[0]} what only developers may see: "
        "unset DEBUG, or let SITE_URL and ALLOWED_HOSTS name this machine alone."
    )


def any_host(env: Mapping[str, str]) -> str:
    """Links in mails, and caches between, would have whatever host a stranger names."""
    if "*" not in hosts(env):
        return ""
    return (
        'ALLOWED_HOSTS is "*", so that strangers choose the host of the site\'s own links: '
        "name the hosts, separated by commas, or unset it, which allows that of SITE_URL."
    )


def no_numbers(env: Mapping[str, str]) -> str:
    """Nothing could be made of them; and files would be swept that were kept for a number of days below 0."""
    for name in NUMBERS:
        if (text := env.get(name, "")) and not (text.isascii() and text.isdigit()):
            return f'{name} is "{text}": set it to a whole number from 0 on, or unset it.'
    return ""


def site(env: Mapping[str, str]) -> SplitResult:
    """The address that people use; an empty one where SITE_URL is none."""
    try:
        parts = urlsplit((env.get("SITE_URL") or LOCAL).strip().rstrip("/"))
        is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # half a bracket, or a port that is no number
        is_address = False
    return parts if is_address else urlsplit("")


def is_local(env: Mapping[str, str]) -> bool:
    """Whether the address that people use is this machine's own: nobody elsewhere can come in."""
    return is_loopback(site(env).hostname or "")


def hosts(env: Mapping[str, str]) -> list[str]:
    """The names the site answers to: those of ALLOWED_HOSTS, else that of SITE_URL and this machine's own."""
    allowed = [name for text in env.get("ALLOWED_HOSTS", "").split(",") if (name := text.strip())]
    return [as_browsers_write(name) for name in allowed or (site(env).hostname or "", "localhost", "127.0.0.1", "::1")]


def as_browsers_write(host: str) -> str:
    """A host's name as it is, its IPv6 number in brackets and as short as it can be."""
    try:
        return f"[{IPv6Address(host.strip('[]'))}]"
    except ValueError:
        return host
