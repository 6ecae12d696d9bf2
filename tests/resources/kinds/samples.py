"""An object of each kind with a page of its own, as full as real ones are."""

import base64
import json
from typing import Any

_LABELS = {"app": "web"}
_META = {
    "name": "one",
    "namespace": "shop",
    "uid": "u1",
    "labels": {"node-role.kubernetes.io/worker": ""},
    "annotations": {"a": "b"},
}
_CONTAINER = {
    "name": "web",
    "image": "nginx:1",
    "command": ["sh", "-c"],
    "args": ["true"],
    "ports": [{"containerPort": 80, "name": "http", "hostPort": 8080}],
    "env": [
        {"name": "A", "value": "1"},
        {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
        {"name": "C", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "D", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
    ],
    "envFrom": [{"prefix": "X_", "secretRef": {"name": "s"}}],
    "resources": {"requests": {"cpu": "100m"}, "limits": {"memory": "1Gi"}},
    "livenessProbe": {"exec": {"command": ["true"]}, "initialDelaySeconds": 3},
    "readinessProbe": {"tcpSocket": {"port": 80}},
    "startupProbe": {"grpc": {"port": 80}},
    "volumeMounts": [{"name": "v", "mountPath": "/v", "subPath": "x"}],
    "securityContext": {"privileged": True, "capabilities": {"add": ["NET_ADMIN"], "drop": ["ALL"]}},
}
_POD: dict[str, Any] = {
    "nodeName": "n",
    "serviceAccountName": "default",
    "nodeSelector": {"disk": "ssd"},
    "imagePullSecrets": [{"name": "pull"}],
    "tolerations": [{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}, {}],
    "initContainers": [{"name": "first", "image": "b", "restartPolicy": "Always"}],
    "containers": [_CONTAINER],
    "volumes": [
        {"name": "a", "configMap": {"name": "c"}},
        {"name": "b", "secret": {"secretName": "s"}},
        {"name": "c", "persistentVolumeClaim": {"claimName": "p"}},
        {"name": "d", "emptyDir": {"sizeLimit": "1Gi"}},
        {
            "name": "e",
            "projected": {"sources": [{"serviceAccountToken": {}}, {"configMap": {"name": "c"}}, {"downwardAPI": {}}]},
        },
        {"name": "f", "hostPath": {"path": "/"}},
    ],
}
_STATUS = {
    "phase": "Running",
    "podIP": "10.0.0.1",
    "podIPs": [{"ip": "10.0.0.1"}],
    "containerStatuses": [
        {
            "name": "web",
            "ready": True,
            "restartCount": 2,
            "state": {"running": {}},
            "lastState": {"terminated": {"reason": "Error", "exitCode": 1}},
        }
    ],
}
# The Pod has all of it.
_TEMPLATE = {
    "metadata": {"labels": _LABELS},
    "spec": {"serviceAccountName": "a", "containers": [{"name": "x", "image": "y"}]},
}
_WORKLOAD = {
    "replicas": 3,
    "selector": {"matchLabels": _LABELS, "matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]},
    "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": "25%", "partition": 2}},
    "template": _TEMPLATE,
    "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "1Gi"}}}}],
}
_AUTHS = {"auths": {"quay.io": {"auth": base64.b64encode(b"me:secret").decode()}}}
_PORTS = [{"name": "http", "port": 80, "targetPort": "web", "nodePort": 30080}]
_RULES = [
    {"apiGroups": [""], "resources": ["pods"], "resourceNames": ["a"], "verbs": ["get"]},
    {"nonResourceURLs": ["/x"], "verbs": ["get"]},
]
_RBAC = "rbac.authorization.k8s.io"
_BINDING = {
    "roleRef": {"kind": "Role", "name": "r"},
    "subjects": [{"kind": "ServiceAccount", "name": "a", "namespace": "b"}],
}


def _of(api_version: str, kind: str, **parts: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": _META, **parts}


SAMPLES = [
    _of("v1", "Pod", spec=_POD, status=_STATUS),
    *(
        _of("apps/v1", kind, spec=_WORKLOAD, status={"replicas": 3, "readyReplicas": 2, "desiredNumberScheduled": 2})
        for kind in ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")
    ),
    _of(
        "batch/v1",
        "Job",
        spec={"completions": 2, "template": _TEMPLATE},
        status={
            "succeeded": 1,
            "startTime": "2026-01-01T00:00:00Z",
            "completionTime": "2026-01-01T01:00:00Z",
            "conditions": [{"type": "Failed", "status": "True"}],
        },
    ),
    _of(
        "batch/v1",
        "CronJob",
        spec={"schedule": "0 3 * * 1", "timeZone": "Asia/Seoul", "jobTemplate": {"spec": {"template": _TEMPLATE}}},
        status={"lastScheduleTime": "2026-01-01T00:00:00Z"},
    ),
    _of(
        "v1",
        "Service",
        spec={
            "type": "LoadBalancer",
            "clusterIP": "10.0.0.1",
            "clusterIPs": ["10.0.0.1"],
            "externalIPs": ["1.1.1.1"],
            "selector": _LABELS,
            "ports": _PORTS,
        },
        status={"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}},
    ),
    _of(
        "networking.k8s.io/v1",
        "Ingress",
        spec={
            "ingressClassName": "nginx",
            "tls": [{"hosts": ["a.example"], "secretName": "s"}],
            "defaultBackend": {"resource": {"apiGroup": "x", "kind": "Y", "name": "z"}},
            "rules": [
                {
                    "host": "a.example",
                    "http": {"paths": [{"path": "/", "backend": {"service": {"name": "w", "port": {"number": 80}}}}]},
                }
            ],
        },
        status={"loadBalancer": {"ingress": [{"hostname": "x"}]}},
    ),
    _of(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        spec={
            "podSelector": {"matchLabels": _LABELS},
            "policyTypes": ["Ingress", "Egress"],
            "ingress": [
                {
                    "from": [
                        {"podSelector": {}, "namespaceSelector": {"matchLabels": _LABELS}},
                        {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}},
                    ],
                    "ports": [{"port": 80, "endPort": 90}],
                }
            ],
            "egress": [{}],
        },
    ),
    _of(
        "discovery.k8s.io/v1",
        "EndpointSlice",
        ports=[{"port": 80, "name": "http"}],
        endpoints=[
            {
                "addresses": ["10.0.0.2"],
                "conditions": {"ready": False, "terminating": True},
                "targetRef": {"kind": "Pod", "name": "p"},
                "nodeName": "n",
            }
        ],
    ),
    _of(
        "v1",
        "Endpoints",
        subsets=[
            {"addresses": [{"ip": "10.0.0.2", "targetRef": {"kind": "Pod", "name": "p"}}], "ports": [{"port": 80}]}
        ],
    ),
    _of("v1", "ConfigMap", data={"a": "text"}, binaryData={"b": "AAEC"}, immutable=True),
    _of("v1", "Secret", type="kubernetes.io/tls", data={"tls.crt": "bm9uc2Vuc2U=", "tls.key": "eA=="}),
    _of(
        "v1",
        "Secret",
        type="kubernetes.io/dockerconfigjson",
        data={".dockerconfigjson": base64.b64encode(json.dumps(_AUTHS).encode()).decode()},
    ),
    _of(
        "v1",
        "PersistentVolumeClaim",
        spec={
            "volumeName": "v",
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
            "dataSource": {"kind": "PersistentVolumeClaim", "name": "x"},
        },
        status={"capacity": {"storage": "1Gi"}, "conditions": [{"type": "Resizing"}]},
    ),
    _of(
        "v1",
        "PersistentVolume",
        spec={
            "capacity": {"storage": "1Gi"},
            "claimRef": {"namespace": "a", "name": "b"},
            "csi": {"driver": "d", "volumeHandle": "h"},
        },
    ),
    _of("storage.k8s.io/v1", "StorageClass", provisioner="p", parameters={"type": "ssd"}),
    _of(
        "v1",
        "Namespace",
        metadata={**_META, "deletionTimestamp": "2026-01-01T00:00:00Z"},
        status={"conditions": [{"type": "NamespaceContentRemaining", "status": "True", "message": "m"}]},
    ),
    _of(
        "v1",
        "ResourceQuota",
        spec={"hard": {"pods": "4"}, "scopes": ["Terminating"]},
        status={"hard": {"pods": "4", "cpu": "1"}, "used": {"pods": "5", "cpu": "500m"}},
    ),
    _of("v1", "LimitRange", spec={"limits": [{"type": "Pod", "max": {"cpu": "2"}}]}),
    _of(f"{_RBAC}/v1", "Role", rules=_RULES),
    _of(
        f"{_RBAC}/v1", "ClusterRole", rules=_RULES, aggregationRule={"clusterRoleSelectors": [{"matchLabels": _LABELS}]}
    ),
    _of(f"{_RBAC}/v1", "RoleBinding", **_BINDING),
    _of(f"{_RBAC}/v1", "ClusterRoleBinding", **_BINDING),
    _of("v1", "ServiceAccount", secrets=[{"name": "s"}], imagePullSecrets=[{"name": "p"}]),
    _of(
        "v1",
        "Node",
        spec={"unschedulable": True, "taints": [{"key": "a", "value": "b", "effect": "NoSchedule"}]},
        status={
            "addresses": [{"type": "InternalIP", "address": "1"}],
            "capacity": {"cpu": "4"},
            "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"},
            "nodeInfo": {"kubeletVersion": "v1"},
        },
    ),
]
