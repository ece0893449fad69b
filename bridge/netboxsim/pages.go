package netboxsim

import (
	"html"
	"net/http"
	"strings"
)

// pageBadRequest is Django's page for a request that is refused before any view.
const pageBadRequest = `
<!doctype html>
<html lang="en">
<head>
  <title>Bad Request (400)</title>
</head>
<body>
  <h1>Bad Request (400)</h1><p></p>
</body>
</html>
`

// servePage answers outside the API: the start page, the login page, or an HTML 404.
// The start page is that of a NetBox that lets everyone look (LOGIN_REQUIRED off).
func (s *Server) servePage(w http.ResponseWriter, r *http.Request, path string) {
	switch path {
	case "":
		s.sendPage(w, http.StatusOK, "Home", "<p>This is a demo NetBox. It lives in the memory of the program that"+
			" serves it and forgets everything when that ends.</p>\n<p><a href=\""+
			html.EscapeString(s.cfg.BasePath)+"/login/\">Log In</a></p>")
	case "login/":
		s.sendPage(w, http.StatusOK, "NetBox Login", "<p>This is a demo NetBox: there is nothing to log in to.</p>")
	default:
		s.notFound(w, r)
	}
}

// notFound is the page for a path that nothing is served at, below /api/ too.
func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	shown := r.URL.Path
	if len(shown) > 200 {
		shown = shown[:200] + "…"
	}
	s.sendPage(w, http.StatusNotFound, "Page Not Found", "<code>"+html.EscapeString(shown)+
		"</code>\n<p>The requested page does not exist.</p>")
}

// sendPage sends a page in NetBox's frame, with the cookie that its pages set.
func (s *Server) sendPage(w http.ResponseWriter, status int, title, content string) {
	http.SetCookie(w, &http.Cookie{
		Name: "csrftoken", Value: strings.ReplaceAll(newUUID(), "-", ""), Path: "/", MaxAge: 31449600,
		HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
	sendHTML(w, status, "<!DOCTYPE html>\n<html\n  lang=\"en\"\n  data-netbox-version=\""+
		html.EscapeString(s.cfg.Version)+"\">\n<head>\n<meta charset=\"UTF-8\" />\n<title>"+title+
		" | NetBox</title>\n</head>\n<body>\n<h1>"+title+"</h1>\n"+content+
		"\n<footer>demo NetBox "+html.EscapeString(s.cfg.Version)+"</footer>\n</body>\n</html>\n")
}

func sendHTML(w http.ResponseWriter, status int, page string) {
	send(w, status, "text/html; charset=utf-8", nil, []byte(page))
}
