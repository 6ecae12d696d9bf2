//go:build tools

// Package tools names the programs that are built from this module's versions.
package tools

import (
	_ "github.com/argoproj-labs/argocd-operator/cmd"
	_ "github.com/argoproj/argo-cd/v3/cmd"
)
