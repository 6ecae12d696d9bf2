// Package ext stands for fields that Traefik's commercial edition adds, and that its module leaves to another one.
package ext

type HTTP struct{}

type Router struct{}
