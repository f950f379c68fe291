"""Download of all data about one person, for herself: streamed, in constant memory.

Data that would reveal which of her pairs were checks, or the labels of others, stay out: her
answers to golds and repeats stand among all the others.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from allauth.mfa.models import Authenticator
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import F, Prefetch, QuerySet

from annotate.core.files.spreadsheet_cells import timestamp
from annotate.core.labels.answers import Telemetry
from annotate.models import Annotator, Batch, Judgment, JudgmentEvent, Report, Seat, User

CHUNK = 2_000

_NAMES = {"n_changes": "n_changes_of_mind"}  # where the file has said it more plainly all along


def write(*, user: User, annotators: Iterable[Annotator]) -> Iterator[bytes]:
    """One JSON document, in pieces: the account, and her work in each collection.

    annotators : hers, of the requested collections
    """
    yield b'{"account": ' + _json(account(user=user)) + b', "collections": ['
    for number, annotator in enumerate(annotators):
        yield (b", " if number else b"") + b"{" + b'"about": ' + _json(_annotator_facts(annotator))
        for name, rows in _lists(annotator).items():
            yield b', "%s": [' % name.encode()
            yield from _rows(rows)
            yield b"]"
        yield b"}"
    yield b"]}\n"


def judgment_lines(*, annotator: Annotator) -> Iterator[bytes]:
    """Her judgments in one collection as JSON lines, in the order they were stored.

    Each has the events by which it was undone, withdrawn or restored.
    """
    events = JudgmentEvent.objects.order_by("pk")
    judgments = _judgments(annotator).prefetch_related(Prefetch("events", events))
    for judgment in judgments.iterator(chunk_size=CHUNK):
        facts = _judgment(judgment) | {
            "shown_at": timestamp(judgment.shown_at),
            "at": timestamp(judgment.at),
            "events": [
                {"kind": event.kind, "at": timestamp(event.at)} for event in judgment.events.all()
            ],
        }
        yield _json(facts) + b"\n"


def account(*, user: User) -> dict[str, Any]:
    """The account, without data that are secret even to her: hashes of her password and keys."""
    factors = Authenticator.objects.filter(user=user).order_by("pk")
    memberships = user.memberships.select_related("collection").order_by("pk")
    return {
        "user_name": user.username,
        "email": user.email,
        "first_name": user.first_name,
        "last_name": user.last_name,
        "since": user.date_joined,
        "last_sign_in": user.last_login,
        "tour_closed_at": user.tour_closed_at,
        "roles": [
            {"collection": row.collection.name, "role": row.role, "since": row.created_at}
            for row in memberships
        ],
        "api_tokens": list(
            user.api_tokens.order_by("pk").values(
                "name", "prefix", "scopes", "created_at", "expires_at", "last_used_at", "revoked_at"
            )
        ),
        "second_factor": list(factors.values("type", "created_at", "last_used_at")),
    }


def _annotator_facts(annotator: Annotator) -> dict[str, Any]:
    return {
        "collection": annotator.collection.name,
        "name_in_the_data": annotator.pseudonym,
        "since": annotator.created_at,
        "paused_at": annotator.paused_at,
        "training": list(
            annotator.training_decisions.order_by("pk").values("kind", "reason", "at")
        ),
    }


def _lists(annotator: Annotator) -> dict[str, Iterable[dict[str, Any]]]:
    events = JudgmentEvent.objects.filter(judgment__annotator=annotator).order_by("pk")
    reports = Report.objects.filter(annotator=annotator).with_settled_at().order_by("pk")
    batches = Batch.objects.filter(annotator=annotator, training_try=None)
    ids = ("pair__query__external_id", "pair__document__external_id")
    return {
        "judgments": map(_judgment, _judgments(annotator).iterator(chunk_size=CHUNK)),
        "judgments_undone_or_withdrawn": events.values("judgment", "kind", "at").iterator(
            chunk_size=CHUNK
        ),
        "reports": reports.values(
            *ids, "kind", "reason", "note", "at", "state", "settled_at"
        ).iterator(chunk_size=CHUNK),
        "batches": (
            {
                "number": batch.judging_number,
                "opened_at": batch.opened_at,
                "finished_at": batch.finished_at,
            }
            for batch in batches.with_judging_numbers().order_by("pk")
        ),
        "quizzes": annotator.quiz_attempts.order_by("pk").values(
            "quiz__version", "choices", "n_right", "passed", "at"
        ),
        "training_tries": annotator.training_tries.order_by("pk").values(
            "number",
            "measure",
            "score",
            "n_answered",
            "n_right",
            "passed",
            "finished_at",
            opened_at=F("batch__opened_at"),
        ),
    }


def _judgments(annotator: Annotator) -> QuerySet[Judgment]:
    judgments = Judgment.objects.filter(annotator=annotator).order_by("pk")
    return judgments.select_related(
        "pair__query", "pair__document", "level", "comment", "guidelines"
    )


def _judgment(judgment: Judgment) -> dict[str, Any]:
    return {
        "judgment": judgment.pk,
        "query": judgment.pair.query.external_id,
        "document": judgment.pair.document.external_id,
        "grade": judgment.level.grade,
        "level": judgment.level.name,
        "reasons": judgment.reasons,
        "comment": judgment.comment.text if hasattr(judgment, "comment") else "",
        "in_training": judgment.purpose == Seat.Purpose.TRAINING,
        "changes": judgment.supersedes_id,
        "restores": judgment.restores_id,
        "guidelines": judgment.guidelines.version if judgment.guidelines else None,
        "shown_at": judgment.shown_at,
        "at": judgment.at,
        **{_NAMES.get(name, name): getattr(judgment, name) for name in Telemetry._fields},
    }


def _rows(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    is_first = True
    for row in rows:
        yield (b"" if is_first else b",") + b"\n" + _json(row)
        is_first = False


def _json(value: object) -> bytes:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False).encode()
