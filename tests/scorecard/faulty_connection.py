"""A proxy that cuts, delays and resets connections, at any byte, in either direction."""

import asyncio
import random
import socket
import struct
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

FAULTS = ("cut", "delayed", "reset")
MAX_BYTES = 3_000  # a fault comes within these: about a judging request or reply
MAX_DELAY = 0.3
LINGER_ZERO = struct.pack("ii", 1, 0)  # SO_LINGER of 0 s: closing sends RST


class FaultyConnection:
    """A proxy with a port of its own that forwards bytes to an address; `faults` counts its faults.

    share : of connections with a fault
    """

    def __init__(self, target: str, *, share: float, seed: int = 0) -> None:
        self.target, self.share, self.rng = urlsplit(target), share, random.Random(seed)
        self.faults: Counter[str] = Counter()
        self.url = ""

    @contextmanager
    def running(self) -> Iterator["FaultyConnection"]:
        """Serve in a thread of its own."""
        ready, loop = threading.Event(), asyncio.new_event_loop()
        thread = threading.Thread(target=self._serve, args=(loop, ready), daemon=True)
        thread.start()
        ready.wait()
        try:
            yield self
        finally:
            loop.call_soon_threadsafe(self._ended.set)
            thread.join()

    def _serve(self, loop: asyncio.AbstractEventLoop, ready: threading.Event) -> None:
        async def until_ended() -> None:
            self._ended = asyncio.Event()
            server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
            self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            ready.set()
            await self._ended.wait()
            server.close()

        loop.run_until_complete(until_ended())
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward both directions until either ends, or a fault ends one of them."""
        connection = await asyncio.open_connection(self.target.hostname, self.target.port)
        has_fault = self.rng.random() < self.share
        fault = self.rng.choice(FAULTS) if has_fault else ""
        faulty_leg, at = self.rng.choice(("request", "reply")), self.rng.randrange(MAX_BYTES)
        legs = {"request": (reader, connection[1]), "reply": (connection[0], writer)}
        works = [
            asyncio.create_task(self._forward(*ends, fault if faulty_leg == name else "", at, name))
            for name, ends in legs.items()
        ]
        with suppress(ConnectionError):
            await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
        for work in works:
            work.cancel()
        is_reset = any(
            work.done() and not work.cancelled() and work.result() == "reset" for work in works
        )
        for end in (writer, connection[1]):
            if is_reset:
                end.get_extra_info("socket").setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, LINGER_ZERO
                )
            end.close()

    async def _forward(
        self,
        source: asyncio.StreamReader,
        target: asyncio.StreamWriter,
        fault: str,
        at: int,
        name: str,
    ) -> str:
        """Forward bytes; returns the fault that ended it, "" if it ended by itself."""
        n_bytes = 0
        with suppress(ConnectionError):
            while data := await source.read(65_536):
                if fault and n_bytes + len(data) > at:
                    target.write(data[: at - n_bytes])
                    await target.drain()
                    self.faults[f"{name} {fault}"] += 1
                    if fault != "delayed":
                        return fault
                    await asyncio.sleep(self.rng.random() * MAX_DELAY)
                    data, fault = data[at - n_bytes :], ""
                n_bytes += len(data)
                target.write(data)
                await target.drain()
        return ""
