"""A study on a real server, with a token for it; background work is done as it is asked for."""

from collections.abc import Iterator

import pytest
from pytest_django.live_server_helper import LiveServer

from annotate.models import ApiToken, Collection, Role, User
from annotate.services.people import tokens
from assayer.client.client import Client
from config.celery import app
from metrics.services.numbers.refresh import refresh
from tests import cast
from tests.browsers.proxy import Proxy
from tests.metrics import studies


@pytest.fixture(autouse=True)
def no_other_site(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    """Whoever runs the tests may have a site of her own."""
    monkeypatch.delenv("ASSAYER_URL", raising=False)
    monkeypatch.delenv("ASSAYER_TOKEN", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def study(transactional_db: None, media_root: object) -> Iterator[Collection]:
    """A study with runs and labels; what a worker would do is done at once."""
    collection = studies.judged_study("study", n=6)
    refresh(collection=collection)
    app.conf.task_always_eager = True
    yield collection
    app.conf.task_always_eager = False


@pytest.fixture
def person(study: Collection) -> User:
    """Somebody who leads the study and does research in it."""
    person = cast.member(study, Role.RESEARCHER)
    return cast.member(study, Role.LEAD, person)


@pytest.fixture
def token(person: User) -> str:
    """A token that may do all that the person may."""
    scopes = list(ApiToken.Scope.values)
    return tokens.create_token(user=person, name="script", scopes=scopes, days=1).secret


@pytest.fixture
def client(live_server: LiveServer, token: str) -> Iterator[Client]:
    """The client of the site."""
    with Client(live_server.url, token) as client:
        yield client


@pytest.fixture
def proxy(live_server: LiveServer) -> Iterator[Proxy]:
    """A proxy that makes outages between client and site."""
    with Proxy(live_server.url).running() as proxy:
        yield proxy


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between tries, which take no time."""
    pauses: list[float] = []
    monkeypatch.setattr("assayer.client.transport.sleep", pauses.append)
    return pauses
