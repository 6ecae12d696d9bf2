"""Loaded by pytest for every run: the options of tests/ and of sandbox/, which have no folder in common."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--kubeconfig", default="", help="the cluster to test, instead of an embedded one of the tests' own"
    )
    parser.addoption("--url", default="", help="a running console on that cluster, for tests/e2e")
    parser.addoption("--record", action="store_true", help="sandbox/conformance: record what this real cluster answers")
    parser.addoption(
        "--journeys", action="store_true", help="of the tests that use a browser, only the journeys (docs/testing.md)"
    )
    parser.addoption(
        "--asks-cluster", action="store_true", help="leave out what says the same whichever cluster there is"
    )
