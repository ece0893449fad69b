package envelope

// Code names a kind of failure. The set is closed: agents and operators branch on it.
type Code string

// The codes, and whom they tell what.
const (
	InvalidArguments     Code = "invalid_arguments"     // the call's arguments break the tool's input schema
	ToolNotFound         Code = "tool_not_found"        // the plugin has no tool of that name
	NotAdvertised        Code = "not_advertised"        // the plugin does not advertise an MCP bridge
	AdvertisementInvalid Code = "advertisement_invalid" // the plugin's advertisement breaks the bridge contract
	ManifestInvalid      Code = "manifest_invalid"      // the plugin's manifest breaks the bridge contract
	LimitExceeded        Code = "limit_exceeded"        // a document or answer is larger than its limit
	DeadlineExceeded     Code = "deadline_exceeded"     // the time allowed is over
	MutationsDisabled    Code = "mutations_disabled"    // the write gate is closed
	RedirectRefused      Code = "redirect_refused"      // NetBox answered with a redirect
	UpstreamUnreachable  Code = "upstream_unreachable"  // no connection to NetBox
	UpstreamUnauthorized Code = "upstream_unauthorized" // NetBox does not accept the credential
	UpstreamForbidden    Code = "upstream_forbidden"    // the credential lacks a permission
	UpstreamError        Code = "upstream_error"        // NetBox answered with an error of its own
	ResponseInvalid      Code = "response_invalid"      // NetBox's answer is not what it must be
	OutcomeUnknown       Code = "outcome_unknown"       // a write was sent, and what came of it is not known
	Cancelled            Code = "cancelled"             // the caller ended the call
	Internal             Code = "internal"              // a mistake of this server
)
