"""What the start refuses, for `manage.py check --deploy`: of the disk, and with `--database default` of the servers.

What the environment alone tells stops this command as any other, while the settings are loaded.
"""

from collections.abc import Iterable
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, Warning, register

from config.deployment import services


@register(Tags.security, deploy=True)
def disk(**_: Any) -> list[CheckMessage]:
    """The folder of uploads."""
    return messages(services.OF_DISK)


@register(Tags.database, deploy=True)
def servers(*, databases: Iterable[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Database and Redis, where it is asked for a database."""
    return messages(services.OF_SERVERS) if databases else []


def messages(checks: Iterable[services.Check]) -> list[CheckMessage]:
    """An error for what a start refuses, a warning for what nobody knows."""
    told: list[CheckMessage] = []
    for check in checks:
        try:
            sentence = check()
        except services.Away as service:
            told.append(Warning(f"Not looked at: {service} is away or does not tell how it is set."))
        else:
            told += [Error(sentence, id=f"config.{check.__name__}")] if sentence else []
    return told
