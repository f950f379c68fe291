"""What people send where an address takes something: to each what it accepts, so that it does all of its work.

A form that is refused takes no lock, asks for no work and stores nothing.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotate.models import Annotator, Batch, Collection, Gold, HandOut
from annotate.people_forms import PolicyForm
from annotate.services import claiming, collections, policies, undoing, withdrawing
from tests import cast
from tests.access_table import World
from tests.annotate.core.files import line
from tests.campaigns import Campaign

Row = tuple[str, int]  # a table's short name, and a key


class Sending(NamedTuple):
    """Who sends what where; what goes as JSON is text already.

    about : the pairs and annotators that it changes, as rows
    """

    address: str
    url: str
    who: str
    body: Mapping[str, object] | str
    method: str = "POST"
    about: frozenset[Row] = frozenset()

    def __str__(self) -> str:
        return f"{self.method} {self.address} as {self.who}, filled in"


def pair_rows(pairs: Iterable[int]) -> frozenset[Row]:
    """Pairs, by their keys."""
    return frozenset(("pair", pair) for pair in pairs)


def held(annotator: Annotator) -> list[HandOut]:
    """What somebody has before her, unanswered, the first of it first; she asks for a batch where she has none."""
    claiming.current_batch(annotator=annotator)
    return list(claiming.unanswered(annotator=annotator).select_related("seat__pair__query", "seat__pair__document"))


def held_ids(campaign: Campaign) -> list[tuple[str, str]]:
    """Query and document of the pairs that the first annotator has before her and that are no golds, as files do."""
    golds = set(Gold.objects.filter(collection=campaign.collection).values_list("pair", flat=True))
    pairs = [given.seat.pair for given in held(campaign.annotators[0]) if given.seat.pair_id not in golds]
    return [(pair.query.external_id, pair.document.external_id) for pair in pairs]


def sendings(world: World) -> list[Sending]:
    """What the people of a world's campaign send, each of it as if the others had sent nothing."""
    campaign = world.campaign
    return [*_joining(world), *_judging(campaign), *_files(campaign), *_pools(campaign), *_reviews(campaign),
            *_people(campaign), *_settings(campaign), *_golds(campaign), *_runs(campaign)]  # fmt: skip


def _sent(
    collection: Collection, address: str, who: str, body: Mapping[str, object], *keys: object, as_json: bool = False
) -> Sending:
    url = reverse(address, args=[collection.slug, *keys])
    return Sending(address, url, who, json.dumps(body) if as_json else body)


def _joining(world: World) -> Iterator[Sending]:
    collection = world.campaign.collection
    url = reverse("annotate:invitation", args=[world.link])
    yield Sending("annotate:invitation", url, "stranger", {})
    yield Sending("annotate:invitation", url, "anonymous", {"username": "newcomer", "password": cast.PASSWORD})
    login = {"login": world.users["stranger"].username, "password": cast.PASSWORD}
    yield Sending("account_login", reverse("account_login"), "anonymous", login)
    yield _sent(collection, "annotate:invite", "lead", {"role": "annotator", "days": 14})
    key = {"name": "script", "scopes": ["runs:write"], "collection": collection.pk, "days": 1}
    yield Sending("annotate:tokens", reverse("annotate:tokens"), "researcher", key)


def _judging(campaign: Campaign) -> Iterator[Sending]:
    """All that one annotator may do with each pair of her batch, and with what she said last."""
    collection, annotator = campaign.collection, campaign.annotators[0]
    left, last = held(annotator), undoing.last_acts(annotator=annotator)
    assert left and last, "she holds nothing, or has done nothing that she could take back"

    def sent(name: str, pair: int | None = None, **body: object) -> Sending:
        about = pair_rows([pair] if pair else []) | {("annotator", annotator.pk)}
        return _sent(collection, f"annotate:judge-{name}", "annotator", body, as_json=True)._replace(about=about)

    yield sent("next")
    for hand_out in left:
        about = {"hand_out": str(hand_out.token), "submission_id": str(uuid4())}
        yield sent("answer", hand_out.seat.pair_id, **about, grade=1)
        yield sent("report", hand_out.seat.pair_id, **about, kind="cannot_judge", note="does not play")
        yield sent("report", hand_out.seat.pair_id, **about, kind="later")
    done = HandOut.objects.select_related("seat").in_bulk([act.hand_out for act in last])
    for act in last:
        about = {"hand_out": str(act.token), "submission_id": str(uuid4())}
        if act == last[0]:
            yield sent("undo", done[act.hand_out].seat.pair_id, **about, kind=act.kind)
        if act.kind == undoing.ANSWER:
            yield sent("answer", done[act.hand_out].seat.pair_id, **about, grade=1, is_change=True)


def _file(name: str, text: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode())


def _files(campaign: Campaign) -> Iterator[Sending]:
    """A file of each kind, by its page and by the API."""
    collection, (query, document) = campaign.collection, held_ids(campaign)[0]
    columns = {"query": "query", "document": "document", "annotator": "annotator", "grade": "grade", "layout": "long"}
    labels = {"name": "later", **columns}
    forms = {
        "items-new": ("items", {}, "later.jsonl", line("later")),
        "query-set-new": ("query_set", {"name": "later", "direction": "forward"}, "later.txt", query),
        "reference-new": (
            "reference", {"name": "later"}, "later.tsv", f"query\tdocument\tgrade\n{query}\t{document}\t1"
        ),
        "judgments-import": (
            "judgments", labels, "later.csv", f"annotator,query,document,grade\nlater,{query},{document},1"
        ),
    }  # fmt: skip
    for page, (kind, given, name, text) in forms.items():
        yield _sent(collection, f"annotate:{page}", "researcher", {**given, "file": _file(name, f"{text}\n")})
        body = {**given, "kind": kind, "file": _file(name, f"{text}\n")}
        yield _sent(collection, "api:imports", "researcher", body)
    for address in ("pooling:run-upload", "api:runs"):
        file = _file("later.run", f"{query} Q0 {document} 1 1.0 later\n")
        given = {"name": "later", "direction": "forward", "file": file}
        yield _sent(collection, address, "researcher", given)
    levels = {f"levels-{grade}-{field}": value for grade in (0, 1)
              for field, value in (("grade", grade), ("name", f"Level {grade}"))}  # fmt: skip
    about = {"name": "Later", "slug": "later", "measurement": "ordinal", "positive_from": 1}
    counted = {"levels-TOTAL_FORMS": 2, "levels-INITIAL_FORMS": 0}
    made = {**about, **counted, **levels, "file": _file("later.jsonl", f"{line('later')}\n")}
    yield Sending("annotate:collection-new", reverse("annotate:collection-new"), "researcher", made)


def _pools(campaign: Campaign) -> Iterator[Sending]:
    collection, run = campaign.collection, campaign.collection.runs.earliest("pk")
    form = {"name": "later", "strategy": "depth-k", "depth": 1, "runs": [run.pk]}
    yield _sent(collection, "pooling:pool-new", "researcher", form)
    yield _sent(collection, "pooling:pool-preview", "researcher", form)
    choice = {"strategy": "depth-k", "parameters": {"depth": 1}, "runs": [run.name]}
    yield _sent(collection, "api:pools", "researcher", {"name": "later", **choice}, as_json=True)
    yield _sent(collection, "api:pool-preview", "researcher", choice, as_json=True)
    yield _sent(collection, "metrics:download-new", "lead", {}, "pairs")


def _reviews(campaign: Campaign) -> Iterator[Sending]:
    """A lead's decisions about a pair and its items."""
    collection, pair = campaign.collection, campaign.collection.reports.first().pair
    pairs = collection.pairs
    adjudicated = _sent(collection, "annotate:inbox-pair-adjudicate", "lead", {"grade": 1}, pair.pk)
    yield adjudicated._replace(about=pair_rows([pair.pk]))
    changed = {
        "return": pairs.filter(pk=pair.pk),
        "exclude-pair": pairs.filter(pk=pair.pk),
        "exclude-query": pairs.filter(query=pair.query_id),
        "exclude-document": pairs.filter(document=pair.document_id),
    }
    for act, found in changed.items():
        sent = _sent(collection, "annotate:inbox-pair-act", "lead", {"act": act, "reason": "is unclear"}, pair.pk)
        yield sent._replace(about=pair_rows(found.values_list("pk", flat=True)))


def _people(campaign: Campaign) -> Iterator[Sending]:
    """A lead's decisions about a person and her batch."""
    collection, annotator = campaign.collection, campaign.annotators[0]
    batch = Batch.objects.filter(annotator=annotator, number__gt=0, finished_at__isnull=False).earliest("pk")
    since = batch.opened_at.replace(microsecond=0)
    n = withdrawing.withdrawable(annotator=annotator, since=since).n
    withdrawn = {"act": "withdraw", "since": since.isoformat(), "expected": n}
    sent = [
        *(_sent(collection, "annotate:inbox-batch-act", "lead", {"act": act, "reason": "was hasty"}, batch.pk)
          for act in ("accept", "reject", "requeue")),
        *(_sent(collection, "annotate:annotator-act", "lead", {**act, "reason": "has a cold"}, annotator.pk)
          for act in ({"act": "pause"}, withdrawn)),
        _sent(collection, "annotate:training-decide", "lead", {"kind": "sent_back", "reason": "was hasty"},
              annotator.pk),
    ]  # fmt: skip
    hers = HandOut.objects.filter(batch__annotator=annotator).values_list("seat__pair", flat=True)
    about = pair_rows(hers) | {("annotator", annotator.pk)}
    yield from (each._replace(about=about) for each in sent)


def _settings(campaign: Campaign) -> Iterator[Sending]:
    collection, lead = campaign.collection, "lead"
    words = {f"name-{grade}": f"Grade {grade}" for grade in collection.levels.values_list("grade", flat=True)}
    yield _sent(collection, "annotate:guidelines-change", lead, {"markdown": "# Look twice", **words})
    yield _sent(collection, "annotate:policy-change", lead, _policy(campaign))
    yield _sent(collection, "annotate:pay-change", lead, {"hourly_pay": "12", "currency": "EUR"})
    yield _sent(collection, "annotate:query-groups-change", lead, {"query_groups": "none"})
    yield _sent(collection, "metrics:alarms", lead, {"kind": "gold", "below": 50, "n_at_least": 1})
    training = {"quiz_mark": "0.5", "measure": "accuracy", "pass_mark": "0.5", "wait_minutes": 1, "is_on": "on"}
    changed = _sent(collection, "annotate:training-change", lead, training)
    yield changed._replace(about=frozenset(("annotator", annotator.pk) for annotator in campaign.annotators))


def _policy(campaign: Campaign) -> dict[str, object]:
    """Another rule, whose effect the lead has seen."""
    policy = cast.policy(campaign.collection)
    blank = PolicyForm(instance=policy)
    given = {name: blank[name].value() for name in blank.fields} | {"tie": "up", "with_closed": "on"}
    given = {name: value for name, value in given.items() if value is not None and value is not False}
    form = PolicyForm(given, instance=policy)
    assert form.is_valid(), form.errors
    wanted = collections.wanted_policy(collection=campaign.collection, by=campaign.lead, changes=form.changes())
    return {**given, "seen": policies.ask(policy=wanted, with_closed=True)[0].key}


def _golds(campaign: Campaign) -> Iterator[Sending]:
    collection, (query, document) = campaign.collection, held_ids(campaign)[0]
    pair = {"query": query, "document": document, "grade": 1}
    yield _sent(collection, "annotate:golds", "lead", {**pair, "explanation": "because it is so"})
    yield _sent(collection, "annotate:training-pair-add", "lead", {**pair, "why": "because it is so"})
    yield _sent(collection, "annotate:training-golds-add", "lead", {"n_positive": 1, "n_negative": 1})


def _runs(campaign: Campaign) -> Iterator[Sending]:
    collection, run = campaign.collection, campaign.run
    yield _sent(collection, "pooling:run-edit", "researcher", {"name": "called otherwise"}, run.pk)
    yield _sent(collection, "pooling:run-act", "researcher", {"action": "retire"}, run.pk)
    yield _sent(collection, "pooling:run-limit", "researcher", {"per_cent": "5"})
    said = _sent(collection, "api:run", "researcher", {"description": "anew"}, run.pk, as_json=True)
    yield said._replace(method="PATCH")
