"""The story by the client: the notebooks of docs/notebooks, as they stand, in a kernel that has the
built package; people judge on screens while the first of them watches.
"""

import os
import threading
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode
from pytest_django import DjangoDbBlocker

from annotate.models import ApiToken, Role
from annotate.services.people import tokens
from tests import cast
from tests.assayer.installed_package import built, source_copy
from tests.servers.stack import Stack
from tests.stories import campaign, releases
from tests.stories.judging import join, judge

NOTEBOOKS = Path(__file__).parents[2] / "docs" / "notebooks"
SLUG = "autumn-leaves"
SECONDS = 300  # for a cell, which may wait for background work


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel installs."""
    folder = tmp_path_factory.mktemp("package")
    wheel = built(source_copy(folder / "source"), folder / "built")
    with zipfile.ZipFile(wheel) as members:
        members.extractall(folder / "packages")
    return folder / "packages"


@pytest.fixture
def token(live_stack: Stack, django_db_blocker: DjangoDbBlocker) -> str:
    """A token with all scopes of somebody who is a researcher elsewhere."""
    with live_stack.orm(django_db_blocker):
        person = cast.member(cast.collection("before-autumn"), Role.RESEARCHER)
        return tokens.create_token(
            user=person, name="a notebook", scopes=list(ApiToken.Scope), days=1
        ).secret


def run(name: str, folder: Path, packages: Path, **variables: str) -> NotebookNode:
    """Run a notebook in a folder; returns it with what its cells printed and drew."""
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    client = NotebookClient(
        notebook,
        timeout=SECONDS,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute(env={**os.environ, **variables, "PYTHONPATH": str(packages)})
    return notebook


def texts(notebook: NotebookNode) -> list[str]:
    """The texts that the cells of a notebook printed; of a picture its size."""
    return [
        str(output.get("text") or output.get("data", {}).get("text/plain", ""))
        for cell in notebook.cells
        for output in cell.get("outputs", ())
    ]


class JudgingPeople(threading.Thread):
    """The annotators: they accept their invitations once these are written down, and judge."""

    def __init__(self, base: str, folder: Path) -> None:
        super().__init__(daemon=True)
        self.base = base
        self.folder = folder
        self.is_over = threading.Event()
        self.n_answers = dict.fromkeys(campaign.ANNOTATORS, 0)

    def run(self) -> None:
        """Let one after the other answer what there is, until it is over."""
        while not (links := self.links()):
            if self.is_over.wait(0.2):
                return
        clients = {
            name: join(base=self.base, link=link, slug=SLUG, annotator=name)
            for link, name in zip(links, campaign.ANNOTATORS, strict=True)
        }
        while not self.is_over.wait(0.5):
            for name, client in clients.items():
                self.n_answers[name] += judge(client, SLUG, name)

    def links(self) -> list[str]:
        """The links of the invitations, once all are there."""
        file = self.folder / "invitations.txt"
        links = file.read_text().split() if file.exists() else []
        return links if len(links) == len(campaign.ANNOTATORS) else []


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of the campaign, where kernels leave what they write."""
    campaign.write_files(tmp_path)
    for name in ("JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "MPLCONFIGDIR"):
        monkeypatch.setenv(name, str(tmp_path / f".{name}"))
    return tmp_path


@pytest.fixture
def campaign_notebook(live_stack: Stack, packages: Path, token: str, folder: Path) -> NotebookNode:
    """The first notebook after it ran to its end in the folder, while people judged."""
    people = JudgingPeople(live_stack.url, folder)
    people.start()
    try:
        notebook = run(
            "campaign", folder, packages, ASSAYER_URL=live_stack.url, ASSAYER_TOKEN=token
        )
    finally:
        people.is_over.set()
        people.join(SECONDS)
    assert min(people.n_answers.values()) >= len(campaign.pool())
    return notebook


@pytest.mark.usefixtures("campaign_notebook")
def test_a_campaign_by_the_client_gives_the_release_that_is_expected_and_a_paper_its_results(
    live_stack: Stack, folder: Path, packages: Path
) -> None:
    releases.assert_is_expected(folder / f"{SLUG}-1.0", live_stack)
    kept_notebook = nbformat.read(NOTEBOOKS / "paper.ipynb", as_version=4)
    assert texts(run("paper", folder, packages)) == texts(kept_notebook)


@pytest.mark.heavy
def test_the_notebooks_are_kept_anew_with_their_outputs(
    campaign_notebook: NotebookNode, folder: Path, packages: Path
) -> None:
    for name, notebook in {
        "campaign": campaign_notebook,
        "paper": run("paper", folder, packages),
    }.items():
        nbformat.write(notebook, NOTEBOOKS / f"{name}.ipynb")
