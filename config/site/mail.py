"""Mail without a mail server: nothing is sent, and the log says so without the content."""

import logging
from collections.abc import Sequence

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

log = logging.getLogger(__name__)


class NoMail(BaseEmailBackend):
    """Sends nothing. Links that set passwords, and addresses, do not go into the log."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Return the number of sent mails: 0."""
        n = len(email_messages)
        log.warning(
            "%s %s not sent: this site has no mail server. Set EMAIL_HOST, or give people links "
            "made by `python3 manage.py password_link NAME`.",
            n,
            "mail was" if n == 1 else "mails were",
        )
        return 0
