package netboxsim

import (
	"net/http"
	"slices"
	"strings"
)

// listRecords answers a list: filters, order, page, members.
func (s *Server) listRecords(c *call, res *resource) reply {
	all := s.records(res.path)
	query := c.URL.Query()
	rows, violations := res.filter(all, query)
	if violations != nil {
		return reply{status: http.StatusBadRequest, body: violations}
	}
	if q := last(query, "q"); strings.TrimSpace(q) != "" {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r *record) bool { return !res.search(r, q) })
	}
	rows = res.order(rows, last(query, "ordering"))
	shape := res.shape(c)
	return paginate(c, rows, func(r *record) object { return shape(r.object) })
}

// getRecord answers one object, with the weak ETag that NetBox gives single ones.
func (s *Server) getRecord(c *call, res *resource) reply {
	if !digits(c.id) {
		return detail(http.StatusNotFound, "Not found.")
	}
	id := c.pathID()
	for _, r := range s.records(res.path) {
		if r.id == id {
			answer := ok(res.shape(c)(r.object))
			answer.header = r.etag()
			return answer
		}
	}
	return c.noMatch()
}

// shape picks the members that a request asks for. As in NetBox fields beats omit,
// omit beats brief, unknown names are ignored, and brief is on whenever it has a
// value, be it "false".
func (res *resource) shape(c *call) func(object) object {
	query := c.URL.Query()
	pick := func(list string, wanted bool) func(object) object {
		names := strings.Split(list, ",")
		return func(o object) object {
			return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return contains(names, m.name) != wanted })
		}
	}
	switch {
	case last(query, "fields") != "":
		return pick(last(query, "fields"), true)
	case last(query, "omit") != "":
		return pick(last(query, "omit"), false)
	case last(query, "brief") != "":
		return pick(strings.Join(res.brief, ","), true)
	}
	return func(o object) object { return o }
}

// order sorts rows by the members that ordering names; a name it does not know is
// ignored.
func (res *resource) order(rows []*record, ordering string) []*record {
	type key struct {
		name string
		sign int
	}
	var keys []key
	for _, name := range strings.Split(ordering, ",") {
		name, down := strings.CutPrefix(strings.TrimSpace(name), "-")
		if name != "id" && !contains(res.sortable, name) {
			continue
		}
		sign := 1
		if down {
			sign = -1
		}
		keys = append(keys, key{name, sign})
	}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b *record) int {
		for _, k := range keys {
			if by := res.compareBy(k.name, a, b); by != 0 {
				return k.sign * by
			}
		}
		return strings.Compare(a.rank, b.rank)
	})
	return rows
}

func (res *resource) compareBy(name string, a, b *record) int {
	switch {
	case name == "id":
		return compare(a.id, b.id)
	case name == res.sortable[0]:
		return strings.Compare(a.rank, b.rank)
	}
	return strings.Compare(plainText(a.object.get(name)), plainText(b.object.get(name)))
}

// plainText is a member as text: a choice is its value.
func plainText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case object:
		return plainText(v.get("value"))
	}
	return ""
}

func contains(list []string, wanted string) bool { return slices.Contains(list, wanted) }
