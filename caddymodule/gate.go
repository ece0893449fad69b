package caddymodule

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

const (
	// mutationsVariable opens the write gate of sites that say nothing about it.
	mutationsVariable = "NETBOX_MCP_ALLOW_MUTATIONS"
	// approvalOff is the only approval policy there is: writes through an open gate happen without a question.
	approvalOff = "off"
)

// gateOpen reports whether a site's write gate is open: what the site says, else what the environment says.
func gateOpen(configured *bool) bool {
	if configured != nil {
		return *configured
	}
	return truthy(os.Getenv(mutationsVariable))
}

// ignoredGate reports whether the environment has a value for the gate that is neither yes nor no.
func ignoredGate() bool {
	switch value := strings.ToLower(strings.TrimSpace(os.Getenv(mutationsVariable))); value {
	case "", "0", "false", "no", "off":
		return false
	default:
		return !truthy(value)
	}
}

// truthy reads a boolean environment variable.
func truthy(value string) bool {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "1", "true", "yes", "on":
		return true
	}
	return false
}

// checkApproval makes sure that no site is taken to ask before it writes. An open gate must say that it does not.
func checkApproval(open bool, approval string) error {
	switch {
	case approval != "" && approval != approvalOff:
		return fmt.Errorf("approval %s is not available: this version cannot ask anybody before a write; the only value is %q", approval, approvalOff)
	case open && approval == "":
		return errors.New("the write gate is open (allow_mutations, or the environment variable " + mutationsVariable +
			"), and this version cannot ask anybody before a write: say \"approval off\" to accept that, or close the gate with \"allow_mutations off\"")
	}
	return nil
}

// warnings are what an operator should be told at every start.
func (h *Handler) warnings() []string {
	var w []string
	if h.gate && !h.ReadOnly {
		w = append(w, "the write gate is open: tools may change NetBox", "approval is off: writes happen without a question")
	}
	if h.AllowMutations == nil && ignoredGate() {
		w = append(w, mutationsVariable+" is neither yes nor no, so the write gate is closed; write 1 or 0")
	}
	if h.token == nil {
		w = append(w, "there is no NetBox token: callers who bring none are anonymous in NetBox")
	}
	if h.NetBox.insecure() {
		w = append(w, "NetBox's certificate is not verified (tls_insecure_skip_verify, or NETBOX_SSL_VERIFY): anyone on the way can read the NetBox token")
	}
	return w
}
