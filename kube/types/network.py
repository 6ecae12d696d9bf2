"""Services, EndpointSlices, Ingresses and NetworkPolicies."""

from typing import Any

from kube.reader import ApiType, IntOrString
from kube.types.meta import Condition, Object, ObjectReference, TypedLocalObjectReference


class ServicePort(ApiType, frozen=True):
    name: str = ""
    protocol: str = ""
    port: IntOrString = ""
    target_port: IntOrString = ""
    node_port: IntOrString = ""


class ServiceSpec(ApiType, frozen=True):
    type: str = ""
    cluster_ip: str = ""
    cluster_ips: tuple[str, ...] = ()
    external_ips: tuple[str, ...] = ()
    external_name: str = ""
    session_affinity: str = ""
    external_traffic_policy: str = ""
    selector: dict[str, str] = {}
    ports: tuple[ServicePort, ...] = ()


class LoadBalancerIngress(ApiType, frozen=True):
    hostname: str = ""
    ip: str = ""

    @property
    def address(self) -> str:
        return self.hostname or self.ip


class LoadBalancerStatus(ApiType, frozen=True):
    ingress: tuple[LoadBalancerIngress, ...] = ()


class ServiceStatus(ApiType, frozen=True):
    load_balancer: LoadBalancerStatus = LoadBalancerStatus()


class Service(Object, frozen=True):
    spec: ServiceSpec = ServiceSpec()
    status: ServiceStatus = ServiceStatus()


class EndpointConditions(ApiType, frozen=True):
    """`ready`: unset means ready (https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/#ready)."""

    ready: bool = True
    terminating: bool = False


class Endpoint(ApiType, frozen=True):
    addresses: tuple[str, ...] = ()
    conditions: EndpointConditions = EndpointConditions()
    target_ref: ObjectReference = ObjectReference()
    node_name: str = ""


class EndpointPort(ApiType, frozen=True):
    name: str = ""
    protocol: str = ""
    port: IntOrString = ""


class EndpointSlice(Object, frozen=True):
    ports: tuple[EndpointPort, ...] = ()
    endpoints: tuple[Endpoint, ...] = ()


class EndpointAddress(ApiType, frozen=True):
    ip: str = ""
    target_ref: ObjectReference = ObjectReference()
    node_name: str = ""


class EndpointSubset(ApiType, frozen=True):
    addresses: tuple[EndpointAddress, ...] = ()
    not_ready_addresses: tuple[EndpointAddress, ...] = ()
    ports: tuple[EndpointPort, ...] = ()


class Endpoints(Object, frozen=True):
    subsets: tuple[EndpointSubset, ...] = ()


class ServiceBackendPort(ApiType, frozen=True):
    name: str = ""
    number: IntOrString = ""


class IngressServiceBackend(ApiType, frozen=True):
    name: str = ""
    port: ServiceBackendPort = ServiceBackendPort()


class IngressBackend(ApiType, frozen=True):
    service: IngressServiceBackend = IngressServiceBackend()
    resource: TypedLocalObjectReference = TypedLocalObjectReference()


class HTTPIngressPath(ApiType, frozen=True):
    path: str = ""
    path_type: str = ""
    backend: IngressBackend = IngressBackend()


class HTTPIngressRuleValue(ApiType, frozen=True):
    paths: tuple[HTTPIngressPath, ...] = ()


class IngressRule(ApiType, frozen=True):
    host: str = ""
    http: HTTPIngressRuleValue = HTTPIngressRuleValue()


class IngressTLS(ApiType, frozen=True):
    hosts: tuple[str, ...] = ()
    secret_name: str = ""


class IngressSpec(ApiType, frozen=True):
    ingress_class_name: str = ""
    default_backend: IngressBackend | None = None
    tls: tuple[IngressTLS, ...] = ()
    rules: tuple[IngressRule, ...] = ()


class IngressStatus(ApiType, frozen=True):
    load_balancer: LoadBalancerStatus = LoadBalancerStatus()


class Ingress(Object, frozen=True):
    spec: IngressSpec = IngressSpec()
    status: IngressStatus = IngressStatus()


class NetworkPolicyPort(ApiType, frozen=True):
    protocol: str = ""
    port: IntOrString = ""
    end_port: IntOrString = ""


class IPBlock(ApiType, frozen=True):
    cidr: str = ""
    except_: tuple[str, ...] = ()


class NetworkPolicyPeer(ApiType, frozen=True):
    ip_block: IPBlock = IPBlock()
    namespace_selector: dict[str, Any] | None = None
    pod_selector: dict[str, Any] = {}


class NetworkPolicyIngressRule(ApiType, frozen=True):
    from_: tuple[NetworkPolicyPeer, ...] = ()
    ports: tuple[NetworkPolicyPort, ...] = ()


class NetworkPolicyEgressRule(ApiType, frozen=True):
    to: tuple[NetworkPolicyPeer, ...] = ()
    ports: tuple[NetworkPolicyPort, ...] = ()


class NetworkPolicySpec(ApiType, frozen=True):
    pod_selector: dict[str, Any] = {}
    policy_types: tuple[str, ...] = ()
    ingress: tuple[NetworkPolicyIngressRule, ...] = ()
    egress: tuple[NetworkPolicyEgressRule, ...] | None = None


class RouteParentStatus(ApiType, frozen=True):
    conditions: tuple[Condition, ...] = ()


class RouteStatus(ApiType, frozen=True):
    """Of every kind of route of the Gateway API."""

    parents: tuple[RouteParentStatus, ...] = ()
