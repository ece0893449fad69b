package netboxsim

// closed is a schema of an object that has these properties and no others.
func closed(required []string, properties object) object {
	schema := object{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}}
	if len(required) > 0 {
		schema = append(schema, member{"required", required})
	}
	return schema
}

// schemas are the pieces that several of the plugin's tools share.
type schemas struct{ id, name, state, dueAt, weights, item, list object }

func pluginSchemas() schemas {
	s := schemas{
		id:    object{{"type", "integer"}, {"minimum", 1}, {"maximum", int64(int64Max)}},
		name:  object{{"type", "string"}, {"minLength", 1}, {"maxLength", 100}},
		state: object{{"type", "string"}, {"enum", itemStates()}},
		dueAt: object{{"type", []string{"string", "null"}}, {"format", "date-time"}},
		weights: object{
			{"type", "array"},
			{"items", object{{"type", "integer"}, {"minimum", -1000000}, {"maximum", 1000000}}},
			{"uniqueItems", true}, {"maxItems", 50},
		},
	}
	orNull := func(kind string) object { return object{{"type", []string{kind, "null"}}} }
	s.item = closed([]string{"id", "name", "state", "due_at", "weights", "created"}, object{
		{"id", s.id},
		{"name", object{{"type", "string"}}},
		{"state", s.state},
		{"due_at", s.dueAt},
		{"weights", object{{"type", "array"}, {"items", object{{"type", "integer"}}}}},
		{"created", object{{"type", "string"}, {"format", "date-time"}}},
	})
	s.list = closed([]string{"count", "next", "previous", "results"}, object{
		{"count", append(orNull("integer"), member{"minimum", 0})},
		{"next", orNull("string")},
		{"previous", orNull("string")},
		{"results", object{{"type", "array"}, {"items", s.item}}},
	})
	return s
}

// tool is one descriptor of the bridge manifest.
type tool struct {
	name, title, description string
	method, path, effect     string
	idempotent               bool
	inputs, output           object
}

func (t tool) descriptor() object {
	o := object{
		{"name", t.name}, {"title", t.title}, {"description", t.description}, {"method", t.method}, {"path", t.path},
		{"effect", t.effect}, {"inputSchema", t.inputs},
		{"annotations", object{
			{"readOnlyHint", t.effect == "read"},
			{"destructiveHint", t.effect == "destructive"},
			{"idempotentHint", t.idempotent || t.effect == "read"},
			{"openWorldHint", false},
		}},
	}
	if t.output != nil {
		o = append(o, member{"outputSchema", t.output})
	}
	return o
}

// manifest is the bridge manifest of the plugin. The testbed's is the real plugin's,
// byte for byte; under another slug the words suit what a demo shows.
func (s *Server) manifest() object {
	tools := goodTools()
	if s.cfg.Misbehaving {
		tools = append(tools, badTools()...)
	}
	words := map[string][2]string{}
	if s.cfg.Seed == SeedDemo {
		words = demoWords()
	}
	descriptors := make([]object, len(tools))
	for i, t := range tools {
		if w, ok := words[t.name]; ok {
			t.title, t.description = w[0], w[1]
		}
		descriptors[i] = t.descriptor()
	}
	return object{{"schema_version", "1"}, {"plugin", s.cfg.Plugin}, {"tools", descriptors}}
}

// demoWords are the titles and descriptions of the demo's tools, whose items are
// maintenance tasks.
func demoWords() map[string][2]string {
	return map[string][2]string{
		"list_items": {"List maintenance tasks",
			"Lists the network team's maintenance tasks, oldest first; narrow them down by state or by a part of the name."},
		"get_item": {"Get a maintenance task", "Returns one maintenance task by its id."},
		"create_item": {"Create a maintenance task",
			"Creates an open maintenance task, with a due date and effort weights if they are known."},
		"update_item": {"Change a maintenance task",
			"Changes the given members of one maintenance task, for example its state to done."},
		"purge_items": {"Delete maintenance tasks", "Deletes every maintenance task in the given state for good."},
		"echo":        {"Echo a number", "Answers with the number it was sent, to try out a write that changes nothing."},
	}
}

// goodTools are the tools that keep what they promise.
func goodTools() []tool {
	s := pluginSchemas()
	described := func(o object, text string) object { return append(o[:len(o):len(o)], member{"description", text}) }
	num := closed([]string{"number"}, object{{"number", s.id}})
	return []tool{
		{
			name: "list_items", title: "List items", description: "Lists the items, oldest first.",
			method: "GET", path: "items/", effect: "read", output: s.list,
			inputs: closed(nil, object{
				{"state", described(s.state, "Only items in this state")},
				{"limit", object{{"type", "integer"}, {"minimum", 1}, {"maximum", 100}, {"default", 50}}},
				{"q", object{{"type", "string"}, {"maxLength", 50}, {"description", "Part of the name, any case"}}},
			}),
		},
		{
			name: "get_item", title: "Get an item", description: "Returns the item with this id.",
			method: "GET", path: "items/lookup/", effect: "read", output: s.item,
			inputs: closed([]string{"id"}, object{{"id", s.id}}),
		},
		{
			name: "create_item", title: "Create an item", description: "Creates an open item.",
			method: "POST", path: "items/", effect: "write", output: s.item,
			inputs: closed([]string{"name"}, object{{"name", s.name}, {"due_at", s.dueAt}, {"weights", s.weights}}),
		},
		{
			name: "update_item", title: "Change an item", description: "Changes the members given of the item with this id.",
			method: "PATCH", path: "items/update/", effect: "write", idempotent: true, output: s.item,
			inputs: closed([]string{"id"}, object{
				{"id", s.id}, {"name", s.name}, {"state", s.state}, {"due_at", s.dueAt}, {"weights", s.weights},
			}),
		},
		{
			name: "purge_items", title: "Delete items", description: "Deletes every item in this state for good.",
			method: "DELETE", path: "items/purge/", effect: "destructive", idempotent: true,
			inputs: closed([]string{"state"}, object{{"state", s.state}}),
			output: closed([]string{"deleted"}, object{{"deleted", object{{"type", "integer"}, {"minimum", 0}}}}),
		},
		{
			name: "echo", title: "Echo a number", description: "Answers with the number it was sent.",
			method: "POST", path: "echo/", effect: "write", idempotent: true, inputs: num, output: num,
		},
	}
}

// badTools are tools whose descriptors are valid and whose answers are not.
func badTools() []tool {
	s := pluginSchemas()
	none := closed(nil, object{})
	return []tool{
		{
			name: "slow", title: "Slow answer", description: "Answers after five seconds.",
			method: "GET", path: "slow/", effect: "read", inputs: none,
			output: closed([]string{"slept"}, object{{"slept", object{{"type", "integer"}}}}),
		},
		{
			name: "redirect", title: "Redirect", description: "Answers with a redirect out of the plugin.",
			method: "GET", path: "redirect/", effect: "read", inputs: none,
		},
		{
			name: "big", title: "Big answer", description: "Answers with one MiB of JSON.",
			method: "GET", path: "big/", effect: "read", inputs: none,
		},
		{
			name: "bad_output", title: "Wrong answer", description: "Answers with JSON that its output schema forbids.",
			method: "GET", path: "bad-output/", effect: "read", inputs: none,
			output: closed([]string{"count"}, object{{"count", object{{"type", "integer"}, {"minimum", 0}}}}),
		},
		{
			name: "fail_after_write", title: "Fail after a write", description: "Creates an item, then answers 500.",
			method: "POST", path: "fail-after-write/", effect: "write", output: s.item,
			inputs: closed([]string{"name"}, object{{"name", s.name}}),
		},
	}
}
