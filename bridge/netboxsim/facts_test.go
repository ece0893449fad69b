package netboxsim

import "strings"

// fact is one request and what a NetBox 4.7 answers.
type fact struct {
	name         string
	as           string // whose token; "" for none
	method, path string
	header       map[string]string
	body         string
	status       int
	// want is the whole body; has are parts of it, lacks are not. {base} and the like
	// are replaced.
	want       string
	has, lacks []string
	// headers are expected values; "" is a header that must not be there, "*" one that
	// must.
	headers map[string]string
}

const (
	noCredentials = `{"detail":"Authentication credentials were not provided."}`
	noPermission  = `{"detail":"You do not have permission to perform this action."}`
	jsonType      = "application/json"
	htmlType      = "text/html; charset=utf-8"
	longQuery     = "/api/status/?x="
)

func facts47() []fact {
	api := map[string]string{"Content-Type": jsonType, "API-Version": "4.7", "X-Request-ID": "*"}
	page := map[string]string{"Content-Type": htmlType, "API-Version": "4.7", "X-Request-ID": "*"}
	items, sites := "/api/plugins/{plugin}/items/", "/api/dcim/sites/"
	return []fact{
		// Credentials: 403, never 401.
		{name: "no credentials", method: "GET", path: "/api/status/", status: 403, want: noCredentials, headers: map[string]string{
			"API-Version": "4.7", "WWW-Authenticate": "", "Content-Type": jsonType, "Allow": "GET, HEAD, OPTIONS",
		}},
		{name: "another scheme", method: "GET", path: "/api/status/", header: map[string]string{"Authorization": "Basic Zm9vOmJhcg=="},
			status: 403, want: noCredentials},
		{name: "no token after the scheme", method: "GET", path: "/api/status/", header: map[string]string{"Authorization": "Bearer"},
			status: 403, want: `{"detail":"Invalid authorization header: Must be in the form \"Bearer <key>.<token>\" or \"Token <token>\""}`},
		{name: "wrong v1 token", method: "GET", path: "/api/status/", header: map[string]string{"Authorization": "Bearer bogus"},
			status: 403, want: `{"detail":"Invalid v1 token"}`},
		{name: "wrong v2 token", method: "GET", path: "/api/status/", header: map[string]string{"Authorization": "Bearer nbt_foo.bar"},
			status: 403, want: `{"detail":"Invalid v2 token"}`},
		{name: "v2 token without a secret", method: "GET", path: "/api/status/", header: map[string]string{"Authorization": "Bearer nbt_foo"},
			status: 403, has: []string{"Could not parse key from v2 token"}},
		{name: "two words after the scheme", method: "GET", path: "/api/status/", header: map[string]string{"Authorization": "Bearer a b"},
			status: 403, has: []string{"Must be in the form"}},
		{name: "v1 token as Bearer", as: "v1", method: "GET", path: "/api/authentication-check/", status: 200,
			has: []string{`"username":"admin"`, `"is_active":true`, `"url":"{base}/api/users/users/1/"`}},
		{name: "own user of the reader", as: "reader", method: "GET", path: "/api/authentication-check/", status: 200,
			has: []string{`"username":"reader"`, `{"id":2,"url":"{base}/api/users/users/2/"`}},
		{name: "own user of the limited", as: "limited", method: "GET", path: "/api/authentication-check/", status: 200,
			has: []string{`"username":"limited"`, `{"id":3,`}},
		{name: "wrong method without credentials", method: "PUT", path: "/api/status/", status: 403, want: noCredentials},
		{name: "wrong method", as: "admin", method: "PUT", path: "/api/status/", status: 405,
			want: `{"detail":"Method \"PUT\" not allowed."}`, headers: map[string]string{"Allow": "GET, HEAD, OPTIONS"}},

		// The core.
		{name: "status", as: "reader", method: "GET", path: "/api/status/", status: 200, headers: api,
			has: []string{`"netbox-version":"4.7.3"`, `"netbox-full-version":"4.7.3"`, `"plugins":{"netbox_testbed":"1.0.0"}`, `"rq-workers-running":0`}},
		{name: "root", as: "limited", method: "GET", path: "/api/", status: 200,
			has: []string{`"dcim":"{base}/api/dcim/"`, `"plugins":"{base}/api/plugins/"`, `"status":"{base}/api/status/"`}},
		{name: "an app", as: "limited", method: "GET", path: "/api/dcim/", status: 200,
			has: []string{`"devices":"{base}/api/dcim/devices/"`, `"sites":"{base}/api/dcim/sites/"`}},
		{name: "own request id", as: "admin", method: "GET", path: "/api/status/", header: map[string]string{"X-Request-ID": "mine"},
			status: 200, headers: map[string]string{"X-Request-ID": "*"}},

		// Content negotiation.
		{name: "html wanted", as: "admin", method: "GET", path: "/api/status/", header: map[string]string{"Accept": "text/html"},
			status: 200, headers: page, has: []string{"<html>"}},
		{name: "anything wanted", as: "admin", method: "GET", path: "/api/status/", header: map[string]string{"Accept": "text/*;q=0.1, */*"},
			status: 200, headers: page},
		{name: "json and html wanted", as: "admin", method: "GET", path: "/api/status/",
			header: map[string]string{"Accept": "text/html, application/json;q=0.1"}, status: 200, headers: api},
		{name: "xml wanted", as: "admin", method: "GET", path: "/api/status/", header: map[string]string{"Accept": "application/xml"},
			status: 406, want: `{"detail":"Could not satisfy the request Accept header."}`},
		{name: "other version wanted", as: "admin", method: "GET", path: "/api/status/",
			header: map[string]string{"Accept": "application/json; version=4.6"}, status: 406, want: `{"detail":"Invalid version in \"Accept\" header."}`},
		{name: "this version wanted", as: "admin", method: "GET", path: "/api/status/",
			header: map[string]string{"Accept": "application/json; version=4.7"}, status: 200},

		// Paths that nothing is at.
		{name: "unknown path", method: "GET", path: "/api/nope/", status: 404, headers: page, has: []string{"Page Not Found"}},
		{name: "unknown plugin", as: "admin", method: "GET", path: "/api/plugins/nope/", status: 404, headers: page},
		{name: "outside the api", method: "GET", path: "/nope", status: 404,
			headers: map[string]string{"Content-Type": htmlType, "API-Version": ""}},
		{name: "well-known", method: "GET", path: "/.well-known/oauth-protected-resource", status: 404,
			headers: map[string]string{"Content-Type": htmlType, "API-Version": ""}},
		{name: "no final slash", method: "GET", path: "/api/status", status: 301, want: "", headers: map[string]string{
			"Location": "{prefixpath}/api/status/", "API-Version": "", "X-Request-ID": "", "Content-Type": htmlType, "Content-Length": "0",
		}},
		{name: "no final slash with a query", method: "GET", path: "/api/plugins/{plugin}/items?limit=1&q=a%20b", status: 301,
			headers: map[string]string{"Location": "{prefixpath}/api/plugins/{plugin}/items/?limit=1&q=a%20b"}},
		{name: "no final slash on a write", as: "admin", method: "POST", path: "/api/plugins/{plugin}/items", body: "{}",
			status: 404, headers: page},
		{name: "no final slash and unknown", method: "GET", path: "/api/nope", status: 404, headers: page},
		{name: "login page", method: "GET", path: "/login/", status: 200, headers: map[string]string{"Content-Type": htmlType, "API-Version": ""}},
		{name: "login page without slash", method: "GET", path: "/login", status: 301,
			headers: map[string]string{"Location": "{prefixpath}/login/"}},
		{name: "longest request line", as: "admin", method: "GET", path: longQuery + "{pad}", status: 200},
		{name: "request line one byte longer", as: "admin", method: "GET", path: longQuery + "{pad}a", status: 400,
			has: []string{"Request Line is too large (4095 &gt; 4094)"}, headers: map[string]string{"API-Version": "", "X-Request-ID": ""}},

		// Plugins.
		{name: "plugins", as: "limited", method: "GET", path: "/api/plugins/", status: 200, headers: api,
			want: `{"installed-plugins":"{base}/api/plugins/installed-plugins/","{plugin}":"{base}/api/plugins/{plugin}/"}`},
		{name: "plugins without credentials", method: "GET", path: "/api/plugins/", status: 403, want: noCredentials},
		{name: "plugins behind a proxy", as: "admin", method: "GET", path: "/api/plugins/",
			header: map[string]string{"Host": "netbox.example.com", "X-Forwarded-Proto": "https"}, status: 200,
			want: `{"installed-plugins":"https://netbox.example.com{prefixpath}/api/plugins/installed-plugins/",` +
				`"{plugin}":"https://netbox.example.com{prefixpath}/api/plugins/{plugin}/"}`},
		{name: "plugins with a forwarded host", as: "admin", method: "GET", path: "/api/plugins/",
			header: map[string]string{"X-Forwarded-Host": "fwd.example.com:99"}, status: 200,
			has: []string{`"{plugin}":"http://fwd.example.com:99{prefixpath}/api/plugins/{plugin}/"`}},
		{name: "installed plugins of a superuser", as: "v1", method: "GET", path: "/api/plugins/installed-plugins/", status: 200,
			has: []string{`[{"name":"Testbed","package":"netbox_testbed"`, `"version":"1.0.0"`}},
		{name: "installed plugins of others", as: "reader", method: "GET", path: "/api/plugins/installed-plugins/", status: 403, want: noPermission},
		{name: "plugin root", as: "limited", method: "GET", path: "/api/plugins/{plugin}/", status: 200,
			want: `{"items":"{base}/api/plugins/{plugin}/items/","echo":"{base}/api/plugins/{plugin}/echo/",` +
				`"mcp":{"schema_version":"1","manifest":"{base}/api/plugins/{plugin}/mcp/"}}`},
		{name: "plugin root without credentials", method: "GET", path: "/api/plugins/{plugin}/", status: 403, want: noCredentials},
		{name: "manifest without credentials", method: "GET", path: "/api/plugins/{plugin}/mcp/", status: 403, want: noCredentials},
		{name: "manifest", as: "limited", method: "GET", path: "/api/plugins/{plugin}/mcp/", status: 200, headers: api, want: testbedManifest()},

		// Reading items.
		{name: "item", as: "reader", method: "GET", path: items + "{item}/", status: 200,
			want:    `{"id":1,"name":"Item 01","state":"open","due_at":null,"weights":[],"created":"2026-01-01T00:00:00Z"}`,
			headers: map[string]string{"Allow": "GET, PATCH, DELETE, HEAD, OPTIONS", "ETag": ""}},
		{name: "item by HEAD", as: "reader", method: "HEAD", path: items + "{item}/", status: 200, headers: map[string]string{"Content-Length": "100"}},
		{name: "item with a big id", as: "reader", method: "GET", path: items + "{big}/", status: 200,
			want: `{"id":9007199254740993,"name":"Item with a big id","state":"done","due_at":null,"weights":[1,2],"created":"2026-01-01T00:00:00Z"}`},
		{name: "lookup of the big id", as: "reader", method: "GET", path: items + "lookup/?id={big}", status: 200,
			has: []string{`{"id":9007199254740993,`}},
		{name: "the double's neighbour", as: "reader", method: "GET", path: items + "lookup/?id=9007199254740992", status: 404},
		{name: "missing item", as: "reader", method: "GET", path: items + "99999999999999999999/", status: 404, headers: api,
			want: `{"detail":"No Item matches the given query."}`},
		{name: "item id that is no number", as: "reader", method: "GET", path: items + "abc/", status: 404, headers: page},
		{name: "lookup without id", as: "reader", method: "GET", path: items + "lookup/", status: 400, want: `{"id":["This field is required."]}`},
		{name: "lookup of 0", as: "reader", method: "GET", path: items + "lookup/?id=0", status: 400,
			want: `{"id":["Must be an integer from 1 to 9223372036854775807."]}`},
		{name: "lookup of 1.0", as: "reader", method: "GET", path: items + "lookup/?id=1.0", status: 400,
			want: `{"id":["Must be an integer from 1 to 9223372036854775807."]}`},
		{name: "items of the limited", as: "limited", method: "GET", path: items, status: 403, want: noPermission},
		{name: "items by name", as: "reader", method: "GET", path: items + "?q=ITEM+02&state=done&unknown=1", status: 200,
			want: `{"count":1,"next":null,"previous":null,"results":[{"id":2,"name":"Item 02","state":"done",` +
				`"due_at":"2026-01-31T00:00:00Z","weights":[0],"created":"2026-01-01T01:00:00Z"}]}`},
		{name: "first page of items", as: "reader", method: "GET", path: items + "?state=open&limit=2&q=Item", status: 200,
			has: []string{`"next":"{base}/api/plugins/{plugin}/items/?limit=2&offset=2&q=Item&state=open","previous":null,"results":[{"id":1,`, `{"id":4,"name":"Item 04"`}},
		{name: "second page of items", as: "reader", method: "GET", path: items + "?limit=2&offset=2&foo=a+b", status: 200,
			has: []string{`"next":"{base}/api/plugins/{plugin}/items/?foo=a+b&limit=2&offset=4","previous":"{base}/api/plugins/{plugin}/items/?foo=a+b&limit=2","results":[{"id":3,`}},
		{name: "non-ASCII names", as: "reader", method: "GET", path: items + "7/", status: 200, has: []string{`"name":"Überprüfung – 検査 ✓"`}},
		{name: "wrong state and limit", as: "reader", method: "GET", path: items + "?limit=x&state=q", status: 400,
			want: `{"state":["Must be one of: open, done, retired."],"limit":["Must be an integer from 1 to 100."]}`},
		{name: "limit 0", as: "reader", method: "GET", path: items + "?limit=0", status: 400, want: `{"limit":["Must be an integer from 1 to 100."]}`},
		{name: "long q", as: "reader", method: "GET", path: items + "?q=" + strings.Repeat("a", 51), status: 400,
			want: `{"q":["Must have at most 50 characters."]}`},
		{name: "very long q", as: "reader", method: "GET", path: items + "?q=" + strings.Repeat("a", 101), status: 400,
			want: `{"q":["Must be a string of 1 to 100 characters."]}`},

		// Writes that are refused.
		{name: "write by a read-only token", as: "reader", method: "POST", path: items, body: `{"name":"x"}`, status: 403, want: noPermission},
		{name: "echo by a read-only token", as: "reader", method: "POST", path: "/api/plugins/{plugin}/echo/", body: `{"number":1}`, status: 403, want: noPermission},
		{name: "write without the right", as: "limited", method: "POST", path: items, body: `{"name":"x"}`, status: 403, want: noPermission},
		{name: "write without credentials", method: "POST", path: items, body: `{"name":"x"}`, status: 403, want: noCredentials},
		{name: "create without a name", as: "admin", method: "POST", path: items, body: `{}`, status: 400, want: `{"name":["This field is required."]}`},
		{name: "create without a body", as: "admin", method: "POST", path: items, status: 400, want: `{"name":["This field is required."]}`},
		{name: "create with everything wrong", as: "admin", method: "POST", path: items,
			body: `{"name":"","due_at":"x","weights":[1,1],"state":"open"}`, status: 400,
			want: `{"name":["Must be a string of 1 to 100 characters."],"due_at":["Must be an RFC 3339 date-time or null."],` +
				`"weights":["Must not hold a number twice."],"state":["Unknown member."]}`},
		{name: "fraction in a list", as: "admin", method: "POST", path: items, body: `{"weights":[1.5]}`, status: 400,
			want: `{"weights":["Must be an integer from -1000000 to 1000000."],"name":["This field is required."]}`},
		{name: "a list for an object", as: "admin", method: "POST", path: items, body: `[1]`, status: 400, want: `{"__all__":["Must be an object."]}`},
		{name: "cut JSON", as: "admin", method: "POST", path: items, body: `{"name":`, status: 400, has: []string{`{"detail":"JSON parse error - `}},
		{name: "NaN", as: "admin", method: "POST", path: items, body: `{"name":NaN}`, status: 400, has: []string{`{"detail":"JSON parse error - `}},
		{name: "text for JSON", as: "admin", method: "POST", path: items, body: `x`, header: map[string]string{"Content-Type": "text/plain"},
			status: 415, want: `{"detail":"Unsupported media type \"text/plain\" in request."}`},
		{name: "wrong leap second", as: "admin", method: "POST", path: items, body: `{"due_at":"2026-08-12T12:34:60Z"}`, status: 400,
			has: []string{`"due_at":["Must be an RFC 3339 date-time or null."]`}},
		{name: "date-time past year 9999", as: "admin", method: "POST", path: items, body: `{"due_at":"9999-12-31T23:59:60Z"}`, status: 400,
			has: []string{`"due_at":["Must be an RFC 3339 date-time or null."]`}},
		{name: "update without id", as: "admin", method: "PATCH", path: items + "update/", body: `{"state":"nope"}`, status: 400,
			want: `{"state":["Must be one of: open, done, retired."],"id":["This field is required."]}`},
		{name: "update of a missing item", as: "admin", method: "PATCH", path: items + "update/", body: `{"id":777777,"name":"a"}`, status: 404,
			want: `{"detail":"No Item matches the given query."}`},
		{name: "patch of a missing item", as: "admin", method: "PATCH", path: items + "777777/", body: `{"nope":1}`, status: 404,
			want: `{"detail":"No Item matches the given query."}`},
		{name: "purge without a state", as: "admin", method: "DELETE", path: items + "purge/", body: `{}`, status: 400, want: `{"state":["This field is required."]}`},
		{name: "purge of a wrong state", as: "admin", method: "DELETE", path: items + "purge/", body: `{"state":"x"}`, status: 400,
			want: `{"state":["Must be one of: open, done, retired."]}`},
		{name: "put on an item", as: "admin", method: "PUT", path: items + "{item}/", body: `{}`, status: 405, want: `{"detail":"Method \"PUT\" not allowed."}`},

		// The other tools.
		{name: "echo", as: "admin", method: "POST", path: "/api/plugins/{plugin}/echo/", body: `{"number":9223372036854775807}`,
			header: map[string]string{"Content-Type": "application/json; charset=utf-8"}, status: 200, want: `{"number":9223372036854775807}`},
		{name: "echo of a whole fraction", as: "admin", method: "POST", path: "/api/plugins/{plugin}/echo/", body: `{"number":9007199254740991.0}`,
			status: 200, want: `{"number":9007199254740991}`},
		{name: "echo past the doubles", as: "admin", method: "POST", path: "/api/plugins/{plugin}/echo/", body: `{"number":9007199254740992.0}`, status: 400},
		{name: "echo past 64 bits", as: "admin", method: "POST", path: "/api/plugins/{plugin}/echo/", body: `{"number":9223372036854775808}`, status: 400},
		{name: "echo of true and more", as: "admin", method: "POST", path: "/api/plugins/{plugin}/echo/", body: `{"number":true,"x":1}`, status: 400,
			want: `{"number":["Must be an integer from 1 to 9223372036854775807."],"x":["Unknown member."]}`},
		{name: "echo of a repeated member", as: "admin", method: "POST", path: "/api/plugins/{plugin}/echo/", body: `{"number":1,"number":2}`,
			status: 200, want: `{"number":2}`},
		{name: "echo by GET", as: "admin", method: "GET", path: "/api/plugins/{plugin}/echo/", status: 405,
			headers: map[string]string{"Allow": "POST, OPTIONS"}, want: `{"detail":"Method \"GET\" not allowed."}`},
		{name: "echo by OPTIONS", as: "admin", method: "OPTIONS", path: "/api/plugins/{plugin}/echo/", status: 200,
			has: []string{`"renders":["application/json","text/html"]`}},
		{name: "redirect", as: "reader", method: "GET", path: "/api/plugins/{plugin}/redirect/", status: 302, want: "",
			headers: map[string]string{"Location": "{base}/api/status/", "Content-Type": htmlType, "API-Version": "4.7"}},
		{name: "big", as: "reader", method: "GET", path: "/api/plugins/{plugin}/big/", status: 200,
			headers: map[string]string{"Content-Length": "1048576", "Content-Type": jsonType}, has: []string{`{"data":"xxxx`}},
		{name: "bad output", as: "reader", method: "GET", path: "/api/plugins/{plugin}/bad-output/", status: 200, want: `{"count":"many"}`},
		{name: "fail after write without a name", as: "admin", method: "POST", path: "/api/plugins/{plugin}/fail-after-write/", body: `{}`,
			status: 400, want: `{"name":["This field is required."]}`},

		// Sites.
		{name: "site", as: "limited", method: "GET", path: sites + "{site}/", status: 200, has: []string{
			`{"id":100,"url":"{base}/api/dcim/sites/100/","display_url":"{base}/dcim/sites/100/","display":"Zürich Süd","name":"Zürich Süd","slug":"zurich-sud","status":{"value":"staging","label":"Staging"},"region":{"id":4,`,
			`"facility":"DC1","time_zone":"Europe/Zurich","description":"Site number 100","physical_address":"","shipping_address":"","latitude":59.5,"longitude":9.25,"owner":null,"comments":"Grüße aus Zürich — 東京, Москва, العربية, 🛰️\n\nSecond paragraph with **markup**.","asns":[],"tags":[{"id":10,`,
			`"custom_fields":{"tier":null},"created":"`, `"circuit_count":0,"device_count":6,"prefix_count":1,"rack_count":0,`,
		}, headers: map[string]string{"ETag": "*"}},
		{name: "brief site", as: "limited", method: "GET", path: sites + "{site}/?brief=true", status: 200,
			want: `{"id":100,"url":"{base}/api/dcim/sites/100/","display":"Zürich Süd","name":"Zürich Süd","slug":"zurich-sud","description":"Site number 100"}`},
		{name: "missing site", as: "limited", method: "GET", path: sites + "99999/", status: 404, headers: api, want: `{"detail":"No Site matches the given query."}`},
		{name: "site id that is no number", as: "limited", method: "GET", path: sites + "abc/", status: 404, headers: api, want: `{"detail":"Not found."}`},
		{name: "site without credentials", method: "GET", path: sites + "abc/", status: 403, want: noCredentials},
		{name: "brief list", as: "limited", method: "GET", path: sites + "?brief=true&limit=1&facility=DC0", status: 200,
			headers: map[string]string{"ETag": ""},
			want: `{"count":29,"next":"{base}/api/dcim/sites/?brief=true&facility=DC0&limit=1&offset=1","previous":null,"results":[{"id":1,` +
				`"url":"{base}/api/dcim/sites/1/","display":"Amsterdam 01","name":"Amsterdam 01","slug":"amsterdam-01","description":"Site number 1"}]}`},
		{name: "brief with the value false", as: "limited", method: "GET", path: sites + "1/?brief=false", status: 200, lacks: []string{`"status"`}},
		{name: "fields, sorted by name", as: "limited", method: "GET", path: sites + "?fields=id,name&limit=2&offset=3&name__isw=Amst", status: 200,
			want: `{"count":20,"next":"{base}/api/dcim/sites/?fields=id%2Cname&limit=2&name__isw=Amst&offset=5",` +
				`"previous":"{base}/api/dcim/sites/?fields=id%2Cname&limit=2&name__isw=Amst&offset=1","results":[{"id":31,"name":"Amsterdam 04"},{"id":41,"name":"Amsterdam 05"}]}`},
		{name: "unknown fields", as: "limited", method: "GET", path: sites + "?fields=nope&limit=2&id=1&id=2", status: 200, has: []string{`"results":[{},{}]}`}},
		{name: "omit", as: "limited", method: "GET", path: sites + "1/?fields=&omit=nope,comments&brief=1", status: 200,
			has: []string{`"slug":"amsterdam-01"`, `"owner":null,"asns":[]`}, lacks: []string{`"comments"`}},
		{name: "fields before omit", as: "limited", method: "GET", path: sites + "1/?fields=id&omit=id", status: 200, want: `{"id":1}`},
		{name: "unknown filter", as: "limited", method: "GET", path: sites + "?facility=DC1&nope=1&limit=1&fields=id", status: 200, has: []string{`{"count":29,`}},
		{name: "unknown lookup", as: "limited", method: "GET", path: sites + "?facility=DC1&name__nope=x&limit=1&fields=id", status: 200, has: []string{`{"count":29,`}},
		{name: "wrong choice", as: "limited", method: "GET", path: sites + "?status=bogus", status: 400,
			want: `{"status":["Select a valid choice. bogus is not one of the available choices."]}`},
		{name: "empty choice", as: "limited", method: "GET", path: sites + "?status=", status: 400,
			want: `{"status":["Select a valid choice.  is not one of the available choices."]}`},
		{name: "two choices", as: "limited", method: "GET", path: sites + "?status=active&status=planned&limit=2&fields=id&facility=DC1", status: 200,
			want: `{"count":19,"next":"{base}/api/dcim/sites/?facility=DC1&fields=id&limit=2&offset=2&status=active&status=planned","previous":null,"results":[{"id":51},{"id":121}]}`},
		{name: "not a choice", as: "limited", method: "GET", path: sites + "?status__n=active&limit=1&fields=id&facility=DC1", status: 200, has: []string{`{"count":15,`, `[{"id":2}]`}},
		{name: "wrong number", as: "limited", method: "GET", path: sites + "?id=x", status: 400, want: `{"id":["Enter a whole number."]}`},
		{name: "number nobody has", as: "limited", method: "GET", path: sites + "?id=99999", status: 200,
			want: `{"count":0,"next":null,"previous":null,"results":[]}`},
		{name: "empty number", as: "limited", method: "GET", path: sites + "?id=&limit=1&fields=id&facility=DC1", status: 200, has: []string{`{"count":29,`}},
		{name: "two numbers", as: "limited", method: "GET", path: sites + "?id=3&id=1&fields=id", status: 200, has: []string{`"results":[{"id":1},{"id":3}]`}},
		{name: "slug", as: "limited", method: "GET", path: sites + "?slug=zurich-sud&fields=id", status: 200, has: []string{`"results":[{"id":100}]`}},
		{name: "name in another case", as: "limited", method: "GET", path: sites + "?name=berlin+01", status: 200, has: []string{`{"count":0,`}},
		{name: "name in any case", as: "limited", method: "GET", path: sites + "?name__ie=berlin+01&fields=id", status: 200, has: []string{`"results":[{"id":2}]`}},
		{name: "part of a name", as: "limited", method: "GET", path: sites + "?name__ic=berlin&fields=id&limit=1", status: 200, has: []string{`{"count":20,`}},
		{name: "region with its children", as: "limited", method: "GET", path: sites + "?region=region-01&limit=1&fields=id", status: 200, has: []string{`{"count":68,`, `[{"id":1}]`}},
		{name: "tag", as: "limited", method: "GET", path: sites + "?tag=tag-10&limit=1&fields=id", status: 200, has: []string{`{"count":14,`, `[{"id":8}]`}},
		{name: "two tags are both wanted", as: "limited", method: "GET", path: sites + "?tag=tag-10&tag=tag-09&limit=1&fields=id", status: 200,
			has: []string{`{"count":7,`, `[{"id":8}]`}},
		{name: "unknown tag", as: "limited", method: "GET", path: sites + "?tag=nope", status: 400,
			want: `{"tag":["Select a valid choice. nope is not one of the available choices."]}`},
		{name: "q in the name", as: "limited", method: "GET", path: sites + "?q=rich&fields=id", status: 200, has: []string{`{"count":1,`, `{"id":100}`}},
		{name: "q in the description", as: "limited", method: "GET", path: sites + "?q=site+number+10&limit=20&fields=id", status: 200,
			has: []string{`{"count":11,`, `{"id":109},{"id":10},{"id":100}]`}},
		{name: "q in the facility", as: "limited", method: "GET", path: sites + "?q=DC1&fields=id&limit=1", status: 200, has: []string{`{"count":29,`, `[{"id":51}]`}},
		{name: "ordering down", as: "limited", method: "GET", path: sites + "?ordering=-name&limit=2&fields=id&facility=DC1", status: 200, has: []string{`[{"id":100},{"id":170}]`}},
		{name: "ordering by two", as: "limited", method: "GET", path: sites + "?ordering=status,-id&limit=2&fields=id&facility=DC1", status: 200, has: []string{`[{"id":191},{"id":177}]`}},
		{name: "unknown ordering", as: "limited", method: "GET", path: sites + "?ordering=bogus&limit=2&fields=id&facility=DC1", status: 200, has: []string{`[{"id":51},{"id":121}]`}},
		{name: "limit 0 is everything", as: "limited", method: "GET", path: sites + "?limit=0&fields=id&tag=tag-10", status: 200,
			has: []string{`{"count":14,"next":null,"previous":null,`}, lacks: []string{`"results":[]`}},
		{name: "limit 0 is at most 1000", as: "reader", method: "GET", path: "/api/dcim/devices/?limit=0&fields=id", status: 200,
			has: []string{`{"count":1500,"next":"{base}/api/dcim/devices/?fields=id&limit=1000&offset=1000"`}},
		{name: "limit over the most", as: "reader", method: "GET", path: "/api/dcim/devices/?limit=5000&offset=1&fields=id", status: 200,
			has: []string{`"next":"{base}/api/dcim/devices/?fields=id&limit=1000&offset=1001"`}},
		{name: "negative limit and offset", as: "limited", method: "GET", path: sites + "?limit=-4&offset=-3&fields=id", status: 200,
			has: []string{`"next":"{base}/api/dcim/sites/?fields=id&limit=50&offset=50","previous":null`}},
		{name: "limit that is no number", as: "limited", method: "GET", path: sites + "?limit=abc&fields=id", status: 200,
			has: []string{`"next":"{base}/api/dcim/sites/?fields=id&limit=50&offset=50"`}},
		{name: "offset past the end", as: "limited", method: "GET", path: sites + "?limit=5&offset=1000&fields=id&facility=DC1", status: 200,
			want: `{"count":29,"next":null,"previous":"{base}/api/dcim/sites/?facility=DC1&fields=id&limit=5&offset=995","results":[]}`},
		{name: "encoding of links", as: "limited", method: "GET", path: sites + "?limit=2&offset=1&fields=id&x=~*-._!'()@:/%C3%BC", status: 200,
			has: []string{`"next":"{base}/api/dcim/sites/?fields=id&limit=2&offset=3&x=~%2A-._%21%27%28%29%40%3A%2F%C3%BC"`}},
		{name: "cursor", as: "limited", method: "GET", path: sites + "?limit=2&start=5&fields=id", status: 200,
			want: `{"count":null,"next":"{base}/api/dcim/sites/?fields=id&limit=2&start=7","previous":null,"results":[{"id":5},{"id":6}]}`},
		{name: "cursor past the end", as: "limited", method: "GET", path: sites + "?limit=3&start=197&fields=id&facility=DC1", status: 200,
			want: `{"count":null,"next":null,"previous":null,"results":[{"id":198}]}`},
		{name: "cursor and offset", as: "limited", method: "GET", path: sites + "?start=5&offset=3", status: 400, want: `["'start' and 'offset' are mutually exclusive."]`},
		{name: "cursor that is no number", as: "limited", method: "GET", path: sites + "?start=x", status: 400,
			want: `["Invalid 'start' parameter: must be a non-negative integer."]`},
		{name: "write to sites by a read-only token", as: "reader", method: "POST", path: sites, body: `{}`, status: 403, want: noPermission},

		// Writes to sites that are refused.
		{name: "create a site without anything", as: "admin", method: "POST", path: sites, body: `{}`, status: 400,
			headers: map[string]string{"Allow": "GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS"},
			want:    `{"name":["This field is required."],"slug":["This field is required."]}`},
		{name: "create a site that exists", as: "admin", method: "POST", path: sites, body: `{"name":"Zürich Süd","slug":"zurich-sud"}`, status: 400,
			want: `{"name":["site with this name already exists."],"slug":["site with this slug already exists."]}`},
		{name: "create a site from wrong values", as: "admin", method: "POST", path: sites,
			body: `{"status":"x","slug":"a b","name":" ","description":"` + strings.Repeat("a", 201) + `"}`, status: 400,
			want: `{"name":["This field may not be blank."],"slug":["Enter a valid \"slug\" consisting of letters, numbers, underscores or hyphens."],` +
				`"status":["x is not a valid choice."],"description":["Ensure this field has no more than 200 characters."]}`},
		{name: "create a site from wrong types", as: "admin", method: "POST", path: sites,
			body: `{"name":true,"slug":[1],"status":{"value":"active"},"facility":null,"description":{},"comments":5}`, status: 400,
			want: `{"name":["Not a valid string."],"slug":["Enter a valid \"slug\" consisting of letters, numbers, underscores or hyphens."],` +
				`"status":["Value must be passed directly (e.g. \"foo\": 123); do not use a dictionary or list."],` +
				`"facility":["This field may not be null."],"description":["Not a valid string."]}`},
		{name: "create a site from a number", as: "admin", method: "POST", path: sites, body: `7`, status: 400,
			want: `{"__all__":["Invalid data. Expected a dictionary, but got int."]}`},
		{name: "create sites, some wrong", as: "admin", method: "POST", path: sites, body: `[{"name":"sim none","slug":"sim-none"},{"name":"sim none 2"}]`, status: 400,
			want: `{"detail":"1 of 2 objects could not be created.","errors":[{"index":1,"errors":{"slug":["This field is required."]}}]}`},
		{name: "which created none", as: "reader", method: "GET", path: sites + "?slug=sim-none", status: 200, has: []string{`{"count":0,`}},
		{name: "create no sites", as: "admin", method: "POST", path: sites, body: `[]`, status: 201, want: `[]`},
		{name: "update no sites", as: "admin", method: "PATCH", path: sites, body: `[]`, status: 200, want: `[]`},
		{name: "delete no sites", as: "admin", method: "DELETE", path: sites, body: `[]`, status: 204},
		{name: "delete sites without a body", as: "admin", method: "DELETE", path: sites, status: 400,
			want: `{"detail":"Expected a list of objects, but no data was submitted."}`},
		{name: "update sites by an object", as: "admin", method: "PATCH", path: sites, body: `{"id":1}`, status: 400,
			want: `{"detail":"Expected a list of objects, but got dict."}`},
		{name: "update sites by wrong ids", as: "admin", method: "PATCH", path: sites, body: `[7,{"id":true},{"id":1.5},{},{"id":"1"}]`, status: 400,
			want: `{"detail":"4 of 5 objects failed validation.","errors":[{"index":0,"errors":{"__all__":["Invalid data. Expected a dictionary, but got int."]}},` +
				`{"index":1,"errors":{"id":["A valid integer is required."]}},{"index":2,"errors":{"id":["A valid integer is required."]}},` +
				`{"index":3,"errors":{"id":["This field is required."]}}]}`},
		{name: "update a missing site among others", as: "admin", method: "PATCH", path: sites, body: `[{"id":1},{"id":99999}]`, status: 400,
			want: `{"detail":"1 of 2 objects could not be found.","errors":[{"id":99999,"errors":{"id":["Object with ID 99999 does not exist"]}}]}`},
		{name: "update sites, some wrongly", as: "admin", method: "PATCH", path: sites, body: `[{"id":1,"description":"never"},{"id":2,"status":"x"}]`, status: 400,
			want: `{"detail":"1 of 2 objects could not be updated.","errors":[{"id":2,"errors":{"status":["x is not a valid choice."]}}]}`},
		{name: "which updated none", as: "reader", method: "GET", path: sites + "1/?fields=description", status: 200, want: `{"description":"Site number 1"}`},
		{name: "a stale site", as: "admin", method: "PATCH", path: sites + "1/", body: `{"status":"x"}`,
			header: map[string]string{"If-Match": `W/"2020-01-01T00:00:00+00:00"`}, status: 412,
			want: `{"detail":"Precondition failed."}`, headers: map[string]string{"ETag": "*"}},
		{name: "delete a stale site", as: "admin", method: "DELETE", path: sites + "1/",
			header: map[string]string{"If-Match": `W/"2020-01-01T00:00:00+00:00"`}, status: 412, want: `{"detail":"Precondition failed."}`},
		{name: "put half a site", as: "admin", method: "PUT", path: sites + "1/", body: `{"description":"y"}`, status: 400,
			want: `{"name":["This field is required."],"slug":["This field is required."]}`},
		{name: "patch a missing site", as: "admin", method: "PATCH", path: sites + "99999/", body: `{}`, status: 404,
			want: `{"detail":"No Site matches the given query."}`},
		{name: "delete a site with devices", as: "admin", method: "DELETE", path: sites + "1/", status: 409,
			has: []string{`{"detail":"Unable to delete object. `, ` dependent objects were found: `, `sw-0011 (A000011) (11)`}},
		{name: "delete sites with devices", as: "admin", method: "DELETE", path: sites, body: `[{"id":1}]`, status: 409,
			has: []string{`{"detail":"1 of 1 objects could not be deleted.","errors":[{"id":1,"errors":{"__all__":["Unable to delete: `, ` dependent object(s) prevent deletion."]}}]}`}},

		// Devices.
		{name: "device", as: "reader", method: "GET", path: "/api/dcim/devices/{device}/?omit=config_context,local_context_data,created,last_updated", status: 200,
			want: testbedDevice2},
		{name: "device's context", as: "reader", method: "GET", path: "/api/dcim/devices/{device}/?fields=local_context_data", status: 200,
			headers: map[string]string{"Content-Length": "28557"}, has: []string{`{"local_context_data":{"ntp":["192.0.2.1","192.0.2.2"],"routes":[{"via":"10.0.0.1","prefix":"10.0.0.0/24"},`}},
		{name: "device without rack and address", as: "reader", method: "GET", path: "/api/dcim/devices/401/?fields=id,site,rack,position,face,primary_ip,config_context,comments", status: 200,
			want: `{"id":401,"site":{"id":1,"url":"{base}/api/dcim/sites/1/","display":"Amsterdam 01","name":"Amsterdam 01","slug":"amsterdam-01","description":"Site number 1"},` +
				`"rack":null,"position":null,"face":null,"primary_ip":null,"comments":"Handle with care.","config_context":{}}`},
		{name: "brief devices", as: "reader", method: "GET", path: "/api/dcim/devices/?brief=1&limit=1", status: 200,
			want: `{"count":1500,"next":"{base}/api/dcim/devices/?brief=1&limit=1&offset=1","previous":null,"results":[{"id":2,` +
				`"url":"{base}/api/dcim/devices/2/","display":"core-0002 (A000002)","name":"core-0002","description":""}]}`},
		{name: "devices of the limited", as: "limited", method: "GET", path: "/api/dcim/devices/?limit=1", status: 403, want: noPermission},
		{name: "device of the limited", as: "limited", method: "GET", path: "/api/dcim/devices/{device}/", status: 403, want: noPermission},
		{name: "devices at a site", as: "reader", method: "GET", path: "/api/dcim/devices/?site=zurich-sud&limit=2&fields=id,name", status: 200,
			has: []string{`{"count":6,`, `[{"id":500,"name":"srv-0500"},{"id":700,"name":"srv-0700"}]`}},
		{name: "devices at a site's id", as: "reader", method: "GET", path: "/api/dcim/devices/?site_id=1&limit=2&fields=id", status: 200,
			has: []string{`{"count":46,`, `[{"id":1},{"id":11}]`}},
		{name: "devices at an unknown site's id", as: "reader", method: "GET", path: "/api/dcim/devices/?site_id=99999", status: 400,
			want: `{"site_id":["Select a valid choice. 99999 is not one of the available choices."]}`},
		{name: "devices at an unknown site", as: "reader", method: "GET", path: "/api/dcim/devices/?site=nope", status: 400,
			want: `{"site":["Select a valid choice. nope is not one of the available choices."]}`},
		{name: "devices by role", as: "reader", method: "GET", path: "/api/dcim/devices/?role=core-switch&limit=2&fields=id", status: 200,
			has: []string{`{"count":300,`, `[{"id":2},{"id":7}]`}},
		{name: "devices by serial", as: "reader", method: "GET", path: "/api/dcim/devices/?q=SN000002&fields=id", status: 200, has: []string{`[{"id":2}]`}},
		{name: "devices by address", as: "reader", method: "GET", path: "/api/dcim/devices/?q=10.0.0.2&fields=id&limit=1", status: 200, has: []string{`[{"id":2}]`}},
		{name: "devices by comment", as: "reader", method: "GET", path: "/api/dcim/devices/?q=care&fields=id&limit=1", status: 200, has: []string{`{"count":30,`}},
		{name: "good boolean", as: "reader", method: "GET", path: "/api/dcim/devices/?has_primary_ip=true&limit=1&fields=id", status: 200, has: []string{`{"count":100,`}},
		{name: "false boolean", as: "reader", method: "GET", path: "/api/dcim/devices/?has_primary_ip=false&limit=1&fields=id", status: 200, has: []string{`{"count":1400,`}},
		{name: "bad boolean", as: "reader", method: "GET", path: "/api/dcim/devices/?has_primary_ip=no&limit=1&fields=id", status: 200, has: []string{`{"count":1500,`}},
		{name: "devices in the middle", as: "reader", method: "GET", path: "/api/dcim/devices/?limit=3&offset=299&fields=name", status: 200,
			has: []string{`[{"name":"core-1497"},{"name":"fw-0004"},{"name":"fw-0009"}]`}},

		// Prefixes.
		{name: "prefix", as: "reader", method: "GET", path: "/api/ipam/prefixes/{prefix}/?omit=created,last_updated,children,_depth", status: 200,
			want: `{"id":300,"url":"{base}/api/ipam/prefixes/300/","display_url":"{base}/ipam/prefixes/300/","display":"10.99.0.0/24",` +
				`"family":{"value":4,"label":"IPv4"},"prefix":"10.99.0.0/24","vrf":null,"scope_type":null,"scope_id":null,"scope":null,"tenant":null,` +
				`"vlan":null,"status":{"value":"active","label":"Active"},"role":null,"is_pool":false,"mark_utilized":false,` +
				`"description":"Nothing is used in here","owner":null,"comments":"","tags":[],"custom_fields":{}}`},
		{name: "prefix at a site", as: "reader", method: "GET", path: "/api/ipam/prefixes/2/?fields=scope_type,scope_id,scope,vlan,role", status: 200,
			want: `{"scope_type":"dcim.site","scope_id":1,"scope":{"id":1,"url":"{base}/api/dcim/sites/1/","display":"Amsterdam 01","name":"Amsterdam 01","slug":"amsterdam-01","description":"Site number 1"},` +
				`"vlan":{"id":1,"url":"{base}/api/ipam/vlans/1/","display":"VLAN 100 (100)","vid":100,"name":"VLAN 100","description":""},` +
				`"role":{"id":1,"url":"{base}/api/ipam/roles/1/","display":"Production","name":"Production","slug":"production","description":""}}`},
		{name: "brief prefix", as: "reader", method: "GET", path: "/api/ipam/prefixes/?brief=true&limit=1", status: 200,
			has: []string{`"results":[{"id":1,"url":"{base}/api/ipam/prefixes/1/","display":"10.0.0.0/8","family":{"value":4,"label":"IPv4"},"prefix":"10.0.0.0/8","description":"Everything","_depth":0}]`}},
		{name: "prefixes in order", as: "reader", method: "GET", path: "/api/ipam/prefixes/?limit=3&fields=id,prefix", status: 200,
			has: []string{`{"count":300,`, `[{"id":1,"prefix":"10.0.0.0/8"},{"id":2,"prefix":"10.0.0.0/24"},{"id":3,"prefix":"10.0.1.0/24"}]`}},
		{name: "prefixes in reverse", as: "reader", method: "GET", path: "/api/ipam/prefixes/?ordering=-prefix&fields=id&limit=1", status: 200, has: []string{`[{"id":300}]`}},
		{name: "reserved prefixes", as: "reader", method: "GET", path: "/api/ipam/prefixes/?status=reserved&limit=2&fields=id", status: 200,
			has: []string{`{"count":99,`, `[{"id":3},{"id":6}]`}},
		{name: "prefix by itself", as: "reader", method: "GET", path: "/api/ipam/prefixes/?prefix=10.99.0.0/24&fields=id", status: 200, has: []string{`{"count":1,`, `[{"id":300}]`}},
		{name: "prefix that is none", as: "reader", method: "GET", path: "/api/ipam/prefixes/?prefix=bogus", status: 200, has: []string{`{"count":0,`}},
		{name: "prefixes that contain q", as: "reader", method: "GET", path: "/api/ipam/prefixes/?q=10.99.0.0/24&fields=id", status: 200,
			has: []string{`{"count":2,`, `[{"id":1},{"id":300}]`}},
		{name: "prefixes by description", as: "reader", method: "GET", path: "/api/ipam/prefixes/?q=nothing&fields=id", status: 200, has: []string{`[{"id":300}]`}},
		{name: "prefixes at a site", as: "reader", method: "GET", path: "/api/ipam/prefixes/?site_id=1&fields=id", status: 200, has: []string{`{"count":2,`}},
		{name: "pools", as: "reader", method: "GET", path: "/api/ipam/prefixes/?is_pool=true", status: 200, has: []string{`{"count":0,`}},
		{name: "pools, badly asked", as: "reader", method: "GET", path: "/api/ipam/prefixes/?is_pool=maybe&fields=id&limit=1", status: 200, has: []string{`{"count":300,`}},
	}
}

// testbedDevice2 is device 2 without its contexts and dates.
const testbedDevice2 = `{"id":2,"url":"{base}/api/dcim/devices/2/","display_url":"{base}/dcim/devices/2/","display":"core-0002 (A000002)","name":"core-0002","device_type":{"id":2,"url":"{base}/api/dcim/device-types/2/","display":"Acme 48","manufacturer":{"id":1,"url":"{base}/api/dcim/manufacturers/1/","display":"Acme","name":"Acme","slug":"acme","description":""},"model":"Acme 48","slug":"acme-48","description":"","device_count":150},"role":{"id":2,"url":"{base}/api/dcim/device-roles/2/","display":"Core switch","name":"Core switch","slug":"core-switch","description":"","device_count":0,"virtualmachine_count":0,"_depth":0},"tenant":{"id":2,"url":"{base}/api/tenancy/tenants/2/","display":"Tenant 02","name":"Tenant 02","slug":"tenant-02","description":""},"platform":null,"serial":"SN000002","asset_tag":"A000002","site":{"id":2,"url":"{base}/api/dcim/sites/2/","display":"Berlin 01","name":"Berlin 01","slug":"berlin-01","description":"Site number 2"},"location":null,"rack":{"id":2,"url":"{base}/api/dcim/racks/2/","display":"R02","name":"R02","description":""},"position":1.0,"face":{"value":"front","label":"Front"},"latitude":null,"longitude":null,"parent_device":null,"status":{"value":"active","label":"Active"},"airflow":null,"cooling_method":null,"primary_ip":{"id":2,"url":"{base}/api/ipam/ip-addresses/2/","display":"10.0.0.2/24","family":{"value":4,"label":"IPv4"},"address":"10.0.0.2/24","nat_inside":null,"nat_outside":[],"dns_name":"host-0002.example.com","description":""},"primary_ip4":{"id":2,"url":"{base}/api/ipam/ip-addresses/2/","display":"10.0.0.2/24","family":{"value":4,"label":"IPv4"},"address":"10.0.0.2/24","nat_inside":null,"nat_outside":[],"dns_name":"host-0002.example.com","description":""},"primary_ip6":null,"oob_ip":null,"cluster":null,"virtual_chassis":null,"vc_position":null,"vc_priority":null,"description":"","owner":null,"comments":"","config_template":null,"tags":[],"custom_fields":{},"console_port_count":0,"console_server_port_count":0,"power_port_count":0,"power_outlet_count":0,"cooling_intake_count":0,"cooling_outflow_count":0,"interface_count":24,"front_port_count":0,"rear_port_count":0,"device_bay_count":0,"module_bay_count":0,"inventory_item_count":0}`

// testbedManifest is the manifest that the simulator gives; against the real server it
// says that both are the same.
func testbedManifest() string { return string(render(New(Testbed()).manifest(), "")) }
