"""Broken workloads for test_causes.py, and the sentence by which the console names what is wrong with each.

Each is a Deployment of one Pod unless its fault needs another kind; it has the name of its fault. REGISTRY, BAD and TLS
stand for the ports of registries: the node's own, one that refuses (bad_registry.py), and one whose certificate no one
trusts.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tools.realnode.images import BUSYBOX

NAMESPACE = "broken"
#: Namespaces that refuse Pods.
RESTRICTED, FULL, COUNTED, BOUNDED, HOOKED = (
    f"{NAMESPACE}-{name}" for name in ("restricted", "full", "counted", "bounded", "hooked")
)
NAMESPACES = (NAMESPACE, RESTRICTED, FULL, COUNTED, BOUNDED, HOOKED)
#: What has no namespace, by the word of kubectl.
CLUSTER_OBJECTS = (
    "validatingwebhookconfiguration/broken",
    "storageclass/broken-slow",
    "runtimeclass/broken-kata",
    "crd/shops.broken.example.com",
)
Object = dict[str, Any]
_PAGES = {
    "Pod": "core/v1/pods",
    "PersistentVolumeClaim": "core/v1/persistentvolumeclaims",
    "ConfigMap": "core/v1/configmaps",
    "Deployment": "apps/v1/deployments",
    "StatefulSet": "apps/v1/statefulsets",
    "DaemonSet": "apps/v1/daemonsets",
    "Job": "batch/v1/jobs",
    "CronJob": "batch/v1/cronjobs",
    "HorizontalPodAutoscaler": "autoscaling/v2/horizontalpodautoscalers",
}
# The page of an image's registry that isn't one: user:wrong for localhost.
_AUTH = "eyJhdXRocyI6IHsibG9jYWxob3N0IjogeyJhdXRoIjogImRYTmxjanAzY205dVp3PT0ifX19"
_MOUNTED = {"volumeMounts": [{"name": "data", "mountPath": "/data"}]}
_PROBE = {"periodSeconds": 1, "failureThreshold": 2}
_NEVER = {"restartPolicy": "Never"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """`objects`: the first is asked about. `sentence`: how its first cause begins; '' where its state says it all,
    which is `reason` then.
    """

    objects: tuple[Object, ...]
    sentence: str = ""
    reason: str = ""

    @property
    def name(self) -> str:
        return str(self.objects[0]["metadata"]["name"])

    @property
    def page(self) -> str:
        """Below /resources/ and /api/resources/."""
        first = self.objects[0]
        return f"{_PAGES[first['kind']]}/{first['metadata']['namespace']}/{self.name}/"


def made(kind: str, name: str, api: str, namespace: str = NAMESPACE, **fields: Any) -> Object:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": namespace}, **fields}


def template(name: str, container: Object, spec: Object) -> Object:
    main = {"name": "web", "image": BUSYBOX, "command": ["sleep", "100000"], **container}
    return {
        "metadata": {"labels": {"app": name}},
        "spec": {"terminationGracePeriodSeconds": 0, "containers": [main], **spec},
    }


def workload(kind: str, name: str, container: Object, namespace: str, **spec: Any) -> Object:
    more = {"replicas": spec.pop("replicas")} if "replicas" in spec else {}
    if claims := spec.pop("claims", None):
        more["volumeClaimTemplates"] = claims
    of = {"selector": {"matchLabels": {"app": name}}, "template": template(name, container, spec), **more}
    return made(kind, name, "apps/v1", namespace, spec=of)


def _broken(
    name: str,
    sentence: str,
    container: Object | None = None,
    *more: Object,
    kind: str = "Deployment",
    namespace: str = NAMESPACE,
    **spec: Any,
) -> Broken:
    """`sentence`: what is behind the name in the console's."""
    obj = workload(kind, name, container or {}, namespace, **spec)
    return Broken(objects=(obj, *more), sentence=f"{name} {sentence}")


def _pod(name: str, sentence: str, container: Object, **spec: Any) -> Broken:
    pod = made("Pod", name, "v1", spec=template(name, container, spec)["spec"])
    return Broken(objects=(pod,), sentence=f"{name} {sentence}")


def _job(name: str, sentence: str, container: Object, namespace: str = NAMESPACE, **spec: Any) -> Broken:
    pod = template(name, container, {"restartPolicy": spec.pop("restartPolicy", "Never")})
    job = made("Job", name, "batch/v1", namespace, spec={"template": pod, **spec})
    return Broken(objects=(job,), sentence=f"{name} {sentence}")


def _claim(name: str, **spec: Any) -> Object:
    request = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}}
    return made("PersistentVolumeClaim", name, "v1", spec={**request, **spec})


def _waits_for(name: str, sentence: str, claim: Object | None = None) -> Broken:
    """A Deployment with a claim."""
    claim_name = claim["metadata"]["name"] if claim else "absent"
    volume = _volume(persistentVolumeClaim={"claimName": claim_name})
    obj = workload("Deployment", name, _MOUNTED, NAMESPACE, **volume)
    return Broken(objects=(obj, *((claim,) if claim else ())), sentence=sentence)


def _sh(script: str) -> Object:
    return {"command": ["sh", "-c", script]}


def _volume(**source: Any) -> Object:
    return {"volumes": [{"name": "data", **source}]}


def _image(name: str, policy: str = "IfNotPresent") -> Object:
    return {"image": name, "imagePullPolicy": policy}


def _probe(kind: str, **how: Any) -> Object:
    return {f"{kind}Probe": {**how, **_PROBE}}


def _exec(script: str) -> Object:
    return {"exec": {"command": ["sh", "-c", script]}}


def _images() -> Iterator[Broken]:
    def pulled(name: str, image: str, why: str, policy: str = "IfNotPresent", *more: Object, **spec: Any) -> Broken:
        return _broken(name, f"can't pull {image}: {why}", _image(image, policy), *more, **spec)

    nothing = "localhost:REGISTRY/nothing"
    yield pulled("image-missing", f"{nothing}:1", "the registry has no such image")
    yield pulled("image-digest", f"{nothing}@sha256:{'0' * 64}", "the registry has no such image")
    yield pulled("image-no-name", "nothing:1", "the node can't resolve the name registry-1.docker.io")
    yield pulled("image-refused", "10.89.0.1:1/web:1", "10.89.0.1:1 isn't responding")
    yield pulled("image-no-route", "192.0.2.1/web:1", "192.0.2.1:443 isn't responding")
    yield pulled("image-tls", "10.89.0.1:TLS/web:1", "the registry's certificate isn't trusted")
    for status, why in (
        ("403", "the registry refuses access; a pull secret may be missing"),
        ("429", "the registry's rate limit is reached"),
        ("500", "the registry responds with HTTP 500"),
        ("token", "the registry refuses access; a pull secret may be missing"),
        ("other", "the registry has no image for this node's platform"),
        ("page", "the registry's response isn't an image"),
    ):
        yield pulled(f"image-{status}", f"localhost:BAD/{status}/web:1", why)
    secret = made("Secret", "wrong", "v1", type="kubernetes.io/dockerconfigjson", data={".dockerconfigjson": _AUTH})
    refused = "localhost:BAD/401/web:1"
    why = "the registry refuses access with pull secret wrong"
    yield pulled("image-wrong-secret", refused, why, "Always", secret, imagePullSecrets=[{"name": "wrong"}])
    why = "pull secret absent doesn't exist"
    yield pulled("image-absent-secret", refused, why, "Always", imagePullSecrets=[{"name": "absent"}])
    yield pulled("image-invalid", "WEB:1", "this isn't a valid image name")
    why = "the image isn't on the node, and imagePullPolicy is Never"
    yield pulled("image-never", f"{nothing}:1", why, "Never")
    init = [{"name": "migrate", **_image(f"{nothing}:1")}]
    yield _broken(
        "image-init", f"(migrate) can't pull {nothing}:1: the registry has no such image", initContainers=init
    )


def _containers() -> Iterator[Broken]:
    last = "can't keep running: exit code {}, last line “{}”"
    yield _broken("exit-1", last.format(1, "FATAL: no database"), _sh("echo 'FATAL: no database' >&2; exit 1"))
    yield _broken("exit-127", last.format(127, "sh: serve: not found"), _sh("serve --port 80"))
    yield _broken("exit-0", last.format(0, "done"), _sh("echo done"))
    yield _broken("exit-silent", "can't keep running: its process exits with code 3", _sh("exit 3"))
    yield _broken("exit-signal", "can't keep running: its process is terminated by signal 11", _sh("exit 139"))
    read_only = {**_sh("touch /data"), "securityContext": {"readOnlyRootFilesystem": True}}
    yield _broken("read-only", last.format(1, "touch: /data: Read-only file system"), read_only)
    memory = {**_sh("tail /dev/zero"), "resources": {"limits": {"memory": "20Mi"}}}
    yield _broken("out-of-memory", "can't keep running: it needs more than its memory limit of 20Mi", memory)
    yield _broken("no-program", "can't start: the image has no program serve", {"command": ["serve"]})
    yield _broken("no-path", "can't start: the image has no program /app/serve", {"command": ["/app/serve"]})
    yield _broken("no-executable", "can't start: /bin isn't an executable file", {"command": ["/bin"]})
    hook = {"lifecycle": {"postStart": {"exec": {"command": ["sh", "-c", "exit 4"]}}}}
    yield _broken("hook", "can't start: its postStart hook fails", hook)
    profile = {"securityContext": {"seccompProfile": {"type": "Localhost", "localhostProfile": "none.json"}}}
    yield _broken(
        "seccomp", 'can\'t start: cannot load seccomp profile "/run/kubelet/seccomp/none.json": open', profile
    )
    why = f"can't start: runAsNonRoot is set, and {BUSYBOX} runs as root"
    yield _broken("root-image", why, {"securityContext": {"runAsNonRoot": True}})
    why = "can't start: runAsNonRoot is set, and runAsUser is 0"
    yield _broken("root-user", why, {"securityContext": {"runAsNonRoot": True, "runAsUser": 0}})
    yield _broken("runtime", "can't start: its node has no runtime kata", runtimeClassName="broken-kata")
    init = {"name": "migrate", "image": BUSYBOX}
    failing = {**init, **_sh("echo 'no such table'; exit 2")}
    yield _broken("init-fails", f"(migrate) {last.format(2, 'no such table')}", initContainers=[failing])
    why = "can't start yet: its init container migrate is still running"
    yield _broken("init-waits", why, initContainers=[{**init, **_sh("sleep 100000")}])


def _probes() -> Iterator[Broken]:
    port, http = {"tcpSocket": {"port": 8080}}, {"httpGet": {"path": "/ready", "port": 8080}}
    server = _sh("httpd -f -p 8080")
    for name, why, container in (
        ("http", "it responds with HTTP 404", {**server, **_probe("readiness", **http)}),
        ("closed", "nothing listens on its port", _probe("readiness", **http)),
        ("command", "not yet", _probe("readiness", **_exec("echo not yet; exit 1"))),
        ("silent", "its command fails without output", _probe("readiness", **_exec("exit 1"))),
        ("slow", "it doesn't respond in time", _probe("readiness", **_exec("sleep 30"))),
        ("no-program", "the image has no program pg_isready", _probe("readiness", exec={"command": ["pg_isready"]})),
        ("port", "no port of the container is named http", _probe("readiness", httpGet={"port": "http"})),
        ("grpc", "it doesn't respond in time", _probe("readiness", grpc={"port": 8080})),
    ):
        yield _broken(f"readiness-{name}", f"isn't ready: its readiness probe fails: {why}", container)
    why = "can't keep running: its liveness probe fails: "
    yield _broken("liveness-http", f"{why}it responds with HTTP 404", {**server, **_probe("liveness", **http)})
    missing = f"{why}cat: can't open '/alive': No such file or directory"
    yield _broken("liveness-command", missing, _probe("liveness", exec={"command": ["cat", "/alive"]}))
    yield _broken(
        "startup", "can't start: its startup probe fails: nothing listens on its port", _probe("startup", **port)
    )


def _configuration() -> Iterator[Broken]:
    def env(**source: Any) -> Object:
        return {"env": [{"name": "VALUE", "valueFrom": source}]}

    config, secret = {"name": "settings"}, {"name": "db"}
    own = {"name": "kube-root-ca.crt"}
    no_config, no_secret = "can't start: ConfigMap settings doesn't exist", "can't start: Secret db doesn't exist"
    yield _broken("env-config", no_config, {"envFrom": [{"configMapRef": config}]})
    yield _broken("env-secret", no_secret, env(secretKeyRef={**secret, "key": "password"}))
    no_key = "can't start: ConfigMap kube-root-ca.crt has no key mode"
    yield _broken("env-key", no_key, env(configMapKeyRef={**own, "key": "mode"}))
    yield _broken("volume-config", no_config, _MOUNTED, **_volume(configMap=config))
    yield _broken("volume-secret", no_secret, _MOUNTED, **_volume(projected={"sources": [{"secret": secret}]}))
    item = {"key": "mode", "path": "mode"}
    yield _broken("volume-key", no_key, _MOUNTED, **_volume(configMap={**own, "items": [item]}))
    mount = "can't start: volume data can't be mounted: "
    host = _volume(hostPath={"path": "/nothing", "type": "Directory"})
    yield _broken("volume-host", f"{mount}hostPath type check failed: /nothing is not a directory", _MOUNTED, **host)
    csi = _volume(csi={"driver": "secrets-store.csi.k8s.io"})
    yield _broken("volume-csi", f"{mount}the node has no CSI driver secrets-store.csi.k8s.io", _MOUNTED, **csi)
    yield _broken("volume-nfs", f"{mount}mount: ", _MOUNTED, **_volume(nfs={"server": "10.89.0.1", "path": "/x"}))
    absent = "claim-absent can't be scheduled: PersistentVolumeClaim absent doesn't exist"
    yield _waits_for("claim-absent", absent)
    no_class = "no-class can't get a volume: it sets no StorageClass, and no PersistentVolume matches"
    yield _waits_for("claim-no-class", no_class, _claim("no-class", storageClassName=""))
    missing = "fast can't get a volume: StorageClass fast doesn't exist"
    yield _waits_for("claim-class", missing, _claim("fast", storageClassName="fast"))
    slow = "slow can't get a volume: provisioner example.com/none hasn't created it"
    yield _waits_for("claim-provisioner", slow, _claim("slow", storageClassName="broken-slow"))
    mode = "shared can't get a volume of StorageClass local-path: NodePath only supports ReadWriteOnce"
    yield _waits_for("claim-mode", mode, _claim("shared", accessModes=["ReadWriteMany"]))


def _scheduling() -> Iterator[Broken]:
    def wants(name: str, why: str, container: Object | None = None, **spec: Any) -> Broken:
        return _broken(name, f"can't be scheduled: {why}", container, **spec)

    def needs(**resources: str) -> Object:
        return {"resources": {"requests": resources, "limits": resources}}

    yield wants("cpu", "no node has enough cpu free", needs(cpu="1000"))
    yield wants("memory", "no node has enough memory free", needs(memory="1000Gi"))
    yield wants("gpu", "no node has enough example.com/gpu free", needs(**{"example.com/gpu": "1"}))
    yield wants("selector", "no node has the labels disk=ssd", nodeSelector={"disk": "ssd"})
    ports = {"ports": [{"containerPort": 1, "hostPort": 10001}]}
    yield wants("host-port", "its host port is in use on every node", ports, replicas=2)
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "affinity"}}}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    yield wants("affinity", "no node satisfies its anti-affinity rules", replicas=2, affinity=apart)
    gates = [{"name": "example.com/wait"}]
    yield wants("gates", "its scheduling gates are set: example.com/wait", schedulingGates=gates)
    yield wants("scheduler", "scheduler volcano doesn't act on it", schedulerName="volcano")
    why = "can't start: its node refuses the Pod (OutOfcpu): Node didn't have enough resource: cpu"
    yield _pod("no-room", why, {"resources": {"requests": {"cpu": "1000"}}}, nodeName="node")
    why = 'can\'t start: its node refuses the Pod (SysctlForbidden): forbidden sysctl: "kernel.msgmax" not allowlisted'
    sysctls = [{"name": "kernel.msgmax", "value": "65536"}]
    yield _pod("sysctl", why, {}, nodeName="node", securityContext={"sysctls": sysctls})
    why = 'can\'t keep running: its Pod was evicted: Usage of EmptyDir volume "data" exceeds the limit "1Mi"'
    fills = _sh("head -c 30000000 /dev/zero > /data/x; sleep 100000")
    yield _pod("evicted", why, {**fills, **_MOUNTED}, **_volume(emptyDir={"sizeLimit": "1Mi"}))


def _refused() -> Iterator[Broken]:
    def refused(name: str, why: str, container: Object | None = None, **where: Any) -> Broken:
        return _broken(name, f"can't create Pods: {why}", container, **where)

    yield refused("account", "ServiceAccount robot doesn't exist", serviceAccountName="robot")
    yield refused("priority", "PriorityClass urgent doesn't exist", priorityClassName="urgent")
    yield refused("runtime-class", "RuntimeClass gvisor doesn't exist", runtimeClassName="gvisor")
    why = f"namespace {RESTRICTED} enforces Pod security level restricted: allowPrivilegeEscalation != false, "
    yield refused("restricted", why, namespace=RESTRICTED)
    yield refused("restricted-daemon", why, namespace=RESTRICTED, kind="DaemonSet")
    yield refused("full", "quota no-pods has 0 of 0 pods in use", namespace=FULL)
    yield refused("counted", "quota compute requires each container to set limits.cpu", namespace=COUNTED)
    much = {"resources": {"limits": {"memory": "2Gi"}}}
    yield refused("bounded", "LimitRange allows 1Gi memory per Container, not 2Gi", much, namespace=BOUNDED)
    why = "can't create or change objects: admission webhook policy.example.com fails: its Service doesn't exist"
    yield _broken("hooked", why, namespace=HOOKED)


def _other_kinds() -> Iterator[Broken]:
    yield _job(
        "job-fails", "failed: exit code 1, last line “broken pipe”", _sh("echo broken pipe; exit 1"), backoffLimit=0
    )
    often = "failed: more of its Pods failed than backoffLimit 1 allows"
    yield _job("job-often", often, _sh("exit 1"), restartPolicy="OnFailure", backoffLimit=1)
    yield _job("job-late", "failed: it took longer than 3 s (activeDeadlineSeconds)", {}, activeDeadlineSeconds=3)
    yield _job("job-quota", "can't create Pods: quota no-pods has 0 of 0 pods in use", {}, FULL)
    pod = template("cron", _sh("echo no mail; exit 1"), _NEVER)
    cron = {"schedule": "* * * * *", "jobTemplate": {"spec": {"backoffLimit": 0, "template": pod}}}
    yield Broken(objects=(made("CronJob", "cron", "batch/v1", spec=cron),), sentence="cron-")
    missing = _image("localhost:REGISTRY/nothing:1")
    why = "-0 can't pull localhost:REGISTRY/nothing:1: the registry has no such image"
    stateful = workload("StatefulSet", "stateful", missing, NAMESPACE)
    yield Broken(objects=(stateful,), sentence=f"stateful{why}")
    claims = [{"metadata": {"name": "data"}, "spec": _claim("data", storageClassName="fast")["spec"]}]
    claiming = workload("StatefulSet", "stateful-claim", _MOUNTED, NAMESPACE, claims=claims)
    why = "data-stateful-claim-0 can't get a volume: StorageClass fast doesn't exist"
    yield Broken(objects=(claiming,), sentence=why)
    yield _broken("daemon", "can't keep running: its process exits with code 1", _sh("exit 1"), kind="DaemonSet")
    failed = "failed: its process exited with code 1"
    yield _pod("pod", failed, _sh("exit 1"), **_NEVER)
    target = {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "absent"}, "maxReplicas": 3}
    scaler = made("HorizontalPodAutoscaler", "scaler", "autoscaling/v2", spec=target)
    reason = 'the HPA controller was unable to get the target\'s current scale: deployments.apps "absent" not found'
    yield Broken(objects=(scaler,), reason=reason)
    held = made("ConfigMap", "held", "v1")
    held["metadata"]["finalizers"] = ["example.com/hold"]
    yield Broken(objects=(held,), reason="waits for example.com/hold")


WORKLOADS = tuple(
    broken
    for group in (_images, _containers, _probes, _configuration, _scheduling, _refused, _other_kinds)
    for broken in group()
)


def surroundings() -> Iterator[Object]:
    """Namespaces, and what the objects above meet there."""

    def labeled(name: str, **labels: str) -> Object:
        return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}

    def bare(kind: str, name: str, api: str, **fields: Any) -> Object:
        return {"apiVersion": api, "kind": kind, "metadata": {"name": name}, **fields}

    for name in (NAMESPACE, FULL, COUNTED, BOUNDED):
        yield labeled(name)
    yield labeled(RESTRICTED, **{"pod-security.kubernetes.io/enforce": "restricted"})
    yield labeled(HOOKED, hooked="true")
    yield bare("StorageClass", "broken-slow", "storage.k8s.io/v1", provisioner="example.com/none")
    yield bare("RuntimeClass", "broken-kata", "node.k8s.io/v1", handler="kata")
    yield made("ResourceQuota", "no-pods", "v1", FULL, spec={"hard": {"pods": "0"}})
    yield made("ResourceQuota", "compute", "v1", COUNTED, spec={"hard": {"limits.cpu": "2"}})
    limits = [{"type": "Container", "max": {"memory": "1Gi"}}]
    yield made("LimitRange", "bounds", "v1", BOUNDED, spec={"limits": limits})
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
    webhook = {
        "name": "policy.example.com",
        "clientConfig": {"service": {"name": "policy", "namespace": HOOKED}},
        "namespaceSelector": {"matchLabels": {"hooked": "true"}},
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "rules": [rule],
    }
    api = "admissionregistration.k8s.io/v1"
    yield bare("ValidatingWebhookConfiguration", "broken", api, webhooks=[webhook])
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    names = {"kind": "Shop", "plural": "shops", "singular": "shop", "listKind": "ShopList"}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    spec = {"group": "broken.example.com", "names": names, "scope": "Namespaced", "versions": [version]}
    yield bare("CustomResourceDefinition", "shops.broken.example.com", "apiextensions.k8s.io/v1", spec=spec)
