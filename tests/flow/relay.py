"""A line to a database that can be cut: what comes to a port goes to a socket in the file system, and back.

python relay.py HOST SOCKET prints the port it listens on. A socket in the file system can be reached from every
network namespace, so the relay may stand in one and the database in another.
"""

import asyncio
import contextlib
import sys


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()


async def relay(host: str, socket: str) -> None:
    async def join(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            other_reader, other_writer = await asyncio.open_unix_connection(socket)
        except OSError:
            writer.close()
            return
        await asyncio.gather(pump(reader, other_writer), pump(other_reader, writer))

    server = await asyncio.start_server(join, host, 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(relay(sys.argv[1], sys.argv[2]))
