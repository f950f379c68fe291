"""Sites and the tokens for them: as arguments say, else the environment, else `assayer login`."""

import json
import os
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from assayer.client.errors import AssayerError

API = "/api/v1/"
URL_VARIABLE, TOKEN_VARIABLE = "ASSAYER_URL", "ASSAYER_TOKEN"


@dataclass(frozen=True)
class Site:
    """A site and the token for it.

    url : scheme, host and port, with the path below which the site stands, without a last slash
    """

    url: str
    token: str = field(repr=False)

    @property
    def is_loopback(self) -> bool:
        """True if it is on this machine."""
        return is_loopback(urlsplit(self.url).hostname or "")

    def address(self, words: str) -> str:
        """A whole address of the site.

        words : below the API, as "collections/"; or from the site's own root, as "/api/v1/jobs/1/";
            or whole. Raises AssayerError for one of another site.
        """
        parts = urlsplit(words)
        own = urlsplit(self.url)
        if parts.hostname and (parts.hostname, parts.port) != (own.hostname, own.port):
            raise AssayerError(f"{words} is no address of {self.url}.")
        # of a whole address the path counts: a site behind a proxy may not know its own scheme
        path = parts.path if parts.path.startswith("/") else f"{own.path}{API}{parts.path}"
        query = f"?{parts.query}" if parts.query else ""
        return f"{own.scheme}://{own.netloc}{path}{query}"


def is_loopback(host: str) -> bool:
    """True if a host is this very machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def site_url(url: str, *, may_be_plain: bool = False) -> str:
    """The address of a site as `Site` has it.

    may_be_plain : whether it may be http on another machine, where others can read the token.
    Raises AssayerError.
    """
    fault = AssayerError(f"{url} is no address of a site, such as https://assayer.example.org.")
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError as error:
        raise fault from error
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise fault
    if parts.username or parts.password or parts.query or parts.fragment:
        raise AssayerError("The address of a site has no user, password or query in it.")
    if parts.scheme == "http" and not may_be_plain and not is_loopback(parts.hostname):
        raise AssayerError(
            f"{url} is not encrypted, so that others could read the token: "
            "give its https address, or say that it may be plain."
        )
    path = parts.path.rstrip("/").removesuffix(API.rstrip("/"))
    return f"{parts.scheme}://{parts.netloc.lower()}{path}"


def site_token(token: str) -> str:
    """A token without blanks around it.

    Raises AssayerError, which does not show it, where it cannot be one.
    """
    text = token.strip()
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise AssayerError("This is no token: copy it from the page API tokens of the site.")
    return text


def find_site(
    url: str | None = None,
    token: str | None = None,
    *,
    may_be_plain: bool = False,
    environment: Mapping[str, str] = os.environ,
) -> Site:
    """The site to talk to, and the token.

    What is None comes from ASSAYER_URL and ASSAYER_TOKEN, else from what `assayer login` keeps. A
    token of the environment is sent to no other site than ASSAYER_URL names, where it names one.
    Raises AssayerError.
    """
    home = kept_file(environment)
    default_url, tokens = kept_sites(home)
    own_url = environment.get(URL_VARIABLE, "")
    address = url or own_url or default_url
    if not address:
        raise AssayerError(
            "Which site? Give its address, as by --url, or set ASSAYER_URL; `assayer login` keeps "
            "it with its token."
        )
    address = site_url(address, may_be_plain=may_be_plain)
    if token is None and (not own_url or site_url(own_url, may_be_plain=True) == address):
        token = environment.get(TOKEN_VARIABLE) or None
    if token is None:
        token = tokens.get(address)
    if token is None:
        raise AssayerError(f"No token for {address}: run `assayer login`, or set ASSAYER_TOKEN.")
    return Site(address, site_token(token))


def kept_file(environment: Mapping[str, str] = os.environ) -> Path:
    """The file in which `assayer login` keeps tokens, below $XDG_CONFIG_HOME or ~/.config."""
    folder = environment.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(folder) / "assayer" / "sites.json"


def kept_sites(file: Path) -> tuple[str, dict[str, str]]:
    """The site of the last login, "" without one, and tokens by site.

    Raises AssayerError where others may read the file, or it is none of ours.
    """
    try:
        mode = file.stat().st_mode
        values = json.loads(file.read_text())
        sites = str(values["url"]), dict(values["tokens"])
    except FileNotFoundError:
        return "", {}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AssayerError(f"{file} cannot be read; `assayer login` makes it anew.") from error
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise AssayerError(f"Others may read the tokens in {file}: chmod 600 it.")
    return sites


def keep_site(site: Site, file: Path) -> None:
    """Keep the token of a site, which is the one to talk to from now on; nobody else reads it."""
    try:
        _, tokens = kept_sites(file)
    except AssayerError:
        tokens = {}  # what others could read, or nobody can
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # a temporary file is its owner's alone from its first moment
    with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False) as new_file:
        json.dump({"url": site.url, "tokens": {**tokens, site.url: site.token}}, new_file)
    os.replace(new_file.name, file)
