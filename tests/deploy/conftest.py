"""Fixtures for the tests of the files in deploy/."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher
from pytest_django import DjangoDbBlocker

from annotate.models import User
from config.up.embedded import create_database
from config.up.home import Home
from tests import cast
from tests.deploy.proxies import Proxy, start_web
from tests.servers.databases import migrated_template, using_database
from tests.servers.stack import separate_redis

UPLOAD_MAX_MB = 3


class Site(NamedTuple):
    """A web server of the product for proxies to stand before, its database and its media."""

    port: int
    log: Path
    database_url: str
    media: Path
    blocker: DjangoDbBlocker

    def orm(self) -> AbstractContextManager[None]:
        """Let the test's own process work on the site's database."""
        return using_database(self.database_url, self.blocker)

    def person(self, name: str, **fields: object) -> User:
        """Somebody who can sign in with cast.PASSWORD, hashed as the product does it."""
        person = cast.user(name, **fields)
        hasher = Argon2PasswordHasher()
        person.password = hasher.encode(cast.PASSWORD, hasher.salt())
        person.save()
        return person


@pytest.fixture(scope="module")
def site(
    service_home: Home, tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    name, media = f"site_{folder.stat().st_ino}", folder / "media"
    create_database(service_home, name, template=migrated_template(service_home, django_db_blocker))
    with ExitStack() as ends:
        settings = {
            "DATABASE_URL": service_home.database_url(name),
            "REDIS_URL": ends.enter_context(separate_redis(service_home.var / name)),
            "MEDIA_ROOT": str(media),
            "UPLOAD_MAX_MB": str(UPLOAD_MAX_MB),
        }
        port = start_web(ends, folder, **settings)
        yield Site(port, folder / "web.log", settings["DATABASE_URL"], media, django_db_blocker)


@pytest.fixture(scope="module", params=["nginx", "caddy"])
def proxy(
    request: pytest.FixtureRequest, site: Site, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Proxy]:
    """Each proxy as deploy/ has it, in front of the site."""
    with ExitStack() as ends:
        proxy = Proxy(request.param, tmp_path_factory.mktemp(request.param), site.port)
        proxy.start(ends)
        yield proxy
