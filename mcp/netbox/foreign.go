package netbox

import (
	"encoding/json"

	"caddy-netbox-mcp/bridge/strictjson"
	"caddy-netbox-mcp/mcp/envelope"
)

// cleanSchema removes control and bidirectional characters from the words for people in a plugin's schema. Everything that
// validates stays as it is.
func cleanSchema(schema json.RawMessage) json.RawMessage {
	if schema == nil {
		return nil
	}
	doc, err := strictjson.Parse(schema, strictjson.Limits{})
	if err != nil {
		// A manifest's schema was parsed before, so this cannot be; without it nothing unchecked is shown.
		return nil
	}
	return cleanWords(doc).AppendCompact(nil)
}

// cleanWords cleans the title and description keywords of a schema and of those inside it.
func cleanWords(schema strictjson.Value) strictjson.Value {
	if schema.Kind != strictjson.Object {
		return schema
	}
	members := make([]strictjson.Member, len(schema.Members))
	for i, m := range schema.Members {
		switch m.Name {
		case "title", "description":
			if m.Value.Kind == strictjson.String {
				m.Value.Text = envelope.Clean(m.Value.Text)
			}
		case "properties":
			properties := make([]strictjson.Member, len(m.Value.Members))
			for j, p := range m.Value.Members {
				properties[j] = strictjson.Member{Name: p.Name, Value: cleanWords(p.Value)}
			}
			m.Value.Members = properties
		case "items", "additionalProperties", "propertyNames":
			m.Value = cleanWords(m.Value)
		}
		members[i] = m
	}
	schema.Members = members
	return schema
}
