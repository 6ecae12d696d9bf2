"""F18: a label keeps acronyms and plurals together, however a field's name writes them."""

import re
from pathlib import Path

import pytest

from resources.forms import shapes

#: A letter alone, or two, before a capital: what a torn acronym leaves behind ("UR Ls", "Subnet I Ds", "K 8 S").
TORN = re.compile(r"\b[A-Z]{1,3} [A-Z]s\b|\b[A-Z] [A-Z][a-z]\b|\b[A-Z] \d|\d [A-Z]\b|\bI Pv")
#: Names that can't be split better: a letter of its own, or a capital too many.
ODD = {"httpSPort", "egAgentSSlCerts", "azureSubscriptionIDpcId"}


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("externalURLs", "External URLs"),
        ("nonResourceURLs", "Non Resource URLs"),
        ("subnetIDs", "Subnet IDs"),
        ("cacheNodeIDsToRemove", "Cache Node IDs To Remove"),
        ("ids", "IDs"),
        ("serviceIPv4CIDR", "Service IPv4 CIDR"),
        ("ipv6_disabled", "IPv6 Disabled"),
        ("isIPV6Enabled", "Is IPv6 Enabled"),
        ("openShiftOAuth", "OpenShift OAuth"),
        ("oAuthClientName", "OAuth Client Name"),
        ("oauth2Introspection", "OAuth2 Introspection"),
        ("k8sConfName", "K8s Conf Name"),
        ("addK8sUIDAttributes", "Add K8s UID Attributes"),
        ("s3BucketARN", "S3 Bucket ARN"),
        ("testS3Bucket", "Test S3 Bucket"),
        ("es_s3_backup_dir", "Es S3 Backup Dir"),
        ("iscsi", "iSCSI"),
        ("iSCSITarget", "iSCSI Target"),
        ("memoryGiBPerVCPU", "Memory GiB Per vCPU"),
        ("arbitraryFSAccessThroughSMs", "Arbitrary FS Access Through SMs"),
        ("dBName", "DB Name"),
        ("uRI", "URI"),
        ("iP", "IP"),
        ("xFrameOptions", "X Frame Options"),
        ("openAPIV3Schema", "OpenAPI V3 Schema"),
        ("hugepages-2Mi", "Hugepages 2Mi"),
        ("connectionString1", "Connection String 1"),
        ("serviceURL", "Service URL"),
        ("HTTPRoute", "HTTP Route"),
        ("replicaCount", "Replica Count"),
        ("ephemeral-storage", "Ephemeral Storage"),
        ("tls.crt", "tls.crt"),
    ],
)
def test_f18_labels(name: str, label: str) -> None:
    assert shapes.field_title(name) == label


def test_f18_no_field_of_the_real_packages_is_torn(real_catalog: Path) -> None:
    files = sorted(real_catalog.glob("*/*/crds/*.yaml"))
    # Every twelfth file and the ones that were worst: reading all takes a minute.
    chosen = {*files[::12], *(file for file in files if re.search("/(ack-(ec2|s3|sagemaker|glue)|grafana)", str(file)))}
    assert chosen
    names: set[str] = set()
    for file in chosen:
        names |= set(re.findall(r"^ +([A-Za-z][A-Za-z0-9_-]*):", file.read_text(encoding="utf-8"), re.M))
    torn = {name: shapes.field_title(name) for name in names - ODD if TORN.search(shapes.field_title(name))}
    assert not torn
