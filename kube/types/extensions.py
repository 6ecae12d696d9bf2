"""What extends a cluster: definitions of kinds with their schemas, webhooks; the kinds of OpenShift's console."""

from typing import Any

from msgspec import field

from kube.reader import ApiType, IntOrString
from kube.types.meta import Condition, LabelSelector, Object, ObjectReference


class ValidationRule(ApiType, frozen=True):
    rule: str = ""
    message: str = ""


class JSONSchemaProps(ApiType, frozen=True):
    """One node of a schema; the nodes below it are as they are, since a schema can have thousands.

    `type`: a word, or a list of words.
    """

    ref: str = field(default="", name="$ref")
    all_of: tuple["JSONSchemaProps", ...] = ()
    type: Any = None
    format: str = ""
    description: str = ""
    deprecated: bool = False
    enum: tuple[Any, ...] = ()
    required: tuple[str, ...] = ()
    properties: dict[str, Any] = {}
    items: Any = None
    additional_properties: Any = None
    x_kubernetes_embedded_resource: bool = field(default=False, name="x-kubernetes-embedded-resource")
    x_kubernetes_preserve_unknown_fields: bool = field(default=False, name="x-kubernetes-preserve-unknown-fields")
    x_kubernetes_int_or_string: bool = field(default=False, name="x-kubernetes-int-or-string")
    x_kubernetes_list_map_keys: tuple[str, ...] = field(default=(), name="x-kubernetes-list-map-keys")
    x_kubernetes_validations: tuple[ValidationRule, ...] = field(default=(), name="x-kubernetes-validations")

    @property
    def types(self) -> tuple[str, ...]:
        """() for one of any type."""
        words = self.type if isinstance(self.type, list) else [self.type]
        return tuple(word for word in words if isinstance(word, str) and word)


class CustomResourceValidation(ApiType, frozen=True):
    open_api_v3_schema: dict[str, Any] = field(default={}, name="openAPIV3Schema")


class ServiceReference(ApiType, frozen=True):
    """The Service of a webhook or of an APIService."""

    namespace: str = ""
    name: str = ""
    path: str = ""
    port: IntOrString = ""


class WebhookClientConfig(ApiType, frozen=True):
    url: str = ""
    ca_bundle: str = ""
    service: ServiceReference = ServiceReference()


class ValidatingWebhook(ApiType, frozen=True):
    client_config: WebhookClientConfig = WebhookClientConfig()


class ValidatingWebhookConfiguration(Object, frozen=True):
    """Also a MutatingWebhookConfiguration."""

    webhooks: tuple[ValidatingWebhook, ...] = ()


class CustomResourceColumnDefinition(ApiType, frozen=True):
    name: str = ""
    json_path: str = ""
    priority: int = 0


class CustomResourceDefinitionVersion(ApiType, frozen=True):
    name: str = ""
    served: bool = False
    storage: bool = False
    deprecated: bool = False
    deprecation_warning: str = ""
    subresources: dict[str, Any] = {}
    additional_printer_columns: tuple[CustomResourceColumnDefinition, ...] = ()
    schema: CustomResourceValidation = CustomResourceValidation()


class CustomResourceDefinitionNames(ApiType, frozen=True):
    plural: str = ""
    singular: str = ""
    kind: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()


class WebhookConversion(ApiType, frozen=True):
    client_config: WebhookClientConfig = WebhookClientConfig()


class CustomResourceConversion(ApiType, frozen=True):
    strategy: str = ""
    webhook: WebhookConversion = WebhookConversion()


class CustomResourceDefinitionSpec(ApiType, frozen=True):
    group: str = ""
    scope: str = ""
    names: CustomResourceDefinitionNames = CustomResourceDefinitionNames()
    versions: tuple[CustomResourceDefinitionVersion, ...] = ()
    conversion: CustomResourceConversion = CustomResourceConversion()


class CustomResourceDefinitionStatus(ApiType, frozen=True):
    conditions: tuple[Condition, ...] = ()
    stored_versions: tuple[str, ...] = ()


class CustomResourceDefinition(Object, frozen=True):
    spec: CustomResourceDefinitionSpec = CustomResourceDefinitionSpec()
    status: CustomResourceDefinitionStatus = CustomResourceDefinitionStatus()


class APIServiceStatus(ApiType, frozen=True):
    conditions: tuple[Condition, ...] = ()


class ApplicationMenuSpec(ApiType, frozen=True):
    section: str = ""


class NamespaceDashboardSpec(ApiType, frozen=True):
    """Which namespaces have the link; without names and selector, all."""

    namespaces: tuple[str, ...] = ()
    namespace_selector: LabelSelector = LabelSelector()


class ConsoleLinkSpec(ApiType, frozen=True):
    """`location`: ApplicationMenu, HelpMenu, UserMenu or NamespaceDashboard."""

    text: str = ""
    href: str = ""
    location: str = ""
    application_menu: ApplicationMenuSpec = ApplicationMenuSpec()
    namespace_dashboard: NamespaceDashboardSpec = NamespaceDashboardSpec()


class ConsoleNotificationSpec(ApiType, frozen=True):
    """`location`: BannerTop, BannerBottom or BannerTopBottom."""

    text: str = ""
    location: str = ""
    link: ConsoleLinkSpec = ConsoleLinkSpec()


class ConsoleYAMLSampleSpec(ApiType, frozen=True):
    """`snippet`: `yaml` is a part of an object."""

    title: str = ""
    description: str = ""
    target_resource: ObjectReference = ObjectReference()
    yaml: str = ""
    snippet: bool = False


class ConsoleCLIDownloadSpec(ApiType, frozen=True):
    """`description`: Markdown. The links have only `text`, which may be missing, and `href`."""

    display_name: str = ""
    description: str = ""
    links: tuple[ConsoleLinkSpec, ...] = ()


class QuickStartReview(ApiType, frozen=True):
    """How a task is checked: Markdown."""

    instructions: str = ""
    failed_task_help: str = ""


class QuickStartSummary(ApiType, frozen=True):
    """The texts for a task that is done, and for one whose check failed: Markdown."""

    success: str = ""
    failed: str = ""


class QuickStartTask(ApiType, frozen=True):
    """`description`: Markdown."""

    title: str = ""
    description: str = ""
    review: QuickStartReview = QuickStartReview()
    summary: QuickStartSummary = QuickStartSummary()


class ResourceAttributes(ApiType, frozen=True):
    """Of a SelfSubjectAccessReview."""

    namespace: str = ""
    verb: str = ""
    group: str = ""
    version: str = ""
    resource: str = ""
    subresource: str = ""
    name: str = ""


class ConsoleQuickStartSpec(ApiType, frozen=True):
    """`introduction`, `conclusion`: Markdown. `next_quick_start`: names. `access_review_resources`: who lacks one of
    these permissions isn't offered the quick start.
    """

    display_name: str = ""
    icon: str = ""
    duration_minutes: int = 0
    description: str = ""
    prerequisites: tuple[str, ...] = ()
    introduction: str = ""
    tasks: tuple[QuickStartTask, ...] = ()
    conclusion: str = ""
    next_quick_start: tuple[str, ...] = ()
    access_review_resources: tuple[ResourceAttributes, ...] = ()
    tags: tuple[str, ...] = ()


class ConsoleQuickStart(Object, frozen=True):
    spec: ConsoleQuickStartSpec = ConsoleQuickStartSpec()
