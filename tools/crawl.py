"""Write the answer of every address to every role, so that two versions can be compared by bytes.

    cp -a var /somewhere/kept                  # the database of a product that was stopped
    PYTHONHASHSEED=0 python3 manage.py up      # the old version, then the new one, each with a copy
    .venv/bin/python tools/crawl.py http://127.0.0.1:8000 var/sign-in.json before
    .venv/bin/python tools/crawl.py http://127.0.0.1:8000 var/sign-in.json after
    diff -r before after

Follows the links of each page as nobody, as each of the four accounts of a first start and as an
outsider, whose account it makes: a person who is in no collection. Then it requests every address
as each of them, and ends with the names of URLs that no address had, but for the administration's.
Run it in the tree of the version that it crawls, to whose database it writes.

Of addresses that differ by numbers or values alone, the eight with the smallest hashes are
followed. Tokens, times, durations, versions of pages and the names of static files are masked, and
white space in pages counts as one blank.
"""

import argparse
import hashlib
import html
import http.client
import http.cookiejar
import json
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from crawled_product import OUTSIDER, outsiders_password, unmet_names

MOST_OF_A_SHAPE = 8
COLLECTION = "/api/v1/collections/shapes"  # of the demo
API_PATHS = ("runs", "runs/1", "runs/1/documents", "imports", "imports/1", "pools", "qrels")
FIRST = (
    *("/", "/account/", "/tokens/", "/healthz", "/readyz", "/nothing/", "/api/v1/"),
    *(f"{COLLECTION}/{path}/" for path in API_PATHS),
)
CHANGING = re.compile(r"/accounts/logout/|/static/|/admin/jsi18n|/revoke|/erase")
SCOPES = ("runs:write", "files:write", "pools:write", "qrels:read")
HEADERS = ("Content-Type", "Location", "Content-Disposition", "Allow", "Content-Security-Policy")
FORM_TOKEN = re.compile(r'csrfmiddlewaretoken" value="([^"]+)')
LINK = re.compile(r"""\b(?:href|src|action|data-[\w-]+)="(/[^"#]*)""")
QUERY_LINK = re.compile(r'href="(\?[^"#]*)')
RANDOM_SEED = re.compile(r"(order=random[^\"]*?seed=)\d+")
MASKS = [
    (FORM_TOKEN.pattern, 'csrfmiddlewaretoken" value="-'),
    (r'(name="csrf-token" content=")[^"]+', r"\1-"),
    (r'("csrf": ")[^"]+', r"\1-"),
    (r'(data-version=")[^"]+', r"\1-"),
    (r"assayer_[\w-]{4,}", "assayer_-"),
    (RANDOM_SEED.pattern, r"\1-"),
    (r"/static/[^\"' )]+?\.[0-9a-f]{12}\.", "/static/-."),
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?", "MOMENT"),
    (r"\b\d{1,2}:\d\d(:\d\d)?\b", "TIME"),
    (r"\b\d[\d.]*( |&nbsp;|\u00a0)?(ms|s|seconds?|minutes?|hours?|days?|min|h)\b( ago)?", "SPAN"),
    (r"(an?|one) (second|minute|hour) ago|just now|a moment ago", "SPAN"),
]


class Answer(NamedTuple):
    """The answer to a request; headers as lines, of those that matter."""

    status: int
    headers: list[str]
    body: bytes

    @property
    def is_page(self) -> bool:
        return any(header.startswith("Content-Type: text/html") for header in self.headers)


class KeepRedirect(urllib.request.HTTPRedirectHandler):
    """Answers with a redirect instead of following it."""

    def redirect_request(self, *_: object) -> None:
        return None


class Visitor:
    """A browser with cookies, perhaps signed in, and then with a key for the API too."""

    def __init__(self, site: str, name: str, password: str) -> None:
        self.site, self.name, self.key = site, name, ""
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(cookies, KeepRedirect())
        if password:
            answer = self.send("/accounts/login/", {"login": name, "password": password})
            if answer.status != http.client.FOUND:
                sys.exit(f"{name} could not sign in: {answer.status}.")
            self.get("/account/")  # shows once that somebody has signed in
            fields = {"name": "crawl", "days": "1", "scopes": SCOPES}
            key = re.search(r"assayer_[\w-]+", self.send("/tokens/", fields).body.decode())
            self.key = key[0] if key else ""

    def get(self, path: str, body: bytes | None = None) -> Answer:
        """Request an address; with a body it is a POST."""
        headers = {"Referer": f"{self.site}/"}
        if path.startswith("/api/") and self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(self.site + path, data=body, headers=headers)  # noqa: S310
        try:
            response = self.opener.open(request, timeout=120)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            lines = [f"{name}: {response.headers[name]}" for name in HEADERS]
            kept_lines = [line for line in lines if not line.endswith(": None")]
            return Answer(response.status, kept_lines, response.read())

    def send(self, path: str, fields: Mapping[str, str | Sequence[str]]) -> Answer:
        """Fill in the form of a page."""
        token = FORM_TOKEN.search(self.get(path).body.decode())
        form = {**fields, "csrfmiddlewaretoken": token[1] if token else ""}
        return self.get(path, urllib.parse.urlencode(form, doseq=True).encode())


def shape(address: str) -> str:
    """Name what addresses share that differ by numbers and values alone."""
    path, _, query = address.partition("?")
    fields = sorted(urllib.parse.parse_qs(query, keep_blank_values=True))
    return re.sub(r"\d+", "0", path) + "?" + "&".join(fields)


def links(address: str, answer: Answer) -> Iterator[str]:
    """Yield every address of the site that an answer names."""
    for header in answer.headers:
        if header.startswith("Location: /"):
            yield header.removeprefix("Location: ")
    if answer.is_page:
        text = answer.body.decode()
        yield from (html.unescape(match[1]) for match in LINK.finditer(text))
        path = address.partition("?")[0]
        yield from (path + html.unescape(match[1]) for match in QUERY_LINK.finditer(text))


def reachable(visitor: Visitor) -> set[str]:
    """Follow links from the first pages on."""
    addresses: set[str] = set()
    n_of_shape: Counter[str] = Counter()
    queue = list(FIRST)
    while queue:
        address = queue.pop(0)
        is_enough = n_of_shape[shape(address)] >= MOST_OF_A_SHAPE
        if address in addresses or CHANGING.search(address) or is_enough:
            continue
        addresses.add(address)
        n_of_shape[shape(address)] += 1
        page_links = links(address, visitor.get(address))
        further = {
            RANDOM_SEED.sub(r"\g<1>1", link) for link in page_links
        }  # each page draws another
        queue += sorted(further, key=lambda link: hashlib.sha256(link.encode()).hexdigest())
    return addresses


def mask(text: str) -> str:
    """Mask what differs between two moments."""
    for pattern, replacement in MASKS:
        text = re.sub(pattern, replacement, text)
    return text


def write(folder: Path, visitor: Visitor, address: str) -> None:
    """Write an answer to a file of the visitor's folder."""
    answer = visitor.get(address)
    try:
        text = mask(answer.body.decode())
    except UnicodeDecodeError:
        text = hashlib.sha256(answer.body).hexdigest()
    if answer.is_page:
        text = re.sub(r"\s+", " ", text).replace("<", "\n<")
    digest = hashlib.sha256(address.encode()).hexdigest()[:8]
    words = re.sub(r"[^\w.=-]", "_", address)[:120]
    file = folder / visitor.name / f"{words}.{digest}"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join([address, str(answer.status), *map(mask, answer.headers), "", text]))


def main() -> None:
    """Crawl a running product."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("site")
    parser.add_argument("sign_in", type=Path, help="sign-in.json of the product's var")
    parser.add_argument("folder", type=Path, help="where the answers go")
    options = parser.parse_args()
    passwords = {"nobody": "", **json.loads(options.sign_in.read_text())}
    passwords[OUTSIDER] = outsiders_password()
    visitors = [Visitor(options.site, *account) for account in passwords.items()]
    addresses = set().union(*map(reachable, visitors))
    for visitor in visitors:
        for address in sorted(addresses):
            write(options.folder, visitor, address)
    print(f"{len(addresses)} addresses, {len(visitors)} visitors.")
    print("Never met:", ", ".join(unmet_names(addresses)) or "no URL that has a name")


if __name__ == "__main__":
    main()
