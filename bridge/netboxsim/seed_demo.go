package netboxsim

import (
	"fmt"
	"strings"
	"time"
)

// demoItems are the maintenance tasks that the demo's plugin starts with.
func demoItems() itemStore {
	tasks := []struct {
		name, state string
		days        int // until due, 0 for no date
		weights     []int64
	}{
		{"Replace fan tray in zrh-core-01", "open", 14, []int64{3}},
		{"Renew TLS certificate of the IPAM portal", "open", 30, []int64{5}},
		{"Upgrade firmware of ams-access switches", "open", 45, []int64{2, 4}},
		{"Label the new fibre between racks A1 and A2", "done", 0, []int64{1}},
		{"Check UPS batteries in Geneva", "open", 60, []int64{2}},
		{"Remove retired firewall ber-fw-01", "done", 0, []int64{}},
		{"Document out-of-band access in Dublin", "open", 0, []int64{1}},
		{"Survey rack space for the lab move", "retired", 0, []int64{}},
	}
	store := itemStore{last: int64(len(tasks))}
	for i, task := range tasks {
		item := Item{
			ID: int64(i + 1), Name: task.name, State: task.state, Weights: task.weights,
			Created: seedTime().AddDate(0, 0, i).Add(9 * time.Hour),
		}
		if task.days > 0 {
			due := seedTime().AddDate(0, 0, 180+task.days)
			item.DueAt = &due
		}
		store.items = append(store.items, item)
	}
	return store
}

// seedDemoNetwork is a company with six sites, four devices at each, and its prefixes.
func seedDemoNetwork() *facts {
	f := &facts{}
	europe := ref{1, "Europe", "europe"}
	operations := ref{1, "Network operations", "network-operations"}
	for _, s := range []struct{ name, slug, status, facility, zone, address, latitude, longitude string }{
		{"Amsterdam Science Park", "ams", "active", "AMS1", "Europe/Amsterdam", "Science Park 121, Amsterdam", "52.356", "4.951"},
		{"Berlin Mitte", "ber", "active", "BER1", "Europe/Berlin", "Chausseestrasse 12, Berlin", "52.532", "13.381"},
		{"Dublin West", "dub", "active", "DUB1", "Europe/Dublin", "Grange Castle, Dublin", "53.322", "-6.435"},
		{"Geneva Airport", "gva", "active", "GVA1", "Europe/Zurich", "Route de Meyrin 267, Geneva", "46.23", "6.101"},
		{"Vienna Lab", "vie", "planned", "VIE1", "Europe/Vienna", "Louis-Haefliger-Gasse 10, Vienna", "48.27", "16.41"},
		{"Zurich Glattbrugg", "zrh", "active", "ZRH1", "Europe/Zurich", "Saegereistrasse 35, Glattbrugg", "47.432", "8.565"},
	} {
		f.sites = append(f.sites, siteFacts{
			name: s.name, slug: s.slug, status: s.status, facility: s.facility, timeZone: s.zone, address: s.address,
			description: "Data centre " + s.facility, latitude: number(s.latitude), longitude: number(s.longitude),
			region: europe, regionPath: []ref{europe}, tenant: operations, customFields: object{}, racks: 1,
		})
	}
	kinds := []struct{ role, maker, model, short string }{
		{"Router", "Juniper", "MX204", "rtr"}, {"Core switch", "Arista", "DCS-7050SX3", "core"},
		{"Access switch", "Cisco", "C9300-48P", "access"}, {"Firewall", "Fortinet", "FG-200F", "fw"},
	}
	slug := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), " ", "-") }
	for at, site := range f.sites {
		for k, kind := range kinds {
			id := int64(at*len(kinds) + k + 1)
			f.devices = append(f.devices, deviceFacts{
				name: fmt.Sprintf("%s-%s-01", site.slug, kind.short), status: site.status,
				serial: fmt.Sprintf("D%07d", 1000*id+17), assetTag: fmt.Sprintf("NET-%04d", id),
				description: kind.role + " of " + site.name, site: at, tenant: operations,
				role:      ref{int64(k + 1), kind.role, slug(kind.role)},
				maker:     ref{int64(k + 1), kind.maker, slug(kind.maker)},
				kind:      ref{int64(k + 1), kind.model, slug(kind.maker + " " + kind.model)},
				kindCount: len(f.sites), rack: ref{id: int64(at + 1), name: "A1"}, position: number(fmt.Sprintf("%d.0", 10+k)),
				address: fmt.Sprintf("10.20.%d.%d/24", at, k+1), addressID: id,
				addressName: fmt.Sprintf("%s-%s-01.example.net", site.slug, kind.short),
			})
		}
	}
	f.prefixes = append(f.prefixes, prefixFacts{
		prefix: "10.20.0.0/16", status: "container", description: "Management of all sites", site: -1, children: 6,
	})
	for at, site := range f.sites {
		f.prefixes = append(f.prefixes, prefixFacts{
			prefix: fmt.Sprintf("10.20.%d.0/24", at), status: "active", description: "Management of " + site.name, site: at,
			tenant: operations, role: ref{1, "Management", "management"},
			vlan: ref{id: int64(at + 1), name: "MGMT-" + strings.ToUpper(site.slug)}, vid: 20 + at, depth: 1,
		})
	}
	f.prefixes = append(f.prefixes,
		prefixFacts{prefix: "192.0.2.0/24", status: "active", description: "Public services", site: -1, tenant: operations},
		prefixFacts{prefix: "2001:db8:20::/48", status: "active", description: "IPv6 of all sites", site: -1, tenant: operations},
	)
	return f
}
