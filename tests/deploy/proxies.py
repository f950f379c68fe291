"""The product behind nginx and Caddy, with the files of deploy/ but for ports and certificates."""

import os
import re
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.request import HTTPSHandler, Request

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from config.up.processes import spawn, stop, wait_until
from tests.deploy.programs import debian_program
from tests.servers.webclient import WebClient

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
NAME = "judge.example.org"  # as the files of deploy/ call the site
PATIENCE = 240  # seconds
NGINX = """
user {user};
daemon off;
pid {folder}/pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A self-signed certificate of the site, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name, now = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)]), datetime.now(UTC)
    certificate = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    certificate = certificate.not_valid_before(now - timedelta(days=1)).not_valid_after(
        now + timedelta(days=1)
    )
    certificate = certificate.add_extension(
        x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    files = folder / "certificate.pem", folder / "key.pem"
    files[0].write_bytes(certificate.sign(key, hashes.SHA256()).public_bytes(pem))
    files[1].write_bytes(private)
    return files


class Proxy:
    """nginx or Caddy in front of a product, and how to reach it."""

    def __init__(self, kind: str, folder: Path, backend: int) -> None:
        self.kind, self.folder, self.backend = kind, folder, backend
        self.certificate, self.key = make_certificate(folder)
        self.trust = ssl.create_default_context(cafile=self.certificate)
        self.log = folder / "log"
        self.ports: dict[str, int] = {}

    def start(self, ends: ExitStack) -> None:
        """Start the proxy on free ports; try others if another program takes them first."""
        program = debian_program(self.kind, {"nginx": "-v", "caddy": "version"}[self.kind])
        while True:
            self.ports = dict(zip(("http", "https"), free_ports(), strict=True))
            command = {"nginx": self.nginx, "caddy": self.caddy}[self.kind](program)
            self.log.write_text("")
            env = {**os.environ, "HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder)}
            process = spawn(command, log=self.log, env=env)
            ends.callback(stop, process)
            assert wait_until(
                lambda process=process: process.poll() is not None or self.answers(),
                seconds=PATIENCE,
            ), self.output_tail()
            if process.poll() is None:
                return
            assert "in use" in self.output_tail(), self.output_tail()

    def nginx(self, program: str) -> list[str | Path]:
        """Write the site's file and Debian's file around it."""
        lines = (DEPLOY / "nginx.conf").read_text().splitlines()
        site = "\n".join(line for line in lines if "[::]" not in line)  # not every machine has IPv6
        replaced = {
            "listen 80;": f"listen 127.0.0.1:{self.ports['http']};",
            "listen 443 ": f"listen 127.0.0.1:{self.ports['https']} ",
            f"/etc/letsencrypt/live/{NAME}/fullchain.pem": str(self.certificate),
            f"/etc/letsencrypt/live/{NAME}/privkey.pem": str(self.key),
            "127.0.0.1:8000": f"127.0.0.1:{self.backend}",
        }
        (self.folder / "site.conf").write_text(replace_each(site, replaced))
        user = subprocess.check_output(["id", "-un"], text=True).strip()
        (self.folder / "nginx.conf").write_text(NGINX.format(folder=self.folder, user=user))
        return [program, "-e", "stderr", "-p", self.folder, "-c", self.folder / "nginx.conf"]

    def caddy(self, program: str) -> list[str | Path]:
        """Write the site's file."""
        ports = "".join(f"\t{name}_port {port}\n" for name, port in self.ports.items())
        replaced = {
            "{\n\tservers {": f"{{\n\tadmin off\n{ports}\tdefault_bind 127.0.0.1\n\tservers {{",
            f"{NAME} {{\n": f"{NAME} {{\n\ttls {self.certificate} {self.key}\n",
            "127.0.0.1:8000": f"127.0.0.1:{self.backend}",
        }
        (self.folder / "Caddyfile").write_text(
            replace_each((DEPLOY / "Caddyfile").read_text(), replaced)
        )
        return [program, "run", "--adapter", "caddyfile", "--config", self.folder / "Caddyfile"]

    def answers(self) -> bool:
        """Whether both ports take connections."""
        probes = [socket.socket(), socket.socket()]
        try:
            return not any(
                probe.connect_ex(("127.0.0.1", port))
                for probe, port in zip(probes, self.ports.values(), strict=True)
            )
        finally:
            for probe in probes:
                probe.close()

    @property
    def address(self) -> str:
        """The address of its HTTPS port."""
        return f"127.0.0.1:{self.ports['https']}"

    def output_tail(self) -> str:
        """The end of its output."""
        return self.log.read_text(errors="replace")[-3_000:]

    def connect(self, source: str = "127.0.0.1") -> HTTPSConnection:
        """A connection to the site from an address of this machine."""
        port, trust = self.ports["https"], self.trust

        class BoundConnection(HTTPSConnection):
            def connect(self) -> None:
                plain = socket.create_connection(
                    ("127.0.0.1", port), PATIENCE, source_address=(source, 0)
                )
                self.sock = trust.wrap_socket(plain, server_hostname=self.host)

        return BoundConnection(NAME, context=trust, timeout=PATIENCE)

    def ask(self, path: str, **headers: str) -> HTTPResponse:
        """The answer to GET on a connection of its own, no redirect followed."""
        connection = self.connect()
        connection.request("GET", path, headers={"Connection": "close", **headers})
        return connection.getresponse()

    def ask_without_tls(self, path: str, **headers: str) -> HTTPResponse:
        """The answer to GET by plain HTTP."""
        connection = HTTPConnection("127.0.0.1", self.ports["http"], timeout=PATIENCE)
        connection.request("GET", path, headers={"Connection": "close", "Host": NAME, **headers})
        return connection.getresponse()

    def browser(self, source: str = "127.0.0.1", **headers: str) -> WebClient:
        """A browser that was never used, at an address of this machine."""
        client = WebClient(f"https://{NAME}")
        client.opener.add_handler(_Handler(lambda: self.connect(source)))
        client.opener.addheaders = [("Origin", client.base), *headers.items()]
        return client


class _Handler(HTTPSHandler):
    """Opens addresses of the site by way of the proxy."""

    handler_order = HTTPSHandler.handler_order - 1

    def __init__(self, connect: Callable[[], HTTPSConnection]) -> None:
        super().__init__()
        self._connect = connect

    def https_open(self, req: Request) -> HTTPResponse:
        def connection(*host: str, **options: Any) -> HTTPSConnection:
            return self._connect()

        return self.do_open(connection, req)  # type: ignore[arg-type, return-value]


def replace_each(text: str, replaced: dict[str, str]) -> str:
    """The text with parts replaced, all of which must be present."""
    for old, new in replaced.items():
        assert old in text, f"deploy/ has no {old!r} any more"
        text = text.replace(old, new)
    return text


def free_ports() -> tuple[int, int]:
    """Two ports that are free at this moment."""
    with socket.socket() as first_socket, socket.socket() as second_socket:
        first_socket.bind(("127.0.0.1", 0))
        second_socket.bind(("127.0.0.1", 0))
        return first_socket.getsockname()[1], second_socket.getsockname()[1]


def start_web(ends: ExitStack, folder: Path, **settings: str) -> int:
    """The product's web server as docker-compose.yml starts it, on a port that it tells."""
    log = folder / "web.log"
    argv = [sys.executable, "-m", "gunicorn", "--config", "python:config.web.gunicorn_settings"]
    env = {
        **os.environ,
        "SITE_URL": f"https://{NAME}",
        "TRUSTED_PROXY": "1",
        "STATIC_FILES": "plain",
        **settings,
    }
    process = spawn([*argv, "--bind", "127.0.0.1:0"], log=log, env=env, cwd=DEPLOY.parent)
    ends.callback(stop, process)
    assert wait_until(lambda: log.read_text().count("Booting worker") == 2, seconds=PATIENCE), (
        log.read_text()
    )
    port = re.search(r"Listening at: http://127\.0\.0\.1:(\d+)", log.read_text())
    assert port
    return int(port[1])
