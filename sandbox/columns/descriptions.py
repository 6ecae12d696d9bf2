"""What the columns of the built-in kinds mean: a sentence, or the field whose description it is
(``core.v1.Pod#spec``).
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from ..schema.builtin import content
from .column import AGE_TEXT, NAME_TEXT

_ANY = {
    "Name": NAME_TEXT,
    "Age": AGE_TEXT,
    "Created At": AGE_TEXT,
    "Containers": "Names of each container in the template.",
    "Images": "Images referenced by each container in the template.",
}
_WEBHOOKS = {"Webhooks": "Webhooks indicates the number of webhooks registered in this configuration"}
_EVENT = {
    "Last Seen": "core.v1.Event#lastTimestamp",
    "Type": "core.v1.Event#type",
    "Reason": "core.v1.Event#reason",
    "Object": "core.v1.Event#involvedObject",
    "Subobject": "core.v1.ObjectReference#fieldPath",
    "Source": "core.v1.Event#source",
    "Message": "core.v1.Event#message",
    "First Seen": "core.v1.Event#firstTimestamp",
    "Count": "core.v1.Event#count",
}
_OF_KINDS: dict[str, dict[str, str]] = {
    "pods": {
        "Ready": "The aggregate readiness state of this pod for accepting traffic.",
        "Status": "The aggregate status of the containers in this pod.",
        "Restarts": (
            "The number of times the containers in this pod have been restarted and when the last container in this pod"
            " has restarted."
        ),
        "IP": "core.v1.PodStatus#podIP",
        "Node": "core.v1.PodSpec#nodeName",
        "Nominated Node": "core.v1.PodStatus#nominatedNodeName",
        "Readiness Gates": "core.v1.PodSpec#readinessGates",
    },
    "services": {
        "Type": "core.v1.ServiceSpec#type",
        "Cluster-IP": "core.v1.ServiceSpec#clusterIP",
        "External-IP": "core.v1.ServiceSpec#externalIPs",
        "Port(s)": "core.v1.ServiceSpec#ports",
        "Selector": "core.v1.ServiceSpec#selector",
    },
    "endpoints": {
        "Endpoints": "core.v1.Endpoints#subsets",
    },
    "configmaps": {
        "Data": "core.v1.ConfigMap#data",
    },
    "secrets": {
        "Type": "core.v1.Secret#type",
        "Data": "core.v1.Secret#data",
    },
    "persistentvolumeclaims": {
        "Status": "core.v1.PersistentVolumeClaimStatus#phase",
        "Volume": "core.v1.PersistentVolumeClaimSpec#volumeName",
        "Capacity": "core.v1.PersistentVolumeClaimStatus#capacity",
        "Access Modes": "core.v1.PersistentVolumeClaimStatus#accessModes",
        "StorageClass": "StorageClass of the pvc",
        "VolumeAttributesClass": "VolumeAttributesClass of the pvc",
        "VolumeMode": "core.v1.PersistentVolumeClaimSpec#volumeMode",
    },
    "persistentvolumes": {
        "Capacity": "core.v1.PersistentVolumeSpec#capacity",
        "Access Modes": "core.v1.PersistentVolumeSpec#accessModes",
        "Reclaim Policy": "core.v1.PersistentVolumeSpec#persistentVolumeReclaimPolicy",
        "Status": "core.v1.PersistentVolumeStatus#phase",
        "Claim": "core.v1.PersistentVolumeSpec#claimRef",
        "StorageClass": "StorageClass of the pv",
        "VolumeAttributesClass": "VolumeAttributesClass of the pv",
        "Reason": "core.v1.PersistentVolumeStatus#reason",
        "VolumeMode": "core.v1.PersistentVolumeSpec#volumeMode",
    },
    "namespaces": {
        "Status": "The status of the namespace",
    },
    "nodes": {
        "Status": "The status of the node",
        "Roles": "The roles of the node",
        "Version": "core.v1.NodeSystemInfo#kubeletVersion",
        "Internal-IP": "core.v1.NodeStatus#addresses",
        "External-IP": "core.v1.NodeStatus#addresses",
        "OS-Image": "core.v1.NodeSystemInfo#osImage",
        "Kernel-Version": "core.v1.NodeSystemInfo#kernelVersion",
        "Container-Runtime": "core.v1.NodeSystemInfo#containerRuntimeVersion",
    },
    "events": _EVENT,
    "events.events.k8s.io": _EVENT,
    "replicationcontrollers": {
        "Desired": "core.v1.ReplicationControllerSpec#replicas",
        "Current": "core.v1.ReplicationControllerStatus#replicas",
        "Ready": "core.v1.ReplicationControllerStatus#readyReplicas",
        "Selector": "core.v1.ReplicationControllerSpec#selector",
    },
    "podtemplates": {
        "Pod Labels": "The labels for the pod template.",
    },
    "resourcequotas": {
        "Request": "Request represents a minimum amount of cpu/memory that a container may consume.",
        "Limit": (
            "Limits control the maximum amount of cpu/memory that a container may use independent of contention on the"
            " node."
        ),
    },
    "deployments.apps": {
        "Ready": "Number of the pod with ready state",
        "Up-to-date": "apps.v1.DeploymentStatus#updatedReplicas",
        "Available": "apps.v1.DeploymentStatus#availableReplicas",
        "Selector": "apps.v1.DeploymentSpec#selector",
    },
    "statefulsets.apps": {
        "Ready": "Number of the pod with ready state",
    },
    "replicasets.apps": {
        "Desired": "apps.v1.ReplicaSetSpec#replicas",
        "Current": "apps.v1.ReplicaSetStatus#replicas",
        "Ready": "apps.v1.ReplicaSetStatus#readyReplicas",
        "Selector": "apps.v1.ReplicaSetSpec#selector",
    },
    "daemonsets.apps": {
        "Desired": "apps.v1.DaemonSetStatus#desiredNumberScheduled",
        "Current": "apps.v1.DaemonSetStatus#currentNumberScheduled",
        "Ready": "apps.v1.DaemonSetStatus#numberReady",
        "Up-to-date": "apps.v1.DaemonSetStatus#updatedNumberScheduled",
        "Available": "apps.v1.DaemonSetStatus#numberAvailable",
        "Node Selector": "core.v1.PodSpec#nodeSelector",
        "Selector": "apps.v1.DaemonSetSpec#selector",
    },
    "controllerrevisions.apps": {
        "Controller": "Controller of the object",
        "Revision": "apps.v1.ControllerRevision#revision",
    },
    "jobs.batch": {
        "Status": "Status of the job.",
        "Completions": "batch.v1.JobStatus#succeeded",
        "Duration": "Time required to complete the job.",
        "Selector": "batch.v1.JobSpec#selector",
    },
    "cronjobs.batch": {
        "Schedule": "batch.v1.CronJobSpec#schedule",
        "Timezone": "batch.v1.CronJobSpec#timeZone",
        "Suspend": "batch.v1.CronJobSpec#suspend",
        "Active": "batch.v1.CronJobStatus#active",
        "Last Schedule": "batch.v1.CronJobStatus#lastScheduleTime",
        "Selector": "batch.v1.JobSpec#selector",
    },
    "rolebindings.rbac.authorization.k8s.io": {
        "Role": (
            "RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the"
            " RoleRef cannot be resolved, the Authorizer must return an error."
        ),
        "Users": "Users in the roleBinding",
        "Groups": "Groups in the roleBinding",
        "ServiceAccounts": "ServiceAccounts in the roleBinding",
    },
    "clusterrolebindings.rbac.authorization.k8s.io": {
        "Role": (
            "RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the"
            " Authorizer must return an error."
        ),
        "Users": "Users in the clusterRoleBinding",
        "Groups": "Groups in the clusterRoleBinding",
        "ServiceAccounts": "ServiceAccounts in the clusterRoleBinding",
    },
    "storageclasses.storage.k8s.io": {
        "Provisioner": "storage.v1.StorageClass#provisioner",
        "ReclaimPolicy": "storage.v1.StorageClass#reclaimPolicy",
        "VolumeBindingMode": "storage.v1.StorageClass#volumeBindingMode",
        "AllowVolumeExpansion": "storage.v1.StorageClass#allowVolumeExpansion",
    },
    "apiservices.apiregistration.k8s.io": {
        "Service": "The reference to the service that hosts this API endpoint.",
        "Available": "Whether this service is available.",
    },
    "endpointslices.discovery.k8s.io": {
        "AddressType": "discovery.v1.EndpointSlice#addressType",
        "Ports": "discovery.v1.EndpointSlice#ports",
        "Endpoints": "discovery.v1.EndpointSlice#endpoints",
    },
    "ingresses.networking.k8s.io": {
        "Class": "The name of the IngressClass resource that should be used for additional configuration",
        "Hosts": "Hosts that incoming requests are matched against before the ingress rule",
        "Address": "Address is a list containing ingress points for the load-balancer",
        "Ports": "Ports of TLS configurations that open",
    },
    "ingressclasses.networking.k8s.io": {
        "Controller": "Controller that is responsible for handling this class",
        "Parameters": "A reference to a resource with additional parameters",
    },
    "networkpolicies.networking.k8s.io": {
        "Pod-Selector": "networking.v1.NetworkPolicySpec#podSelector",
    },
    "poddisruptionbudgets.policy": {
        "Min Available": "The minimum number of pods that must be available.",
        "Max Unavailable": "The maximum number of pods that may be unavailable.",
        "Allowed Disruptions": "Calculated number of pods that may be disrupted at this time.",
    },
    "horizontalpodautoscalers.autoscaling": {
        "Reference": "autoscaling.v2.HorizontalPodAutoscalerSpec#scaleTargetRef",
        "Targets": "autoscaling.v2.HorizontalPodAutoscalerSpec#metrics",
        "MinPods": "autoscaling.v2.HorizontalPodAutoscalerSpec#minReplicas",
        "MaxPods": "autoscaling.v2.HorizontalPodAutoscalerSpec#maxReplicas",
        "Replicas": "autoscaling.v2.HorizontalPodAutoscalerStatus#currentReplicas",
    },
    "leases.coordination.k8s.io": {
        "Holder": "coordination.v1.LeaseSpec#holderIdentity",
    },
    "mutatingwebhookconfigurations.admissionregistration.k8s.io": _WEBHOOKS,
    "validatingwebhookconfigurations.admissionregistration.k8s.io": _WEBHOOKS,
    "priorityclasses.scheduling.k8s.io": {
        "Value": "scheduling.v1.PriorityClass#value",
        "Global-Default": "scheduling.v1.PriorityClass#globalDefault",
        "PreemptionPolicy": "scheduling.v1.PriorityClass#preemptionPolicy",
    },
}


@lru_cache(maxsize=512)
def description(key: str, column: str) -> str:
    """The description of a column of the kind with this resource key; empty when it has none."""
    text = _OF_KINDS.get(key, {}).get(column) or _ANY.get(column, "")
    component, mark, field = text.partition("#")
    if not mark or " " in component:
        return text
    raw = content().schemas.get(f"io.k8s.api.{component}")
    properties = msgspec.json.decode(raw).get("properties", {}) if raw is not None else {}
    return str(properties.get(field, {}).get("description", "")).partition("\n\nPossible enum values")[0]
