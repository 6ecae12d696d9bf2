"""Measurements as metrics-server writes them, and the odd ones of others."""

import pytest

from resources.usage import Usage, cpu_text, memory_text, usages


def _pod(*containers: object, name: str = "web") -> dict:
    return {"kind": "PodMetrics", "metadata": {"name": name, "namespace": "shop"}, "containers": list(containers)}


def _container(name: str, cpu: str, memory: str) -> dict:
    return {"name": name, "usage": {"cpu": cpu, "memory": memory}}


def test_a_pod_is_the_sum_of_its_containers() -> None:
    found = usages([_pod(_container("web", "12345678n", "34567Ki"), _container("side", "250m", "1Mi"))])
    used = found["shop", "web"]
    assert used.cores == pytest.approx(0.262345678)
    assert used.memory == 34567 * 1024 + 1024 * 1024
    assert [(name, item.memory) for name, item in used.containers] == [("web", 34567 * 1024), ("side", 1 << 20)]


def test_a_node() -> None:
    item = {"kind": "NodeMetrics", "metadata": {"name": "n1"}, "usage": {"cpu": "1", "memory": "2Gi"}}
    assert usages([item]) == {("", "n1"): Usage(1.0, 2 << 30)}


def test_what_a_node_can_give() -> None:
    status = {"allocatable": {"cpu": "3920m", "memory": "16Gi", "pods": "110"}}
    assert usages([{"kind": "Node", "metadata": {"name": "n1"}, "status": status}]) == {
        ("", "n1"): Usage(3.92, 16 << 30)
    }
    assert usages([{"kind": "Node", "metadata": {"name": "n1"}}]) == {}


@pytest.mark.parametrize(
    "item",
    [
        _pod({"name": "web"}),
        _pod(_container("web", "lots", "1Ki")),
        _pod(_container("web", "1", "")),
        _pod(_container("web", "-1", "1Ki")),
        _pod(_container("web", "1m", "1Ki"), "nonsense"),
        _pod({"name": "web", "usage": ["1", "2"]}),
        {"kind": "NodeMetrics", "metadata": {"name": "web"}, "usage": None},
        {"kind": "NodeMetrics", "metadata": {"name": "web"}},
    ],
)
def test_what_is_no_measurement_is_left_out(item: dict) -> None:
    good = _pod(_container("web", "1m", "1Ki"), name="good")
    assert list(usages([item, good])) == [("shop", "good")]


def test_words() -> None:
    assert [cpu_text(value) for value in (0, 0.0001, 0.0124, 1, 1.5)] == ["0", "1m", "12m", "1", "1500m"]
    assert [memory_text(value) for value in (0, 34567 * 1024, 3 << 30)] == ["0 B", "34 MiB", "3 GiB"]
