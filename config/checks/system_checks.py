"""The checks of the start for `check --deploy`: disk, and with `--database default` servers.

Faults of the environment stop this command as any other, while the settings are loaded.
"""

from collections.abc import Iterable
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, Warning, register

from config.checks import service_checks


@register(Tags.security, deploy=True)
def disk(**_: Any) -> list[CheckMessage]:
    """Check the folder of uploads."""
    return messages(service_checks.DISK_CHECKS)


@register(Tags.database, deploy=True)
def servers(*, databases: Iterable[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Check database and Redis, if the command names a database."""
    return messages(service_checks.SERVER_CHECKS) if databases else []


def messages(checks: Iterable[service_checks.Check]) -> list[CheckMessage]:
    """Return an error for each fault that stops a start, a warning for each absent service."""
    check_messages: list[CheckMessage] = []
    for check in checks:
        try:
            sentence = check()
        except service_checks.ServiceUnavailable as service:
            check_messages.append(
                Warning(f"Not looked at: {service} is away or does not tell how it is set.")
            )
        else:
            check_messages += [Error(sentence, id=f"config.{check.__name__}")] if sentence else []
    return check_messages
