"""Errors of the client; the text of a refusal is the site's own sentence."""

from collections.abc import Mapping, Sequence

SEE_ERRORS = "; see errors."  # so ends a sentence of the site that leaves it to them
N_SENTENCES = 5  # of `errors` in the text of an error


class AssayerError(Exception):
    """An error of the client, or of the site that it talks to.

    detail : the site's sentence; the text has those about fields too
    status : the number of the answer, 0 without one
    errors : sentences by the field that they are about
    is_passing : whether the same request may succeed a little later, `retry_after` seconds from now
    """

    def __init__(
        self,
        detail: str,
        *,
        status: int = 0,
        errors: Mapping[str, Sequence[str]] | None = None,
        is_passing: bool = False,
        retry_after: float = 0,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.status = status
        self.errors = {field: list(sentences) for field, sentences in (errors or {}).items()}
        self.is_passing = is_passing
        self.retry_after = retry_after

    def __str__(self) -> str:
        if not self.detail.endswith(SEE_ERRORS):
            return self.detail
        sentences = [
            f"{field}: {sentence}"
            for field, messages in self.errors.items()
            for sentence in messages
        ]
        return " ".join([f"{self.detail.removesuffix(SEE_ERRORS)}.", *sentences[:N_SENTENCES]])


class Unauthorized(AssayerError):
    """The site takes no token like this: it is missing, mistyped, revoked or too old (401)."""


class Forbidden(AssayerError):
    """The token lacks a scope, or its owner a role; the sentence names it (403)."""


class NotFound(AssayerError):
    """Nothing is at the address for whoever the token belongs to (404)."""


class Conflict(AssayerError):
    """Something changed since it was read, and nothing was done (409, 412)."""


class Refused(AssayerError):
    """The site could read the request and does not accept it (400, 422 and their like).

    Raised too for what it received and then rejected, as a file with faults.
    """


class TooFast(AssayerError):
    """The token has sent more requests than it may, also after waiting for its turn (429)."""


class SiteFailed(AssayerError):
    """The site could not answer (500 and above)."""


class Unreachable(AssayerError):
    """No answer came; it is unknown whether the request arrived."""


class NotReady(AssayerError):
    """The time to wait is over, and the site is still at it."""
