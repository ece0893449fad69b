package netboxsim

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The size of the real test server's data.
const (
	testbedSites   = 200
	testbedDevices = 1500
	testbedItems   = 40
	// bigItemID is 2^53 + 1, the first integer that a double cannot hold.
	bigItemID = 1<<53 + 1
)

// seedItems are the items that the plugin starts with.
func seedItems(seed Seed) itemStore {
	if seed == SeedDemo {
		return demoItems()
	}
	start := seedTime()
	store := itemStore{last: testbedItems}
	for i := range testbedItems {
		item := Item{
			ID: int64(i + 1), Name: fmt.Sprintf("Item %02d", i+1), State: itemStates()[i%3],
			Weights: []int64{}, Created: start.Add(time.Duration(i) * time.Hour),
		}
		if i == 6 {
			item.Name = "Überprüfung – 検査 ✓"
		}
		for n := range i % 5 {
			item.Weights = append(item.Weights, int64(n))
		}
		if i%2 == 1 {
			due := start.AddDate(0, 0, 30*i)
			item.DueAt = &due
		}
		store.items = append(store.items, item)
	}
	store.items = append(store.items, Item{
		ID: bigItemID, Name: "Item with a big id", State: "done", Weights: []int64{1, 2}, Created: start,
	})
	return store
}

func numbered(format string, n int) ref {
	name := fmt.Sprintf(format, n)
	return ref{int64(n), name, strings.ReplaceAll(strings.ToLower(name), " ", "-")}
}

// seedTestbedNetwork is the data of the real test server, with the same ids.
func seedTestbedNetwork() *facts {
	f := &facts{}
	testbedSiteFacts(f)
	testbedDeviceFacts(f)
	testbedPrefixFacts(f)
	return f
}

func testbedSiteFacts(f *facts) {
	cities := []string{
		"Amsterdam", "Berlin", "Chicago", "Dublin", "Essen", "Frankfurt", "Geneva", "Helsinki", "Istanbul", "Johannesburg",
	}
	statuses := []string{"active", "planned", "active", "staging", "active", "retired"}
	tiers := []string{"gold", "silver", "bronze", ""}
	for i := range testbedSites {
		region := i % 12
		site := siteFacts{
			name: fmt.Sprintf("%s %02d", cities[i%10], i/10+1), status: statuses[i%6],
			facility: fmt.Sprintf("DC%d", i%7), timeZone: "Europe/Zurich", description: fmt.Sprintf("Site number %d", i+1),
			latitude: number(fmt.Sprintf("%d.5", 40+i%20)), longitude: number(fmt.Sprintf("%d.25", i%30)),
			region: numbered("Region %02d", region+1), tenant: numbered("Tenant %02d", i%20+1),
			customFields: object{{"tier", labelled(tiers[i%4])}},
		}
		site.slug = strings.ReplaceAll(strings.ToLower(site.name), " ", "-")
		if i == 99 {
			site.name, site.slug = "Zürich Süd", "zurich-sud"
			site.comments = "Grüße aus Zürich — 東京, Москва, العربية, 🛰️\n\nSecond paragraph with **markup**."
		}
		if region >= 3 {
			site.regionPath = append(site.regionPath, numbered("Region %02d", (region-3)/3+1))
		}
		site.regionPath = append(site.regionPath, site.region)
		for j := range i % 4 {
			at := (i + j) % 30
			site.tags = append(site.tags, tagFacts{numbered("Tag %02d", at+1), fmt.Sprintf("%06x", (at+1)*500000%0xffffff)})
		}
		slices.SortFunc(site.tags, func(a, b tagFacts) int { return compare(a.id, b.id) })
		if i < 10 {
			site.racks = 2
		}
		f.sites = append(f.sites, site)
	}
}

func testbedDeviceFacts(f *facts) {
	makers := []string{"Acme", "Bolt", "Cobalt", "Dynamo", "Ember"}
	roles := []string{"Access switch", "Core switch", "Router", "Firewall", "Server"}
	short := []string{"sw", "core", "rtr", "fw", "srv"}
	statuses := []string{"active", "active", "offline", "planned"}
	for i := range testbedDevices {
		kind, maker, size := i%10, makers[i%10/2], []int{24, 48}[i%2]
		d := deviceFacts{
			name: fmt.Sprintf("%s-%04d", short[i%5], i+1), status: statuses[i%4],
			serial: fmt.Sprintf("SN%06d", i+1), assetTag: fmt.Sprintf("A%06d", i+1),
			site: i % testbedSites, tenant: numbered("Tenant %02d", i%20+1),
			role:  ref{int64(i%5 + 1), roles[i%5], strings.ReplaceAll(strings.ToLower(roles[i%5]), " ", "-")},
			maker: ref{int64(kind/2 + 1), maker, strings.ToLower(maker)},
			kind: ref{int64(kind + 1), fmt.Sprintf("%s %d", maker, size),
				fmt.Sprintf("%s-%d", strings.ToLower(maker), size)},
			kindCount: testbedDevices / 10,
		}
		if i%50 == 0 {
			d.comments = "Handle with care."
		}
		if i < 400 {
			d.rack = ref{id: int64(i%20 + 1), name: fmt.Sprintf("R%02d", i%20+1)}
			d.position = number(fmt.Sprintf("%d.0", i/20+1))
			d.site = i % 20 % 10
		}
		if i < 100 {
			d.address, d.addressID = fmt.Sprintf("10.0.%d.%d/24", i/100, i%100+1), int64(i+1)
			d.addressName, d.interfaces = fmt.Sprintf("host-%04d.example.com", i+1), 24
		}
		if i == 1 {
			d.context = testbedContext()
		}
		f.devices = append(f.devices, d)
	}
}

// testbedContext is the 30 KB context that makes device 2 bigger than one answer of a
// tool should be.
func testbedContext() object {
	routes := make([]object, 655)
	for n := range routes {
		routes[n] = object{{"via", "10.0.0.1"}, {"prefix", fmt.Sprintf("10.%d.%d.0/24", n/256, n%256)}}
	}
	return object{{"ntp", []string{"192.0.2.1", "192.0.2.2"}}, {"routes", routes}}
}

func testbedPrefixFacts(f *facts) {
	statuses := []string{"active", "reserved", "active"}
	f.prefixes = append(f.prefixes, prefixFacts{
		prefix: "10.0.0.0/8", status: "container", description: "Everything", site: -1, children: 299,
	})
	for i := range 298 {
		vlan := i % 50
		f.prefixes = append(f.prefixes, prefixFacts{
			prefix: fmt.Sprintf("10.%d.%d.0/24", i/100, i%100), status: statuses[i%3], site: i % testbedSites,
			tenant: numbered("Tenant %02d", i%20+1), role: ref{1, "Production", "production"},
			vlan: ref{id: int64(vlan + 1), name: fmt.Sprintf("VLAN %d", 100+vlan)}, vid: 100 + vlan, depth: 1,
		})
	}
	f.prefixes = append(f.prefixes, prefixFacts{
		prefix: "10.99.0.0/24", status: "active", description: "Nothing is used in here", site: -1, depth: 1,
	})
}
