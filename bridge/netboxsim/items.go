package netboxsim

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// defaultMaxItems keeps a demo that an agent fills in a loop at a few megabytes.
const defaultMaxItems = 10_000

// Item is what the plugin's tools read and write.
type Item struct {
	// ID is the item's key, from 1 to 2^63−1.
	ID int64
	// Name has 1 to 100 characters.
	Name string
	// State is "open", "done" or "retired".
	State string
	// DueAt is nil where the item has no date.
	DueAt *time.Time
	// Weights holds at most 50 different integers.
	Weights []int64
	// Created is when the item came into being.
	Created time.Time
}

func (i Item) identity() int64 { return i.ID }

// itemStates are the choices of an item's state.
func itemStates() []string { return []string{"open", "done", "retired"} }

// itemStore holds the items by id, in order. Server.mu guards it.
type itemStore struct {
	items []Item
	// last is the last id that was given out; explicit ids do not move it, as they do
	// not move a PostgreSQL sequence.
	last int64
}

// Items returns a copy of all items of the plugin, ordered by id.
func (s *Server) Items() []Item {
	s.mu.Lock()
	defer s.mu.Unlock()
	items := slices.Clone(s.items.items)
	for i := range items {
		items[i].Weights = slices.Clone(items[i].Weights)
	}
	return items
}

// show is the item as its endpoints render it.
func (i Item) show() object {
	var due any
	if i.DueAt != nil {
		due = stamp(*i.DueAt)
	}
	return object{
		{"id", i.ID}, {"name", i.Name}, {"state", i.State}, {"due_at", due},
		{"weights", i.Weights}, {"created", stamp(i.Created)},
	}
}

// change sets the members that a checked body has.
func (i *Item) change(values map[string]any) {
	for name, value := range values {
		switch name {
		case "name":
			i.Name = value.(string)
		case "state":
			i.State = value.(string)
		case "due_at":
			i.DueAt = value.(*time.Time)
		case "weights":
			i.Weights = value.([]int64)
		}
	}
}

func (s *Server) listItems(c *call) reply {
	query := c.URL.Query()
	var violations object
	parse := func(name string, check func(string) (any, error)) any {
		if !query.Has(name) {
			return nil
		}
		value, err := check(last(query, name))
		if err != nil {
			violations = append(violations, member{name, []string{err.Error()}})
		}
		return value
	}
	state, _ := parse("state", func(v string) (any, error) { return checkState(v) }).(string)
	parse("limit", queryInteger(1, 100))
	search, _ := parse("q", checkSearch).(string)
	if violations != nil {
		return reply{status: http.StatusBadRequest, body: violations}
	}
	if len([]rune(search)) > 50 {
		return reply{status: http.StatusBadRequest, body: object{{"q", []string{"Must have at most 50 characters."}}}}
	}
	search = strings.ToUpper(search)
	items := slices.DeleteFunc(s.Items(), func(i Item) bool {
		return (state != "" && i.State != state) || !strings.Contains(strings.ToUpper(i.Name), search)
	})
	return paginate(c, items, Item.show)
}

// checkSearch looks at the first 101 characters as at a name; an empty text is none.
func checkSearch(text string) (any, error) {
	if text == "" {
		return text, nil
	}
	runes := []rune(text)
	if _, err := checkName(string(runes[:min(101, len(runes))])); err != nil {
		return nil, err
	}
	return text, nil
}

// last is the value Django takes of a repeated parameter.
func last(query url.Values, name string) string {
	values := query[name]
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

func (s *Server) createItem(c *call) reply {
	values, refusal := c.body(
		field{name: "name", check: checkName, required: true},
		field{name: "due_at", check: checkDueAt}, field{name: "weights", check: checkWeights},
	)
	if refusal != nil {
		return *refusal
	}
	return s.addItem(values)
}

// addItem stores a new open item.
func (s *Server) addItem(values map[string]any) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.items.items) >= s.cfg.MaxItems {
		return detail(http.StatusInsufficientStorage, "This demo NetBox holds as many items as it may; delete some first.")
	}
	s.items.last++
	item := Item{ID: s.items.last, State: "open", Weights: []int64{}, Created: s.cfg.Now()}
	item.change(values)
	at, _ := s.items.search(item.ID)
	s.items.items = slices.Insert(s.items.items, at, item)
	return reply{status: http.StatusCreated, body: item.show()}
}

// search finds the place of an id; s.mu is held.
func (st *itemStore) search(id int64) (int, bool) {
	return slices.BinarySearchFunc(st.items, id, func(i Item, id int64) int { return compare(i.ID, id) })
}

// withItem runs do on the item with an id, under the lock.
func (c *call) withItem(id int64, do func(st *itemStore, at int) reply) reply {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	at, found := c.server.items.search(id)
	if !found {
		return c.noMatch()
	}
	return do(&c.server.items, at)
}

// pathID is the id in the path; one that does not fit is one that does not exist.
func (c *call) pathID() int64 {
	id, err := strconv.ParseInt(c.id, 10, 64)
	if err != nil {
		return 0
	}
	return id
}

func (s *Server) getItem(c *call) reply { return c.showItem(c.pathID()) }

func (c *call) showItem(id int64) reply {
	return c.withItem(id, func(st *itemStore, at int) reply { return ok(st.items[at].show()) })
}

func (s *Server) lookupItem(c *call) reply {
	query := c.URL.Query()
	if !query.Has("id") {
		return reply{status: http.StatusBadRequest, body: object{{"id", []string{"This field is required."}}}}
	}
	id, err := queryInteger(1, int64Max)(last(query, "id"))
	if err != nil {
		return reply{status: http.StatusBadRequest, body: object{{"id", []string{err.Error()}}}}
	}
	return c.showItem(id.(int64))
}

// changeable are the members that an update may set.
func changeable() []field {
	return []field{
		{name: "name", check: checkName}, {name: "state", check: checkState},
		{name: "due_at", check: checkDueAt}, {name: "weights", check: checkWeights},
	}
}

func (s *Server) patchItem(c *call) reply {
	// The object comes first here: an unknown id is a 404 whatever the body says.
	if found := c.showItem(c.pathID()); found.status != http.StatusOK {
		return found
	}
	values, refusal := c.body(changeable()...)
	if refusal != nil {
		return *refusal
	}
	return c.updateItem(c.pathID(), values)
}

func (s *Server) patchItemByBody(c *call) reply {
	values, refusal := c.body(append([]field{{name: "id", check: integer(1, int64Max), required: true}}, changeable()...)...)
	if refusal != nil {
		return *refusal
	}
	return c.updateItem(values["id"].(int64), values)
}

func (c *call) updateItem(id int64, values map[string]any) reply {
	return c.withItem(id, func(st *itemStore, at int) reply {
		st.items[at].change(values)
		return ok(st.items[at].show())
	})
}

func (s *Server) deleteItem(c *call) reply {
	return c.withItem(c.pathID(), func(st *itemStore, at int) reply {
		st.items = slices.Delete(st.items, at, at+1)
		return reply{status: http.StatusNoContent}
	})
}

func (s *Server) purgeItems(c *call) reply {
	values, refusal := c.body(field{name: "state", check: checkState, required: true})
	if refusal != nil {
		return *refusal
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.items.items)
	s.items.items = slices.DeleteFunc(s.items.items, func(i Item) bool { return i.State == values["state"] })
	return ok(object{{"deleted", before - len(s.items.items)}})
}
