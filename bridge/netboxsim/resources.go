package netboxsim

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// resource is a kind of object below /api/. To serve one more, add it to resources and
// give its records in a seed.
type resource struct {
	// path is "<app>/<resource>", which is also the permission that is asked for.
	path string
	// model and title are the names in messages and in OPTIONS.
	model, title string
	// brief are the members that brief=true leaves.
	brief []string
	// filters are the query parameters that are looked at; NetBox and this server
	// ignore every other one.
	filters map[string]filter
	// search judges q.
	search func(r *record, q string) bool
	// sortable are the members that ordering knows; every resource has id.
	sortable []string
	// writable are the members that may be written, in the order in which NetBox
	// reports what is wrong with them; none means that the resource is read-only here.
	// Other members of a body are ignored, as NetBox ignores names it does not know.
	writable []column
	// blank makes the object with this id that a create fills.
	blank func(id int64) *record
	// dependants says which resource, found by which filter, keeps an object from being
	// deleted.
	dependants, dependantsBy string
}

// resources is the table of what is served.
func resources() []resource {
	return []resource{
		{
			path: "dcim/sites", model: "Site", title: "Site",
			brief: []string{"id", "url", "display", "name", "slug", "description"},
			filters: map[string]filter{
				"id": number64, "name": text, "slug": text, "facility": text, "description": text,
				"status": choice("active", "planned", "staging", "decommissioning", "retired"),
				"region": reference, "region_id": reference, "tenant": reference, "tenant_id": reference, "tag": allReferences,
			},
			search: searchIn("name", "facility", "description", "physical_address", "shipping_address", "comments"),
			// The default order is by name, with numbers in it compared as numbers.
			sortable: []string{"name", "slug", "status", "facility", "description"},
			writable: []column{
				{name: "name", required: true, unique: true, max: 100},
				{name: "slug", required: true, unique: true, max: 100, slug: true},
				{name: "status", choices: []string{"active", "planned", "staging", "decommissioning", "retired"}},
				{name: "facility", blank: true, max: 50}, {name: "description", blank: true, max: 200},
				{name: "physical_address", blank: true, max: 200}, {name: "shipping_address", blank: true, max: 200},
				{name: "comments", blank: true},
			},
			blank: blankSite, dependants: "dcim/devices", dependantsBy: "site_id",
		},
		{
			path: "dcim/devices", model: "Device", title: "Device",
			brief: []string{"id", "url", "display", "name", "description"},
			filters: map[string]filter{
				"id": number64, "name": text, "serial": text, "asset_tag": text, "description": text,
				"status": choice("offline", "active", "planned", "staged", "failed", "inventory", "decommissioning"),
				"site":   reference, "site_id": reference, "role": reference, "role_id": reference,
				"tenant": reference, "tenant_id": reference, "manufacturer": reference, "manufacturer_id": reference,
				"device_type": reference, "device_type_id": reference, "has_primary_ip": boolean,
			},
			search:   searchIn("name", "serial", "asset_tag", "description", "comments"),
			sortable: []string{"name", "status", "serial", "asset_tag", "description"},
		},
		{
			path: "ipam/prefixes", model: "Prefix", title: "Prefix",
			brief: []string{"id", "url", "display", "family", "prefix", "description", "_depth"},
			filters: map[string]filter{
				"id": number64, "prefix": network, "description": text,
				"status": choice("container", "active", "reserved", "deprecated"),
				"family": text, "site": reference, "site_id": reference, "tenant": reference, "tenant_id": reference,
				"role": reference, "role_id": reference, "is_pool": boolean, "mark_utilized": boolean,
			},
			search:   searchNetwork,
			sortable: []string{"prefix", "status", "description"},
		},
	}
}

// record is one object of a resource. Records are never changed once they are made.
type record struct {
	id int64
	// rank sorts records into the resource's default order.
	rank string
	// object is the full rendering.
	object object
	// keys are the values by which filters find the record, by filter.
	keys map[string][]string
	// modified is the object's last_updated.
	modified time.Time
}

// etag is NetBox's weak entity tag: the time of the last change.
func (r *record) etag() http.Header {
	return http.Header{"Etag": {`W/"` + r.modified.UTC().Format("2006-01-02T15:04:05.000000-07:00") + `"`}}
}

func (r *record) identity() int64 { return r.id }

// dataset is all data, by the path of its resource.
type dataset map[string]*table

// table holds the records of a resource in its default order. The list is replaced and
// never changed, so that readers need the lock only to get hold of it.
type table struct {
	records []*record
	// last is the last id that was given out.
	last int64
	// sortKey tells the place in the default order.
	sortKey func(*record) string
}

// records returns the rows of a resource. The seed is made when it is first needed:
// most tests ask for the plugin only.
func (s *Server) records(path string) []*record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dataset()[path].records
}

// dataset is the data, seeded when it is first asked for; s.mu is held.
func (s *Server) dataset() dataset {
	if s.data == nil {
		s.data = seedData(s.cfg.Seed)
	}
	return s.data
}

// apps are the first parts of the resources' paths, sorted.
func (s *Server) apps() []string {
	seen := map[string]bool{}
	for _, res := range resources() {
		app, _, _ := strings.Cut(res.path, "/")
		seen[app] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// resourceViews are the paths of the resources and of the apps that hold them.
func (s *Server) resourceViews() map[string]*view {
	views := map[string]*view{}
	for _, app := range s.apps() {
		views[app+"/"] = &view{name: strings.ToUpper(app), methods: map[string]action{
			http.MethodGet: func(*call) reply { return ok(appRoot(app)) },
		}}
	}
	for _, res := range resources() {
		list := map[string]action{http.MethodGet: func(c *call) reply { return s.listRecords(c, &res) }}
		single := map[string]action{http.MethodGet: func(c *call) reply { return s.getRecord(c, &res) }}
		if res.writable != nil {
			list[http.MethodPost] = func(c *call) reply { return s.createRecords(c, &res) }
			for _, method := range []string{http.MethodPut, http.MethodPatch} {
				list[method] = func(c *call) reply { return s.updateRecords(c, &res) }
				single[method] = func(c *call) reply { return s.updateRecord(c, &res) }
			}
			list[http.MethodDelete] = func(c *call) reply { return s.deleteRecords(c, &res) }
			single[http.MethodDelete] = func(c *call) reply { return s.deleteRecord(c, &res) }
		}
		views[res.path+"/"] = &view{name: res.title + " List", model: res.model, needs: res.path, methods: list}
		views[res.path+"/*/"] = &view{name: res.title, model: res.model, needs: res.path, methods: single}
	}
	return views
}

func appRoot(app string) object {
	var names []string
	for _, res := range resources() {
		if name, ok := strings.CutPrefix(res.path, app+"/"); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	root := object{}
	for _, name := range names {
		root = append(root, member{name, link("/api/" + app + "/" + name + "/")})
	}
	return root
}
