"""Where a request may go: no trick of names, redirects or kept connections leads inside."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.fetch.fetching import NOW, SMALL, ClosedDoor, a_fetcher, run
from tests.unit.fetch.rough_server import PAGE, name_server, rough_server

from recrawl.fetch.client import CurlFetcher, FetchSettings, Trip
from recrawl.fetch.driver import Driver
from recrawl.fetch.endpoint import locate, odd_endpoint, usual_endpoint
from recrawl.fetch.order import Terms, lines_of
from recrawl.fetch.resolver import DnsLookup, Resolver, by_family, is_localhost
from recrawl.fetch.resolver import name_server as read_name_server
from recrawl.fetch.transfer import Transfer
from recrawl.model.failure import ConfigError, Failure
from recrawl.model.visit import Ask, Evidence

INSIDE = [
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://0x7f.1/",
    "http://127.0.0.1./",
    "http://０/",
    "http://①②⑦.⓪.⓪.①/",
    "http://0.0.0.0/",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://anything.localhost/",
    "http://10.0.0.1/",
    "http://192.168.0.1:8080/",
    "http://172.16.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/",
    "http://100.100.100.200/",
    "http://100.64.0.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://198.18.0.1/",
    "http://203.0.113.7/",
    "http://[::]/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b:1::1]/",
    "http://[2002:7f00:1::]/",
    "http://[fe80::1]/",
    "http://[fec0::1]/",
    "http://[fc00::1]/",
    "https://127.0.0.1/",
]

pytestmark = pytest.mark.usefixtures("both_ways")


@pytest.mark.parametrize("url", INSIDE)
def test_no_spelling_of_an_inner_address_gets_a_socket(url: str) -> None:
    async def story() -> None:
        door = ClosedDoor()
        async with a_fetcher(open_socket=door) as fetcher:
            for own in ((), ("intranet.example", "127.0.0.1:9999")):
                reply = await fetcher.fetch(Ask(url, own=own, limits=SMALL))
                assert (reply.evidence, reply.failure) == (Evidence.FAILED, Failure.FORBIDDEN_ADDRESS)
                assert "own" in reply.detail
        assert door.asked == []

    run(story())


def test_a_public_address_does_get_one() -> None:
    async def story() -> None:
        door = ClosedDoor()
        async with a_fetcher(open_socket=door) as fetcher:
            reply = await fetcher.fetch(Ask("http://93.184.216.34/", limits=SMALL))
            assert reply.failure is Failure.CONNECT
            assert len(door.asked) == 1
            for url in ("http://[2606:2800:220:1::1]/", "http://[64:ff9b::808:808]/"):
                failure = (await fetcher.fetch(Ask(url, limits=SMALL))).failure
                assert failure in (Failure.CONNECT, Failure.NO_HOST)  # the latter on a machine without IPv6

    run(story())


def test_a_given_name_server_is_asked_whatever_else_the_machine_knows_and_by_every_fetcher() -> None:
    async def story() -> None:
        async with name_server({"one.example": [["192.0.2.1"]], "localhost": [["192.0.2.2"]]}) as dns:
            for _ in range(100):  # pycares freed an option before it was read: now and then one asked nobody
                lookup = DnsLookup(f"127.0.0.1:{dns.port}")
                answer = await lookup("one.example")
                assert answer.addresses == ("192.0.2.1",), answer.problem
                await lookup.close()
            lookup = DnsLookup(f"127.0.0.1:{dns.port}")
            assert (await lookup("localhost")).addresses == ("192.0.2.2",), "it stands in the hosts file"
            missing = await lookup("missing.example")
            assert missing.problem == "missing.example does not resolve: Domain name not found"
            await lookup.close()

    run(story())


def test_a_name_that_leads_inside_is_refused_unless_it_is_owned() -> None:
    async def story() -> None:
        answers = {"inside.example": [["127.0.0.1"]]}
        async with rough_server() as server, name_server(answers) as dns, a_fetcher(f"127.0.0.1:{dns.port}") as fetcher:
            url = f"http://inside.example:{server.port}/page"
            outcomes = []
            for own in ((), server.own, ("inside.example:1",), ("inside.example",), ("127.0.0.0/8",)):
                outcomes.append(await fetcher.fetch(Ask(url, own=own, limits=SMALL)))
            no = Failure.FORBIDDEN_ADDRESS
            assert [reply.failure for reply in outcomes] == [no, no, no, None, None], outcomes
            assert server.last.header("host") == f"inside.example:{server.port}"

    run(story())


def test_of_mixed_answers_only_the_allowed_ones_are_used() -> None:
    async def story() -> None:
        answers = {"mixed.example": [["127.0.0.1", "10.0.0.1", "127.0.0.2"]]}
        async with (
            rough_server("127.0.0.2") as allowed,
            rough_server("127.0.0.1", allowed.port) as refused,
            name_server(answers) as dns,
            a_fetcher(f"127.0.0.1:{dns.port}") as fetcher,
        ):
            ask = Ask(f"http://mixed.example:{allowed.port}/page", own=("127.0.0.2/32",), limits=SMALL)
            reply = await fetcher.fetch(ask)
            assert (reply.body, reply.peer) == (PAGE, "127.0.0.2")
            assert (allowed.connections, refused.connections) == (1, 0)

    run(story())


def test_a_name_that_changes_its_answer_is_judged_anew_each_time() -> None:
    """127.0.0.2 plays the outside (it alone is owned), 127.0.0.1 the inside."""

    async def story() -> None:
        clock = [NOW]
        answers = {"rebind.example": [["127.0.0.2"], ["127.0.0.1"]]}
        async with (
            rough_server("127.0.0.2") as outside,
            rough_server("127.0.0.1", outside.port) as inside,
            name_server(answers) as dns,
            a_fetcher(f"127.0.0.1:{dns.port}", now=lambda: clock[0]) as fetcher,
        ):
            ask = Ask(f"http://rebind.example:{outside.port}/page", own=("127.0.0.2/32",), limits=SMALL)
            first = [await fetcher.fetch(ask) for _ in range(3)]
            assert [reply.peer for reply in first] == ["127.0.0.2"] * 3
            assert dns.asked == ["rebind.example"]  # resolved once, then pinned
            clock[0] += 3601.0
            assert (await fetcher.fetch(ask)).failure is Failure.FORBIDDEN_ADDRESS
            assert len(dns.asked) == 2
            assert inside.connections == 0

    run(story())


def test_a_kept_connection_serves_only_asks_that_might_have_opened_it() -> None:
    async def story() -> None:
        answers = {"shared.example": [["127.0.0.1", "127.0.0.2"]]}
        async with (
            rough_server("127.0.0.1") as one,
            rough_server("127.0.0.2", one.port) as two,
            name_server(answers) as dns,
            a_fetcher(f"127.0.0.1:{dns.port}") as fetcher,
        ):
            url = f"http://shared.example:{one.port}/page"

            async def peer(*own: str) -> str:
                reply = await fetcher.fetch(Ask(url, own=own, limits=SMALL))
                return reply.peer if reply.failure is None else reply.failure.value

            assert await peer("127.0.0.1/32") == "127.0.0.1"
            assert await peer() == "forbidden_address"
            assert await peer("127.0.0.2/32") == "127.0.0.2"
            assert await peer("127.0.0.1/32") == "127.0.0.1"
            assert await peer("other.example") == "forbidden_address"
            assert (one.connections, len(one.requests)) == (1, 2)
            assert (two.connections, len(two.requests)) == (1, 1)

    run(story())


def test_a_redirect_inside_is_a_fact_and_nothing_more() -> None:
    async def story() -> None:
        async with rough_server() as server, rough_server("127.0.0.2") as other, a_fetcher() as fetcher:
            location = f"Location:%20{other.url('/page')}"
            reply = await fetcher.fetch(Ask(server.url(f"/status/302?{location}"), own=server.own, limits=SMALL))
            assert (reply.evidence, reply.header("location")) == (Evidence.REDIRECT, other.url("/page"))
            assert other.connections == 0

    run(story())


def test_another_address_is_tried_when_the_first_cannot_be_reached_and_remembered() -> None:
    async def story() -> None:
        answers = {"two.example": [["127.0.0.9", "127.0.0.2"]]}
        async with (
            rough_server("127.0.0.2") as server,
            name_server(answers) as dns,
            a_fetcher(f"127.0.0.1:{dns.port}") as fetcher,
        ):
            ask = Ask(f"http://two.example:{server.port}/once", own=("127.0.0.0/8",), limits=SMALL)
            first, second = await fetcher.fetch(ask), await fetcher.fetch(ask)
            assert (first.peer, first.failure) == ("127.0.0.2", None)
            assert second.times.resolve_s == 0 < first.times.resolve_s

    run(story())


def test_a_closed_port_and_an_unknown_name_are_told_apart() -> None:
    async def story() -> None:
        async with name_server({}) as dns, rough_server() as server, a_fetcher(f"127.0.0.1:{dns.port}") as fetcher:
            unknown = await fetcher.fetch(Ask("http://nowhere.example/", limits=SMALL))
            assert unknown.failure is Failure.NO_HOST and "nowhere.example" in unknown.detail
            closed = await fetcher.fetch(Ask("http://127.0.0.77:9/", own=("127.0.0.0/8",), limits=SMALL))
            assert closed.failure is Failure.CONNECT
            assert server.connections == 0

    run(story())


def test_a_silent_name_server_costs_no_more_than_the_connect_limit() -> None:
    async def story() -> None:
        async with name_server({}, silent=True) as dns, a_fetcher(f"127.0.0.1:{dns.port}") as fetcher:
            limits = type(SMALL)(connect_s=0.2)
            reply = await fetcher.fetch(Ask("http://slow.example/", limits=limits))
            assert reply.failure is Failure.NO_HOST
            assert reply.times.total_s < 20 * limits.connect_s

    run(story())


def test_asks_at_the_same_moment_share_one_question() -> None:
    async def story() -> None:
        answers = {"busy.example": [["127.0.0.1"]]}
        async with rough_server() as server, name_server(answers) as dns, a_fetcher(f"127.0.0.1:{dns.port}") as fetcher:
            ask = Ask(f"http://busy.example:{server.port}/page", own=("busy.example",), limits=SMALL)
            replies = await asyncio.gather(*(fetcher.fetch(ask) for _ in range(8)))
            assert [reply.body for reply in replies] == [PAGE] * 8
            assert dns.asked == ["busy.example"]

    run(story())


@pytest.mark.parametrize(("ttl_s", "kept_s"), [(0, 30), (60, 60), (86400, 3600)])
def test_an_answer_is_kept_for_its_time_to_live_within_bounds(ttl_s: int, kept_s: int) -> None:
    async def story() -> None:
        clock = [NOW]
        async with name_server({"host.example": [["127.0.0.1"]]}, ttl_s=ttl_s) as dns:
            lookup = DnsLookup(f"127.0.0.1:{dns.port}")
            resolver = Resolver(lookup, lambda: clock[0])
            assert (await resolver.resolve("host.example", 5.0)).addresses == ("127.0.0.1",)
            clock[0] = NOW + kept_s - 1
            assert resolver.known("host.example") == ("127.0.0.1",)
            clock[0] = NOW + kept_s + 1
            assert resolver.known("host.example") == ()
            await lookup.close()

    run(story())


def test_localhost_needs_no_name_server() -> None:
    async def story() -> None:
        async with rough_server() as server, name_server({}) as dns, a_fetcher(f"127.0.0.1:{dns.port}") as fetcher:
            for host in ("localhost", "a.b.localhost"):
                reply = await fetcher.fetch(Ask(f"http://{host}:{server.port}/page", own=(host,), limits=SMALL))
                assert reply.body == PAGE
            assert dns.asked == []

    run(story())
    assert is_localhost("x.localhost.") and not is_localhost("localhost.example")


def test_addresses_are_tried_in_the_old_family_first_and_never_too_many() -> None:
    assert by_family(dict.fromkeys(["::1", "1.1.1.1", "::2", "2.2.2.2"])) == ("1.1.1.1", "2.2.2.2", "::1", "::2")
    assert len(by_family(dict.fromkeys(f"1.1.1.{number}" for number in range(100)))) == 8


def test_the_name_server_setting_is_an_address_with_or_without_port() -> None:
    assert read_name_server("127.0.0.1:5353") == ("127.0.0.1", 5353)
    assert read_name_server("9.9.9.9") == ("9.9.9.9", 53)
    assert read_name_server("[::1]:53") == ("::1", 53)
    for text in ("dns.example", "x:y", ":53"):
        with pytest.raises(ConfigError, match=r"fetch\.resolver"):
            read_name_server(text)


def test_the_socket_itself_is_refused_should_every_earlier_check_be_passed_by() -> None:
    async def story() -> None:
        async with rough_server() as server:
            located = locate(server.url("/page"))
            assert located is not None
            driver, door = Driver(asyncio.get_running_loop(), 1), ClosedDoor()
            transfer = Transfer(driver, ("", ""), door)
            terms = Terms(located[0], "127.0.0.1", (), SMALL, 1.0, 1.0)
            url = server.url("/page")
            await transfer.run(Trip(Ask(url), 0.0, terms, url, located[1], [], (terms.address,)))
            assert transfer.failure is Failure.FORBIDDEN_ADDRESS
            assert (door.asked, server.connections) == ([], 0)
            driver.close()

    run(story())


def test_what_lets_one_request_go_lets_others_go_that_differ_only_in_path_and_conditions() -> None:
    async def story() -> None:
        async with a_fetcher() as fetcher:
            asks = [
                Ask("http://127.0.0.1:9/a", own=("127.0.0.1",), limits=SMALL),
                Ask("http://127.0.0.1:9/b?c", '"tag"', own=("127.0.0.1",), limits=SMALL),
                Ask("http://127.0.0.1:9/b#c", '"tag"', own=("127.0.0.1",), limits=SMALL),
                Ask("http://127.0.0.1:9/\u00e9", own=("127.0.0.1",), limits=SMALL),
            ]
            trips = [trip for ask in asks if (trip := fetcher.ready(ask)) is not None]
            assert [trip.target for trip in trips] == ["/a", "/b?c", "/b", "/%C3%A9"]
            assert [trip.url for trip in trips] == [f"http://127.0.0.1:9{trip.target}" for trip in trips]
            assert len({id(trip.terms) for trip in trips[:2]}) == 1
            assert [lines_of(trip)[4:] for trip in trips] == [[], *[[b'If-None-Match: "tag"']] * 2, []]

    run(story())


def test_the_address_guard_is_asked_again_where_another_asks() -> None:
    async def story() -> None:
        async with a_fetcher() as fetcher:
            assert fetcher.ready(Ask("http://127.0.0.1:9/a", own=("127.0.0.1",), limits=SMALL)) is not None
            assert fetcher.ready(Ask("http://127.0.0.1:9/a", limits=SMALL)) is None
            assert fetcher.ready(Ask("http://127.0.0.1:9/a", own=("127.0.0.2",), limits=SMALL)) is None
            assert fetcher.ready(Ask("http://127.0.0.1:9/a", own=("127.0.0.1",), fresh=True, limits=SMALL)) is None
            posted = fetcher.ready(Ask("http://127.0.0.1:9/a", own=("127.0.0.1",), form=b"a=b", limits=SMALL))
            assert posted is not None
            assert posted.ask.form == b"a=b"

    run(story())


def test_a_name_is_looked_up_again_when_its_answer_is_too_old_whoever_went_before() -> None:
    async def story() -> None:
        now = 0.0
        fetcher = CurlFetcher(FetchSettings("recrawl/0"), lambda: now)
        fetcher._resolver._kept["e.example"] = (5.0, ("198.51.100.7",))
        ask = Ask("http://e.example/a", own=("e.example",), limits=SMALL)
        assert fetcher.ready(ask) is not None
        now = 4.99
        assert fetcher.ready(ask) is not None
        now = 5.1
        assert fetcher.ready(ask) is None
        await fetcher.close()

    run(story())


NUMBERS = ["7", "0x7f", "127", "0", "255", "256", "01"]
PARTS = st.sampled_from([*NUMBERS, "a", "b-c", "xn--nxasmq6b", "-", "-a", "a-", "a--b", "com", "é", "A", "_", ""])
ENDS = st.sampled_from(["", ":80", ":443", ":8080", ":65535", ":65536", ":0", ":", ":099", ":99999", ":64999", "."])


@given(st.sampled_from(["http", "https"]), st.lists(PARTS, max_size=5).map(".".join), ENDS)
def test_usual_hosts_are_read_as_the_full_parser_reads_them(scheme: str, host: str, end: str) -> None:
    usual = usual_endpoint(scheme, host + end)
    assert usual is None or usual == odd_endpoint(scheme, host + end)
