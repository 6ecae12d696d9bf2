// Package ecs is empty: the clients of AWS would take as long to build as the rest.
package ecs

import (
	"github.com/traefik/traefik/v3/pkg/config/dynamic"
	"github.com/traefik/traefik/v3/pkg/safe"
)

const ProviderName = "ecs"

type Provider struct{}

func (p *Provider) Init() error {
	return nil
}

func (p *Provider) Provide(chan<- dynamic.Message, *safe.Pool) error {
	return nil
}
