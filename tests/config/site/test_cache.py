"""The cache after an upgrade, which may have renamed what is in it."""

import pickle
from typing import NamedTuple

import pytest
from django.core.cache import cache


class PickledValue(NamedTuple):
    """A value that is pickled under the name of its class."""

    n_pairs: int


@pytest.mark.parametrize(
    ("name", "replacement"),
    [
        (b"PickledValue", b"Renamed"),
        (b"test_cache", b"moved_away"),
        (b"PickledValue", b"NamedTuple"),
    ],
    ids=["renamed class", "moved module", "other fields"],
)
def test_a_value_of_a_class_that_an_upgrade_changed_is_missing(
    name: bytes, replacement: bytes
) -> None:
    cache.set("preview", PickledValue(3), 60)
    client = cache.client.get_client(write=True)  # type: ignore[attr-defined]  # django_redis has it
    key = cache.client.make_key("preview")  # type: ignore[attr-defined]
    client.set(key, pickle.dumps(PickledValue(3), 0).replace(name, replacement))
    assert cache.get("preview") is None
    assert cache.get("another") is None


def test_a_value_of_a_class_that_is_still_there_is_found() -> None:
    cache.set("preview", PickledValue(3), 60)
    assert cache.get("preview") == PickledValue(3)
