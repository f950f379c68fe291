"""A campaign told in requests: one for each operation of the API."""

from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotate.models import Annotator, Batch, Gold, Part, QuerySetItem, Report, ReviewWork, Work
from annotate.services.collection import collections
from annotate.services.judging import claiming, reports
from metrics.services.numbers import refresh
from tests import cast
from tests.campaign_rows import make_golds
from tests.campaigns import Campaign, judge, judge_batch, open_pool_round
from tests.config.reference.recorder import Recorder

NAME = "positives-per-query"


def tell(recorder: Recorder, campaign: Campaign) -> None:
    """Send a request for each operation, first those that read."""
    for chapter in (
        prepare,
        read_collection,
        read_people,
        read_numbers,
        read_review,
        read_pools,
        read_files,
        decide,
        change_settings,
        change_people,
        announce_events,
        send_runs,
        make_pools,
        make_files,
        make_releases,
        make_collection,
    ):
        chapter(recorder, campaign)


def prepare(recorder: Recorder, campaign: Campaign) -> None:
    """Answers that leave a lead something to decide: a bad batch and gold, disputes, a report."""
    collection = campaign.collection
    for annotator in campaign.annotators:
        judge_batch(annotator, 2)
    figures = {"labels_per_pair": 4, "ceiling": 4}
    collections.change_policy(collection=collection, by=campaign.lead, **figures)
    pairs = cast.pairs(collection, 24)
    for golds in (pairs[:2], pairs[2:4]):
        make_golds(collection, golds)
    open_pool_round(collection, pairs[4:], "second")
    for number in range(5):
        annotator = cast.annotator(collection)
        for _ in range(4):
            answer_batch(annotator, is_hasty=number == 0, bad_gold=pairs[0].pk)
    batch = Batch.objects.filter(collection=collection, number=1).latest("pk")
    # as with a policy of more golds: on fewer than four nobody fails
    Batch.objects.filter(pk=batch.pk).update(verdict="held", n_golds=4, n_golds_right=1)
    refresh.refresh(collection=collection)


def answer_batch(annotator: Annotator, *, is_hasty: bool, bad_gold: int) -> None:
    """Answer a batch: golds as they are but for the bad one, others as people of two minds do."""
    claiming.current_batch(annotator=annotator)
    hand_outs = claiming.open_hand_outs(annotator=annotator)
    for hand_out in hand_outs.select_related("seat", "batch__annotator"):
        pair = hand_out.seat.pair_id
        gold = Gold.objects.filter(pair=pair).first()
        if is_hasty or pair == bad_gold:
            judge(hand_out, 0)
        elif gold is None and not Report.objects.filter(kind="escalated").exists():
            reports.report_pair(
                annotator=annotator,
                token=hand_out.token,
                submission_id=uuid4(),
                kind="escalated",
                note="Is it a bird or a plane?",
            )
        else:
            judge(hand_out, gold.grade if gold else 2 * (annotator.pk % 2))


def read_collection(recorder: Recorder, campaign: Campaign) -> None:
    """The collection with its settings and items."""
    collection = campaign.collection
    query_set = collection.query_sets.get()
    document = collection.items.filter(side="document").earliest("pk")
    part = QuerySetItem.Part.GALLERY
    QuerySetItem.objects.create(query_set=query_set, item=document, part=part)
    Part.objects.create(item=document, position=1, kind="image", path="d0.png")
    for operation in (
        "get_root",
        "get_collections",
        "get_collection",
        "get_scheme",
        "get_policy",
        "get_policy_versions",
        "get_guidelines",
        "get_guidelines_versions",
        "get_query_sets",
        "get_reference_sets",
    ):
        recorder.send(operation)
    recorder.send("get_items", query={"side": "document"})
    recorder.send("get_item", document.pk)
    for operation in ("get_policy_version", "get_guidelines_version"):
        recorder.send(operation, number=1)
    for operation in ("get_query_set", "get_query_set_queries", "get_query_set_gallery"):
        recorder.send(operation, query_set.pk)
    reference_set = collection.reference_sets.get()
    for operation in ("get_reference_set", "get_reference_labels"):
        recorder.send(operation, reference_set.pk)


def read_people(recorder: Recorder, campaign: Campaign) -> None:
    """The people of the collection, and what one sees of her own work."""
    collection = campaign.collection
    for operation in ("get_members", "get_annotators", "get_invitations"):
        recorder.send(operation)
    member = collection.memberships.get(user=campaign.annotators[1].user)
    recorder.send("get_member", member.pk)
    annotator = campaign.annotators[1].pk
    recorder.send("get_annotator", annotator)
    recorder.send("get_withdrawable", annotator, query={"since": yesterday()})
    recorder.send("get_invitation", collection.invitations.get().pk)
    for operation in ("get_own_work", "get_own_judgments"):
        recorder.send(operation, by="annotator")


def read_numbers(recorder: Recorder, campaign: Campaign) -> None:
    """The numbers, the alarms, and what changed since a release."""
    for operation in (
        "get_progress",
        "get_agreement",
        "get_leaderboard",
        "get_qrels",
        "get_analyses",
        "get_alarms",
        "get_alarm_log",
    ):
        recorder.send(operation)
    for operation in ("get_analysis", "get_analysis_table"):
        recorder.send(operation, name=NAME)
    recorder.send("get_alarm", campaign.collection.alarms.get().pk)


def read_review(recorder: Recorder, campaign: Campaign) -> None:
    """The inbox, resolutions, and the log of decisions."""
    for operation in (
        "get_resolutions",
        "get_judgments",
        "get_inbox",
        "get_waiting_people",
        "get_waiting_batches",
        "get_waiting_pairs",
        "get_escalated_pairs",
        "get_unjudgeable_pairs",
        "get_doubtful_golds",
        "get_review_log",
    ):
        recorder.send(operation)
    recorder.send("get_batch", campaign.collection.batches.latest("pk").pk)
    pair = campaign.collection.reports.earliest("pk").pair_id
    for operation in ("get_inbox_pair", "get_pair"):
        recorder.send(operation, pair)


def read_pools(recorder: Recorder, campaign: Campaign) -> None:
    """Runs, pools and rounds."""
    for operation in ("get_runs", "get_pools", "get_rounds", "get_run_limit"):
        recorder.send(operation)
    for operation in ("get_one_run", "get_run_adds"):
        recorder.send(operation, campaign.run.pk)
    for operation in ("get_one_pool", "get_pool_pairs"):
        recorder.send(operation, campaign.pool.pk)


def read_files(recorder: Recorder, campaign: Campaign) -> None:
    """Imports, downloads, and a job."""
    collection = campaign.collection
    for operation in ("get_imports", "get_downloads"):
        recorder.send(operation)
    recorder.send("get_one_import", collection.imports.earliest("pk").pk)
    recorder.send("get_download", collection.downloads.earliest("pk").pk)


def decide(recorder: Recorder, campaign: Campaign) -> None:
    """A lead's decisions about a pair, a batch, and a person's answers."""
    collection, annotator = campaign.collection, campaign.annotators[1].pk
    pair = collection.reports.earliest("pk").pair_id
    recorder.send("post_pair_act", pair, body={"act": "return"})
    recorder.send("post_pair_adjudication", pair, body={"grade": 1, "note": "The bird is blue."})
    batch = collection.batches.filter(annotator=annotator, number__gt=0).latest("pk")
    recorder.send("post_batch_act", batch.pk, body={"act": "accept"})
    concern = collection.concerns.get().pk
    recorder.send("post_concern_act", concern, body={"act": "settle"})
    recorder.send("post_pause", annotator, body={"reason": "Clicks without a look."})
    recorder.send("post_resumption", annotator, body={"reason": "Has read the guidelines."})
    since = yesterday()
    extent = recorder.send("get_withdrawable", annotator, query={"since": since})
    fields = {"since": since, "expected": extent["n"], "reason": "Clicks without a look."}
    recorder.send("post_withdrawal", annotator, body=fields)
    recorder.work()
    (withdrawal,) = recorder.send("get_annotator", annotator)["withdrawals"]
    times = {name: withdrawal[name] for name in ("since", "until")}
    recorder.send("post_restoration", annotator, body={**times, "reason": "It was her cat."})
    recorder.work()
    action = ReviewWork.objects.filter(action__collection=collection).latest("pk")
    recorder.send("post_review_again", action.pk)


def change_settings(recorder: Recorder, campaign: Campaign) -> None:
    """The settings of the collection, and an alarm."""
    recorder.send("patch_collection", body={"licence": "CC-BY-4.0", "texts_may_leave": True})
    levels = [{"grade": grade, "name": f"Level {grade}"} for grade in (2, 1, 0)]
    levels[0]["sentence"] = "Shows all that the query names."
    recorder.send("put_scheme", body={"positive_from": 1, "levels": levels})
    recorder.send("post_guidelines", body={"markdown": "# How to judge\n\nLook twice."})
    change = {"labels_per_pair": 2, "rule": "majority"}
    preview = recorder.send("post_policy_preview", body=change)
    recorder.send("post_policy", body={**change, "preview_key": preview["preview_key"]})
    recorder.send("put_run_limit", body={"unknown_limit": 0.05})
    alarm = {"kind": "gold", "below": 60, "n_at_least": 10}
    recorder.send("delete_alarm", recorder.send("post_alarms", body=alarm)["id"])


def change_people(recorder: Recorder, campaign: Campaign) -> None:
    """An invitation, and a role that is taken away."""
    fields = {"role": "annotator", "email": "ann@example.org", "days": 14}
    recorder.send("delete_invitation", recorder.send("post_invitations", body=fields)["id"])
    memberships = campaign.collection.memberships
    recorder.send("delete_member", memberships.get(user=campaign.researcher).pk)


def announce_events(recorder: Recorder, campaign: Campaign) -> None:
    """Webhooks: one that failed once, and one that is made, changed, tried, and deleted."""
    hook = campaign.collection.hooks.get()
    recorder.send("get_webhooks")
    recorder.send("get_webhook", hook.pk)
    recorder.send("get_deliveries", hook.pk)
    words = {"key": hook.pk, "delivery": hook.deliveries.get().pk}
    for operation in ("get_delivery", "post_delivery_again"):
        recorder.send(operation, **words)
    fields = {"url": "https://hooks.example.org/assayer", "events": ["job.ended"]}
    pk = recorder.send("post_webhooks", body=fields)["id"]
    recorder.send("post_webhook_secret", pk)
    recorder.send("patch_webhook", pk, body={"events": ["release.made"]})
    recorder.send("post_webhook_test", pk)
    recorder.send("delete_webhook", pk)


def send_runs(recorder: Recorder, campaign: Campaign) -> None:
    """Runs that are uploaded, described, read again, and deleted."""
    rows = "q0 Q0 d1 1 2.5 dense\nq0 Q0 d99 2 1.5 dense\n"
    run = recorder.send("post_runs", form=run_form("dense", rows))["id"]
    recorder.work()
    recorder.send("patch_one_run", run, body={"system": "dense", "tags": ["baseline"]})
    recorder.send("post_run_documents", run)
    recorder.work()
    recorder.send("post_run_reading", run, body={"score_type": "float64"})
    recorder.send("post_run_cancel", run)
    recorder.work()
    other = recorder.send("post_runs", form=run_form("sparse", rows.replace("dense", "sparse")))
    recorder.work()
    recorder.send("delete_one_run", other["id"])


def make_pools(recorder: Recorder, campaign: Campaign) -> None:
    """A pool that is previewed, made, opened, closed, and opened again."""
    choice: dict[str, Any] = {
        "strategy": "depth-k",
        "parameters": {"depth": 2},
        "runs": [campaign.run.name],
    }
    recorder.send("post_pool_previews", body=choice)
    pool = recorder.send("post_pools", body={"name": "first", **choice})["id"]
    recorder.send("post_pool_cancel", pool)
    recorder.work()
    recorder.send("post_pool_open", pool)
    recorder.work()
    recorder.send("post_pool_close", pool)
    recorder.work()
    recorder.send("post_pool_reopen", pool)
    recorder.work()


def make_files(recorder: Recorder, campaign: Campaign) -> None:
    """An import and a download."""
    line = '{"id": "q9", "side": "query", "parts": [{"kind": "text", "text": "A blue bird."}]}\n'
    file = SimpleUploadedFile("birds.jsonl", line.encode())
    recorder.send("post_import_cancel", recorder.send("post_imports", form=items_form(file))["id"])
    recorder.work()
    download = recorder.send("post_downloads", body={"kind": "disputed", "parameters": {}})["id"]
    recorder.work()
    recorder.send("get_download_file", download)
    again = recorder.send("post_download_again", download)["id"]
    recorder.send("post_download_cancel", again)
    recorder.work()


def make_releases(recorder: Recorder, campaign: Campaign) -> None:
    """A release that is made, published, compared, and withdrawn."""
    collection = campaign.collection
    fields = {"version": "1.1", "notes": "The first labels.", "released_on": "2026-03-05"}
    job = recorder.send("post_releases", body=fields)["job"]
    recorder.send("get_job", job["id"])
    recorder.send("post_release_cancel", version="1.1")
    recorder.work()
    recorder.send("post_release_again", version="1.1")
    recorder.work()
    assert Work.objects.get(pk=collection.releases.latest("pk").work_id).state == "done"
    for operation in (
        "get_releases",
        "get_release",
        "get_release_diff",
        "get_release_archive",
        "post_release_publication",
        "post_release_retraction",
    ):
        recorder.send(operation, version="1.1")
    recorder.send("get_release_file", version="1.1", path="README.md")
    recorder.send("get_release_diff_table", version="1.1", table="grades")
    recorder.send("post_release_withdrawal", version="1.1", body={"reason": "A wrong file."})
    recorder.send("post_releases", body={"version": "1.2"})
    recorder.send("post_release_cancel", version="1.2")
    recorder.work()
    recorder.send("delete_release", version="1.2")


def make_collection(recorder: Recorder, campaign: Campaign) -> None:
    """Another collection that is made and deleted."""
    levels = [{"grade": 1, "name": "Relevant"}, {"grade": 0, "name": "Not relevant"}]
    recorder.send("post_collections", body={"slug": "birds", "name": "Birds", "levels": levels})
    recorder.send("delete_collection", slug="birds", query={"confirm": "birds"})


def yesterday() -> str:
    """A moment before all that the campaign has."""
    return (timezone.now() - timedelta(days=1)).isoformat()


def run_form(name: str, rows: str) -> dict[str, Any]:
    """The form of a run."""
    file = SimpleUploadedFile(Path(name).with_suffix(".run").name, rows.encode())
    return {"name": name, "direction": "forward", "file": file}


def items_form(file: SimpleUploadedFile) -> dict[str, Any]:
    """The form of an import of items."""
    return {"kind": "items", "file": file}
