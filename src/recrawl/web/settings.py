"""How the dashboard is served."""

from dataclasses import dataclass
from ipaddress import ip_address

from recrawl.model.failure import UsageError


@dataclass(frozen=True, slots=True)
class WebSettings:
    """Without a token everything is read-only. `names` are host names, beside the usual ones, under which the
    dashboard may be asked for."""

    bind: str = "127.0.0.1"
    port: int = 8800
    token: str = ""
    names: tuple[str, ...] = ()
    log: bool = True
    receive: bool = True  # notices by IndexNow, WebSub and webhook

    @property
    def open_to_others(self) -> bool:
        return not is_loopback(self.bind)

    def check(self) -> None:
        """Refuse what would let strangers in."""
        if self.open_to_others and len(self.token) < LEAST_TOKEN:
            raise UsageError(
                f"--bind {self.bind} lets others reach the dashboard: protect it with --token "
                f"(at least {LEAST_TOKEN} characters), or stay on 127.0.0.1"
            )
        if self.token and not (self.token.isascii() and self.token.isprintable()):
            raise UsageError("--token must be printable ASCII: it travels in a header")


LEAST_TOKEN = 16


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
