package netboxapi

import "testing"

func TestCheckPath(t *testing.T) {
	for _, test := range []struct {
		path string
		ok   bool
	}{
		{"/api/", true},
		{"/api/dcim/devices/", true},
		{"/api/dcim/devices/7/", true},
		{"/api/dcim/devices", true},
		{"/api/plugins/proxbox/endpoints/proxmox/", true},
		{"/api/a/x.json", true},
		{"/api/a/...", true},
		{"/api/a/a%20b/", true},
		{"/api/a/%C3%A4/", true},
		{"/api/a/100%25/", true},
		{"/api/a/50%25%20off/", true},

		{"", false},
		{"/", false},
		{"/api", false},
		{"api/dcim/", false},
		{"/admin/", false},
		{"/apix/", false},
		{"/API/dcim/", false},
		{"//api/dcim/", false},
		{"http://evil/api/", false},
		{"/api//", false},
		{"/api//dcim/", false},
		{"/api/dcim//", false},
		{"/api/./dcim/", false},
		{"/api/dcim/.", false},
		{"/api/..", false},
		{"/api/../admin/", false},
		{"/api/dcim/../../admin/", false},
		{"/api/%2e%2e/admin/", false},
		{"/api/.%2E/admin/", false},
		{"/api/%2e%2e%2fadmin/", false},
		{"/api/dcim/%2E%2E/%2E%2E/admin/", false},
		{"/api/dcim/devices%2F1/", false},
		{"/api/dcim/devices%2f1/", false},
		{"/api/dcim/devices%5C1/", false},
		{`/api/dcim\..\..\admin/`, false},
		{"/api/%252e%252e/admin/", false},
		{"/api/%25252e%25252e/admin/", false},
		{"/api/a%252Fb/", false},
		{"/api/a%0d%0ab/", false},
		{"/api/a%00/", false},
		{"/api/a\nb/", false},
	} {
		t.Run(test.path, func(t *testing.T) {
			if err := checkPath(test.path); (err == nil) != test.ok {
				t.Errorf("got %v", err)
			}
		})
	}
}
