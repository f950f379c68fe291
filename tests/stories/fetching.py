"""The ways in which a release is fetched, each with all of its files by themselves too."""

import json
from pathlib import Path
from urllib.parse import unquote

from django.urls import reverse
from playwright.sync_api import Locator, Page

from assayer import Client
from tests.stories.doc_blocks import Shell
from tests.stories.releases import ReleaseCopy

API = "curl --fail-with-body -sS -H 'Authorization: Bearer '$TOKEN"
FETCH = "async address => [...new Uint8Array(await (await fetch(address)).arrayBuffer())]"


def by_member(page: Page, slug: str, version: str) -> ReleaseCopy:
    """By the links of its page, for members of the collection."""
    page.goto(reverse("metrics:release", args=[slug, version]))
    archive = download(page.get_by_role("link", name="Download all"))
    page.get_by_text("each by itself").click()
    return ReleaseCopy(archive, linked_files(page))


def by_visitor(page: Page, slug: str, version: str) -> ReleaseCopy:
    """By the links of its public page, for somebody who is not signed in."""
    page.goto(reverse("metrics:public-files", args=[slug, version]))
    return ReleaseCopy(
        download(page.get_by_role("link", name=f"{slug}-{version}.zip")), linked_files(page)
    )


def download(link: Locator) -> bytes:
    """The file that the browser saves after a click."""
    with link.page.expect_download() as file:
        link.click()
    return Path(file.value.path()).read_bytes()


def linked_files(page: Page) -> dict[str, bytes]:
    """The files that a page links to one by one, by their paths in the release.

    The browser requests them without a click: it saves no more than ten files in a second.
    """
    links = page.locator("main table a[download]").all()
    addresses = [link.get_attribute("href") or "" for link in links]
    return {
        unquote(address.partition("/files/")[2]): bytes(page.evaluate(FETCH, address))
        for address in addresses
    }


def by_curl(shell: Shell, slug: str, version: str) -> ReleaseCopy:
    """By the API, with a token in $TOKEN."""
    release = f"$ASSAYER/api/v1/collections/{slug}/releases/{version}/"
    paths = [row["path"] for row in json.loads(shell.run(f'{API} "{release}"'))["files"]]
    shell.run(f'{API} -o archive.zip "{release}archive/"')
    targets = [f'-o "{version}/{path}" "{release}files/{path}"' for path in paths]
    shell.run(" \\\n".join([f"{API} --create-dirs", *targets]))
    return ReleaseCopy(
        (shell.folder / "archive.zip").read_bytes(),
        {path: (shell.folder / version / path).read_bytes() for path in paths},
    )


def by_client(client: Client, slug: str, version: str, folder: Path) -> ReleaseCopy:
    """By the client, the archive and then each file of its list."""
    release = client.collection(slug).release(version)
    paths = [file.path for file in release.files()]
    return ReleaseCopy(
        release.download(folder / "by-client.zip").read_bytes(),
        {path: release.download(folder / "by-client", path).read_bytes() for path in paths},
    )
