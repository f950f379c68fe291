"""Background work that fails, or takes longer than one waits."""

from collections.abc import Callable
from typing import Any

import pytest

from assayer.client.client import Client
from assayer.client.collection.collection import Collection
from assayer.client.errors import NotReady, Refused
from assayer.client.transport import Transport

WORK: dict[str, Callable[..., Any]] = {
    "Pool new": lambda study, **wait: study.open_pool("new", strategy="depth-k", **wait),
    "Release 1.0": lambda study, **wait: study.make_release("1.0", **wait),
    "The file pairs": lambda study, **wait: study.request_download("pairs", **wait),
}


@pytest.fixture
def collection(client: Client, study: object) -> Collection:
    return client.collection("study")


def answering(monkeypatch: pytest.MonkeyPatch, job: dict[str, Any]) -> None:
    """Have the jobs of answers be as told, and what they are of in their state."""
    for name in ("create", "read"):
        method = getattr(Transport, name)

        def answer(transport: Transport, *words: Any, method: Any = method) -> Any:
            values = method(transport, *words)
            return values | {"state": job["state"], "job": values["job"] | job}

        monkeypatch.setattr(Transport, name, answer)


@pytest.mark.parametrize("name", WORK)
@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_work_that_fails_is_refused_in_the_words_of_its_job(collection, monkeypatch, name, state):
    answering(monkeypatch, {"state": state, "is_finished": True, "error": "The disk is full."})
    with pytest.raises(Refused, match=rf"{name} is {state}\. The disk is full\."):
        WORK[name](collection)


@pytest.mark.parametrize("name", WORK)
def test_work_that_takes_longer_than_one_waits_is_not_ready(collection, monkeypatch, name):
    answering(monkeypatch, {"state": "running", "is_finished": False})
    with pytest.raises(NotReady, match=r"is not finished after 0 s\."):
        WORK[name](collection, wait=0.01)


@pytest.mark.parametrize("name", WORK)
def test_whoever_does_not_wait_has_the_answer_at_once(collection, monkeypatch, name):
    answering(monkeypatch, {"state": "running", "is_finished": False})
    assert WORK[name](collection, wait=0).state == "running"
