//go:build tools

// Package tools names the programs that are built from this module's versions.
package tools

import (
	_ "github.com/traefik/traefik/v3/cmd/traefik"
)
