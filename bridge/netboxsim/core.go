package netboxsim

// apiRoot lists what is served below /api/.
func (s *Server) apiRoot(*call) reply {
	var root object
	for _, app := range s.apps() {
		root = append(root, member{app, link("/api/" + app + "/")})
	}
	return ok(append(root, member{"plugins", link("/api/plugins/")}, member{"status", link("/api/status/")}))
}

func (s *Server) status(c *call) reply {
	return ok(object{
		{"django-version", "6.1.2"},
		{"hostname", "netboxsim"},
		{"installed_apps", object{{"django_filters", "26.2"}, {"rest_framework", "3.18.0"}}},
		{"netbox-version", s.cfg.Version},
		{"netbox-full-version", s.cfg.Version},
		{"plugins", object{{s.pluginPackage(), "1.0.0"}}},
		{"python-version", "3.12.1"},
		{"rq-workers-running", 0},
	})
}

// pluginPackage is the Python package of the plugin, as its authors would name it.
func (s *Server) pluginPackage() string { return "netbox_" + s.cfg.Plugin }

// authenticationCheck describes the caller's own user, whose id is the place of the
// name among the tokens.
func (s *Server) authenticationCheck(c *call) reply {
	id := int64(0)
	var seen []string
	for _, t := range s.Tokens() {
		if !contains(seen, t.User) {
			seen = append(seen, t.User)
		}
		if t.User == c.token.User {
			id = int64(len(seen))
			break
		}
	}
	return ok(object{
		{"id", id},
		{"url", apiLink("users/users", id)},
		{"display_url", uiLink("users/users", id)},
		{"display", c.token.User},
		{"username", c.token.User},
		{"first_name", ""},
		{"last_name", ""},
		{"email", ""},
		{"is_active", true},
		{"date_joined", stamp(seedTime())},
		{"last_login", nil},
		{"groups", []any{}},
		{"permissions", []any{}},
	})
}

// pluginList begins with a member that is no plugin, as every NetBox's does.
func (s *Server) pluginList(*call) reply {
	return ok(object{
		{"installed-plugins", link("/api/plugins/installed-plugins/")},
		{s.cfg.Plugin, link("/api/plugins/" + s.cfg.Plugin + "/")},
	})
}

func (s *Server) installedPlugins(*call) reply {
	return ok([]object{{
		{"name", pluginTitle(s.cfg.Plugin)},
		{"package", s.pluginPackage()},
		{"author", ""},
		{"author_email", ""},
		{"description", "Advertises MCP bridge tools"},
		{"version", "1.0.0"},
		{"release_track", ""},
	}})
}
