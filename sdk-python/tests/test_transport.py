import socket
import threading
import time
import unittest
from collections.abc import Callable
from typing import IO

from gameround import InterfaceError, LostResponse, ProviderClient

OK = b'HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n{"testData": "x"}'


class Server:
    """Answers each request with `serve`; counts connections."""

    def __init__(self, serve: Callable[[socket.socket], object]) -> None:
        self.connections = 0
        self._serve = serve
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._requests, args=[connection], daemon=True).start()

    def _requests(self, connection: socket.socket) -> None:
        try:
            with connection, connection.makefile("rb") as stream:
                while self._read(stream):
                    self._serve(connection)
        except OSError:
            # The other side has gone.
            pass

    @staticmethod
    def _read(stream: IO[bytes]) -> bool:
        """Reads a whole request. False if there is none any more."""
        length = 0
        while (line := stream.readline()) != b"\r\n":
            if not line:
                return False
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        stream.read(length)
        return True

    def close(self) -> None:
        self._listener.close()


class Transport(unittest.TestCase):
    def client(self, serve: Callable[[socket.socket], object], timeout: float = 5.0) -> tuple[Server, ProviderClient]:
        server = Server(serve)
        self.addCleanup(server.close)
        return server, ProviderClient(server.url, "gp1", "s", timeout=timeout, max_attempts=1)

    def test_a_connection_is_used_again(self) -> None:
        server, client = self.client(lambda connection: connection.sendall(OK))
        for _ in range(3):
            self.assertEqual(client.test_ping(test_data="x"), {"testData": "x"})
        self.assertEqual(server.connections, 1)

    def test_a_connection_that_the_other_side_has_closed_is_not(self) -> None:
        def serve(connection: socket.socket) -> None:
            connection.sendall(OK)
            connection.shutdown(socket.SHUT_RDWR)

        server, client = self.client(serve)
        for _ in range(3):
            client.test_ping(test_data="x")
            time.sleep(0.05)
        self.assertEqual(server.connections, 3)

    def test_many_threads_at_a_time(self) -> None:
        def serve(connection: socket.socket) -> None:
            time.sleep(0.05)
            connection.sendall(OK)

        _, client = self.client(serve)
        replies: list[object] = []
        threads = [threading.Thread(target=lambda: replies.append(client.test_ping(test_data="x"))) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(replies, [{"testData": "x"}] * 20)

    def assert_lost(self, serve: Callable[[socket.socket], object], timeout: float = 5.0) -> None:
        _, client = self.client(serve, timeout)
        begun = time.monotonic()
        with self.assertRaises(LostResponse) as lost:
            client.get_balance(token="t")
        self.assertFalse(lost.exception.never_sent)
        self.assertLess(time.monotonic() - begun, 3)

    def test_a_reply_that_comes_byte_by_byte_ends_in_time(self) -> None:
        def drip(connection: socket.socket) -> None:
            for byte in OK * 10:
                connection.sendall(bytes([byte]))
                time.sleep(0.05)

        self.assert_lost(drip, timeout=0.3)

    def test_a_reply_that_is_cut_is_none(self) -> None:
        def cut(connection: socket.socket) -> None:
            connection.sendall(OK[:-5])
            connection.shutdown(socket.SHUT_RDWR)

        self.assert_lost(cut)

    def test_a_reply_without_end_is_none(self) -> None:
        def endless(connection: socket.socket) -> None:
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                connection.sendall(b" " * 1_000_000)

        self.assert_lost(endless)

    def test_what_is_no_http_is_none(self) -> None:
        self.assert_lost(lambda connection: connection.sendall(b"220 mail.example ESMTP\r\n"))

    def test_a_reply_that_is_no_json_is_an_error_with_its_status(self) -> None:
        page = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>"
        _, client = self.client(lambda connection: connection.sendall(page))
        with self.assertRaises(InterfaceError) as refused:
            client.get_balance(token="t")
        self.assertEqual((refused.exception.status, refused.exception.body), (200, None))

    def test_an_address_that_is_none_is_refused_at_once(self) -> None:
        for base_url in ("127.0.0.1:8080", "ftp://host", ""):
            with self.assertRaises(ValueError):
                ProviderClient(base_url, "gp1", "s")
