// Reads a compose file as `docker compose config` does (the same library) and prints the whole project, or says what is wrong with it.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	options, err := cli.NewProjectOptions(os.Args[1:], cli.WithOsEnv, cli.WithName("console"), cli.WithResolvedPaths(true))
	if err == nil {
		project, problem := options.LoadProject(context.Background())
		err = problem
		if err == nil {
			text, problem := project.MarshalYAML()
			err = problem
			fmt.Print(string(text))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
