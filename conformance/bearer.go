package conformance

import (
	"net/http"
	"net/http/httputil"
	"net/url"
)

// Bearer is a handler that passes every request on to target with the bearer token added, for a client that cannot
// send one. Everything else stays as the client sent it, above all Host and Origin, which the suite's DNS rebinding
// scenario forges; answers are passed on as they come, since some are streams. It is for a loopback listener of a
// test: who reaches it has the token's rights.
func Bearer(target *url.URL, token string) http.Handler {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = target.Scheme, target.Host
			r.Out.URL.RawQuery = r.In.URL.RawQuery // also where it does not parse
			r.Out.Host = r.In.Host
			r.Out.Header.Set("Authorization", "Bearer "+token)
		},
		FlushInterval: -1, // at once
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Otherwise net/http closes the request's body at the first byte of the answer. The transport, which has sent
		// all of it but not yet read its end, takes that for a failure and cuts the answer: a stream, whose first
		// event comes at once, is lost now and then.
		_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/2 knows no other way and may say it is not supported
		proxy.ServeHTTP(w, r)
	})
}
