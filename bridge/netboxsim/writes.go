package netboxsim

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// textNotAnObject is REST framework's message; the word at its end is Python's.
const textNotAnObject = "Invalid data. Expected a dictionary, but got "

// writer makes changes to a copy of a resource's records, which takes effect when all
// of them are right. Server.mu is held meanwhile.
type writer struct {
	server  *Server
	call    *call
	res     *resource
	table   *table
	records []*record
	columns []column
}

func (s *Server) writer(c *call, res *resource) *writer {
	t := s.dataset()[res.path]
	w := &writer{server: s, call: c, res: res, table: t, records: slices.Clone(t.records)}
	// fields and omit restrict what a write accepts, too: NetBox answers 200 and changes
	// nothing that they leave out.
	shape := res.writeShape(c)
	for _, col := range res.writable {
		if len(shape(object{{col.name, nil}})) == 1 {
			w.columns = append(w.columns, col)
		}
	}
	return w
}

// writeShape is the shape of a write's answer, where brief has no effect.
func (res *resource) writeShape(c *call) func(object) object {
	if query := c.URL.Query(); last(query, "fields") == "" && last(query, "omit") == "" {
		return func(o object) object { return o }
	}
	return res.shape(c)
}

func (w *writer) commit() { w.table.sort(w.records) }

func (w *writer) find(id int64) int {
	return slices.IndexFunc(w.records, func(r *record) bool { return r.id == id })
}

// writing runs a write of a resource's records: the body read first, then everything under the lock.
func (s *Server) writing(c *call, res *resource, write func(w *writer, value any) reply) reply {
	value, refusal := c.parse()
	if refusal != nil {
		return *refusal
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return write(s.writer(c, res), value)
}

func (s *Server) createRecords(c *call, res *resource) reply {
	return s.writing(c, res, func(w *writer, value any) reply {
		list, bulk := value.([]any)
		if !bulk {
			list = []any{value}
		}
		if len(w.records)+len(list) > s.cfg.MaxItems {
			return detail(http.StatusInsufficientStorage, "This demo NetBox holds as many objects as it may; delete some first.")
		}
		var errors, bodies []object
		var made *record
		for i, one := range list {
			w.table.last++
			blank := res.blank(w.table.last)
			now := s.now(time.Time{})
			blank.object = blank.object.set("created", stamp(now))
			violations := object(nil)
			if made, violations = w.change(blank, one, true); violations != nil {
				errors = append(errors, object{{"index", i}, {"errors", violations}})
				continue
			}
			w.records = append(w.records, made)
			bodies = append(bodies, res.writeShape(c)(made.object))
		}
		switch {
		case errors != nil && !bulk:
			return reply{status: http.StatusBadRequest, body: errors[0].get("errors")}
		case errors != nil:
			return bulkFailure(errors, len(list), "created")
		}
		w.commit()
		if bulk {
			return reply{status: http.StatusCreated, body: bodies}
		}
		header := made.etag()
		header.Set("Location", c.base+string(apiLink(res.path, made.id)))
		return reply{status: http.StatusCreated, body: bodies[0], header: header}
	})
}

// one finds the object in the path and checks If-Match; s.mu is held.
func (w *writer) one() (int, *reply) {
	at := w.find(w.call.pathID())
	if at < 0 || !digits(w.call.id) {
		missing := w.call.noMatch()
		return at, &missing
	}
	tag := w.records[at].etag()
	if sent := w.call.Header.Get("If-Match"); sent != "" && sent != "*" && sent != tag.Get("Etag") {
		stale := detail(http.StatusPreconditionFailed, "Precondition failed.")
		stale.header = tag
		return at, &stale
	}
	return at, nil
}

func (s *Server) updateRecord(c *call, res *resource) reply {
	return s.writing(c, res, func(w *writer, value any) reply {
		at, refusal := w.one()
		if refusal != nil {
			return *refusal
		}
		changed, violations := w.change(w.records[at], value, c.Method == http.MethodPut)
		if violations != nil {
			return reply{status: http.StatusBadRequest, body: violations}
		}
		w.records[at] = changed
		w.commit()
		return reply{status: http.StatusOK, body: res.writeShape(c)(changed.object), header: changed.etag()}
	})
}

func (s *Server) deleteRecord(c *call, res *resource) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.writer(c, res)
	at, refusal := w.one()
	if refusal != nil {
		return *refusal
	}
	if names := w.dependants(w.records[at].id); names != nil {
		return detail(http.StatusConflict, fmt.Sprintf(
			"Unable to delete object. %d dependent objects were found: %s", len(names), strings.Join(names, ", ")))
	}
	w.records = slices.Delete(w.records, at, at+1)
	w.commit()
	return reply{status: http.StatusNoContent}
}

// dependants are the objects that refer to one, as NetBox names them.
func (w *writer) dependants(id int64) []string {
	t := w.server.dataset()[w.res.dependants]
	if t == nil {
		return nil
	}
	var names []string
	refers := anyOf(w.res.dependantsBy, []string{decimal(id)})
	for _, r := range t.records {
		if refers(r) {
			names = append(names, fmt.Sprintf("%s (%d)", plainText(r.object.get("display")), r.id))
		}
	}
	return names
}

// change returns a copy of a record with a body's members set, or what is wrong with
// them. A whole write (create, PUT) asks for the required ones.
func (w *writer) change(old *record, value any, whole bool) (*record, object) {
	body, isObject := value.(object)
	if !isObject && value != nil {
		return nil, object{{"__all__", []string{textNotAnObject + pythonType(value) + "."}}}
	}
	made := &record{id: old.id, object: old.object, keys: map[string][]string{}}
	for name, values := range old.keys {
		made.keys[name] = values
	}
	var violations object
	for _, col := range w.columns {
		if !has(body, col.name) {
			if whole && col.required {
				violations = append(violations, member{col.name, []string{"This field is required."}})
			}
			continue
		}
		text, wrong := col.check(body.get(col.name))
		if wrong == "" && col.unique && w.taken(col.name, text, old.id) {
			wrong = strings.ToLower(w.res.model) + " with this " + col.name + " already exists."
		}
		if wrong != "" {
			violations = append(violations, member{col.name, []string{wrong}})
			continue
		}
		made.set(col, text)
	}
	if violations != nil {
		return nil, violations
	}
	made.modified = w.server.now(old.modified)
	made.object = made.object.set("last_updated", stamp(made.modified))
	made.object = made.object.set("display", made.object.get("name"))
	return made, nil
}

func (r *record) set(col column, text string) {
	if col.choices != nil {
		r.object = r.object.set(col.name, labelled(text))
	} else {
		r.object = r.object.set(col.name, text)
	}
	r.keys[col.name] = filled([]string{text})
}

func (w *writer) taken(name, text string, except int64) bool {
	return slices.ContainsFunc(w.records, func(r *record) bool {
		return r.id != except && contains(r.keys[name], text)
	})
}

// now is the moment of a change in microseconds, always after the change before it:
// two changes in one tick of the clock must not share an ETag.
func (s *Server) now(previous time.Time) time.Time {
	now := s.cfg.Now().UTC().Truncate(time.Microsecond)
	if !now.After(previous) {
		now = previous.Add(time.Microsecond)
	}
	return now
}
