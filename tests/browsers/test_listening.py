"""The proxy hears of script errors; else no test of this folder would detect them."""

import pytest

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.full]
PLANTED = """
console.error("written");
Promise.reject(new Error("rejected"));
const script = document.createElement("script");
script.textContent = "document.title = 'run'";
document.head.append(script);
throw new Error("thrown");
"""
PLANT = (
    "document.head.append(Object.assign(document.createElement('script'), { src: '/planted.js' }))"
)


def test_errors_and_breaches_of_the_policy_are_heard(window, proxy):
    proxy.scripts["/planted.js"] = PLANTED
    window.open("/accounts/login/")
    window.evaluate(PLANT)
    for planted in ("written", "thrown", "rejected", "policy: script-src"):
        window.wait_for(
            lambda planted=planted: any(planted in complaint for complaint in proxy.complaints),
            planted,
        )
    assert window.evaluate("document.title") != "run"
    proxy.complaints.clear()
