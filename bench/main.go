package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
)

// minRounds is how many rounds a median and a spread need to mean something.
const minRounds = 5

func main() {
	if playRole() {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	missed, err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	case missed:
		os.Exit(1)
	}
}

// playRole makes this process one of the two servers if its parent says so. It returns false in the load generator.
func playRole() bool {
	var err error
	switch role := os.Getenv(roleVariable); role {
	case "":
		return false
	case upstreamRole:
		err = serveUpstream()
	case serverRole:
		err = serveProduct()
	default:
		err = fmt.Errorf("%s is %.20q", roleVariable, role)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	return true
}

// run measures what the arguments ask for. It reports whether a target was missed that the arguments say to hold.
func run(ctx context.Context, args []string, out, progress io.Writer) (missed bool, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(progress)
	only := flags.String("run", "", "a regular expression: run the scenarios whose names it matches")
	rounds := flags.Int("rounds", minRounds, "how many rounds, at least 5")
	asJSON := flags.Bool("json", false, "print JSON instead of a table")
	targets := flags.Bool("targets", true, "exit with status 1 when a target is missed")
	profiles := flags.String("profile", "", "a folder for a CPU profile of the server in each scenario; profiling costs a few per cent")
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	if flags.NArg() > 0 {
		return false, fmt.Errorf("unexpected argument %.200q", flags.Arg(0))
	}
	if *rounds < minRounds {
		return false, fmt.Errorf("-rounds %d: fewer than %d tell nothing about the spread", *rounds, minRounds)
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return false, fmt.Errorf("-run: %w", err)
	}
	size := fullEffort()
	size.rounds = *rounds
	dir, err := os.MkdirTemp("", "netbox-mcp-bench-")
	if err != nil {
		return false, fmt.Errorf("making a folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	b := &bench{effort: size, dir: dir, profiles: *profiles, progress: progress}
	r, err := b.measure(ctx, pattern)
	if err != nil {
		return false, err
	}
	if *asJSON {
		err = r.writeJSON(out)
	} else {
		err = r.writeTable(out)
	}
	return *targets && r.missed(), err
}
