"""A line between clients and the product that cuts, delays and resets, at any byte, in either direction."""

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
MOST_BYTES = 3_000  # somewhere within these a fault comes: headers and body of what judging sends and gets
MOST_SECONDS = 0.3
RESETS = struct.pack("ii", 1, 0)  # SO_LINGER of no second: closing sends RST


class BadLine:
    """Listens on a port of its own and hands on to an address, by bytes; `faults` counts what it did to them.

    share : of connections that something happens to
    """

    def __init__(self, there: str, *, share: float, seed: int = 0) -> None:
        self.there, self.share, self.chance = urlsplit(there), share, random.Random(seed)
        self.faults: Counter[str] = Counter()
        self.url = ""

    @contextmanager
    def running(self) -> Iterator["BadLine"]:
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
        """Hand on both directions until either ends, or something happens to one of them."""
        there = await asyncio.open_connection(self.there.hostname, self.there.port)
        happens = self.chance.random() < self.share
        fault = self.chance.choice(FAULTS) if happens else ""
        leg, at = self.chance.choice(("request", "reply")), self.chance.randrange(MOST_BYTES)
        legs = {"request": (reader, there[1]), "reply": (there[0], writer)}
        works = [asyncio.create_task(self._hand_on(*ends, fault if leg == name else "", at, name))
                 for name, ends in legs.items()]  # fmt: skip
        with suppress(ConnectionError):
            await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
        for work in works:
            work.cancel()
        is_reset = any(work.done() and not work.cancelled() and work.result() == "reset" for work in works)
        for end in (writer, there[1]):
            if is_reset:
                end.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESETS)
            end.close()

    async def _hand_on(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, fault: str, at: int, name: str
    ) -> str:
        """Hand on what comes; the fault that ended it, "" where it ended by itself."""
        n_bytes = 0
        with suppress(ConnectionError):
            while data := await source.read(65_536):
                if fault and n_bytes + len(data) > at:
                    target.write(data[: at - n_bytes])
                    await target.drain()
                    self.faults[f"{name} {fault}"] += 1
                    if fault != "delayed":
                        return fault
                    await asyncio.sleep(self.chance.random() * MOST_SECONDS)
                    data, fault = data[at - n_bytes :], ""
                n_bytes += len(data)
                target.write(data)
                await target.drain()
        return ""
