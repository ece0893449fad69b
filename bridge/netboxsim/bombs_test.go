package netboxsim

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestGzipBombs(t *testing.T) {
	for _, size := range []int{2, bombBlock, bombBlock + 1, 3*bombBlock - 1} {
		for name, bomb := range map[string][]byte{"one member": GzipBomb(size), "many members": GzipMembersBomb(size)} {
			z, err := gzip.NewReader(bytes.NewReader(bomb))
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(z)
			if want := `"` + strings.Repeat("0", size-2) + `"`; err != nil || string(b) != want {
				t.Errorf("%s of %d: %d bytes, %v", name, size, len(b), err)
			}
		}
	}
	if n := len(GzipBomb(64 << 20)); n > 100<<10 {
		t.Errorf("a bomb of 64 MiB takes %d bytes", n)
	}
}

// TestZstdBomb checks the frame by its parts, since the standard library has no decoder; package transport's tests decode them.
func TestZstdBomb(t *testing.T) {
	const size = 2*bombBlock + 100
	b := ZstdBomb(size)
	if !bytes.HasPrefix(b, []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 10 << 3}) {
		t.Fatalf("the header is % x", b[:6])
	}
	total := 0
	for b = b[6:]; ; {
		header := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
		total += header >> 3
		if b = b[4:]; header&1 == 1 {
			break
		}
	}
	if total != size || len(b) != 0 {
		t.Errorf("the blocks have %d bytes, and %d follow; want %d", total, len(b), size)
	}
}

func TestFaultWire(t *testing.T) {
	s := New(Testbed())
	s.Inject("GET /api/", Fault{Wire: func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 299 Odd\r\n\r\nbytes") }})
	server := httptest.NewServer(s)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /api/ HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body) // which ends with the connection
	if resp.StatusCode != 299 || string(body) != "bytes" || err != nil {
		t.Errorf("status %d, body %q, %v", resp.StatusCode, body, err)
	}
}
