"""Answers that are lost, outages and pace: what is safe is sent again, and happens once."""

import io

import pytest

from annotate.api.throttles import TokenThrottle
from annotate.models import Import, Receipt
from assayer.client.client import Client
from assayer.client.errors import AssayerError, SiteFailed, TooFast, Unreachable
from assayer.client.transport import FIRST_PAUSE, LONGEST_PAUSE, Call
from metrics.models import Download, Release
from pooling.models import Pool, Run
from tests.assayer.client.servers import send, serving
from tests.browsers.proxy import CLOSED

RUN = b"q0 Q0 d0 1 9 t\nq0 Q0 d1 2 8 t\n"


@pytest.fixture
def far(proxy, token, pauses):
    """The client behind the proxy."""
    with Client(proxy.url, token, retries=3) as client:
        yield client


def test_a_run_whose_answer_is_lost_is_uploaded_once(study, far, proxy, pauses):
    n_runs = Run.objects.count()
    with proxy.losing_answers("/runs/", 2):
        run = far.collection("study").upload_run(io.BytesIO(RUN), name="late", file_name="a.run")
    assert (run.state, Run.objects.count(), len(pauses)) == ("ready", n_runs + 1, 2)
    assert proxy.n_requests["/api/v1/collections/study/runs/"] == 3


def test_an_import_whose_answer_is_lost_is_there_once(study, far, proxy):
    with proxy.losing_answers("/imports/", 1):
        import_ = far.collection("study").upload(
            "query_set", iter([b"q0\n", b"q1\n"]), file_name="ids", name="few", direction="forward"
        )
    assert (import_.state, Import.objects.count()) == ("done", 1)
    assert proxy.n_requests["/api/v1/collections/study/imports/"] == 2


def test_a_pool_whose_answer_is_lost_is_opened_once(study, far, proxy):
    n_pools = Pool.objects.count()
    with proxy.losing_answers("/pools/", 1):
        pool = far.collection("study").open_pool(
            "new", strategy="depth-k", parameters={"depth": 2}, runs=["alpha"]
        )
    assert (pool.state, Pool.objects.count()) == ("open", n_pools + 1)
    assert Receipt.objects.count() == 1


def test_a_release_and_a_download_whose_answers_are_lost_are_made_once(study, far, proxy, tmp_path):
    with proxy.losing_answers("/releases/", 1), proxy.losing_answers("/downloads/", 1):
        release = far.collection("study").make_release("1.0")
        far.collection("study").download("qrels", tmp_path)
    assert (release.state, Release.objects.count(), Download.objects.count()) == ("made", 1, 1)


def test_an_invitation_whose_link_is_lost_is_told_with_its_number(study, far, proxy, client):
    collection = client.collection("study")
    with (
        proxy.losing_answers("/invitations/", 1),
        pytest.raises(AssayerError, match=r"Invitation \d+ was made, and its link was lost"),
    ):
        far.collection("study").invite("annotator")
    (invitation,) = collection.invitations()
    collection.revoke_invitation(invitation.id)
    assert collection.invitations() == []


def test_what_may_not_be_repeated_is_sent_once(study, far, proxy, pauses):
    collection = far.collection("study")
    collection.make_release("1.0")
    with proxy.losing_answers("/publish/"), pytest.raises(Unreachable):
        collection.release("1.0").publish()
    assert proxy.count_requests("/publish/") == 1 and pauses == []
    assert collection.release("1.0").facts().state == "public"


def test_an_address_by_hand_is_repeated_with_a_key_alone(study, far, proxy):
    fields = {"version": "1.0"}
    with proxy.losing_answers("/releases/", 1), pytest.raises(Unreachable):
        far.post("collections/study/releases/", fields)
    with proxy.losing_answers("/releases/", 1):
        again = far.post("collections/study/releases/", fields | {"version": "2.0"}, key="two")
    assert again["version"] == "2.0" and Release.objects.count() == 2


def test_a_change_whose_answer_is_lost_is_not_told_as_a_conflict(study, far, proxy):
    tag = far.request("GET", "collections/study/").headers["ETag"]
    change = {"method": "PATCH", "address": "collections/study/", "tag": tag}
    with (
        proxy.losing_answers("/collections/study/", 1),
        pytest.raises(Unreachable, match="Maybe by this request"),
    ):
        far.request(**change, json={"cite_as": "One."})
    assert far.collection("study").facts().cite_as == "One."


def test_a_change_is_repeated_with_the_tag_of_what_was_read_alone():
    assert Call("PATCH", "a", headers={"If-Match": '"1"'}).is_repeatable
    assert not Call("PATCH", "a").is_repeatable


@pytest.mark.parametrize("status", [CLOSED, 502, 503, 504])
def test_reading_goes_on_after_an_outage(study, far, proxy, monkeypatch, status):
    proxy.faults["/progress/"] = status
    monkeypatch.setattr("assayer.client.transport.sleep", lambda pause: proxy.faults.clear())
    assert far.collection("study").progress().n_pairs == 18


@pytest.mark.parametrize(("status", "error"), [(CLOSED, Unreachable), (503, SiteFailed)])
def test_an_outage_that_lasts_is_told_after_pauses_that_grow(
    study, far, proxy, pauses, status, error
):
    with proxy.answering("/progress/", status), pytest.raises(error) as failure:
        far.collection("study").progress()
    assert proxy.count_requests("/progress/") == 4 and len(pauses) == 3
    for number, pause in enumerate(pauses):
        assert FIRST_PAUSE * 2**number / 2 <= pause <= min(FIRST_PAUSE * 2**number, LONGEST_PAUSE)
    assert failure.value.is_passing


@pytest.mark.parametrize(("retry_after", "patience"), [("121", 600.0), ("7", 5.0)])
def test_nobody_waits_for_a_site_that_is_away_for_long(pauses, monkeypatch, retry_after, patience):
    monkeypatch.setattr("assayer.client.transport.PATIENCE", patience)
    with (
        serving(lambda handler: send(handler, 503, Retry_After=retry_after)) as server,
        Client(server.url, "token") as client,
        pytest.raises(SiteFailed),
    ):
        client.version()
    assert pauses == [] and len(server.requests) == 1


def test_a_failure_that_does_not_pass_is_told_at_once(study, far, proxy, pauses):
    with proxy.answering("/progress/", 500), pytest.raises(SiteFailed, match="answers 500"):
        far.collection("study").progress()
    assert pauses == []


def test_a_token_that_is_too_fast_waits_as_long_as_the_site_says(
    client, settings, monkeypatch, study
):
    settings.API_REQUESTS_A_MINUTE = 2
    clock, pauses = [1_000_000.0], []

    def sleep(pause):
        pauses.append(pause)
        clock[0] += pause

    monkeypatch.setattr(TokenThrottle, "timer", lambda throttle: clock[0])
    monkeypatch.setattr("assayer.client.transport.sleep", sleep)
    for _ in range(5):
        client.version()
    assert pauses == [60.0, 60.0]


def test_a_token_that_is_too_fast_for_long_is_told(client, settings, pauses, study):
    settings.API_REQUESTS_A_MINUTE = 1
    client.version()
    with pytest.raises(TooFast, match="throttled") as failure:
        client.version()
    assert len(pauses) == 5 and 0 < failure.value.retry_after <= 60
