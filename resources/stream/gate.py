"""Whether a connection for live updates may stay: its user's permissions on the topics, and its session.

Users can follow what the API server lets them list and watch. This is checked once for each user and topic of this
process, however many connections there are, and again as the answer ages.

Streams of signed-in users end with the session, in every process: at once after a sign-out (resources.changes.streams);
a session that expired, or ended without such a message, is noticed by a periodic check. Users who have not signed in
have no session here.
"""

import asyncio
import contextlib
import logging
import random
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

from django.utils import translation
from django.utils.translation import gettext as _

from console.web.access import can, denial
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from resources.changes import RedisError, Topic
from resources.changes.streams import KEEP_ENDED_SESSIONS, EndedSessions
from resources.stream.line import BrowserConnection
from resources.stream.live_update import encode_event

log = logging.getLogger(__name__)

# An answer is asked for again when it is this old at most; each at a time of its own, so that a thousand do not ask at
# once. console.web.access keeps what the API server said for ten seconds, so a right that is withdrawn is noticed
# within 60.
AGAIN_SECONDS = 48.0
# A refusal is checked again on reconnects, but not by all of them at once.
_REFUSED_SECONDS = 5.0
_UNKNOWN_SECONDS = 1.0
_SILENCE_SECONDS = 2.0
_TICK_SECONDS = 1.0
# A session is looked up in its store again when this time has passed, each at a time of its own.
SESSION_CHECK_SECONDS = 45.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`type_`: None for a type that is not served; `refusal`: why it can't be followed, '' if it can.

    `lasting`: the same question gets the same answer; asking again at once is useless. `gone`: the type is not served
    (any more), for instance after its operator was uninstalled.
    """

    topic: str
    type_: ResourceType | None
    refusal: str = ""
    lasting: bool = True
    gone: bool = False


def may_follow(client: ClusterClient, text: str) -> Verdict:
    """Asks the API server (answers are cached for seconds).

    Never raises KubeError: an unreachable cluster isn't a permanent refusal.
    """
    try:
        topic = Topic.parse(text)
    except ValueError as error:
        return Verdict(topic=text, type_=None, refusal=str(error))
    if topic.cluster != client.name:
        return Verdict(
            topic=text, type_=None, refusal=_("%(cluster)s isn't this console's cluster") % {"cluster": topic.cluster}
        )
    try:
        type_ = client.find(topic.group, topic.version, topic.plural)
        for verb in ("list", "watch"):
            if not can(client, verb, type_, topic.namespace).allowed:
                return Verdict(topic=text, type_=type_, refusal=denial(verb, type_.qualified, topic.namespace))
    except NotFound as error:
        return Verdict(topic=text, type_=None, refusal=str(error), gone=True)
    except KubeError as error:
        return Verdict(topic=text, type_=None, refusal=str(error), lasting=False)
    return Verdict(topic=text, type_=type_)


@dataclass(frozen=True, slots=True)
class Asker:
    """As whom is asked, and in which language a refusal is worded."""

    client: ClusterClient
    language: str

    def key(self, topic: str) -> "_Key":
        return (self.client.host, self.client.who, self.client.config.headers, self.language, topic)


_Key = tuple[str, str, tuple[tuple[str, str], ...], str, str]


class _Known:
    """`lines`: connections that live by this verdict. Good for new ones until `due`."""

    __slots__ = ("asker", "due", "lines", "verdict")

    def __init__(self, asker: Asker, verdict: Verdict, now: float) -> None:
        self.asker, self.lines = asker, set[BrowserConnection]()
        self.take(verdict, now)

    def take(self, verdict: Verdict, now: float) -> None:
        self.verdict = verdict
        keep = AGAIN_SECONDS * random.uniform(0.7, 1.0)  # noqa: S311  spreads work
        if verdict.refusal:
            keep = _REFUSED_SECONDS if verdict.lasting else _UNKNOWN_SECONDS
        self.due = now + keep


class Gate:
    """Belongs to one event loop.

    `pool`: threads that ask. `withdraw(line, verdict)` when what was allowed is not any more.
    """

    def __init__(self, pool: Executor, withdraw: Callable[[BrowserConnection, Verdict], None]) -> None:
        self._pool, self._withdraw = pool, withdraw
        self._known: dict[_Key, _Known] = {}
        self._asking: dict[_Key, asyncio.Task[dict[_Key, Verdict]]] = {}
        self._task: asyncio.Task[None] | None = None

    async def judge(self, asker: Asker, topics: Sequence[str]) -> list[Verdict]:
        """Of each topic. One question at a time for each."""
        keys = {topic: asker.key(topic) for topic in topics}
        now = asyncio.get_running_loop().time()
        # The verdicts are copied: while the others are awaited, unused ones may be evicted.
        found = {
            key: self._known[key].verdict for key in keys.values() if key in self._known and self._known[key].due > now
        }
        wanted = [topic for topic, key in keys.items() if key not in found]
        self._ask(asker, [topic for topic in wanted if keys[topic] not in self._asking])
        if asked := {self._asking[keys[topic]] for topic in wanted}:
            await asyncio.wait(asked)
        for task in asked:
            found.update(task.result())
        return [found[key] for key in keys.values()]

    def hold(self, asker: Asker, line: BrowserConnection, verdicts: Iterable[Verdict]) -> None:
        """The connection lives by these verdicts until release()."""
        now = asyncio.get_running_loop().time()
        for verdict in verdicts:
            key = asker.key(verdict.topic)
            if key not in self._known:
                self._known[key] = _Known(asker, verdict, now)
            self._known[key].lines.add(line)
        if self._task is None:
            self._task = asyncio.create_task(self._look_again())

    def release(self, asker: Asker, line: BrowserConnection, topics: Iterable[str]) -> None:
        for topic in topics:
            if known := self._known.get(asker.key(topic)):
                known.lines.discard(line)

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _ask(self, asker: Asker, topics: list[str]) -> None:
        if topics:
            task = asyncio.create_task(self._answer(asker, topics))
            self._asking.update((asker.key(topic), task) for topic in topics)

    async def _answer(self, asker: Asker, topics: list[str]) -> dict[_Key, Verdict]:
        loop = asyncio.get_running_loop()
        try:
            verdicts = await loop.run_in_executor(self._pool, _judge, asker, topics)
        except Exception as error:
            log.exception("checking access to topics failed")
            verdicts = [Verdict(topic=topic, type_=None, refusal=str(error), lasting=False) for topic in topics]
        finally:
            for topic in topics:
                self._asking.pop(asker.key(topic), None)
        for verdict in verdicts:
            key = asker.key(verdict.topic)
            known = self._known.get(key)
            if known is None:
                self._known[key] = _Known(asker, verdict, loop.time())
                continue
            known.take(verdict, loop.time())
            if verdict.refusal and verdict.lasting:
                lines, known.lines = known.lines, set()
                for line in lines:
                    self._withdraw(line, verdict)
        return {asker.key(verdict.topic): verdict for verdict in verdicts}

    async def _look_again(self) -> None:
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            now = asyncio.get_running_loop().time()
            due: dict[Asker, list[str]] = {}
            for key, known in [*self._known.items()]:
                if known.due > now or key in self._asking:
                    continue
                if known.lines:
                    due.setdefault(known.asker, []).append(known.verdict.topic)
                else:
                    del self._known[key]
            for asker, topics in due.items():
                self._ask(asker, topics)


def _judge(asker: Asker, topics: list[str]) -> list[Verdict]:
    """While the API server is silent, its silence about one topic is the answer for the others, too."""
    found: list[Verdict] = []
    with translation.override(asker.language):
        for number, topic in enumerate(topics):
            began = time.monotonic()
            found.append(may_follow(asker.client, topic))
            if not found[-1].lasting and time.monotonic() - began > _SILENCE_SECONDS:
                found += (
                    Verdict(topic=other, type_=None, refusal=found[-1].refusal, lasting=False)
                    for other in topics[number + 1 :]
                )
                break
    return found


class _Session:
    """`lives()` asks the session's store, in a thread."""

    __slots__ = ("due", "lines", "lives")

    def __init__(self, lives: Callable[[], bool]) -> None:
        self.lives, self.lines = lives, set[BrowserConnection]()
        self.due = _due()


class Sessions:
    """Belongs to one event loop. `pool`: threads in which stores are asked."""

    def __init__(self, pool: Executor) -> None:
        self._pool = pool
        self._open: dict[str, _Session] = {}
        self._ended: dict[str, None] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._log: EndedSessions | None = None

    def ended(self, digest: str) -> bool:
        return digest in self._ended

    def watch(self, digest: str, line: BrowserConnection, lives: Callable[[], bool]) -> None:
        """`digest`: of the session, '' for none."""
        self._start()
        if not digest:
            return
        self._open.setdefault(digest, _Session(lives)).lines.add(line)
        if digest in self._ended:
            self._end(digest)

    def leave(self, digest: str, line: BrowserConnection) -> None:
        if session := self._open.get(digest):
            session.lines.discard(line)
            if not session.lines:
                del self._open[digest]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._log is not None:
            # This also wakes tasks that wait for an answer: redis-py 8.1 can swallow a cancellation.
            await self._log.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1.0)

    def _start(self) -> None:
        if not self._tasks:
            self._log = EndedSessions()
            self._tasks = [asyncio.create_task(self._listen(self._log)), asyncio.create_task(self._look_again())]

    async def _listen(self, log_: EndedSessions) -> None:
        while True:
            with contextlib.suppress(RedisError):
                async for digest in log_.follow():
                    self._ended[digest] = None
                    if len(self._ended) > 2 * KEEP_ENDED_SESSIONS:
                        del self._ended[next(iter(self._ended))]
                    self._end(digest)
            await asyncio.sleep(_TICK_SECONDS)

    async def _look_again(self) -> None:
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            now = asyncio.get_running_loop().time()
            for digest, session in [*self._open.items()]:
                if session.due > now:
                    continue
                session.due = _due()
                try:
                    lives = await asyncio.get_running_loop().run_in_executor(self._pool, session.lives)
                except Exception:
                    # A session store that does not answer ends no stream; it is asked again.
                    log.exception("checking whether a session still lives failed")
                    continue
                if not lives:
                    self._end(digest)

    def _end(self, digest: str) -> None:
        session = self._open.pop(digest, None)
        for line in session.lines if session else ():
            with translation.override(line.language):
                message = _("Your session ended, or you started or stopped impersonation. Reload the page.")
            line.mailbox.clear()
            line.mailbox.control("ended", "", encode_event("ended", {"message": message}))
            line.end()


def _due() -> float:
    return asyncio.get_running_loop().time() + SESSION_CHECK_SECONDS * random.uniform(0.7, 1.0)  # noqa: S311  spreads work
