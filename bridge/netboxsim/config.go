package netboxsim

import (
	"fmt"
	"strings"
	"time"
)

// Values that a Config's zero fields stand for.
const (
	// DefaultVersion is the release that the answers were compared with.
	DefaultVersion = "4.7.3"
	// DefaultPlugin is the slug of the plugin that the real test server runs.
	DefaultPlugin = "testbed"
	// DefaultSlowFor is how long the misbehaving tool "slow" takes.
	DefaultSlowFor = 5 * time.Second
)

// Config says what a Server pretends to be. Its zero value is a NetBox at the root
// path whose only token, a superuser's, is random and told by Server.Tokens.
type Config struct {
	// BasePath is the path prefix NetBox is served under, such as "/netbox"; slashes
	// around it do not matter. Requests outside it get an HTML 404.
	BasePath string
	// AllowedHosts are the host names a request may be addressed to, without port;
	// empty means any. Others get Django's 400.
	AllowedHosts []string
	// Plugin is the slug of the plugin with the bridge, DefaultPlugin when empty.
	Plugin string
	// Misbehaving adds the five tools whose descriptors are valid and whose answers
	// are not: slow, redirect, big, bad_output, fail_after_write.
	Misbehaving bool
	// Version is the NetBox release, DefaultVersion when empty; API-Version is its
	// first two parts.
	Version string
	// Now is the clock that stamps created items; time.Now when nil.
	Now func() time.Time
	// Tokens are the credentials that work. When empty one is generated.
	Tokens []Token
	// SlowFor is how long the tool "slow" takes; DefaultSlowFor when zero.
	SlowFor time.Duration
	// Seed selects the data; SeedTestbed when zero.
	Seed Seed
	// MaxItems is how many items, and how many sites, may exist, seeded ones included;
	// creating one more is refused with 507. 10,000 when zero.
	MaxItems int
}

// Seed names a set of data that a Server starts with.
type Seed int

const (
	// SeedTestbed is the data of the real test server: 200 sites, 1,500 devices, 300
	// prefixes, 41 items, with the same ids.
	SeedTestbed Seed = iota
	// SeedDemo is a small believable network with speaking names.
	SeedDemo
)

// Tokens of the real test server, which Testbed accepts.
const (
	// TestbedToken is a superuser's version 2 token.
	TestbedToken = "nbt_testbedadmin.adminadminadminadminadminadminadminadmin"
	// TestbedTokenV1 is the same superuser's version 1 token.
	TestbedTokenV1 = "0123456789abcdef0123456789abcdef01234567"
	// TestbedReaderToken belongs to a user who may view everything; it cannot write.
	TestbedReaderToken = "nbt_testbedreadr.readsreadsreadsreadsreadsreadsreadsreads"
	// TestbedLimitedToken belongs to a user who may view sites and nothing else.
	TestbedLimitedToken = "nbt_testbedlimit.limitlimitlimitlimitlimitlimitlimitlimit"
)

// Testbed returns the settings under which a Server has the plugin, the tokens, the
// misbehaving tools and the data of the real test server, so that one suite of
// assertions can run against both.
func Testbed() Config {
	return Config{
		Plugin:      DefaultPlugin,
		Misbehaving: true,
		Version:     DefaultVersion,
		Seed:        SeedTestbed,
		Tokens: []Token{
			{Value: TestbedToken, User: "admin", Superuser: true},
			{Value: TestbedTokenV1, User: "admin", Superuser: true},
			{Value: TestbedReaderToken, User: "reader", ReadOnly: true},
			{Value: TestbedLimitedToken, User: "limited", View: []string{"dcim/sites"}},
		},
	}
}

// Demo returns the settings of a friendly NetBox to try things out with: the plugin
// "demo" with its six good tools, a small network, and one generated superuser
// token, which Server.Tokens tells.
func Demo() Config {
	return Config{Plugin: "demo", Version: DefaultVersion, Seed: SeedDemo}
}

// withDefaults fills the fields that were left zero.
func (c Config) withDefaults() Config {
	if c.Plugin == "" {
		c.Plugin = DefaultPlugin
	}
	if c.Version == "" {
		c.Version = DefaultVersion
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.SlowFor == 0 {
		c.SlowFor = DefaultSlowFor
	}
	if c.MaxItems == 0 {
		c.MaxItems = defaultMaxItems
	}
	if len(c.Tokens) == 0 {
		c.Tokens = []Token{{Value: newToken(), User: "admin", Superuser: true}}
	}
	if trimmed := strings.Trim(c.BasePath, "/"); trimmed != "" {
		c.BasePath = "/" + trimmed
	} else {
		c.BasePath = ""
	}
	return c
}

// line is the release line of a version, "4.7" for "4.7.3".
func line(version string) string {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return version
	}
	return fmt.Sprintf("%s.%s", parts[0], parts[1])
}
