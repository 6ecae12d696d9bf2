"""What stands before the console in deploy/ lets live updates stay open, passes them on as they come, and sends no
request twice.
"""

import re

from resources.stream.broker import HEARTBEAT_SECONDS
from tests.deploy.manifests import named, objects
from tests.deploy.nginx import CONFIGURATION

#: Two heartbeats may be late together.
ENOUGH = 3 * HEARTBEAT_SECONDS


def test_istio_sets_no_timeout() -> None:
    found = objects("public-istio")
    (route,) = [item for item in named(found, "VirtualService", "console")["spec"]["http"] if item["name"] == "console"]
    assert "timeout" not in route
    assert route["retries"] == {"attempts": 0}
    policy = named(found, "DestinationRule", "console")["spec"]["trafficPolicy"]
    # None of `connectionPool`: its idleTimeout and maxConnectionDuration would cut streams off.
    assert list(policy) == ["loadBalancer"]


def test_ingress_nginx_waits_for_the_heartbeat() -> None:
    notes = named(objects("public-ingress"), "Ingress", "console")["metadata"]["annotations"]
    given = {name.rpartition("/")[2]: value for name, value in notes.items()}
    assert int(given["proxy-read-timeout"]) > ENOUGH
    assert int(given["proxy-send-timeout"]) > ENOUGH
    assert given["proxy-buffering"] == "off"


def test_nginx_waits_for_the_heartbeat() -> None:
    text = re.sub(r"#.*", "", CONFIGURATION.read_text())
    assert re.findall(r"proxy_(?:read|send)_timeout (\S+);", text) == ["1h", "1h"]
    assert "proxy_buffering" not in text, "the console says itself what is not to be kept back"
    assert "non_idempotent" not in text, "a POST is never sent twice"
