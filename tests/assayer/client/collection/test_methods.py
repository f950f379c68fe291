"""Every method of the client does what it says on a real site, at addresses of the schema."""

import io
import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest

from assayer.client.client import Client
from assayer.client.collection.collection import Collection
from assayer.client.collection.releases import ReleaseHandle
from assayer.client.records.record import Record, Records
from assayer.client.transport import Call, Transport
from config.reference.operations import schema_text

PATHS = json.loads(schema_text())["paths"]
LEVELS = [{"grade": 1, "name": "Relevant"}, {"grade": 0, "name": "Not relevant"}]
RUN = b"q0 Q0 d0 1 9 t\nq0 Q0 d1 2 8 t\n"
DEPTH = {"strategy": "depth-k", "parameters": {"depth": 2}, "runs": ["alpha"]}
PARTS = {"address", "listed", "numbers", "awaited"}  # what the methods stand on


@pytest.fixture
def calls(monkeypatch) -> list[Call]:
    """The requests that are sent."""
    calls: list[Call] = []
    answer = Transport.answer

    def noting(transport: Transport, call: Call) -> Any:
        calls.append(call)
        return answer(transport, call)

    monkeypatch.setattr(Transport, "answer", noting)
    return calls


def methods(kind: type) -> set[str]:
    """The public methods of a class."""
    return {
        name
        for name in dir(kind)
        if not name.startswith("_") and callable(getattr(kind, name)) and name not in PARTS
    }


def is_in_schema(call: Call) -> bool:
    """True if the schema has an operation of a request."""
    path = urlsplit(call.address).path
    path = path if path.startswith("/") else f"/api/v1/{path}"
    return any(
        re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", pattern).replace(".csv", r"\.csv"), path)
        and call.method.lower() in operations
        for pattern, operations in PATHS.items()
    )


def of_collection(collection: Collection, folder) -> dict[str, Callable[[], Any]]:
    """A call of each method of a collection's handle, in an order in which they work."""
    return {
        "facts": collection.facts,
        "change": lambda: collection.change(licence="CC0-1.0"),
        "policy": collection.policy,
        "change_policy": lambda: collection.change_policy(ceiling=4),
        "invite": lambda: collection.invite("annotator", days=2),
        "invitations": collection.invitations,
        "revoke_invitation": lambda: collection.revoke_invitation(collection.invitations()[0].id),
        "items": lambda: list(collection.items(side="query")),
        "members": collection.members,
        "progress": collection.progress,
        "agreement": lambda: collection.agreement("nominal"),
        "leaderboard": lambda: collection.leaderboard(measure=["AP", "nDCG@10"], run="alpha"),
        "analyses": collection.analyses,
        "analysis": lambda: collection.analysis("positives-per-query"),
        "judgments": lambda: list(collection.judgments()),
        "save_judgments": lambda: collection.save_judgments(folder / "judgments.parquet"),
        "resolutions": lambda: list(collection.resolutions(state="some_labels")),
        "save_resolutions": lambda: collection.save_resolutions(folder / "resolutions.jsonl"),
        "qrels": lambda: collection.qrels(folder / "qrels", label_source="only"),
        "inbox": collection.inbox,
        "alarms": collection.alarms,
        "waiting_pairs": collection.waiting_pairs,
        "adjudicate": lambda: collection.adjudicate(
            next(row.pair for row in collection.resolutions(state="some_labels")), 1, "Seen."
        ),
        "upload": lambda: collection.upload(
            "query_set", io.BytesIO(b"q0\n"), file_name="ids", name="one", direction="forward"
        ),
        "imports": lambda: collection.imports(kind="query_set"),
        "upload_run": lambda: collection.upload_run(iter([RUN]), name="new", tags="a, b"),
        "runs": lambda: collection.runs(tag="a"),
        "run": lambda: collection.run("new"),
        "preview_pool": lambda: collection.preview_pool(**DEPTH),
        "open_pool": lambda: collection.open_pool("new", **DEPTH),
        "pools": lambda: collection.pools(state="open"),
        "pool": lambda: collection.pool("new"),
        "close_pool": lambda: collection.close_pool("new"),
        "reopen_pool": lambda: collection.reopen_pool("new"),
        "rounds": collection.rounds,
        "request_download": lambda: collection.request_download("pairs"),
        "download": lambda: collection.download("judgments", folder, format="csv"),
        "downloads": lambda: collection.downloads(kind="judgments"),
        "make_release": lambda: collection.make_release("1.0", title="First"),
        "releases": lambda: collection.releases(state="made"),
        "release": lambda: collection.release("1.0"),
    }


def of_release(release: ReleaseHandle, folder) -> dict[str, Callable[[], Any]]:
    """A call of each method of a release's handle."""
    return {
        "address": release.address,
        "facts": release.facts,
        "files": release.files,
        "download": lambda: release.download(folder),
        "diff": release.diff,
        "publish": release.publish,
        "unpublish": release.unpublish,
        "withdraw": lambda: release.withdraw("Tried."),
    }


def of_client(client: Client) -> dict[str, Callable[[], Any]]:
    """A call of each method of the client."""
    return {
        "version": client.version,
        "collections": client.collections,
        "collection": lambda: client.collection("study"),
        "make_collection": lambda: client.make_collection("new", name="New", levels=LEVELS),
        "get": lambda: client.get("collections/study/scheme/"),
        "pages": lambda: list(client.pages("collections/study/items/", page_size=4)),
        "post": lambda: client.post("collections/study/guidelines/", {"markdown": "New."}, key="a"),
        "request": lambda: client.request("GET", "collections/study/policy/"),
        "close": client.close,
    }


def test_every_method_works_at_addresses_of_the_schema(client, study, calls, tmp_path):
    collection = client.collection("study")
    answers = {}
    for kind, steps in (
        (Collection, of_collection(collection, tmp_path)),
        (ReleaseHandle, of_release(collection.release("1.0"), tmp_path)),
        (Client, of_client(client)),
    ):
        assert set(steps) == methods(kind) | ({"address"} & set(steps))
        answers |= {(kind.__name__, name): step() for name, step in steps.items()}
    assert [f"{call.method} {call.address}" for call in calls if not is_in_schema(call)] == []
    of_study = {name: answer for (kind, name), answer in answers.items() if kind == "Collection"}
    assert of_study["facts"].slug == "study" and of_study["progress"].n_labels == 6
    assert of_study["change"].licence == "CC0-1.0"
    versions = [of_study[name].version for name in ("policy", "change_policy")]
    assert versions == [1, 2] and of_study["change_policy"].ceiling == 4
    invitation = of_study["invite"]
    assert invitation.link.startswith("http") and invitation.link not in repr(invitation)
    assert of_study["adjudicate"].summary
    assert len(of_study["judgments"]) == 6 and len(of_study["resolutions"]) == 6
    assert {row.run for row in of_study["leaderboard"].rows} == {"alpha"}
    assert [run.name for run in of_study["runs"]] == ["new"] and of_study["run"].tags == ["a", "b"]
    assert [of_study[name].state for name in ("open_pool", "close_pool", "reopen_pool")] == [
        "open",
        "closed",
        "open",
    ]
    assert (tmp_path / "judgments.parquet").read_bytes()[:4] == b"PAR1"
    assert len((tmp_path / "resolutions.jsonl").read_text().splitlines()) == 18
    assert (tmp_path / "qrels").read_text().split()[0].startswith("q")
    states = [answers["ReleaseHandle", name].state for name in ("publish", "unpublish", "withdraw")]
    assert states == ["public", "made", "withdrawn"]
    assert len(answers["Client", "pages"]) == 15
    assert answers["Client", "make_collection"].slug == "new"
    empty = [
        name
        for name, answer in of_study.items()
        if isinstance(answer, Records | list)
        and name not in ("alarms", "waiting_pairs")
        and not answer
    ]
    assert empty == []
    assert isinstance(of_study["inbox"], Record)
