"""A small town on loopback that remembers who asked for what, and does not speak TLS."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class Town(ThreadingHTTPServer):
    def __init__(self, page: Callable[[str], str], robots: tuple[int, str] = (404, "")) -> None:
        self.asked: list[str] = []
        town = self

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                town.asked.append(self.path)
                status, text = robots if self.path == "/robots.txt" else (200, page(self.path))
                self.send_response(status)
                self.send_header("content-type", "text/plain" if self.path == "/robots.txt" else "text/html")
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: object) -> None:
                pass

            def handle_one_request(self) -> None:
                if self.rfile.peek(1)[:1] == b"G":  # type: ignore[attr-defined]
                    super().handle_one_request()
                else:  # a TLS greeting
                    self.close_connection = True

        super().__init__(("127.0.0.1", 0), Answer)

    @property
    def name(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    @property
    def url(self) -> str:
        return f"http://{self.name}/"


@contextmanager
def serving(page: Callable[[str], str], robots: tuple[int, str] = (404, "")) -> Iterator[Town]:
    with Town(page, robots) as town:
        thread = Thread(target=town.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield town
        finally:
            town.shutdown()
            thread.join()
