package netbox

import (
	"net/http"

	"caddy-netbox-mcp/bridge/netboxapi"
	"caddy-netbox-mcp/bridge/strictjson"
	"caddy-netbox-mcp/mcp/envelope"
)

// maxMembers bounds the members of an object argument. The input schema says the same, but does not see those of an object that
// came as its JSON text.
const maxMembers = 500

// arguments reads the arguments of a call, which its input schema has already judged.
type arguments struct{ strictjson.Value }

// text returns a string argument, "" where it is absent or null.
func (a arguments) text(name string) string {
	v, _ := a.Get(name)
	return v.Text
}

// flag returns a boolean argument, false where it is absent.
func (a arguments) flag(name string) bool {
	v, _ := a.Get(name)
	return v.Bool
}

// object returns an object argument. It may have come as its JSON text, because some clients can send only scalars.
func (a arguments) object(name string, limits strictjson.Limits) (strictjson.Value, error) {
	v, _ := a.Get(name)
	switch v.Kind {
	case strictjson.Null:
		return strictjson.Value{Kind: strictjson.Object}, nil
	case strictjson.String:
		parsed, err := strictjson.Parse([]byte(v.Text), limits)
		if err != nil {
			return v, envelope.Errorf(envelope.InvalidArguments, "%s: the text is not JSON: %v; send an object", name, err).Explained(name, err)
		}
		if parsed.Kind != strictjson.Object {
			return v, envelope.Errorf(envelope.InvalidArguments, "%s: the JSON text must hold an object", name)
		}
		v = parsed
	}
	if err := v.Check(limits); err != nil {
		return v, envelope.Errorf(envelope.InvalidArguments, "%s: %v", name, err).Explained(name, err)
	}
	if len(v.Members) > maxMembers {
		return v, envelope.Errorf(envelope.InvalidArguments, "%s: an object has at most %d members", name, maxMembers)
	}
	return v, nil
}

// headers returns the header argument.
func (a arguments) headers() (http.Header, error) {
	v, _ := a.Get("header")
	lines := make([]string, len(v.Items))
	for i, item := range v.Items {
		lines[i] = item.Text
	}
	h, err := netboxapi.ParseHeaders(lines)
	if err != nil {
		return nil, envelope.Errorf(envelope.InvalidArguments, "header: %v", err)
	}
	return h, nil
}
