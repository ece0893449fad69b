package netboxsim

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// seedTime is when everything that is seeded was made.
func seedTime() time.Time { return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC) }

// seedData makes the objects of a seed.
func seedData(seed Seed) dataset {
	n := seedTestbedNetwork
	if seed == SeedDemo {
		n = seedDemoNetwork
	}
	return n().dataset()
}

// facts is a network in flat form; dataset turns it into what NetBox renders.
type facts struct {
	sites    []siteFacts
	devices  []deviceFacts
	prefixes []prefixFacts
}

type siteFacts struct {
	name, slug, status, facility, timeZone, description, comments, address string
	latitude, longitude                                                    number
	region, tenant                                                         ref
	regionPath                                                             []ref
	tags                                                                   []tagFacts
	customFields                                                           object
	racks                                                                  int
}

type tagFacts struct {
	ref
	color string
}

type deviceFacts struct {
	name, status, serial, assetTag, description, comments string
	site                                                  int // place in facts.sites
	role, kind, maker, tenant                             ref
	kindCount                                             int
	rack                                                  ref
	position                                              number
	address                                               string
	addressID                                             int64
	addressName                                           string
	interfaces                                            int
	context                                               object
}

type prefixFacts struct {
	prefix, status, description string
	site                        int // place in facts.sites, -1 for none
	tenant, role, vlan          ref
	vid                         int
	children, depth             int
}

// ref is another object that is shown in brief; the zero value is none.
type ref struct {
	id         int64
	name, slug string
}

func (f *facts) dataset() dataset {
	byName := func(r *record) string { return naturalKey(r.keys["name"][0]) }
	sites, devices := &table{sortKey: byName}, &table{sortKey: byName}
	prefixes := &table{sortKey: func(r *record) string { return networkKey(r.keys["prefix"][0]) }}
	devicesOf, prefixesOf := map[int]int{}, map[int]int{}
	for i, d := range f.devices {
		devicesOf[d.site]++
		devices.records = append(devices.records, f.device(int64(i+1), d))
	}
	for i, p := range f.prefixes {
		prefixesOf[p.site]++
		prefixes.records = append(prefixes.records, f.prefix(int64(i+1), p))
	}
	for i, s := range f.sites {
		sites.records = append(sites.records, siteRecord(int64(i+1), s, devicesOf[i], prefixesOf[i]))
	}
	for _, t := range []*table{sites, devices, prefixes} {
		t.last = int64(len(t.records))
		t.sort(t.records)
	}
	return dataset{"dcim/sites": sites, "dcim/devices": devices, "ipam/prefixes": prefixes}
}

// sort takes over records and brings them into the default order.
func (t *table) sort(records []*record) {
	for _, r := range records {
		r.rank = t.sortKey(r)
	}
	slices.SortStableFunc(records, func(a, b *record) int {
		return cmp.Or(strings.Compare(a.rank, b.rank), compare(a.id, b.id))
	})
	t.records = records
}

// blankSite is a site of which nothing is known yet.
func blankSite(id int64) *record {
	return siteRecord(id, siteFacts{status: "active", customFields: object{{"tier", nil}}}, 0, 0)
}

// naturalKey makes names compare as NetBox's natural_sort collation has them: without
// case, and numbers by their value.
func naturalKey(name string) string {
	var key, digits strings.Builder
	flush := func() {
		if digits.Len() > 0 {
			fmt.Fprintf(&key, "%020s", strings.TrimLeft(digits.String(), "0"))
			digits.Reset()
		}
	}
	for _, r := range strings.ToLower(name) {
		if r >= '0' && r <= '9' {
			digits.WriteRune(r)
			continue
		}
		flush()
		key.WriteRune(r)
	}
	flush()
	return key.String()
}

// networkKey makes prefixes compare by address, then by length.
func networkKey(text string) string {
	prefix := netip.MustParsePrefix(text)
	return fmt.Sprintf("%d %x %03d", prefix.Addr().BitLen(), prefix.Addr().AsSlice(), prefix.Bits())
}
