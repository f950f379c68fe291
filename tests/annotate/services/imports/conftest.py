"""A bucket whose links lead to a server of the test."""

import http.server
import threading
from collections.abc import Iterator

import pytest
from django.core.files.storage import Storage, storages

from tests.annotate.bucket import Store


@pytest.fixture
def bucket(settings) -> Iterator[Storage]:
    """A store whose links lead to a server of this test."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store)
    thread = threading.Thread(target=server.serve_forever, args=[0.01])
    thread.start()
    base = f"http://127.0.0.1:{server.server_port}/"
    settings.STORAGES = {
        **settings.STORAGES,
        "collections": {
            "BACKEND": "tests.annotate.bucket.MemoryBucket",
            "OPTIONS": {"base_url": base},
        },
    }
    Store.asked, Store.instead, Store.etags, Store.n_bytes = [], {}, {}, 0
    yield storages["collections"]
    server.shutdown()
    thread.join()
    server.server_close()
