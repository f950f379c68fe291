"""A valid request for every address that accepts one, so that the address does all of its work.

A form that is refused takes no lock, starts no work and stores nothing.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotate.forms.settings import PolicyForm
from annotate.models import Annotator, Batch, Collection, Gold, HandOut
from annotate.services.collection import collections
from annotate.services.judging import claiming, undoing
from annotate.services.policy import policies
from annotate.services.supervision import withdrawing
from tests import cast
from tests.addresses.access_table import World
from tests.addresses.import_samples import IMPORT_SAMPLES
from tests.annotate.core.files.samples import line
from tests.campaigns import Campaign

Row = tuple[str, int]  # a table's short name, and a key


class SampleRequest(NamedTuple):
    """A request of one principal; a JSON body is text already.

    changed_rows : the pairs and annotators that it changes
    """

    address: str
    url: str
    principal: str
    body: Mapping[str, object] | str
    method: str = "POST"
    changed_rows: frozenset[Row] = frozenset()

    def __str__(self) -> str:
        return f"{self.method} {self.address} as {self.principal}, filled in"


def pair_rows(pairs: Iterable[int]) -> frozenset[Row]:
    """Rows of pairs, by their keys."""
    return frozenset(("pair", pair) for pair in pairs)


def open_hand_outs(annotator: Annotator) -> list[HandOut]:
    """An annotator's unanswered hand-outs, in order; she gets a batch if she has none."""
    claiming.current_batch(annotator=annotator)
    return list(
        claiming.open_hand_outs(annotator=annotator).select_related(
            "seat__pair__query", "seat__pair__document"
        )
    )


def open_pair_ids(campaign: Campaign) -> list[tuple[str, str]]:
    """External ids (query, document) of the first annotator's open pairs that are no golds."""
    golds = set(Gold.objects.filter(collection=campaign.collection).values_list("pair", flat=True))
    pairs = [
        hand_out.seat.pair
        for hand_out in open_hand_outs(campaign.annotators[0])
        if hand_out.seat.pair_id not in golds
    ]
    return [(pair.query.external_id, pair.document.external_id) for pair in pairs]


def sample_requests(world: World) -> list[SampleRequest]:
    """All sample requests to a world's campaign, each valid if none of the others was sent."""
    campaign = world.campaign
    return [
        *_joining(world),
        *_judging(campaign),
        *_files(campaign),
        *_pools(campaign),
        *_duplicates(campaign),
        *_reviews(campaign),
        *_people(campaign),
        *_settings(campaign),
        *_golds(campaign),
        *_runs(campaign),
    ]


def _sample(
    collection: Collection,
    address: str,
    principal: str,
    body: Mapping[str, object],
    *keys: object,
    as_json: bool = False,
) -> SampleRequest:
    url = reverse(address, args=[collection.slug, *keys])
    return SampleRequest(address, url, principal, json.dumps(body) if as_json else body)


def _joining(world: World) -> Iterator[SampleRequest]:
    collection = world.campaign.collection
    url = reverse("annotate:invitation", args=[world.link])
    yield SampleRequest("annotate:invitation", url, "stranger", {})
    yield SampleRequest(
        "annotate:invitation", url, "anonymous", {"username": "newcomer", "password": cast.PASSWORD}
    )
    login = {"login": world.users["stranger"].username, "password": cast.PASSWORD}
    yield SampleRequest("account_login", reverse("account_login"), "anonymous", login)
    yield _sample(collection, "annotate:invite", "lead", {"role": "annotator", "days": 14})
    yield _sample(collection, "api:invitations", "lead", {"role": "annotator"}, as_json=True)
    key = {"name": "script", "scopes": ["runs:write"], "collection": collection.pk, "days": 1}
    yield SampleRequest("annotate:tokens", reverse("annotate:tokens"), "researcher", key)


def _judging(campaign: Campaign) -> Iterator[SampleRequest]:
    """Every request of one annotator about each pair of her batch, and about her last answers."""
    collection, annotator = campaign.collection, campaign.annotators[0]
    hand_outs, last_acts = open_hand_outs(annotator), undoing.last_acts(annotator=annotator)
    assert hand_outs and last_acts, (
        "she holds nothing, or has done nothing that she could take back"
    )

    def screen_request(name: str, pair: int | None = None, **body: object) -> SampleRequest:
        changed_rows = pair_rows([pair] if pair else []) | {("annotator", annotator.pk)}
        return _sample(
            collection, f"annotate:judge-{name}", "annotator", body, as_json=True
        )._replace(changed_rows=changed_rows)

    yield screen_request("next")
    for hand_out in hand_outs:
        body = {"hand_out": str(hand_out.token), "submission_id": str(uuid4())}
        yield screen_request("answer", hand_out.seat.pair_id, **body, grade=1)
        yield screen_request(
            "report", hand_out.seat.pair_id, **body, kind="cannot_judge", note="does not play"
        )
        yield screen_request("report", hand_out.seat.pair_id, **body, kind="later")
    answered = HandOut.objects.select_related("seat").in_bulk([act.hand_out for act in last_acts])
    for act in last_acts:
        body = {"hand_out": str(act.token), "submission_id": str(uuid4())}
        if act == last_acts[0]:
            yield screen_request("undo", answered[act.hand_out].seat.pair_id, **body, kind=act.kind)
        if act.kind == undoing.ANSWER:
            yield screen_request(
                "answer", answered[act.hand_out].seat.pair_id, **body, grade=1, is_change=True
            )


def _file(name: str, text: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode())


def _files(campaign: Campaign) -> Iterator[SampleRequest]:
    """An upload of each kind, by its page and by the API."""
    collection, (query, document) = campaign.collection, open_pair_ids(campaign)[0]
    for kind, sample in IMPORT_SAMPLES.items():
        for address, more in (("annotate:load", {}), ("api:imports", {"kind": kind})):
            body = {**sample.fields, **more, "file": sample.upload([(query, document)])}
            arguments = [] if more else [kind]
            yield _sample(collection, address, "researcher", body, *arguments)
    for address in ("pooling:run-upload", "api:runs"):
        file = _file("later.run", f"{query} Q0 {document} 1 1.0 later\n")
        fields = {"name": "later", "direction": "forward", "file": file}
        yield _sample(collection, address, "researcher", fields)
    url = reverse("annotate:collection-new")
    yield SampleRequest("annotate:collection-new", url, "researcher", _new_collection_form())


def _new_collection_form() -> dict[str, object]:
    """The form of a collection of two levels and one item."""
    level_fields = {
        f"levels-{grade}-{field}": value
        for grade in (0, 1)
        for field, value in (("grade", grade), ("name", f"Level {grade}"))
    }
    fields = {"name": "Later", "slug": "later", "measurement": "ordinal", "positive_from": 1}
    form_counts = {"levels-TOTAL_FORMS": 2, "levels-INITIAL_FORMS": 0}
    return {
        **fields,
        **form_counts,
        **level_fields,
        "file": _file("later.jsonl", f"{line('later')}\n"),
    }


def _pools(campaign: Campaign) -> Iterator[SampleRequest]:
    collection, run = campaign.collection, campaign.collection.runs.earliest("pk")
    form = {"name": "later", "strategy": "depth-k", "depth": 1, "runs": [run.pk]}
    yield _sample(collection, "pooling:pool-new", "researcher", form)
    yield _sample(collection, "pooling:pool-preview", "researcher", form)
    choice = {"strategy": "depth-k", "parameters": {"depth": 1}, "runs": [run.name]}
    yield _sample(collection, "api:pools", "researcher", {"name": "later", **choice}, as_json=True)
    yield _sample(collection, "api:pool-preview", "researcher", choice, as_json=True)
    yield _sample(collection, "metrics:download-new", "lead", {}, "pairs")


def _duplicates(campaign: Campaign) -> Iterator[SampleRequest]:
    """A lead's marks of duplicates, and those taken back."""
    collection, mark = campaign.collection, campaign.collection.duplicates.get()
    other = collection.items.filter(side=mark.side).exclude(pk__in=[mark.item_id, mark.original_id])
    body = {"original": mark.original_id, "item": [mark.original_id, other.earliest("pk").pk]}
    yield _sample(collection, "metrics:duplicates-mark", "lead", body)
    yield _sample(collection, "metrics:duplicates-unmark", "lead", {"item": mark.item_id})


def _reviews(campaign: Campaign) -> Iterator[SampleRequest]:
    """A lead's decisions about a pair and its items."""
    collection, pair = campaign.collection, campaign.collection.reports.first().pair
    adjudication = _sample(
        collection, "annotate:inbox-pair-adjudicate", "lead", {"grade": 1}, pair.pk
    )
    yield adjudication._replace(changed_rows=pair_rows([pair.pk]))
    changed_pairs = {
        "return": collection.pairs.filter(pk=pair.pk),
        "exclude-pair": collection.pairs.filter(pk=pair.pk),
        "exclude-query": collection.pairs.filter(query=pair.query_id),
        "exclude-document": collection.pairs.filter(document=pair.document_id),
    }
    for act, pairs in changed_pairs.items():
        sample = _sample(
            collection,
            "annotate:inbox-pair-act",
            "lead",
            {"act": act, "reason": "is unclear"},
            pair.pk,
        )
        yield sample._replace(changed_rows=pair_rows(pairs.values_list("pk", flat=True)))


def _people(campaign: Campaign) -> Iterator[SampleRequest]:
    """A lead's decisions about a person and her batch."""
    collection, annotator = campaign.collection, campaign.annotators[0]
    batch = Batch.objects.filter(
        annotator=annotator, number__gt=0, finished_at__isnull=False
    ).earliest("pk")
    since = batch.opened_at.replace(microsecond=0)
    n = withdrawing.withdrawable(annotator=annotator, since=since).n
    withdrawal = {"since": since.isoformat(), "expected": n}
    samples = [
        *(
            _sample(
                collection,
                "annotate:inbox-batch-act",
                "lead",
                {"act": act, "reason": "was hasty"},
                batch.pk,
            )
            for act in ("accept", "reject", "requeue")
        ),
        *(
            _sample(
                collection,
                "metrics:dashboard-person-act",
                "lead",
                {**act, "reason": "has a cold"},
                annotator.pk,
            )
            for act in ({"act": "pause"}, {"act": "withdraw", **withdrawal})
        ),
        *(
            _sample(collection, f"api:annotator-{act}", "lead", body, annotator.pk, as_json=True)
            for act, body in (
                ("pause", {"reason": "has a cold"}),
                ("withdraw", {**withdrawal, "reason": "was hasty"}),
            )
        ),
        _sample(
            collection,
            "annotate:training-decide",
            "lead",
            {"kind": "sent_back", "reason": "was hasty"},
            annotator.pk,
        ),
    ]
    own_pairs = HandOut.objects.filter(batch__annotator=annotator).values_list(
        "seat__pair", flat=True
    )
    changed_rows = pair_rows(own_pairs) | {("annotator", annotator.pk)}
    yield from (sample._replace(changed_rows=changed_rows) for sample in samples)


def _settings(campaign: Campaign) -> Iterator[SampleRequest]:
    collection, lead = campaign.collection, "lead"
    level_names = {
        f"name-{grade}": f"Grade {grade}"
        for grade in collection.levels.values_list("grade", flat=True)
    }
    yield _sample(
        collection, "annotate:guidelines", lead, {"markdown": "# Look twice", **level_names}
    )
    yield _sample(collection, "annotate:policy", lead, _policy(campaign))
    yield _sample(collection, "annotate:pay-change", lead, {"hourly_pay": "12", "currency": "EUR"})
    yield _sample(
        collection, "annotate:alpha-marks-change", lead, {"tentative": "0.7", "firm": "0.9"}
    )
    yield _sample(collection, "annotate:archive-change", lead, {"act": "unarchive"})
    yield _sample(collection, "annotate:query-groups-change", lead, {"query_groups": "none"})
    yield _sample(collection, "annotate:publication-change", lead, {"licence": "CC0-1.0"})
    yield _sample(
        collection, "metrics:alarms", lead, {"kind": "gold", "below": 50, "n_at_least": 1}
    )
    alarm = {"kind": "gold", "below": 60, "n_at_least": 1}
    yield _sample(collection, "api:alarms", lead, alarm, as_json=True)
    training = {
        "quiz_mark": "0.5",
        "measure": "accuracy",
        "pass_mark": "0.5",
        "wait_minutes": 1,
        "is_on": "on",
    }
    sample = _sample(collection, "annotate:training-change", lead, training)
    yield sample._replace(
        changed_rows=frozenset(("annotator", annotator.pk) for annotator in campaign.annotators)
    )


def _policy(campaign: Campaign) -> dict[str, object]:
    """The form of a changed policy, with the key of the preview that the lead has seen."""
    policy = cast.policy(campaign.collection)
    blank = PolicyForm(instance=policy)
    fields = {name: blank[name].value() for name in blank.fields} | {
        "tie": "up",
        "with_closed": "on",
    }
    fields = {
        name: value for name, value in fields.items() if value is not None and value is not False
    }
    form = PolicyForm(fields, instance=policy)
    assert form.is_valid(), form.errors
    changed_policy = collections.next_policy(
        collection=campaign.collection, by=campaign.lead, changes=form.changes()
    )
    return {
        **fields,
        "seen": policies.preview_change(policy=changed_policy, with_closed=True).key,
    }


def _golds(campaign: Campaign) -> Iterator[SampleRequest]:
    collection, (query, document) = campaign.collection, open_pair_ids(campaign)[0]
    pair = {"query": query, "document": document, "grade": 1}
    yield _sample(collection, "annotate:golds", "lead", {**pair, "explanation": "because it is so"})
    yield _sample(
        collection, "annotate:training-pair-add", "lead", {**pair, "why": "because it is so"}
    )
    yield _sample(
        collection, "annotate:training-golds-add", "lead", {"n_positive": 1, "n_negative": 1}
    )


def _runs(campaign: Campaign) -> Iterator[SampleRequest]:
    collection, run = campaign.collection, campaign.run
    yield _sample(
        collection, "pooling:run-edit", "researcher", {"name": "called otherwise"}, run.pk
    )
    yield _sample(collection, "pooling:run-act", "researcher", {"action": "retire"}, run.pk)
    yield _sample(collection, "pooling:run-limit", "researcher", {"per_cent": "5"})
    sample = _sample(
        collection, "api:run", "researcher", {"description": "anew"}, run.pk, as_json=True
    )
    yield sample._replace(method="PATCH")
