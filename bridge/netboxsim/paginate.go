package netboxsim

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

const (
	// defaultPage is NetBox's PAGINATE_COUNT.
	defaultPage = 50
	// maxPage is NetBox's MAX_PAGE_SIZE.
	maxPage = 1000
)

// identified is a row that a list can page over.
type identified interface{ identity() int64 }

// paginate cuts the rows that a request asks for, given in their order, and builds the
// envelope around what show makes of them, as NetBox's OptionalLimitOffsetPagination
// does: a limit of 0 or over the maximum is the maximum, one that is not a number is
// the default, and a "start" switches to paging by id.
func paginate[R identified](c *call, rows []R, show func(R) object) reply {
	query := c.URL.Query()
	limit := pageLimit(query)
	if query.Has("start") {
		return paginateByID(c, rows, limit, show)
	}
	offset := max(0, atoi(query.Get("offset"), 0))
	count := len(rows)
	var next, previous any
	if offset+limit < count {
		next = c.pageLink(limit, offset+limit)
	}
	if offset > 0 {
		previous = c.pageLink(limit, offset-limit)
	}
	page := rows[min(offset, count):min(offset+limit, count)]
	return envelope(count, next, previous, page, show)
}

// paginateByID is NetBox's cursor paging: by id, without a count.
func paginateByID[R identified](c *call, rows []R, limit int, show func(R) object) reply {
	query := c.URL.Query()
	misuse := func(text string) reply { return reply{status: http.StatusBadRequest, body: []string{text}} }
	start, err := strconv.ParseInt(query.Get("start"), 10, 64)
	switch {
	case err != nil || start < 0:
		return misuse("Invalid 'start' parameter: must be a non-negative integer.")
	case query.Has("offset"):
		return misuse("'start' and 'offset' are mutually exclusive.")
	case query.Has("ordering"):
		return misuse("'start' and 'ordering' are mutually exclusive.")
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(r R) bool { return r.identity() < start })
	slices.SortFunc(rows, func(a, b R) int { return compare(a.identity(), b.identity()) })
	rows = rows[:min(limit, len(rows))]
	var next any
	if len(rows) == limit {
		query.Set("start", strconv.FormatInt(rows[limit-1].identity()+1, 10))
		query.Set("limit", strconv.Itoa(limit))
		next = link(c.apiPath() + "?" + query.Encode())
	}
	return envelope(nil, next, nil, rows, show)
}

func envelope[R any](count, next, previous any, rows []R, show func(R) object) reply {
	results := make([]object, len(rows))
	for i, row := range rows {
		results[i] = show(row)
	}
	return ok(object{{"count", count}, {"next", next}, {"previous", previous}, {"results", results}})
}

// pageLink is the request's own URL for another page: parameters sorted and encoded
// anew, and no offset for the first page.
func (c *call) pageLink(limit, offset int) link {
	query := c.URL.Query()
	query.Set("limit", strconv.Itoa(limit))
	query.Set("offset", strconv.Itoa(offset))
	if offset <= 0 {
		query.Del("offset")
	}
	return link(c.apiPath() + "?" + query.Encode())
}

// apiPath is the request's path below the base path.
func (c *call) apiPath() string {
	return c.URL.EscapedPath()[len(c.server.cfg.BasePath):]
}

func pageLimit(query url.Values) int {
	if !query.Has("limit") {
		return defaultPage
	}
	limit := atoi(query.Get("limit"), -1)
	switch {
	case limit < 0:
		return defaultPage
	case limit == 0 || limit > maxPage:
		return maxPage
	}
	return limit
}

// atoi reads a number that is small enough to page with, else gives the fallback.
func atoi(text string, fallback int) int {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return fallback
	}
	return int(n)
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
