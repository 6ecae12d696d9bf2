"""K2: a Pod's token is short on the embedded cluster too, and replaced in its files before it ends."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import yaml

from sandbox.assembly import Sandbox, assemble
from sandbox.context import POD_TOKEN_SECONDS
from sandbox.runtime import pod as pods
from sandbox.runtime.node import Node
from sandbox.seed import seed
from sandbox.tokens import ISSUER

IMAGES = f"""
[[image]]
match = "sleeper"
command = ["{sys.executable}", "-c", "import time; time.sleep(600)"]
"""
POD = {
    "metadata": {"name": "sleeper"},
    "spec": {
        "nodeName": "here",
        "automountServiceAccountToken": False,
        "containers": [{"name": "main", "image": "sleeper", "volumeMounts": [{"name": "own", "mountPath": "/own"}]}],
        "volumes": [{"name": "own", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}],
    },
}


@pytest.fixture
async def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Sandbox]:
    """A node with a Pod whose tokens are replaced after half a second, long before they end."""
    monkeypatch.setattr(pods, "RENEW_AT", 0.5 / POD_TOKEN_SECONDS)
    (tmp_path / "data").mkdir()
    images = tmp_path / "images.toml"
    images.write_text(IMAGES)
    found = assemble(tmp_path / "data", images=images)
    seed(found.cluster, without=("olm", "operators"))
    found.cluster.create("serviceaccounts", {"metadata": {"name": "default"}}, "default")
    node = Node(found.cluster, found.context, "here")
    following = asyncio.create_task(node.follow())
    found.cluster.create("pods", POD, "default")
    yield found
    following.cancel()
    await node.close()


async def _text(path: Path, *, other_than: str = "") -> str:
    async with asyncio.timeout(20):
        while not path.exists() or path.read_text() in ("", other_than):
            await asyncio.sleep(0.05)
    return path.read_text()


async def test_k2_a_token_is_replaced_before_it_ends(sandbox: Sandbox) -> None:
    uid = sandbox.cluster.get("pods", "sleeper", "default")["metadata"]["uid"]
    folder = sandbox.context.data_dir / "pods" / uid
    account, volume = folder / "serviceaccount/token", folder / "volumes/own/token"
    first, of_volume = await _text(account), await _text(volume)
    second = await _text(account, other_than=first)
    assert await _text(volume, other_than=of_volume)
    for token in (first, second):
        user = sandbox.tokens.user(token)
        assert user and user.name == "system:serviceaccount:default:default"
    config = yaml.safe_load((account.parent / "kubeconfig").read_text())
    assert (account.parent / config["users"][0]["user"]["tokenFile"]) == account


async def test_k2_a_token_ends_with_its_pod(sandbox: Sandbox) -> None:
    pod = sandbox.cluster.get("pods", "sleeper", "default")
    token = sandbox.context.pod_token(pod, "default")
    reviewed = sandbox.tokens.review(token, (ISSUER,))
    assert reviewed.user and abs(reviewed.expires - time.time() - POD_TOKEN_SECONDS) < 60
    sandbox.cluster.delete("pods", "sleeper", "default", grace=0)
    assert sandbox.tokens.user(token) is None
