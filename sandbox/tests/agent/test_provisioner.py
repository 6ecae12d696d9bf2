"""Claims of the agent's own StorageClass: the cluster waits for the agent, which makes a folder of each."""

from pathlib import Path
from typing import Any

from sandbox.tests.agent.kubelet import Kubelet, is_ready, pod
from tests.api import Api
from tests.eventually import until

CLASS = {
    "metadata": {"name": "folders"},
    "provisioner": "operator-console.dev/folder",
    "allowVolumeExpansion": True,
}


def _bound(claim: dict[str, Any]) -> bool:
    return bool(claim["status"].get("phase") == "Bound")


def _claim(size: str) -> dict[str, Any]:
    resources = {"requests": {"storage": size}}
    spec = {"storageClassName": "folders", "accessModes": ["ReadWriteOnce"], "resources": resources}
    return {"metadata": {"name": "data"}, "spec": spec}


def test_a_volume_comes_grows_and_goes_with_its_claim(api: Api, kubelet: Kubelet, namespace: str, data: Path) -> None:
    api.post("/apis/storage.k8s.io/v1/storageclasses", CLASS)
    claims = f"/api/v1/namespaces/{namespace}/persistentvolumeclaims"
    api.post(claims, _claim("1Gi"))
    claim = api.until(f"{claims}/data", _bound)
    name = claim["spec"]["volumeName"]
    folder, volume = data / "volumes" / name, f"/api/v1/persistentvolumes/{name}"
    assert folder.is_dir()
    assert api.get(volume).json["spec"]["hostPath"]["path"] == str(folder)
    assert claim["metadata"]["annotations"]["volume.kubernetes.io/storage-provisioner"] == CLASS["provisioner"]

    api.patch(f"{claims}/data", {"spec": {"resources": {"requests": {"storage": "2Gi"}}}})
    api.until(f"{claims}/data", lambda found: found["status"]["capacity"] == {"storage": "2Gi"})
    assert api.get(volume).json["spec"]["capacity"] == {"storage": "2Gi"}

    api.delete(f"{claims}/data")
    api.until_gone(volume)
    until(lambda: not folder.exists(), "its folder goes", seconds=20)


def test_a_program_finds_its_volume(api: Api, kubelet: Kubelet, namespace: str, data: Path) -> None:
    api.post("/apis/storage.k8s.io/v1/storageclasses", CLASS)
    path = f"/api/v1/namespaces/{namespace}"
    mounts = {"volumeMounts": [{"name": "files", "mountPath": "/data"}]}
    volumes = [{"name": "files", "persistentVolumeClaim": {"claimName": "data"}}]
    api.post(f"{path}/pods", pod("engine", container=mounts, volumes=volumes))
    api.until(f"{path}/pods/engine", lambda found: found["status"].get("containerStatuses"))
    api.post(f"{path}/persistentvolumeclaims", _claim("1Gi"))
    api.until(f"{path}/pods/engine", is_ready)
    name = api.get(f"{path}/persistentvolumeclaims/data").json["spec"]["volumeName"]
    kubelet.run(f"{namespace}/engine", "sh", "-c", "echo kept > $SANDBOX_MOUNT__DATA/file")
    assert (data / "volumes" / name / "file").read_text() == "kept\n"
