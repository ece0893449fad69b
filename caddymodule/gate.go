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
