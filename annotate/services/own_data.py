"""All that is stored about one person, for herself: streamed, so that years of work need no more memory than a day's.

What would tell her which of her pairs were checks, or what others said, is not hers and stays out: her answers to golds
and repeats stand among all the others.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from allauth.mfa.models import Authenticator
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import QuerySet

from annotate.models import Annotator, Batch, Judgment, JudgmentEvent, Report, Seat, User

CHUNK = 2_000


def write(*, user: User, annotators: Iterable[Annotator]) -> Iterator[bytes]:
    """One JSON document, in pieces: the account, and for each collection she judged in what she did there.

    annotators : hers, of the collections that are wanted
    """
    yield b'{"account": ' + _json(account(user=user)) + b', "collections": ['
    for number, annotator in enumerate(annotators):
        yield (b", " if number else b"") + b"{" + b'"about": ' + _json(_about(annotator))
        for name, rows in _lists(annotator).items():
            yield b', "%s": [' % name.encode()
            yield from _rows(rows)
            yield b"]"
        yield b"}"
    yield b"]}\n"


def account(*, user: User) -> dict[str, Any]:
    """The account, without what is secret even to her: hashes of her password and keys."""
    factors = Authenticator.objects.filter(user=user).order_by("pk")
    memberships = user.memberships.select_related("collection").order_by("pk")
    return {
        "user_name": user.username,
        "email": user.email,
        "first_name": user.first_name,
        "last_name": user.last_name,
        "since": user.date_joined,
        "last_sign_in": user.last_login,
        "roles": [
            {"collection": row.collection.name, "role": row.role, "since": row.created_at} for row in memberships
        ],
        "api_tokens": list(
            user.api_tokens.order_by("pk").values(
                "name", "prefix", "scopes", "created_at", "expires_at", "last_used_at", "revoked_at"
            )
        ),
        "second_factor": list(factors.values("type", "created_at", "last_used_at")),
    }


def _about(annotator: Annotator) -> dict[str, Any]:
    return {
        "collection": annotator.collection.name,
        "name_in_the_data": annotator.pseudonym,
        "since": annotator.created_at,
        "paused_at": annotator.paused_at,
        "training": list(annotator.training_decisions.order_by("pk").values("kind", "reason", "at")),
    }


def _lists(annotator: Annotator) -> dict[str, Iterable[dict[str, Any]]]:
    events = JudgmentEvent.objects.filter(judgment__annotator=annotator).order_by("pk")
    reports = Report.objects.filter(annotator=annotator).with_settled_at().order_by("pk")
    ids = ("pair__query__external_id", "pair__document__external_id")
    return {
        "judgments": map(_judgment, _judgments(annotator).iterator(chunk_size=CHUNK)),
        "judgments_undone_or_withdrawn": events.values("judgment", "kind", "at").iterator(chunk_size=CHUNK),
        "reports": reports.values(
            *ids, "kind", "reason", "note", "at", "state", "settled_at"
        ).iterator(chunk_size=CHUNK),
        "batches": Batch.objects.filter(annotator=annotator)
        .order_by("pk")
        .values("number", "opened_at", "finished_at"),
        "quizzes": annotator.quiz_attempts.order_by("pk").values("quiz__version", "choices", "n_right", "passed", "at"),
        "training_tries": annotator.training_tries.order_by("pk").values(
            "number", "measure", "score", "n_answered", "n_right", "passed", "finished_at"
        ),
    }


def _judgments(annotator: Annotator) -> QuerySet[Judgment]:
    said = Judgment.objects.filter(annotator=annotator).order_by("pk")
    return said.select_related("pair__query", "pair__document", "level", "comment", "guidelines")


def _judgment(said: Judgment) -> dict[str, Any]:
    return {
        "judgment": said.pk,
        "query": said.pair.query.external_id,
        "document": said.pair.document.external_id,
        "grade": said.level.grade,
        "level": said.level.name,
        "reasons": said.reasons,
        "comment": said.comment.text if hasattr(said, "comment") else "",
        "in_training": said.purpose == Seat.Purpose.TRAINING,
        "changes": said.supersedes_id,
        "restores": said.restores_id,
        "guidelines": said.guidelines.version if said.guidelines else None,
        "shown_at": said.shown_at,
        "at": said.at,
        "active_ms": said.active_ms,
        "played_ms": said.played_ms,
        "n_replays": said.n_replays,
        "n_changes_of_mind": said.n_changes,
    }


def _rows(rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    first = True
    for row in rows:
        yield (b"" if first else b",") + b"\n" + _json(row)
        first = False


def _json(value: object) -> bytes:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False).encode()
