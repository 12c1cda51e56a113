"""A TCP proxy that makes a server slow, cuts its connections, or refuses them."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self


class FaultProxy:
    """Passes connections on to `port`; the attributes may be changed at any time.

    :ivar delay: seconds that each answer is held back.
    :ivar cut_after: bytes of answers after which a connection is cut, its last answer in the middle; None: never.
    :ivar silent: whether answers are swallowed, so that the other side waits.
    :ivar round_trips: times that something was asked after an answer. A request may come in pieces: with a delay, all
        of them are here before the answer to the first one is passed on.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self.delay = 0.0
        self.cut_after: int | None = None
        self.silent = False
        self.round_trips = 0
        self._answered = True
        self._open: list[socket.socket] = []
        self._listener: socket.socket | None = None
        self.port = 0

    def __enter__(self) -> Self:
        self.accept()
        return self

    def __exit__(self, *exception: object) -> None:
        self.refuse()

    def url(self, database: int = 0) -> str:
        return f"redis://127.0.0.1:{self.port}/{database}"

    def accept(self) -> None:
        """Listen, on the same port as before."""
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen()
        self.port = listener.getsockname()[1]
        self._listener = listener
        threading.Thread(target=self._accepting, args=(listener,), daemon=True).start()

    def refuse(self) -> None:
        """Stop listening, and cut what is open."""
        if self._listener is not None:
            with suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None
        self.cut()

    def cut(self) -> None:
        """Cut the connections that are open."""
        while self._open:
            one = self._open.pop()
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accepting(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._port))
            self._open += [client, server]
            threading.Thread(target=self._requests, args=(client, server), daemon=True).start()
            threading.Thread(target=self._answers, args=(server, client), daemon=True).start()

    def _requests(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self.round_trips += self._answered
                self._answered = False
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    def _answers(self, source: socket.socket, target: socket.socket) -> None:
        passed = 0
        with suppress(OSError):
            while data := source.recv(65536):
                if self.delay:
                    time.sleep(self.delay)
                if self.silent:
                    continue
                if self.cut_after is not None and passed + len(data) > self.cut_after:
                    target.sendall(data[: max(self.cut_after - passed, 0)])
                    target.shutdown(socket.SHUT_RDWR)
                    source.shutdown(socket.SHUT_RDWR)
                    return
                passed += len(data)
                self._answered = True
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
