"""Every other block of curl in the README and in docs/api.md, each sent once to the product."""

from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from annotate.models import ApiToken, Resolution, Role
from annotate.services.people import tokens
from tests import cast
from tests.metrics import studies
from tests.servers.stack import Stack
from tests.stories.doc_blocks import Shell, blocks

REFUSE = "fail-with-body\nsilent\nshow-error\n"  # what is 400 or more ends the shell
DOCUMENTS = ("../README.md", "api.md")


@pytest.fixture
def variables(live_stack: Stack, django_db_blocker: DjangoDbBlocker) -> dict[str, str]:
    """The variables of the blocks; the collection that they name has been judged."""
    with live_stack.orm(django_db_blocker):
        collection = studies.study("shapes", ceiling=2)
        for seed in range(2):
            studies.judge(cast.annotator(collection), seed=seed)
        person = cast.member(collection, Role.RESEARCHER)
        cast.member(collection, Role.LEAD, person)
        token = tokens.create_token(user=person, name="x", scopes=list(ApiToken.Scope), days=1)
        pair = Resolution.objects.filter(pair__collection=collection, status="disputed").earliest(
            "pair"
        )
        return {"ASSAYER": live_stack.url, "TOKEN": token.secret, "PAIR": str(pair.pair_id)}


def test_no_request_of_the_documents_is_refused(variables: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("q0\nq1\n")
    (tmp_path / "test.qrels").write_text("q0 0 d3 1\n")
    (tmp_path / "bm25.run.gz").write_text("q0 Q0 d3 1 1.5 bm25\n")
    curl_blocks = [
        block.text
        for document in DOCUMENTS
        for block in blocks(document)
        if block.text.startswith("curl ")
    ]
    assert len(curl_blocks) >= 12
    with Shell(tmp_path, curl_options=REFUSE, **variables) as shell:
        for text in curl_blocks:
            shell.run(text)
