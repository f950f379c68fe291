"""Signatures of webhooks, held to the published examples of Standard Webhooks."""

from annotate.core.webhooks import retries, signing

EXAMPLES = [  # of the specification's text, and of its reference libraries' tests
    (
        "whsec_plJ3nmyCDGBKInavdOK15jsl",
        "msg_loFOjxBNrRLzqYUf",
        1731705121,
        b'{"event_type":"ping","data":{"success":true}}',
        "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=",
    ),
    (
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    ),
]


def test_the_published_examples_are_signed_as_published():
    for secret, message_id, timestamp, body, expected in EXAMPLES:
        assert expected == signing.signature(
            secrets=[secret], message_id=message_id, timestamp=timestamp, body=body
        )


def test_two_secrets_sign_beside_each_other():
    (first, message_id, timestamp, body, signature), (second, *_) = EXAMPLES
    signatures = signing.signature(
        secrets=[second, first], message_id=message_id, timestamp=timestamp, body=body
    )
    assert signatures.split(" ")[1] == signature and signatures.count("v1,") == 2


def test_id_moment_and_body_are_all_signed():
    secret, message_id, timestamp, body, _ = EXAMPLES[0]
    signatures = {
        signing.signature(secrets=[secret], message_id=changed_id, timestamp=seconds, body=text)
        for changed_id, seconds, text in (
            (message_id, timestamp, body),
            ("msg_other", timestamp, body),
            (message_id, timestamp + 1, body),
            (message_id, timestamp, body + b" "),
        )
    }
    assert len(signatures) == 4


def test_pauses_grow_and_messages_that_failed_together_do_not_come_again_together():
    for n_attempts, pause in enumerate(retries.PAUSES, start=1):
        pauses = {
            retries.pause_after(n_attempts=n_attempts, message_id=str(number))
            for number in range(50)
        }
        assert len(pauses) == 50
        assert pause <= min(pauses) and max(pauses) <= 1.2 * pause
    assert sum(retries.PAUSES) == 30 + 300 + 1800 + 7200 + 28_800 + 86_400


def test_a_receiver_rests_longer_after_each_failure_up_to_half_an_hour():
    rests = [retries.rest_after(n_failures=n) for n in (1, 2, 3, 4, 100)]
    assert rests == [30, 300, 1800, 1800, 1800]
