"""Icons that browsers request on any page; without them each admin page would log a 404."""

import pytest


@pytest.mark.parametrize(
    ("path", "kind"), [("/favicon.ico", "image/x-icon"), ("/apple-touch-icon.png", "image/png")]
)
def test_an_icon_is_where_browsers_look_for_it(client, path, kind):
    answer = client.get(path)
    assert (answer.status_code, answer["Content-Type"]) == (200, kind)
