"""Firefox's Marionette protocol for Selenium: WebDriver commands as JSON over a socket.

Debian has no geckodriver, which only translates between HTTP and this protocol.
https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html
"""

import json
import socket
from http import HTTPStatus
from typing import Any

from selenium.webdriver.remote.command import Command

NAMES = {
    Command.NEW_SESSION: "NewSession",
    Command.QUIT: "DeleteSession",
    Command.GET: "Navigate",
    Command.REFRESH: "Refresh",
    Command.GET_CURRENT_URL: "GetCurrentURL",
    Command.GET_TITLE: "GetTitle",
    Command.SET_WINDOW_RECT: "SetWindowRect",
    Command.NEW_WINDOW: "NewWindow",
    Command.SWITCH_TO_WINDOW: "SwitchToWindow",
    Command.CLOSE: "CloseWindow",
    Command.W3C_GET_CURRENT_WINDOW_HANDLE: "GetWindowHandle",
    Command.W3C_EXECUTE_SCRIPT: "ExecuteScript",
    Command.FIND_ELEMENT: "FindElement",
    Command.CLICK_ELEMENT: "ElementClick",
    Command.CLEAR_ELEMENT: "ElementClear",
    Command.SEND_KEYS_TO_ELEMENT: "ElementSendKeys",
    Command.W3C_ACTIONS: "PerformActions",
    Command.W3C_CLEAR_ACTIONS: "ReleaseActions",
    Command.ADD_COOKIE: "AddCookie",
    Command.DELETE_ALL_COOKIES: "DeleteAllCookies",
    Command.SCREENSHOT: "TakeScreenshot",
}
PATIENCE = 240  # seconds


class Marionette:
    """A connection to a Firefox that was started with `--marionette`."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.stream = self.socket.makefile("rb")
        self.n_sent = 0
        self.receive()  # the browser introduces itself

    def execute(self, command: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send one of Selenium's commands; returns the answer as its HTTP connection would."""
        self.n_sent += 1
        message = json.dumps(
            [0, self.n_sent, f"WebDriver:{NAMES[command]}", _arguments(command, params or {})]
        )
        self.socket.sendall(f"{len(message.encode())}:{message}".encode())
        _, _, fault, result = self.receive()
        if fault:
            return {
                "status": HTTPStatus.INTERNAL_SERVER_ERROR,
                "value": json.dumps({"value": fault}),
            }
        is_bare = (
            command == Command.NEW_SESSION or not isinstance(result, dict) or "value" not in result
        )
        return {"value": result if is_bare else result["value"]}

    def receive(self) -> Any:
        """Read the next message: its length, a colon, JSON."""
        length = b""
        while (character := self.stream.read(1)) != b":":
            assert character, "Firefox has gone"
            length += character
        return json.loads(self.stream.read(int(length)))

    def close(self) -> None:
        """Close the connection; the browser ends by itself with its session."""
        self.stream.close()
        self.socket.close()


def _arguments(command: str, params: dict[str, Any]) -> dict[str, Any]:
    arguments = {name: value for name, value in params.items() if name != "sessionId"}
    if command == Command.SCREENSHOT:
        return {"full": False}
    return arguments
