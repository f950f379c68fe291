"""Debian's Firefox and WebKit, Safari's engine, each driven by Selenium."""

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
# no sound, no calls home; media play before a key is pressed, as in our Chromium
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
# the browser reads the files of this machine, so none is uploaded to it
LOCAL_FILES = UselessFileDetector()
# without these rules both have a minimal width, of their own tool bar, above that of a phone
NARROW_STYLES = {
    "chrome/userChrome.css": ":root { min-width: 0 !important; }",
    ".config/gtk-3.0/gtk.css": (
        "button, entry, image { min-width: 0; margin: 0; padding: 0; border-width: 0; }"
    ),
}
MINI_BROWSERS = (
    "lib/*/webkit*gtk*/MiniBrowser",
    "lib/webkit*gtk*/MiniBrowser",
    "libexec/webkit*gtk*/MiniBrowser",
)


@contextmanager
def firefox(**preferences: object) -> Iterator[WebDriver]:
    """A Firefox with our preferences and further ones, dots as __; it saves files in `home`."""
    program = (
        _program("firefox-esr") or _program("firefox") or _installed("firefox-esr", "firefox-esr")
    )
    with ExitStack() as cleanup:
        home = _home(cleanup)
        chosen = PREFERENCES | {
            name.replace("__", "."): value for name, value in preferences.items()
        }
        lines = (
            f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in chosen.items()
        )
        (home / "user.js").write_text("\n".join(lines))
        size = (f"--width={WINDOW[0]}", f"--height={WINDOW[1]}")
        command = [program, "--headless", "--no-remote", "--marionette", "--profile", home, *size]
        browser = spawn(command, log=home / "log", env=_environment(home))
        cleanup.callback(stop, browser)
        port_file = home / "MarionetteActivePort"
        _wait(lambda: port_file.exists() and port_file.read_text(), home / "log")
        connection = Marionette(int(port_file.read_text()))
        cleanup.callback(connection.close)
        session = webdriver.Remote(
            connection, options=webdriver.FirefoxOptions(), file_detector=LOCAL_FILES
        )
        session.home = home
        yield session


@contextmanager
def webkit(**settings: int) -> Iterator[WebDriver]:
    """WebKitGTK on a virtual screen, with GTK settings, - as _; it saves files in `home`."""
    server = _program("WebKitWebDriver") or _installed(
        "WebKitWebDriver", "webkit2gtk-driver", "xvfb", "gstreamer1.0-plugins-good"
    )
    screens = _program("Xvfb") or _installed("Xvfb", "xvfb")
    with ExitStack() as cleanup:
        home = _home(cleanup)
        lines = (f"{name.replace('_', '-')}={value}" for name, value in settings.items())
        (home / ".config/gtk-3.0/settings.ini").write_text("\n".join(["[Settings]", *lines]))
        display = cleanup.enter_context(_screen(screens, home))
        port, driver = _start_webkit_driver(
            server, home, {**_environment(home), "DISPLAY": display}
        )
        cleanup.callback(stop, driver)
        options = webdriver.WebKitGTKOptions()
        options.binary_location = str(_mini_browser())
        options.add_argument("--automation")
        config = ClientConfig(f"http://127.0.0.1:{port}")
        session = webdriver.Remote(
            RemoteConnection(client_config=config), options=options, file_detector=LOCAL_FILES
        )
        cleanup.callback(session.quit)
        session.set_window_size(*WINDOW)
        session.home = home
        yield session


@contextmanager
def _screen(program: str, home: Path) -> Iterator[str]:
    reader, writer = os.pipe()
    command = [
        program,
        "-displayfd",
        str(writer),
        "-screen",
        "0",
        "1600x1200x24",
        "-nolisten",
        "tcp",
    ]
    with open(home / "screen", "ab") as log:
        server = subprocess.Popen(
            command, pass_fds=[writer], stdout=log, stderr=log, start_new_session=True
        )
    os.close(writer)
    try:
        with os.fdopen(reader) as number:
            yield f":{number.readline().strip()}"
    finally:
        stop(server)


def _start_webkit_driver(
    program: str, home: Path, env: dict[str, str]
) -> tuple[int, subprocess.Popen[bytes]]:
    """Start WebKit's driver on a free port; if another program takes that first, try again."""
    while True:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        driver = spawn([program, f"--port={port}", "--host=127.0.0.1"], log=home / "log", env=env)
        _wait(lambda: driver.poll() is not None or _answers(port), home / "log")  # noqa: B023 - asked at once
        if driver.poll() is None:
            return port, driver


def _answers(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def _mini_browser() -> Path:
    browsers = sorted(file for pattern in MINI_BROWSERS for file in Path("/usr").glob(pattern))
    return (
        browsers[-1] if browsers else pytest.skip("WebKit's driver is here, its MiniBrowser is not")
    )


def _home(cleanup: ExitStack) -> Path:
    home = Path(tempfile.mkdtemp(prefix="browser-"))
    cleanup.callback(shutil.rmtree, home, ignore_errors=True)
    for name, rules in NARROW_STYLES.items():
        (home / name).parent.mkdir(parents=True)
        (home / name).write_text(rules)
    return home


def _environment(home: Path) -> dict[str, str]:
    folders = {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_RUNTIME_DIR": str(home),
    }
    return {**os.environ, **folders, "GIO_USE_VFS": "local", "NO_AT_BRIDGE": "1"}


def _program(name: str) -> str:
    return shutil.which(name) or ""


def _installed(name: str, *packages: str) -> str:
    """Path of a program, installed from Debian's packages if we are root; else skip the test."""
    with once_a_run("browsers"):
        if not _program(name) and not all(apt_install(package) for package in packages):
            pytest.skip(f"No {name}: run `apt-get install {' '.join(packages)}` as root")
    return _program(name)


def _wait(ready: object, log: Path) -> None:
    assert wait_until(ready, seconds=PATIENCE), log.read_text(errors="replace")[-2_000:]
