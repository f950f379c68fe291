"""Invitations."""

from dataclasses import dataclass, field
from datetime import datetime

from assayer.client.records.record import Record


@dataclass(frozen=True, kw_only=True)
class Invitation(Record):
    """An invitation that can still be used."""

    id: int
    url: str
    role: str
    email: str
    created_at: datetime
    expires_at: datetime
    by_mail: bool
    delivery: str
    mail_attempts: int
    mailed_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class NewInvitation(Invitation):
    """An invitation that was made just now; whoever has its link comes in."""

    link: str | None = field(repr=False)
