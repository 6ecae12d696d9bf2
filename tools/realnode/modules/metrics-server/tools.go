//go:build tools

// Package tools names the programs that are built from this module's versions.
package tools

import (
	_ "sigs.k8s.io/metrics-server/cmd/metrics-server"
)
