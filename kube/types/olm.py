"""OLM's kinds.

https://olm.operatorframework.io/docs/concepts/crds/
https://github.com/operator-framework/api/tree/master/pkg/operators
https://operator-framework.github.io/operator-controller/api-reference/olmv1-api-reference/
"""

import base64
from typing import Any

from msgspec import field

from kube.reader import ApiType, IntOrString, Text
from kube.types.cluster import PolicyRule
from kube.types.meta import Condition, LabelSelector, Object, ObjectReference
from kube.types.workloads import WorkloadSpec


class SubscriptionSpec(ApiType, frozen=True):
    name: Text = ""
    source: Text = ""
    source_namespace: Text = ""
    channel: Text = ""
    starting_csv: Text = ""
    install_plan_approval: Text = ""
    config: dict[str, Any] = {}


class SubscriptionStatus(ApiType, frozen=True):
    """`installplan`: the older name of `installPlanRef`."""

    current_csv: str = ""
    installed_csv: str = ""
    state: str = ""
    install_plan_ref: ObjectReference = ObjectReference()
    installplan: ObjectReference = ObjectReference()
    conditions: tuple[Condition, ...] = ()
    last_updated: str = ""


class Subscription(Object, frozen=True):
    spec: SubscriptionSpec = SubscriptionSpec()
    status: SubscriptionStatus = SubscriptionStatus()


class InstallPlanSpec(ApiType, frozen=True):
    approval: str = ""
    approved: bool = False
    generation: int = 0
    cluster_service_version_names: tuple[str, ...] = ()


class StepResource(ApiType, frozen=True):
    """`manifest`: JSON, or a reference to the ConfigMap that has it."""

    group: str = ""
    version: str = ""
    kind: str = ""
    name: str = ""
    manifest: str = ""


class Step(ApiType, frozen=True):
    """`resolving`: the CSV that needs it. `status`: Unknown, NotPresent, Present, Created …"""

    resolving: str = ""
    resource: StepResource = StepResource()
    status: str = ""


class BundleLookup(ApiType, frozen=True):
    conditions: tuple[Condition, ...] = ()


class InstallPlanStatus(ApiType, frozen=True):
    phase: str = ""
    message: str = ""
    catalog_sources: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    plan: tuple[Step, ...] = ()
    bundle_lookups: tuple[BundleLookup, ...] = ()


class InstallPlan(Object, frozen=True):
    spec: InstallPlanSpec = InstallPlanSpec()
    status: InstallPlanStatus = InstallPlanStatus()


class APIResourceReference(ApiType, frozen=True):
    kind: str = ""
    version: str = ""


class CRDDescription(ApiType, frozen=True):
    """One version of a kind. `name`: of its CustomResourceDefinition.

    Descriptors are read by resources/forms/descriptors.py.
    """

    name: Text = ""
    version: Text = ""
    kind: Text = ""
    display_name: Text = ""
    description: Text = ""
    spec_descriptors: tuple[dict[str, Any], ...] = ()
    status_descriptors: tuple[dict[str, Any], ...] = ()
    resources: tuple[APIResourceReference, ...] = ()


class CustomResourceDefinitions(ApiType, frozen=True):
    owned: tuple[CRDDescription, ...] = ()
    required: tuple[CRDDescription, ...] = ()


class AppLink(ApiType, frozen=True):
    name: Text = ""
    url: Text = ""


class Maintainer(ApiType, frozen=True):
    name: Text = ""
    email: Text = ""


class Icon(ApiType, frozen=True):
    base64data: str = ""

    @property
    def data(self) -> bytes:
        """b"" for what isn't base64."""
        try:
            return base64.b64decode("".join(self.base64data.split()), validate=True)
        except ValueError:
            return b""


class InstallMode(ApiType, frozen=True):
    type: Text = ""
    supported: bool = False


class CSVDescription(ApiType, frozen=True):
    """What a version says of itself: a channel's currentCSVDesc, and of a CSV's spec what both have.

    `annotations`: of the CSV, in a currentCSVDesc only.
    """

    display_name: Text = ""
    version: Text = ""
    description: str = ""
    annotations: dict[str, str] = {}
    keywords: tuple[Text, ...] = ()
    maturity: Text = ""
    min_kube_version: Text = ""
    provider: AppLink = AppLink()
    links: tuple[AppLink, ...] = ()
    maintainers: tuple[Maintainer, ...] = ()
    icon: tuple[Icon, ...] = ()
    install_modes: tuple[InstallMode, ...] = ()
    customresourcedefinitions: CustomResourceDefinitions = CustomResourceDefinitions()


class StrategyDeploymentSpec(ApiType, frozen=True):
    name: Text = ""
    spec: WorkloadSpec = WorkloadSpec()


class StrategyDeploymentPermissions(ApiType, frozen=True):
    service_account_name: Text = ""
    rules: tuple[PolicyRule, ...] = ()


class StrategyDetailsDeployment(ApiType, frozen=True):
    deployments: tuple[StrategyDeploymentSpec, ...] = ()
    permissions: tuple[StrategyDeploymentPermissions, ...] = ()
    cluster_permissions: tuple[StrategyDeploymentPermissions, ...] = ()

    @property
    def service_accounts(self) -> tuple[str, ...]:
        """Names, each once."""
        granted = (*self.permissions, *self.cluster_permissions)
        return tuple(dict.fromkeys(each.service_account_name for each in granted if each.service_account_name))


class NamedInstallStrategy(ApiType, frozen=True):
    strategy: Text = ""
    spec: StrategyDetailsDeployment = StrategyDetailsDeployment()


class RuleWithOperations(ApiType, frozen=True):
    operations: tuple[Text, ...] = ()
    api_groups: tuple[Text, ...] = ()
    resources: tuple[Text, ...] = ()


class WebhookDescription(ApiType, frozen=True):
    generate_name: Text = ""
    type: Text = ""
    deployment_name: Text = ""
    rules: tuple[RuleWithOperations, ...] = ()
    failure_policy: Text = ""
    conversion_crds: tuple[Text, ...] = field(default=(), name="conversionCRDs")


class RelatedImage(ApiType, frozen=True):
    name: Text = ""
    image: Text = ""


class ClusterServiceVersionSpec(CSVDescription, frozen=True):
    install: NamedInstallStrategy = NamedInstallStrategy()
    replaces: Text = ""
    skips: tuple[Text, ...] = ()
    related_images: tuple[RelatedImage, ...] = ()
    webhookdefinitions: tuple[WebhookDescription, ...] = ()


class DependentStatus(ApiType, frozen=True):
    status: str = ""
    message: str = ""


class RequirementStatus(ApiType, frozen=True):
    kind: str = ""
    name: str = ""
    status: str = ""
    message: str = ""
    dependents: tuple[DependentStatus, ...] = ()


class ClusterServiceVersionStatus(ApiType, frozen=True):
    phase: str = ""
    reason: str = ""
    message: str = ""
    last_transition_time: str = ""
    conditions: tuple[Condition, ...] = ()
    requirement_status: tuple[RequirementStatus, ...] = ()


class ClusterServiceVersion(Object, frozen=True):
    spec: ClusterServiceVersionSpec = ClusterServiceVersionSpec()
    status: ClusterServiceVersionStatus = ClusterServiceVersionStatus()


class RegistryPoll(ApiType, frozen=True):
    interval: Text = ""


class UpdateStrategy(ApiType, frozen=True):
    registry_poll: RegistryPoll = RegistryPoll()


class CatalogSourceSpec(ApiType, frozen=True):
    image: Text = ""
    address: Text = ""
    config_map: Text = ""
    display_name: Text = ""
    publisher: Text = ""
    description: Text = ""
    priority: int | None = None
    secrets: tuple[Text, ...] = ()
    update_strategy: UpdateStrategy = UpdateStrategy()


class GRPCConnectionState(ApiType, frozen=True):
    last_connect: str = ""
    last_observed_state: str = ""


class RegistryServiceStatus(ApiType, frozen=True):
    service_name: str = ""
    service_namespace: str = ""
    port: IntOrString = ""


class CatalogSourceStatus(ApiType, frozen=True):
    reason: str = ""
    message: str = ""
    connection_state: GRPCConnectionState = GRPCConnectionState()
    registry_service: RegistryServiceStatus = RegistryServiceStatus()
    latest_image_registry_poll: str = ""
    conditions: tuple[Condition, ...] = ()


class CatalogSource(Object, frozen=True):
    spec: CatalogSourceSpec = CatalogSourceSpec()
    status: CatalogSourceStatus = CatalogSourceStatus()


class HubSource(ApiType, frozen=True):
    """OpenShift's config.openshift.io/v1 HubSource, in status with what came of it."""

    name: Text = ""
    disabled: bool = False
    status: Text = ""
    message: Text = ""


class OperatorHubSpec(ApiType, frozen=True):
    disable_all_default_sources: bool = False
    sources: tuple[HubSource, ...] = ()


class OperatorHubStatus(ApiType, frozen=True):
    sources: tuple[HubSource, ...] = ()


class OperatorHub(Object, frozen=True):
    spec: OperatorHubSpec = OperatorHubSpec()
    status: OperatorHubStatus = OperatorHubStatus()


class OperatorGroupSpec(ApiType, frozen=True):
    target_namespaces: tuple[Text, ...] = ()
    selector: LabelSelector = LabelSelector()
    service_account_name: Text = ""


class OperatorGroupStatus(ApiType, frozen=True):
    namespaces: tuple[str, ...] = ()
    service_account_ref: ObjectReference = ObjectReference()
    conditions: tuple[Condition, ...] = ()


class OperatorGroup(Object, frozen=True):
    spec: OperatorGroupSpec = OperatorGroupSpec()
    status: OperatorGroupStatus = OperatorGroupStatus()


class Features(ApiType, frozen=True):
    disable_copied_csvs: bool = field(default=False, name="disableCopiedCSVs")


class OLMConfigSpec(ApiType, frozen=True):
    features: Features = Features()


class OLMConfig(Object, frozen=True):
    spec: OLMConfigSpec = OLMConfigSpec()


class Deprecation(ApiType, frozen=True):
    message: Text = ""


class ChannelEntry(ApiType, frozen=True):
    name: Text = ""
    version: Text = ""
    deprecation: Deprecation | None = None


class PackageChannel(ApiType, frozen=True):
    name: Text = ""
    current_csv: Text = ""
    current_csv_desc: CSVDescription = CSVDescription()
    entries: tuple[ChannelEntry, ...] = ()
    deprecation: Deprecation = Deprecation()


class PackageManifestStatus(ApiType, frozen=True):
    catalog_source: Text = ""
    catalog_source_namespace: Text = ""
    catalog_source_display_name: Text = ""
    catalog_source_publisher: Text = ""
    default_channel: Text = ""
    channels: tuple[PackageChannel, ...] = ()
    deprecation: Deprecation = Deprecation()


class PackageManifest(Object, frozen=True):
    status: PackageManifestStatus = PackageManifestStatus()


class Property(ApiType, frozen=True):
    """Of a bundle.

    https://olm.operatorframework.io/docs/reference/file-based-catalogs/#properties
    """

    type: str = ""
    value: dict[str, Any] = {}


class PackageProperty(ApiType, frozen=True):
    """Of olm.package, of olm.package.required and of a constraint."""

    package_name: Text = ""
    version: Text = ""
    version_range: Text = ""


class GVKProperty(ApiType, frozen=True):
    """Of olm.gvk.required and of a constraint."""

    group: Text = ""
    version: Text = ""
    kind: Text = ""


class CompoundConstraint(ApiType, frozen=True):
    """`constraints`: each a Constraint."""

    constraints: tuple[dict[str, Any], ...] = ()


class CelConstraint(ApiType, frozen=True):
    rule: Text = ""


class Constraint(ApiType, frozen=True):
    """Of olm.constraint."""

    failure_message: Text = ""
    package: PackageProperty | None = None
    gvk: GVKProperty | None = None
    all: CompoundConstraint | None = None
    cel: CelConstraint = CelConstraint()


class ImageSource(ApiType, frozen=True):
    ref: Text = ""
    poll_interval_minutes: int | None = None


class ClusterCatalogSource(ApiType, frozen=True):
    image: ImageSource = ImageSource()


class ClusterCatalogSpec(ApiType, frozen=True):
    source: ClusterCatalogSource = ClusterCatalogSource()
    priority: int | None = None
    availability_mode: Text = ""


class ClusterCatalogURLs(ApiType, frozen=True):
    base: str = ""


class ResolvedCatalogSource(ApiType, frozen=True):
    image: ImageSource = ImageSource()


class ClusterCatalogStatus(ApiType, frozen=True):
    conditions: tuple[Condition, ...] = ()
    resolved_source: ResolvedCatalogSource = ResolvedCatalogSource()
    urls: ClusterCatalogURLs = ClusterCatalogURLs()
    last_unpacked: str = ""

    @property
    def is_serving(self) -> bool:
        """Whether its contents can be had."""
        return any(condition.type == "Serving" and condition.status == "True" for condition in self.conditions)


class ClusterCatalog(Object, frozen=True):
    spec: ClusterCatalogSpec = ClusterCatalogSpec()
    status: ClusterCatalogStatus = ClusterCatalogStatus()


class CatalogFilter(ApiType, frozen=True):
    package_name: Text = ""
    version: Text = ""
    channels: tuple[Text, ...] = ()
    selector: LabelSelector = LabelSelector()
    upgrade_constraint_policy: Text = ""


class SourceConfig(ApiType, frozen=True):
    catalog: CatalogFilter = CatalogFilter()


class CRDUpgradeSafety(ApiType, frozen=True):
    enforcement: Text = ""


class PreflightConfig(ApiType, frozen=True):
    crd_upgrade_safety: CRDUpgradeSafety = CRDUpgradeSafety()


class ClusterExtensionInstallConfig(ApiType, frozen=True):
    preflight: PreflightConfig = PreflightConfig()


class ClusterExtensionSpec(ApiType, frozen=True):
    namespace: Text = ""
    service_account: ObjectReference = ObjectReference()
    source: SourceConfig = SourceConfig()
    install: ClusterExtensionInstallConfig = ClusterExtensionInstallConfig()


class BundleMetadata(ApiType, frozen=True):
    name: str = ""
    version: str = ""


class ClusterExtensionInstallStatus(ApiType, frozen=True):
    bundle: BundleMetadata = BundleMetadata()


class ClusterExtensionStatus(ApiType, frozen=True):
    conditions: tuple[Condition, ...] = ()
    install: ClusterExtensionInstallStatus = ClusterExtensionInstallStatus()


class ClusterExtension(Object, frozen=True):
    spec: ClusterExtensionSpec = ClusterExtensionSpec()
    status: ClusterExtensionStatus = ClusterExtensionStatus()
