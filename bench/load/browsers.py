"""Helper: people who browse.

Each opens a page, reads for a while, opens the next; what the page loads with scripts is loaded too.

Parameters: {url, people, pages: {name: path with {namespace} and {shown}}, seconds, think (seconds between two pages,
on average), seed}. Says {"ready"}, and at the end {"times": {page: [milliseconds]}, "errors": [sentence], "parts":
number}. An error: another answer than a whole page of 200, or another's namespace in it.
"""

import asyncio
import random
import re
import time
from collections import defaultdict
from html import unescape
from typing import Any
from urllib.parse import urljoin

import aiohttp

from bench.live.helper import read_parameters, say

_PART = re.compile(r'<[^>]*\bhx-get="([^"]*)"[^>]*>')
_NAMES = re.compile(r"\bload-\d\d\b")


class Visits:
    """What all of them saw."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = defaultdict(list)
        self.errors: list[str] = []
        self.parts = 0


def words(page: str) -> str:
    """What of it is read, without its frame."""
    _, _, inner = page.rpartition("<main")
    return re.sub(r"(<[^>]+>|\s)+", " ", inner or page)


def wrong(person: dict[str, Any], status: int, text: str, whole: bool) -> str:
    """Why this is not what they should see; '' where it is."""
    if status != 200:
        return f"{status} {words(text)[:300]}"
    if whole and "</html>" not in text:
        return "the page is not whole"
    others = set(_NAMES.findall(text)) - {person["name"]}
    if others and not person["wide"]:
        return f"it shows {sorted(others)[0]}"
    return ""


def loads_itself(text: str, path: str) -> list[str]:
    """Addresses of the parts that htmx asks for as soon as the page is there."""
    found = []
    for match in _PART.finditer(text):
        trigger = re.search(r'\bhx-trigger="([^"]*)"', match[0])
        if trigger and any(word.strip().split(" ")[0].split("[")[0] == "load" for word in trigger[1].split(",")):
            # As a browser reads it: "?a=1" is of this page.
            found.append(urljoin(path, unescape(match[1])))
    return found


async def browse(session: aiohttp.ClientSession, wanted: dict[str, Any], place: int, visits: Visits) -> None:
    person, chance = wanted["people"][place], random.Random(wanted["seed"] + place)
    headers = {"Cookie": person["cookie"], "Accept": "text/html", "Accept-Encoding": "gzip"}
    until = time.monotonic() + wanted["seconds"]
    names: list[str] = []
    await asyncio.sleep(chance.uniform(0, wanted["think"]))
    while time.monotonic() < until:
        if not names:
            names = chance.sample([*wanted["pages"]], len(wanted["pages"]))
        name = names.pop()
        shown = "-" if person["wide"] else person["name"]
        path = wanted["pages"][name].format(namespace=person["name"], shown=shown)
        text = await get(
            session=session, url=wanted["url"], path=path, headers=headers, name=name, person=person, visits=visits
        )
        for part in loads_itself(text, path):
            visits.parts += 1
            await get(
                session=session,
                url=wanted["url"],
                path=part,
                headers={**headers, "HX-Request": "true"},
                name="",
                person=person,
                visits=visits,
            )
        await asyncio.sleep(chance.uniform(0.3, 1.7) * wanted["think"])


async def get(
    session: aiohttp.ClientSession,
    url: str,
    path: str,
    headers: dict[str, str],
    name: str,
    person: dict[str, Any],
    visits: Visits,
) -> str:
    """The answer's text. `name` empty: a part of a page."""
    began = time.perf_counter()
    try:
        async with session.get(f"{url}{path}", headers=headers, allow_redirects=False) as answer:
            text, status = await answer.text(), answer.status
    except (aiohttp.ClientError, TimeoutError) as problem:
        visits.errors.append(f"{path}: {type(problem).__name__} {problem}")
        return ""
    visits.times[name or "(parts of pages)"].append((time.perf_counter() - began) * 1000)
    if problem_ := wrong(person, status, text, bool(name)):
        visits.errors.append(f"{path} for {person['name']}: {problem_}")
    return text


async def main() -> None:
    wanted, visits = read_parameters(), Visits()
    connector = aiohttp.TCPConnector(limit=len(wanted["people"]) * 2)
    limit = aiohttp.ClientTimeout(total=60)
    async with aiohttp.ClientSession(
        connector=connector, timeout=limit, cookie_jar=aiohttp.DummyCookieJar()
    ) as session:
        say({"ready": True})
        await asyncio.gather(*(browse(session, wanted, place, visits) for place in range(len(wanted["people"]))))
    say({"times": visits.times, "errors": visits.errors, "parts": visits.parts})


if __name__ == "__main__":
    asyncio.run(main())
