"""What waits for one connection: merged, bounded, fair, and resumable without a gap."""

import json
import random
from typing import Any

from kube.discovery import ResourceType
from resources.changes import Change, StreamEntry, order
from resources.stream.live_update import LiveUpdate, encode_event
from resources.stream.mailbox import BURST_BYTES, BYTES_PER_SECOND, LIMIT_BYTES, Mailbox, Reach

TYPE = ResourceType(group="", version="v1", plural="pods", kind="Pod", namespaced=True)


def _told(
    number: int, kind: Any, name: str, version: int | str = "", topic: str = "t", uid: str = "", size: int = 40
) -> LiveUpdate:
    change = Change(
        kind=kind, uid=uid or f"uid-{name}", name=name, namespace="ns", row=b"{}", columns="c", version=str(version)
    )
    return LiveUpdate(StreamEntry(topic, f"{number}-0", change), "e", lambda *_: "x" * size, TYPE, b"[]")


def _events(body: bytes) -> list[tuple[str, dict[str, Any], str]]:
    found = []
    for part in body.decode().split("\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in part.split("\n"))
        found.append((fields["event"], json.loads(fields["data"]), fields.get("id", "")))
    return found


def _take(mailbox: Mailbox, now: float) -> list[tuple[str, dict[str, Any], str]]:
    return _events(mailbox.take(now)[0])


class Subscriber:
    def __init__(self) -> None:
        self.woken = 0

    def wake(self) -> None:
        self.woken += 1


def _mailbox(reach: int = 0) -> Mailbox:
    found = Mailbox()
    found.reach = Reach((reach, 0), "e")
    return found


def test_later_news_take_the_place_of_earlier_ones() -> None:
    mailbox = _mailbox(9)
    for number, (kind, name, version) in enumerate(
        [("MODIFIED", "a", 1), ("MODIFIED", "b", 2), ("MODIFIED", "a", 3), ("DELETED", "b", 4)], 1
    ):
        mailbox.put("t", _told(number, kind, name, version), "en")
    found = _take(mailbox, 0)
    assert [(event, data["name"], data["version"]) for event, data, _ in found] == [
        ("row", "a", "3"),
        ("gone", "b", "4"),
    ]
    assert not mailbox
    assert mailbox.bytes == 0


def test_what_is_new_stays_new_until_it_was_told() -> None:
    mailbox = _mailbox()
    mailbox.put("t", _told(1, "ADDED", "a", 1), "en")
    mailbox.put("t", _told(2, "MODIFIED", "a", 2), "en")
    assert [(event, data["version"]) for event, data, _ in _take(mailbox, 0)] == [("added", "2")]


def test_an_object_made_again_under_its_name_is_another() -> None:
    mailbox = _mailbox()
    mailbox.put("t", _told(1, "MODIFIED", "a", 1, uid="one"), "en")
    mailbox.put("t", _told(2, "DELETED", "a", 2, uid="one"), "en")
    mailbox.put("t", _told(3, "ADDED", "a", 3, uid="two"), "en")
    assert [(event, data["uid"]) for event, data, _ in _take(mailbox, 0)] == [("gone", "one"), ("added", "two")]


def test_older_news_do_not_replace_newer_ones() -> None:
    mailbox = _mailbox()
    mailbox.put("t", _told(1, "MODIFIED", "a", 10), "en")
    mailbox.put("t", _told(2, "MODIFIED", "a", 9), "en")
    assert [data["version"] for _, data, _ in _take(mailbox, 0)] == ["10"]


def test_ids_never_pass_what_still_waits() -> None:
    mailbox = _mailbox(3)
    mailbox.put("t", _told(1, "MODIFIED", "a", 1), "en")
    mailbox.put("t", _told(2, "MODIFIED", "b", 2, size=BURST_BYTES), "en")
    mailbox.put("t", _told(3, "MODIFIED", "a", 3), "en")
    mailbox.put("t", _told(3, "MODIFIED", "c", 3), "en")
    first = _take(mailbox, 0)
    # a is that of entry 3, but b and c wait: resuming from 3 would lose b.
    assert [(data["name"], id_) for _, data, id_ in first] == [("a", ""), ("b", "2-0@e")]
    assert [(data["name"], id_) for _, data, id_ in _take(mailbox, 9)] == [("c", "3-0@e")]


def test_a_flush_that_empties_it_says_how_far_the_streams_were_read() -> None:
    mailbox = _mailbox(50)
    mailbox.control("health", "redis", encode_event("health", {"part": "redis"}))
    assert _take(mailbox, 0)[0][2] == "50-0@e"


def test_a_busy_topic_does_not_hold_up_a_quiet_one() -> None:
    mailbox = _mailbox()
    for number in range(50):
        mailbox.put("busy", _told(number, "MODIFIED", f"n{number}", size=2000), "en")
    mailbox.put("quiet", _told(60, "MODIFIED", "a", topic="quiet"), "en")
    assert [data["topic"] for _, data, _ in _take(mailbox, 0)][:2] == ["busy", "quiet"]


def test_too_much_becomes_one_resync_of_the_topic_that_has_most() -> None:
    mailbox = _mailbox(9999)
    mailbox.control("health", "worker", encode_event("health", {"part": "worker"}))
    mailbox.put("quiet", _told(1, "MODIFIED", "a", topic="quiet"), "en")
    for number in range(1000):
        mailbox.put("busy", _told(number + 2, "MODIFIED", f"n{number}", number + 2), "en")
        assert mailbox.bytes <= LIMIT_BYTES
    found = _take(mailbox, 0)
    assert [event for event, _, _ in found][:2] == ["health", "resync"]
    assert next(data for event, data, _ in found if event == "resync")["topic"] == "busy"
    assert ("row", "quiet") in [(event, data.get("topic")) for event, data, _ in found]
    # The newest of what was left out, so that the list is not read from before it.
    assert int(found[1][1]["version"]) > 20


def test_who_cannot_keep_up_lists_again_now_and_then_and_not_all_the_time() -> None:
    mailbox, kinds, now = _mailbox(1 << 40), [], 100.0
    for number in range(60_000):  # half a minute of 2,000 a second
        now += 0.0005
        mailbox.put("busy", _told(number, "MODIFIED", f"n{number % 5000}", number), "en")
        if (due := mailbox.due(now)) is not None and due <= now:
            assert int(mailbox.resume().partition("-")[0]) <= number
            kinds += [event for event, _, _ in _take(mailbox, now)]
    assert 5 <= kinds.count("resync") <= 8
    # When it is quiet again, the last word is another resync; after that, changes come as before.
    found = []
    while (due := mailbox.due(now)) is not None:
        now = max(now, due)
        found += _take(mailbox, now)
    assert found[-1][0] == "resync"
    assert found[-1][1]["version"] == "59999"
    now += 10
    mailbox.take(now)
    mailbox.put("busy", _told(70_000, "MODIFIED", "n1", 70_000), "en")
    assert [event for event, _, _ in _take(mailbox, now)] == ["row"]


def test_rows_that_are_shown_are_never_a_reason_to_list_again() -> None:
    mailbox = _mailbox()
    for number in range(2000):
        mailbox.put("t", _told(number, "MODIFIED", f"n{number % 200}", number, size=3000), "en", shown=True)
    events, now = [], 0.0
    while mailbox:
        now += 1
        events += [event for event, _, _ in _take(mailbox, now)]
    assert events == ["row"] * 200


def test_a_resync_that_waits_is_not_passed_either() -> None:
    mailbox = _mailbox(20)
    mailbox.put("t", _told(5, "MODIFIED", "a", 5), "en")
    mailbox.resync("t", "told")
    mailbox.put("u", _told(9, "MODIFIED", "b", 9, topic="u"), "en")
    assert mailbox.resume() == "5-0@e"
    assert [(event, id_) for event, _, id_ in _take(mailbox, 0)] == [("resync", ""), ("row", "9-0@e")]


def test_a_connection_that_is_busy_is_paced_and_nobody_waits_over_a_second() -> None:
    mailbox = _mailbox()
    rng, now, sent, flushes = random.Random(1), 0.0, 0, [0.0]
    for number in range(20_000):
        mailbox.put("t", _told(number, "MODIFIED", f"n{rng.randrange(40)}", number, size=1500), "en")
        now += 0.001
        due = mailbox.due(now)
        assert due is not None
        assert due - flushes[-1] <= 1.001
        if due <= now:
            sent += len(mailbox.take(now)[0])
            flushes.append(now)
    assert sent <= BURST_BYTES + now * BYTES_PER_SECOND * 1.1 + 4000
    assert sent > now * BYTES_PER_SECOND * 0.8


def test_news_are_told_together_four_times_a_second() -> None:
    mailbox, subscriber, batches = _mailbox(), Subscriber(), []
    asked = 0
    for number in range(2000):
        now = 10 + number / 1000
        if subscriber.woken >= 0 and (asked == 0 or subscriber.woken == asked):
            asked += not mailbox.news("t", _told(number, "MODIFIED", f"n{number}", number), subscriber)
        if (due := mailbox.due(now)) is not None and due <= now:
            batches += _take(mailbox, now)
    assert 7 <= len(batches) <= 9
    assert "names" not in batches[2][1]
    assert batches[0][1]["names"] == [["ns", "n0"]]


def test_a_refused_topic_leaves_nothing_behind() -> None:
    mailbox = _mailbox()
    mailbox.put("t", _told(1, "MODIFIED", "a"), "en")
    mailbox.news("t", _told(2, "MODIFIED", "b"), Subscriber())
    mailbox.resync("t", "told")
    mailbox.put("t", _told(3, "MODIFIED", "a"), "en")
    mailbox.forget("t")
    assert not mailbox
    assert mailbox.bytes == 0


def test_whatever_happens_the_client_ends_with_the_truth() -> None:
    """Random changes of random objects, a reader of random patience whose connection breaks at random: at the end it
    holds what is, nothing went backwards, and nothing had to be remembered but the last id.
    """
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    for _ in range(20):
        _one_life(rng, f"seed {seed}")


def _one_life(rng: random.Random, seed: str) -> None:
    truth: dict[str, int] = {}  # uid → version
    history: list[LiveUpdate] = []
    client: dict[str, int] = {}
    newest: dict[str, int] = {}
    reach = Reach((0, 0), "e")
    mailbox, now, last = Mailbox(), 0.0, ""
    mailbox.reach = reach

    def hear(body: bytes) -> None:
        nonlocal last
        for event, data, id_ in _events(body):
            if event == "resync":
                client.clear()
                client.update(truth)
                newest.update(truth)
            else:
                uid, version = data["uid"], int(data["version"])
                assert version >= newest.get(uid, 0) or repeated, seed
                if version >= newest.get(uid, 0):
                    newest[uid] = version
                    client.pop(uid, None)
                    if event != "gone":
                        client[uid] = version
            last = id_ or last

    repeated = False
    for number in range(1, 1500):
        now += rng.random() / 100
        uid = f"u{rng.randrange(rng.choice((3, 30, 300)))}"
        kind = "ADDED" if uid not in truth else rng.choice(("MODIFIED", "MODIFIED", "MODIFIED", "DELETED"))
        truth[uid] = number
        if kind == "DELETED":
            del truth[uid]
        topic = f"t{int(uid[1:]) % 3}"
        history.append(_told(number, kind, uid, number, topic, uid, rng.choice((40, 900, 6000))))
        mailbox.put(topic, history[-1], "en")
        reach.order = history[-1].order
        if rng.random() < 0.2 and (due := mailbox.due(now)) is not None and due <= now:
            hear(mailbox.take(now)[0])
        if rng.random() < 0.01:
            # The connection broke in the middle of a flush: part of it came, the rest did not.
            whole = [part + b"\n\n" for part in mailbox.take(now)[0].split(b"\n\n")[:-1]]
            hear(b"".join(whole[: rng.randrange(len(whole) + 1)]))
            mailbox = Mailbox()
            mailbox.reach = reach
            repeated = True
            start = order(last.partition("@")[0]) if last else (0, 0)
            for entry in history:
                if entry.order >= start:
                    mailbox.put(entry.topic, entry, "en")
    while mailbox:
        now += 0.1
        hear(mailbox.take(now)[0])
    assert client == truth, seed
