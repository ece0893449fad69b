package netboxsim

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

func apiLink(path string, id int64) link { return link(fmt.Sprintf("/api/%s/%d/", path, id)) }

func uiLink(path string, id int64) link { return link(fmt.Sprintf("/%s/%d/", path, id)) }

// brief is how NetBox nests an object that has a name and a slug.
func (r ref) brief(path string, more ...member) any {
	if r.id == 0 {
		return nil
	}
	o := object{{"id", r.id}, {"url", apiLink(path, r.id)}, {"display", r.name}, {"name", r.name}}
	if r.slug != "" {
		o = append(o, member{"slug", r.slug})
	}
	return append(append(o, member{"description", ""}), more...)
}

// labelled is a choice: its value and the label a person sees.
func labelled(value string) any {
	if value == "" {
		return nil
	}
	return object{{"value", value}, {"label", strings.ToUpper(value[:1]) + value[1:]}}
}

// keysOf drops empty values, which filters must not find.
func keysOf(pairs ...string) map[string][]string {
	keys := map[string][]string{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" && pairs[i+1] != "0" {
			keys[pairs[i]] = append(keys[pairs[i]], pairs[i+1])
		}
	}
	return keys
}

func decimal(id int64) string { return strconv.FormatInt(id, 10) }

// common are the first and last members of every object.
func common(path string, id int64, display string, middle object, counts object) (object, time.Time) {
	modified := seedTime().Add(time.Duration(id) * time.Microsecond)
	o := object{{"id", id}, {"url", apiLink(path, id)}, {"display_url", uiLink(path, id)}, {"display", display}}
	o = append(o, middle...)
	o = append(o, member{"created", stamp(seedTime())}, member{"last_updated", stamp(modified)})
	return append(o, counts...), modified
}

func siteRecord(id int64, s siteFacts, devices, prefixes int) *record {
	tags := make([]object, len(s.tags))
	keys := keysOf("id", decimal(id), "name", s.name, "slug", s.slug, "status", s.status, "facility", s.facility,
		"description", s.description, "tenant", s.tenant.slug, "tenant_id", decimal(s.tenant.id))
	for i, t := range s.tags {
		tags[i] = object{
			{"id", t.id}, {"url", apiLink("extras/tags", t.id)}, {"display_url", uiLink("extras/tags", t.id)},
			{"display", t.name}, {"name", t.name}, {"slug", t.slug}, {"color", t.color},
		}
		keys["tag"] = append(keys["tag"], t.slug)
	}
	// A region's filter finds what is in its child regions, too.
	for _, region := range s.regionPath {
		keys["region"] = append(keys["region"], region.slug)
		keys["region_id"] = append(keys["region_id"], decimal(region.id))
	}
	o, modified := common("dcim/sites", id, s.name, object{
		{"name", s.name}, {"slug", s.slug}, {"status", labelled(s.status)},
		{"region", s.region.brief("dcim/regions", member{"site_count", 0}, member{"_depth", len(s.regionPath) - 1})},
		{"group", nil}, {"tenant", s.tenant.brief("tenancy/tenants")},
		{"facility", s.facility}, {"time_zone", orNull(s.timeZone)}, {"description", s.description},
		{"physical_address", s.address}, {"shipping_address", ""},
		{"latitude", orNull(s.latitude)}, {"longitude", orNull(s.longitude)},
		{"owner", nil}, {"comments", s.comments}, {"asns", []any{}}, {"tags", tags}, {"custom_fields", s.customFields},
	}, object{
		{"circuit_count", 0}, {"device_count", devices}, {"prefix_count", prefixes}, {"rack_count", s.racks},
		{"virtualmachine_count", 0}, {"vlan_count", 0},
	})
	return &record{id: id, object: o, keys: keys, modified: modified}
}

// orNull is a text or a number, null where there is none.
func orNull[T ~string](v T) any {
	if v == "" {
		return nil
	}
	return v
}

// siteBrief is a site where another object refers to it.
func (f *facts) siteBrief(at int) any {
	if at < 0 {
		return nil
	}
	site := f.sites[at]
	return object{
		{"id", int64(at + 1)}, {"url", apiLink("dcim/sites", int64(at+1))}, {"display", site.name},
		{"name", site.name}, {"slug", site.slug}, {"description", site.description},
	}
}

func (f *facts) device(id int64, d deviceFacts) *record {
	var primary any
	keys := keysOf("id", decimal(id), "name", d.name, "status", d.status, "serial", d.serial, "asset_tag", d.assetTag,
		"description", d.description, "site", f.sites[d.site].slug, "site_id", strconv.Itoa(d.site+1),
		"role", d.role.slug, "role_id", decimal(d.role.id), "tenant", d.tenant.slug, "tenant_id", decimal(d.tenant.id),
		"manufacturer", d.maker.slug, "manufacturer_id", decimal(d.maker.id),
		"device_type", d.kind.slug, "device_type_id", decimal(d.kind.id),
		"address", d.address, "has_primary_ip", strconv.FormatBool(d.address != ""))
	if d.address != "" {
		primary = object{
			{"id", d.addressID}, {"url", apiLink("ipam/ip-addresses", d.addressID)}, {"display", d.address},
			{"family", object{{"value", 4}, {"label", "IPv4"}}}, {"address", d.address}, {"nat_inside", nil},
			{"nat_outside", []any{}}, {"dns_name", d.addressName}, {"description", ""},
		}
	}
	display, face := d.name, ""
	if d.assetTag != "" {
		display += " (" + d.assetTag + ")"
	}
	if d.rack.id != 0 {
		face = "front"
	}
	var context, local any = object{}, nil
	if d.context != nil {
		context, local = d.context, d.context
	}
	o, modified := common("dcim/devices", id, display, object{
		{"name", d.name},
		{"device_type", object{
			{"id", d.kind.id}, {"url", apiLink("dcim/device-types", d.kind.id)}, {"display", d.kind.name},
			{"manufacturer", d.maker.brief("dcim/manufacturers")}, {"model", d.kind.name}, {"slug", d.kind.slug},
			{"description", ""}, {"device_count", d.kindCount},
		}},
		{"role", d.role.brief("dcim/device-roles",
			member{"device_count", 0}, member{"virtualmachine_count", 0}, member{"_depth", 0})},
		{"tenant", d.tenant.brief("tenancy/tenants")}, {"platform", nil}, {"serial", d.serial},
		{"asset_tag", d.assetTag}, {"site", f.siteBrief(d.site)}, {"location", nil}, {"rack", d.rack.brief("dcim/racks")},
		{"position", orNull(d.position)}, {"face", labelled(face)}, {"latitude", nil}, {"longitude", nil},
		{"parent_device", nil}, {"status", labelled(d.status)}, {"airflow", nil}, {"cooling_method", nil},
		{"primary_ip", primary}, {"primary_ip4", primary}, {"primary_ip6", nil}, {"oob_ip", nil}, {"cluster", nil},
		{"virtual_chassis", nil}, {"vc_position", nil}, {"vc_priority", nil}, {"description", d.description},
		{"owner", nil}, {"comments", d.comments}, {"config_template", nil}, {"config_context", context},
		{"local_context_data", local}, {"tags", []any{}}, {"custom_fields", object{}},
	}, object{
		{"console_port_count", 0}, {"console_server_port_count", 0}, {"power_port_count", 0}, {"power_outlet_count", 0},
		{"cooling_intake_count", 0}, {"cooling_outflow_count", 0}, {"interface_count", d.interfaces},
		{"front_port_count", 0}, {"rear_port_count", 0}, {"device_bay_count", 0}, {"module_bay_count", 0},
		{"inventory_item_count", 0},
	})
	return &record{id: id, object: o, keys: keys, modified: modified}
}

func (f *facts) prefix(id int64, p prefixFacts) *record {
	family := 4
	if netip.MustParsePrefix(p.prefix).Addr().Is6() {
		family = 6
	}
	var scopeType, scopeID, vlan any
	siteSlug := ""
	if p.site >= 0 {
		scopeType, scopeID, siteSlug = "dcim.site", int64(p.site+1), f.sites[p.site].slug
	}
	if p.vlan.id != 0 {
		vlan = object{
			{"id", p.vlan.id}, {"url", apiLink("ipam/vlans", p.vlan.id)},
			{"display", fmt.Sprintf("%s (%d)", p.vlan.name, p.vid)}, {"vid", p.vid}, {"name", p.vlan.name}, {"description", ""},
		}
	}
	keys := keysOf("id", decimal(id), "prefix", p.prefix, "status", p.status, "description", p.description,
		"family", strconv.Itoa(family), "site", siteSlug, "site_id", strconv.Itoa(p.site+1),
		"tenant", p.tenant.slug, "tenant_id", decimal(p.tenant.id), "role", p.role.slug, "role_id", decimal(p.role.id),
		"is_pool", "false", "mark_utilized", "false")
	o, modified := common("ipam/prefixes", id, p.prefix, object{
		{"family", object{{"value", family}, {"label", fmt.Sprintf("IPv%d", family)}}},
		{"prefix", p.prefix}, {"vrf", nil}, {"scope_type", scopeType}, {"scope_id", scopeID}, {"scope", f.siteBrief(p.site)},
		{"tenant", p.tenant.brief("tenancy/tenants")}, {"vlan", vlan}, {"status", labelled(p.status)},
		{"role", p.role.brief("ipam/roles")}, {"is_pool", false}, {"mark_utilized", false},
		{"description", p.description}, {"owner", nil}, {"comments", ""}, {"tags", []any{}}, {"custom_fields", object{}},
	}, object{{"children", p.children}, {"_depth", p.depth}})
	return &record{id: id, object: o, keys: keys, modified: modified}
}
