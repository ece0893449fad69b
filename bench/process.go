package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// The roles that this program plays in processes of its own. The parent names the role and gives its options as JSON in
// the environment; then it writes one command a line to the child's standard input and reads one JSON value a line from
// its standard output. A child ends with its input, so none outlives its parent.
const (
	roleVariable    = "NETBOX_MCP_BENCH_ROLE"
	optionsVariable = "NETBOX_MCP_BENCH_OPTIONS"
	upstreamRole    = "upstream"
	serverRole      = "server"
)

// stopTime is how long a child may take to end before it is killed.
const stopTime = 10 * time.Second

// child is a process of this program in another role.
type child struct {
	role     string
	cmd      *exec.Cmd
	commands io.WriteCloser
	answers  *json.Decoder
	errors   string // the file with its standard error
}

// startChild starts this program in a role, with a folder for its files. Options are encoded as JSON.
func startChild(ctx context.Context, role, dir string, options any, environment ...string) (*child, error) {
	text, err := json.Marshal(options)
	if err != nil {
		return nil, fmt.Errorf("writing the options: %w", err)
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	c := &child{role: role, cmd: exec.CommandContext(ctx, program), errors: filepath.Join(dir, role+".log")}
	c.cmd.Env = append([]string{
		roleVariable + "=" + role, optionsVariable + "=" + string(text),
		// Nothing of the user's own Caddy is read or changed.
		"HOME=" + dir, "XDG_DATA_HOME=" + filepath.Join(dir, "data"), "XDG_CONFIG_HOME=" + filepath.Join(dir, "config"),
	}, environment...)
	c.cmd.Cancel = func() error { return c.cmd.Process.Signal(syscall.SIGTERM) }
	c.cmd.WaitDelay = stopTime
	log, err := os.OpenFile(c.errors, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening a log: %w", err)
	}
	defer func() { _ = log.Close() }() // the child has its own
	c.cmd.Stderr = log
	if c.commands, err = c.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	answers, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	c.answers = json.NewDecoder(answers)
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the %s: %w", role, err)
	}
	return c, nil
}

// ask sends a command and reads its answer into the target.
func (c *child) ask(command string, answer any) error {
	if _, err := io.WriteString(c.commands, command+"\n"); err != nil {
		return c.failed(fmt.Errorf("asking the %s: %w", c.role, err))
	}
	if err := c.answers.Decode(answer); err != nil {
		return c.failed(fmt.Errorf("reading the answer of the %s to %.40q: %w", c.role, command, err))
	}
	return nil
}

// failed adds what the child wrote last to an error.
func (c *child) failed(err error) error {
	const most = 2000
	log, readErr := os.ReadFile(c.errors)
	if readErr != nil || len(log) == 0 {
		return err
	}
	return fmt.Errorf("%w; it wrote last:\n%s", err, log[max(0, len(log)-most):])
}

// stop ends the process and waits for that.
func (c *child) stop() {
	_ = c.commands.Close() // it may have ended already
	kill := time.AfterFunc(stopTime, func() { _ = c.cmd.Process.Kill() })
	defer kill.Stop()
	_ = c.cmd.Wait() // how it ended is of no interest any more
}

// options reads what the parent gave this child.
func options(target any) error {
	if err := json.Unmarshal([]byte(os.Getenv(optionsVariable)), target); err != nil {
		return fmt.Errorf("reading the options: %w", err)
	}
	return nil
}

// errCommand is a command that a child does not know, which is a mistake in this program.
var errCommand = errors.New("unknown command")

// answerCommands answers commands until the input ends.
func answerCommands(in io.Reader, out io.Writer, answer func(command string) (any, error)) error {
	answers := json.NewEncoder(out)
	commands := bufio.NewScanner(in)
	for commands.Scan() {
		value, err := answer(commands.Text())
		if err != nil {
			return fmt.Errorf("command %.40q: %w", commands.Text(), err)
		}
		if err := answers.Encode(value); err != nil {
			return fmt.Errorf("answering: %w", err)
		}
	}
	return commands.Err()
}
