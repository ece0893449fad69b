package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return
		}
		fmt.Fprintln(os.Stderr, "xbuild:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("xbuild", flag.ContinueOnError)
	flags.SetOutput(stderr)
	file := flags.String("file", "xcaddy.json", "the file that says what to build")
	output := flags.String("o", filepath.Join("bin", "caddy"), "the file to write")
	printOnly := flags.Bool("print", false, "print the call without making it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %.200q", flags.Arg(0))
	}
	rc, err := readFile(*file)
	if err != nil {
		return err
	}
	// xcaddy runs beside the file, where its relative paths count from; the output counts from here.
	out, err := filepath.Abs(*output)
	if err != nil {
		return fmt.Errorf("finding the output file: %w", err)
	}
	call := append([]string{"xcaddy"}, rc.args(out)...)
	fmt.Fprintln(stdout, shellLine(append(rc.env(), call...)))
	if *printOnly {
		return nil
	}
	return build(filepath.Dir(*file), rc, call[1:], stdout, stderr)
}

func readFile(name string) (recipe, error) {
	f, err := os.Open(name)
	if err != nil {
		return recipe{}, err
	}
	defer f.Close()
	rc, err := readRecipe(f)
	if err != nil {
		return recipe{}, fmt.Errorf("reading %s: %w", name, err)
	}
	return rc, nil
}

func build(dir string, rc recipe, args []string, stdout, stderr io.Writer) error {
	path, err := findXcaddy()
	if err != nil {
		return err
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), rc.env()...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("running xcaddy: %w", err)
	}
	return nil
}

// findXcaddy looks on PATH and then where go install puts commands, which often is not on PATH.
func findXcaddy() (string, error) {
	if path, err := exec.LookPath("xcaddy"); err == nil {
		return path, nil
	}
	gopath, err := exec.Command("go", "env", "GOPATH").Output()
	if err != nil {
		return "", fmt.Errorf("running go env GOPATH: %w", err)
	}
	for _, dir := range filepath.SplitList(strings.TrimSpace(string(gopath))) {
		if path, err := exec.LookPath(filepath.Join(dir, "bin", "xcaddy")); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no xcaddy command on PATH or in GOPATH/bin: " +
		"go install github.com/caddyserver/xcaddy/cmd/xcaddy@v0.4.5")
}

// shellLine is words as a person can paste them into a POSIX shell.
func shellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if name, value, ok := strings.Cut(w, "="); ok && strings.HasPrefix(name, "XCADDY_") {
			quoted[i] = name + "=" + quote(value)
		} else {
			quoted[i] = quote(w)
		}
	}
	return strings.Join(quoted, " ")
}

func quote(w string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=@,:+", r)
	}
	if w != "" && strings.IndexFunc(w, func(r rune) bool { return !plain(r) }) < 0 {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
