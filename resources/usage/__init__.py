"""CPU and memory from metrics.k8s.io, read as the reader, with an hour of history (docs/decisions/0031-metrics.md)."""
