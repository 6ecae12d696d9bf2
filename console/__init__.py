"""The roof: settings, pages, sign-in, processes."""

import os
import sys

# redis-py imports OpenTelemetry wherever it is installed: 0.3 s and 3 MB a process for nothing. An import of None
# fails, as of what is not there (docs.python.org/3/reference/import.html).
if not os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", "").strip():
    for _name in ("opentelemetry.metrics", "opentelemetry.sdk.metrics"):
        sys.modules.setdefault(_name, None)  # type: ignore[arg-type]
