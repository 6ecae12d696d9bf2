"""Live status in numbers, for Prometheus: what this web process reads and tells, and what the hubs say of
themselves. docs/live-metrics.md lists them.
"""

from collections.abc import Callable, Iterable
from weakref import WeakSet

import msgspec
from prometheus_client import REGISTRY
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from console.web import clusters
from resources.changes import HubState, RedisError
from resources.changes.heartbeats import hub_states
from resources.stream.broker import Broker
from resources.stream.counts import LAG_BOUNDS, counts

_PREFIX = "console_live"
_TOTALS = {
    "entries": "Changes read from Redis",
    "events": "Changes written to browsers",
    "bytes": "Bytes written to browsers",
    "merged": "Changes that took the place of earlier ones which were not sent yet",
    "rendered": "Rows drawn as HTML; each once for all who show it",
    "refused": "Topics refused to a connection, or withdrawn from it",
    "stuck": "Connections cut because nothing was read from them",
}
# Of a hub: what only grows. Everything else in its heartbeat is a state.
_GROWING = {"events", "relists", "resumes", "errors", "lost"}


class LiveCollector(Collector):
    """Collected on each scrape: counting itself costs no more than an addition."""

    def __init__(self) -> None:
        self.brokers: WeakSet[Broker] = WeakSet()

    def describe(self) -> Iterable[Metric]:
        """Nothing in advance: registering must not ask Redis."""
        return ()

    def collect(self) -> Iterable[Metric]:
        for name, words in _TOTALS.items():
            yield CounterMetricFamily(f"{_PREFIX}_{name}", words, getattr(counts, name))
        resyncs = CounterMetricFamily(
            f"{_PREFIX}_resyncs", "Lists that had to be read again, and why", labels=["reason"]
        )
        for reason in ("gap", "overflow", "epoch", "since", "redis", "told"):
            resyncs.add_metric([reason], counts.resyncs[reason])
        yield resyncs
        lines = [line for broker in tuple(self.brokers) for line in tuple(broker.lines)]
        waiting = [line.mailbox.bytes for line in lines]
        yield _gauge("clients", "Open streams of this process", len(lines))
        yield _gauge(
            "topics", "Topics that somebody looks at here", sum(len(broker.feeds) for broker in tuple(self.brokers))
        )
        yield _gauge("waiting_bytes", "What waits to be sent, all connections together", sum(waiting))
        yield _gauge("waiting_bytes_most", "What waits on the connection on which most does", max(waiting, default=0))
        yield self._lag()
        yield from self._hubs()

    def _lag(self) -> Metric:
        seen, buckets = 0, []
        for bound, number in zip((*LAG_BOUNDS, None), counts.lag, strict=True):
            seen += number
            buckets.append(("+Inf" if bound is None else str(bound / 1000), float(seen)))
        words = "From a change's entry in Redis to its bytes handed to the socket"
        return HistogramMetricFamily(f"{_PREFIX}_lag_seconds", words, buckets, counts.lag_sum / 1000)

    def _hubs(self) -> Iterable[Metric]:
        try:
            hubs = [hub for offered in clusters.offered() for hub in hub_states(*filter(None, (offered.alias,)))]
        except RedisError:
            hubs = None
        yield _gauge("redis_up", "Whether Redis answers", int(hubs is not None))
        if not hubs:
            return
        yield _of_hubs("problem", "1 while the hub can't watch the cluster", hubs, lambda hub: float(bool(hub.problem)))
        for field in msgspec.structs.fields(HubState):
            if field.type not in (int, float):
                continue
            name, scale = field.name, 1.0
            if name.endswith("_ms"):
                name, scale = f"{name.removesuffix('_ms')}_seconds", 0.001
            words = f"{field.name} as the hub's heartbeat says"
            yield _of_hubs(name, words, hubs, lambda hub, field=field, scale=scale: getattr(hub, field.name) * scale)  # type: ignore[misc]


def _gauge(name: str, words: str, value: float) -> Metric:
    return GaugeMetricFamily(f"{_PREFIX}_{name}", words, value)


def _of_hubs(name: str, words: str, hubs: list[HubState], value: Callable[[HubState], float]) -> Metric:
    made = CounterMetricFamily if name in _GROWING else GaugeMetricFamily
    found = made(f"{_PREFIX}_hub_{name}", words, labels=["hub"])
    for hub in hubs:
        found.add_metric([hub.id], value(hub))
    return found


live = LiveCollector()
REGISTRY.register(live)
