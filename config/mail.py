"""What becomes of mails on a site without a mail server: nothing, and the log says so without what stands in them."""

import logging
from collections.abc import Sequence

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

log = logging.getLogger(__name__)


class NoMail(BaseEmailBackend):
    """Sends nothing. A link that sets a password, or an address, is no matter for a log."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """How many were sent: none."""
        n = len(email_messages)
        log.warning(
            "%s %s not sent: this site has no mail server. Set EMAIL_HOST, or give people links made by "
            "`python3 manage.py password_link NAME`.",
            n, "mail was" if n == 1 else "mails were",
        )  # fmt: skip
        return 0
