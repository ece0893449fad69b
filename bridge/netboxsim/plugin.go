package netboxsim

import (
	"maps"
	"net/http"
	"strings"
)

// bigAnswer is the size in bytes of what the misbehaving tool "big" answers: four
// times what a bridge client accepts.
const bigAnswer = 1 << 20

// allViews is the table of what is served below /api/, by path.
func (s *Server) allViews() map[string]*view {
	get := func(do action) map[string]action { return map[string]action{http.MethodGet: do} }
	views := map[string]*view{
		"":                           {name: "API Root", methods: get(s.apiRoot)},
		"status/":                    {name: "Status", methods: get(s.status)},
		"authentication-check/":      {name: "Authentication Check", methods: get(s.authenticationCheck)},
		"plugins/":                   {name: "Plugins", methods: get(s.pluginList)},
		"plugins/installed-plugins/": {name: "Installed Plugins", superuser: true, methods: get(s.installedPlugins)},
	}
	maps.Copy(views, s.pluginViews())
	maps.Copy(views, s.resourceViews())
	return views
}

// pluginViews are the paths of the plugin with the bridge.
func (s *Server) pluginViews() map[string]*view {
	get := func(do action) map[string]action { return map[string]action{http.MethodGet: do} }
	post := func(do action) map[string]action { return map[string]action{http.MethodPost: do} }
	item := func(methods map[string]action) *view {
		return &view{name: "Item", model: "Item", needs: s.itemResource(), methods: methods}
	}
	views := map[string]*view{
		"":     {name: pluginTitle(s.cfg.Plugin), methods: get(s.pluginRoot)},
		"mcp/": {name: "Manifest", methods: get(func(*call) reply { return ok(s.manifest()) })},
		"items/": item(map[string]action{
			http.MethodGet: s.listItems, http.MethodPost: s.createItem,
		}),
		"items/#/": item(map[string]action{
			http.MethodGet: s.getItem, http.MethodPatch: s.patchItem, http.MethodDelete: s.deleteItem,
		}),
		"items/lookup/": item(get(s.lookupItem)),
		"items/update/": item(map[string]action{http.MethodPatch: s.patchItemByBody}),
		"items/purge/":  item(map[string]action{http.MethodDelete: s.purgeItems}),
		"echo/":         item(post(s.echo)),
	}
	if s.cfg.Misbehaving {
		views["slow/"] = item(get(s.slow))
		views["redirect/"] = item(get(s.redirectAway))
		views["big/"] = item(get(s.big))
		views["bad-output/"] = item(get(s.badOutput))
		views["fail-after-write/"] = item(post(s.failAfterWrite))
	}
	below := map[string]*view{}
	for path, v := range views {
		below["plugins/"+s.cfg.Plugin+"/"+path] = v
	}
	return below
}

// itemResource is the name under which a Token's View grants the plugin's items.
func (s *Server) itemResource() string { return "plugins/" + s.cfg.Plugin }

// pluginTitle is a slug as a name: "Testbed" for "testbed".
func pluginTitle(slug string) string {
	if slug == "" {
		return ""
	}
	return strings.ToUpper(slug[:1]) + slug[1:]
}

func (s *Server) pluginRoot(*call) reply {
	root := "/api/plugins/" + s.cfg.Plugin + "/"
	return ok(object{
		{"items", link(root + "items/")},
		{"echo", link(root + "echo/")},
		{"mcp", object{{"schema_version", "1"}, {"manifest", link(root + "mcp/")}}},
	})
}

func (s *Server) echo(c *call) reply {
	values, refusal := c.body(field{name: "number", check: integer(1, int64Max), required: true})
	if refusal != nil {
		return *refusal
	}
	return ok(object{{"number", values["number"]}})
}

// slow answers late. A client that leaves meanwhile gets nothing.
func (s *Server) slow(c *call) reply {
	if !wait(c.Request, s.cfg.SlowFor) {
		panic(http.ErrAbortHandler)
	}
	return ok(object{{"slept", 5}})
}

// redirectAway leads out of the plugin, which a client must not follow.
func (s *Server) redirectAway(c *call) reply {
	return reply{status: http.StatusFound, header: http.Header{
		"Location":     {c.base + "/api/status/"},
		"Content-Type": {"text/html; charset=utf-8"},
	}}
}

func (s *Server) big(*call) reply {
	return ok(object{{"data", strings.Repeat("x", bigAnswer-len(`{"data":""}`))}})
}

// badOutput breaks the schema that the tool advertises.
func (s *Server) badOutput(*call) reply {
	return ok(object{{"count", "many"}})
}

// failAfterWrite creates an item and says that it failed.
func (s *Server) failAfterWrite(c *call) reply {
	values, refusal := c.body(field{name: "name", check: checkName, required: true})
	if refusal != nil {
		return *refusal
	}
	if created := s.addItem(values); created.status != http.StatusCreated {
		return created
	}
	return reply{status: http.StatusInternalServerError, body: object{
		{"error", "Failed after the item was created"}, {"exception", "RuntimeError"},
	}}
}
