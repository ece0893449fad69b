package netboxsim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// bulkFailure is NetBox's answer when some of many objects were refused.
func bulkFailure(errors []object, of int, what string) reply {
	text := fmt.Sprintf("%d of %d objects could not be %s.", len(errors), of, what)
	if what == "validated" {
		text = fmt.Sprintf("%d of %d objects failed validation.", len(errors), of)
	}
	return reply{status: http.StatusBadRequest, body: object{{"detail", text}, {"errors", errors}}}
}

// targets reads the list of a bulk update or delete and finds its objects.
func (w *writer) targets(value any) (list []object, at []int, refusal *reply) {
	entries, ok := value.([]any)
	if !ok {
		text := "Expected a list of objects, but got " + pythonType(value) + "."
		if value == nil {
			text = "Expected a list of objects, but no data was submitted."
		}
		r := detail(http.StatusBadRequest, text)
		return nil, nil, &r
	}
	var invalid, missing []object
	for i, entry := range entries {
		o, isObject := entry.(object)
		id, text := int64(0), ""
		switch {
		case !isObject:
			invalid = append(invalid, object{{"index", i}, {"errors", object{{"__all__", []string{textNotAnObject + pythonType(entry) + "."}}}}})
			continue
		case !has(o, "id"):
			text = "This field is required."
		default:
			id, text = bulkID(o.get("id"))
		}
		if text != "" {
			invalid = append(invalid, object{{"index", i}, {"errors", object{{"id", []string{text}}}}})
			continue
		}
		place := w.find(id)
		if place < 0 {
			missing = append(missing, object{{"id", id}, {"errors", object{
				{"id", []string{fmt.Sprintf("Object with ID %d does not exist", id)}}}}})
		}
		list, at = append(list, o), append(at, place)
	}
	if invalid != nil {
		r := bulkFailure(invalid, len(entries), "validated")
		return nil, nil, &r
	}
	if missing != nil {
		r := bulkFailure(missing, len(entries), "found")
		return nil, nil, &r
	}
	return list, at, nil
}

// bulkID reads an id as REST framework's integer field does, text with digits included.
func bulkID(value any) (int64, string) {
	text, isText := value.(string)
	if n, ok := value.(json.Number); ok {
		text, isText = n.String(), true
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if !isText || err != nil {
		return 0, "A valid integer is required."
	}
	return id, ""
}

func (s *Server) updateRecords(c *call, res *resource) reply {
	return s.writing(c, res, func(w *writer, value any) reply {
		list, at, refusal := w.targets(value)
		if refusal != nil {
			return *refusal
		}
		bodies, errors := []object{}, []object(nil)
		for i, o := range list {
			changed, violations := w.change(w.records[at[i]], o, c.Method == http.MethodPut)
			if violations != nil {
				errors = append(errors, object{{"id", w.records[at[i]].id}, {"errors", violations}})
				continue
			}
			w.records[at[i]] = changed
			bodies = append(bodies, res.writeShape(c)(changed.object))
		}
		if errors != nil {
			return bulkFailure(errors, len(list), "updated")
		}
		w.commit()
		return ok(bodies)
	})
}

func (s *Server) deleteRecords(c *call, res *resource) reply {
	return s.writing(c, res, func(w *writer, value any) reply {
		list, at, refusal := w.targets(value)
		if refusal != nil {
			return *refusal
		}
		gone := map[int64]bool{}
		var errors []object
		for _, place := range at {
			id := w.records[place].id
			gone[id] = true
			if names := w.dependants(id); names != nil {
				errors = append(errors, object{{"id", id}, {"errors", object{{"__all__", []string{
					fmt.Sprintf("Unable to delete: %d dependent object(s) prevent deletion.", len(names))}}}}})
			}
		}
		if errors != nil {
			failure := bulkFailure(errors, len(list), "deleted")
			failure.status = http.StatusConflict
			return failure
		}
		w.records = slices.DeleteFunc(w.records, func(r *record) bool { return gone[r.id] })
		w.commit()
		return reply{status: http.StatusNoContent}
	})
}
