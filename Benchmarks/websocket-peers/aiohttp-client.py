"""The benchmark client over Python's aiohttp: as the Swift clients, CONCURRENCY sockets that send a message and wait for the answer."""

import asyncio
import json
import re
import resource
import ssl
import sys
import time

import aiohttp

SIZES = {"ws-125": 125, "ws-16k": 16 << 10, "ws-1m": 1 << 20, "ws-open": 125, "wss-open": 125}
scenario, url, count, concurrency = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
authority = sys.argv[6] if len(sys.argv) > 6 and sys.argv[5] == "--cacert" else None
MESSAGE = b"\7" * SIZES[scenario]


def memory(name: str) -> int:
    with open("/proc/self/status") as file:
        return int(re.search(rf"^{name}:\s+(\d+)", file.read(), re.M).group(1))


def processor() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return (usage.ru_utime + usage.ru_stime) * 1e6


async def exchange(socket) -> None:
    await socket.send_bytes(MESSAGE)
    answer = await socket.receive_bytes()
    if len(answer) != len(MESSAGE):
        raise RuntimeError(f"a message came back as {len(answer)}")


async def share(sockets: list, total: int) -> None:
    async def work(socket, part: int) -> None:
        for _ in range(part):
            await exchange(socket)

    size = len(sockets)
    await asyncio.gather(*(work(socket, total // size + (index < total % size)) for index, socket in enumerate(sockets)))


async def echo(open_socket) -> dict:
    sockets = await asyncio.gather(*(open_socket() for _ in range(concurrency)))
    await share(sockets, max(concurrency, count // 20))
    before, start = processor(), time.monotonic()
    await share(sockets, count)
    return figures(before, start, count)


async def stay_open(open_socket) -> dict:
    first = await open_socket()
    for _ in range(100):
        await exchange(first)
    memory_before, sockets = memory("VmRSS"), []
    while len(sockets) < concurrency:
        sockets += await asyncio.gather(*(open_socket() for _ in range(min(50, concurrency - len(sockets)))))
    before, start, rounds = processor(), time.monotonic(), max(1, count // concurrency)

    async def talk(index: int, socket) -> None:
        for number in range(rounds):
            await asyncio.sleep(start + number + index / concurrency - time.monotonic())
            await exchange(socket)

    await asyncio.gather(*(talk(index, socket) for index, socket in enumerate(sockets)))
    line = figures(before, start, rounds * concurrency)
    line["kib_per_connection"] = (memory("VmRSS") - memory_before) / concurrency
    return line


def figures(before: float, start: float, messages: int) -> dict:
    return {
        "cpu_us_per_request": (processor() - before) / messages, "requests_per_second": messages / (time.monotonic() - start),
        "gigabytes_per_second": None, "peak_mib": memory("VmHWM") / 1024}


async def main() -> None:
    trust = ssl.create_default_context(cafile=authority) if authority else None
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        async def open_socket():
            return await session.ws_connect(url, ssl=trust, max_msg_size=2 << 20, compress=0)

        print(json.dumps(await (stay_open if scenario.endswith("open") else echo)(open_socket)), flush=True)


asyncio.run(main())
