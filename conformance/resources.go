package conformance

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// watchedResource is the one that the suite subscribes to.
const watchedResource = "test://watched-resource"

func mountResources(s *mcp.Server) {
	add := func(contents mcp.ResourceContents, name string) {
		s.AddResource(&mcp.Resource{URI: contents.URI, Name: name, MIMEType: contents.MIMEType},
			func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{&contents}}, nil
			})
	}
	add(mcp.ResourceContents{URI: "test://static-text", MIMEType: "text/plain", Text: "This is the content of the static text resource."}, "static-text")
	add(mcp.ResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: redPixel()}, "static-binary")
	add(mcp.ResourceContents{URI: watchedResource, MIMEType: "text/plain", Text: "Watched resource content"}, "watched-resource")
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "template", MIMEType: "application/json", URITemplate: "test://template/{id}/data",
	}, readTemplate)
}

func readTemplate(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
	body, err := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
	if err != nil {
		return nil, fmt.Errorf("writing the resource: %w", err)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: req.Params.URI, MIMEType: "application/json", Text: string(body)},
	}}, nil
}

// redPixel is a PNG image of one pixel.
func redPixel() []byte {
	return decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
}

// silence is a WAV file without samples.
func silence() []byte {
	return decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
}

// decode panics on anything but base64: it is for the constants above.
func decode(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}
