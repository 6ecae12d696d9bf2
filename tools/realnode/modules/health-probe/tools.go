//go:build tools

// Package tools names the programs that are built from this module's versions.
package tools

import (
	_ "github.com/grpc-ecosystem/grpc-health-probe"
)
