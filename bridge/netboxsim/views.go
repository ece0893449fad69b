package netboxsim

import (
	"html"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// view is what answers at one path below /api/.
type view struct {
	// name is the title of the view in OPTIONS.
	name string
	// model is the model's name in "No … matches the given query."
	model string
	// needs is the resource whose permissions are asked for, "" for none.
	needs string
	// superuser closes the view to everyone else.
	superuser bool
	// methods holds what the view does, by method. HEAD and OPTIONS come by themselves.
	methods map[string]action
}

// action answers one request that may do what it asks.
type action func(c *call) reply

// call is a request on its way through a view.
type call struct {
	*http.Request
	server *Server
	view   *view
	token  *Token
	// id is the last part of a path that names one object, as it was written.
	id string
	// base is what absolute links begin with.
	base string
}

// reply is what a view says; its body is rendered as JSON, nil is no body.
type reply struct {
	status int
	body   any
	header http.Header
}

func ok(body any) reply { return reply{status: http.StatusOK, body: body} }

// detail is an error in the shape Django REST framework gives its own.
func detail(status int, text string) reply {
	return reply{status: status, body: object{{"detail", text}}}
}

// noMatch is Django's answer of get_object_or_404.
func (c *call) noMatch() reply {
	return detail(http.StatusNotFound, "No "+c.view.model+" matches the given query.")
}

// find returns the view for a path below /api/, and the id in it. Views are kept by
// path; "*" stands for one object's id.
func (s *Server) find(path string) (*view, string) {
	if v := s.views[path]; v != nil {
		return v, ""
	}
	trimmed, slash := strings.CutSuffix(path, "/")
	at := strings.LastIndexByte(trimmed, '/')
	if !slash || at < 0 || at+1 == len(trimmed) {
		return nil, ""
	}
	if v := s.views[path[:at+1]+"*/"]; v != nil {
		return v, trimmed[at+1:]
	}
	// A route whose converter is Django's int: other texts are an unknown path.
	if v := s.views[path[:at+1]+"#/"]; v != nil && digits(trimmed[at+1:]) {
		return v, trimmed[at+1:]
	}
	return nil, ""
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// serveView does what Django REST framework does around a view, in its order: content
// negotiation, version, credentials, permission, method.
func (s *Server) serveView(w http.ResponseWriter, r *http.Request, v *view, id string) {
	w.Header().Set("Allow", v.allow())
	asHTML, refusal := negotiate(r.Header.Values("Accept"), line(s.cfg.Version))
	c := &call{Request: r, server: s, view: v, id: id, base: s.baseURL(r)}
	var answer reply
	switch token, denied := s.authenticate(r); {
	case refusal != "":
		answer = detail(http.StatusNotAcceptable, refusal)
	case denied != "":
		answer = detail(http.StatusForbidden, denied)
	case token == nil:
		answer = detail(http.StatusForbidden, textNoCredentials)
	case v.superuser && !token.Superuser, !token.may(r.Method, v.needs):
		answer = detail(http.StatusForbidden, textNoPermission)
	default:
		c.token = token
		answer = c.act()
	}
	if answer.body == nil {
		send(w, answer.status, "", answer.header, nil)
		return
	}
	body := render(answer.body, c.base)
	if asHTML {
		page := "<!DOCTYPE html>\n<html>\n<head>\n<title>" + html.EscapeString(v.name) +
			" – NetBox REST API</title>\n</head>\n<body>\n<pre>" + html.EscapeString(string(body)) + "</pre>\n</body>\n</html>\n"
		send(w, answer.status, "text/html; charset=utf-8", answer.header, []byte(page))
		return
	}
	send(w, answer.status, "application/json", answer.header, body)
}

// act runs the method that was asked for.
func (c *call) act() reply {
	method := c.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if do := c.view.methods[method]; do != nil {
		return do(c)
	}
	if method == http.MethodOptions {
		return ok(object{
			{"name", c.view.name}, {"description", ""},
			{"renders", []string{"application/json", "text/html"}},
			{"parses", []string{"application/json", "multipart/form-data"}},
		})
	}
	return detail(http.StatusMethodNotAllowed, `Method "`+c.Method+`" not allowed.`)
}

// allow is the Allow header, in Django's order.
func (v *view) allow() string {
	var names []string
	for _, m := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if v.methods[m] != nil {
			names = append(names, m)
		}
	}
	if v.methods[http.MethodGet] != nil {
		names = append(names, http.MethodHead)
	}
	return strings.Join(append(names, http.MethodOptions), ", ")
}

// negotiate picks JSON or HTML from Accept headers the way Django REST framework does:
// by how specific a range is, never by its q. A refusal is the text of a 406.
func negotiate(accept []string, version string) (asHTML bool, refusal string) {
	ranges := strings.Split(strings.Join(accept, ","), ",")
	if len(accept) == 0 {
		return false, ""
	}
	best, chosen := 4, ""
	var params map[string]string
	for _, text := range ranges {
		media, p, err := mime.ParseMediaType(strings.TrimSpace(text))
		if err != nil {
			continue
		}
		for _, offer := range []string{"application/json", "text/html"} {
			main, _, _ := strings.Cut(offer, "/")
			rank := slices.Index([]string{offer, main + "/*", "*/*"}, media)
			if rank < 0 {
				continue
			}
			// JSON is offered first, so it wins among ranges that are equally specific.
			if rank < best || (rank == best && offer == "application/json") {
				best, chosen, params = rank, offer, p
			}
		}
	}
	switch {
	case chosen == "":
		return false, "Could not satisfy the request Accept header."
	case params["version"] != "" && params["version"] != version:
		return false, `Invalid version in "Accept" header.`
	}
	return chosen == "text/html", ""
}
