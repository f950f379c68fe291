"""Firefox and WebKit, Safari's engine, as Debian has them, each driven by Selenium."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.remote.file_detector import UselessFileDetector
from selenium.webdriver.remote.remote_connection import RemoteConnection
from selenium.webdriver.remote.webdriver import WebDriver

from config.testing import apt_install, once_a_run
from config.up.processes import spawn, stop, wait_until
from tests.browsers.marionette import Marionette

WINDOW = (1280, 900)
PATIENCE = 240  # seconds
# silent, alone, and as patient as the tests; media play before anybody has pressed a key, as in our Chromium
PREFERENCES = {
    "marionette.port": 0,
    "app.normandy.enabled": False,
    "app.update.auto": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "media.autoplay.default": 0,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,#remote-settings-dummy/v1",
    "toolkit.legacyUserProfileCustomizations.stylesheets": True,
    "toolkit.telemetry.server": "data:,",
}
OURS = UselessFileDetector()  # the browser reads the files of this machine: none is sent to it
# by themselves both refuse to be as narrow as a phone: what makes them wide is their own bar
NARROW = {
    "chrome/userChrome.css": ":root { min-width: 0 !important; }",
    ".config/gtk-3.0/gtk.css": "button, entry, image { min-width: 0; margin: 0; padding: 0; border-width: 0; }",
}
MINI_BROWSERS = ("lib/*/webkit*gtk*/MiniBrowser", "lib/webkit*gtk*/MiniBrowser", "libexec/webkit*gtk*/MiniBrowser")


@contextmanager
def firefox(**preferences: object) -> Iterator[WebDriver]:
    """A Firefox with our preferences and further ones, dots as __; its `home` has what it saves."""
    program = _program("firefox-esr") or _program("firefox") or _installed("firefox-esr", "firefox-esr")
    with ExitStack() as ends:
        home = _home(ends)
        chosen = PREFERENCES | {name.replace("__", "."): value for name, value in preferences.items()}
        lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in chosen.items())
        (home / "user.js").write_text("\n".join(lines))
        size = (f"--width={WINDOW[0]}", f"--height={WINDOW[1]}")
        command = [program, "--headless", "--no-remote", "--marionette", "--profile", home, *size]
        browser = spawn(command, log=home / "log", env=_environment(home))
        ends.callback(stop, browser)
        told = home / "MarionetteActivePort"
        _wait(lambda: told.exists() and told.read_text(), home / "log")
        connection = Marionette(int(told.read_text()))
        ends.callback(connection.close)
        session = webdriver.Remote(connection, options=webdriver.FirefoxOptions(), file_detector=OURS)
        session.home = home
        yield session


@contextmanager
def webkit(**settings: int) -> Iterator[WebDriver]:
    """A browser of WebKitGTK on a screen that nobody sees, with settings of GTK, - as _; `home` has what it saves."""
    server = _program("WebKitWebDriver") or _installed(
        "WebKitWebDriver", "webkit2gtk-driver", "xvfb", "gstreamer1.0-plugins-good"
    )
    screens = _program("Xvfb") or _installed("Xvfb", "xvfb")
    with ExitStack() as ends:
        home = _home(ends)
        lines = (f"{name.replace('_', '-')}={value}" for name, value in settings.items())
        (home / ".config/gtk-3.0/settings.ini").write_text("\n".join(["[Settings]", *lines]))
        display = ends.enter_context(_screen(screens, home))
        port, driver = _listening(server, home, {**_environment(home), "DISPLAY": display})
        ends.callback(stop, driver)
        options = webdriver.WebKitGTKOptions()
        options.binary_location = str(_mini_browser())
        options.add_argument("--automation")
        where = ClientConfig(f"http://127.0.0.1:{port}")
        session = webdriver.Remote(RemoteConnection(client_config=where), options=options, file_detector=OURS)
        ends.callback(session.quit)
        session.set_window_size(*WINDOW)
        session.home = home
        yield session


@contextmanager
def _screen(program: str, home: Path) -> Iterator[str]:
    reader, writer = os.pipe()
    command = [program, "-displayfd", str(writer), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"]
    with open(home / "screen", "ab") as log:
        server = subprocess.Popen(command, pass_fds=[writer], stdout=log, stderr=log, start_new_session=True)
    os.close(writer)
    try:
        with os.fdopen(reader) as number:
            yield f":{number.readline().strip()}"
    finally:
        stop(server)


def _listening(program: str, home: Path, env: dict[str, str]) -> tuple[int, subprocess.Popen[bytes]]:
    """A driver of WebKit on a free port; another program may take that first, and then there is another one."""
    while True:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        driver = spawn([program, f"--port={port}", "--host=127.0.0.1"], log=home / "log", env=env)
        _wait(lambda: driver.poll() is not None or _answers(port), home / "log")  # noqa: B023 - asked at once
        if driver.poll() is None:
            return port, driver


def _answers(port: int) -> bool:
    with socket.socket() as asked:
        return asked.connect_ex(("127.0.0.1", port)) == 0


def _mini_browser() -> Path:
    found = sorted(file for pattern in MINI_BROWSERS for file in Path("/usr").glob(pattern))
    return found[-1] if found else pytest.skip("WebKit's driver is here, its MiniBrowser is not")


def _home(ends: ExitStack) -> Path:
    home = Path(tempfile.mkdtemp(prefix="browser-"))
    ends.callback(shutil.rmtree, home, ignore_errors=True)
    for name, rules in NARROW.items():
        (home / name).parent.mkdir(parents=True)
        (home / name).write_text(rules)
    return home


def _environment(home: Path) -> dict[str, str]:
    places = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "XDG_RUNTIME_DIR": str(home)}
    return {**os.environ, **places, "GIO_USE_VFS": "local", "NO_AT_BRIDGE": "1"}


def _program(name: str) -> str:
    return shutil.which(name) or ""


def _installed(name: str, *packages: str) -> str:
    """A program of Debian's packages, which root gets installed here; elsewhere what needs it is left out."""
    with once_a_run("browsers"):
        if not _program(name) and not all(apt_install(package) for package in packages):
            pytest.skip(f"No {name}: run `apt-get install {' '.join(packages)}` as root")
    return _program(name)


def _wait(ready: object, log: Path) -> None:
    assert wait_until(ready, seconds=PATIENCE), log.read_text(errors="replace")[-2_000:]
