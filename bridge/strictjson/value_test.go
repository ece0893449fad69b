package strictjson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func mustParse(t testing.TB, text string) Value {
	t.Helper()
	v, err := Parse([]byte(text), Limits{})
	if err != nil {
		t.Fatalf("Parse(%.80q): %v", text, err)
	}
	return v
}

func TestAppendCompact(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"spaces go", ` { "a" : [ 1 , true , false , null ] } `, `{"a":[1,true,false,null]}`},
		{"order stays", `{"b":1,"a":2}`, `{"b":1,"a":2}`},
		{"number text stays", `[1E3,-0.0,1.50,9007199254740993]`, `[1E3,-0.0,1.50,9007199254740993]`},
		{"non-ASCII is not escaped", `"\u00e9\ud83d\ude00\u2028"`, "\"é😀\u2028\""},
		{"HTML is not escaped", `"<a&b>\/"`, `"<a&b>/"`},
		{"what must be escaped is", `"\u0000\u001f\b\f\n\r\t\"\\"`, `"\u0000\u001f\b\f\n\r\t\"\\"`},
		{"empty containers", `[{},[],""]`, `[{},[],""]`},
		{"names are escaped too", `{"\"\n":1}`, `{"\"\n":1}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := mustParse(t, test.text)
			if got := string(v.AppendCompact([]byte("x"))); got != "x"+test.want {
				t.Errorf("AppendCompact = %s, want x%s", got, test.want)
			}
			if got := v.compactSize(); got != len(test.want) {
				t.Errorf("compactSize = %d, want %d", got, len(test.want))
			}
		})
	}
}

func TestAppendCompactRepairsForeignText(t *testing.T) {
	v := Value{Kind: String, Text: "a\xffb"}
	if got, want := string(v.AppendCompact(nil)), "\"a\ufffdb\""; got != want || v.compactSize() != len(want) {
		t.Errorf("AppendCompact = %q of size %d, want %q", got, v.compactSize(), want)
	}
}

func TestZeroValueIsNull(t *testing.T) {
	if got := string(Value{}.AppendCompact(nil)); got != "null" {
		t.Errorf("the zero Value is %s, want null", got)
	}
	if (Value{}).Any() != nil {
		t.Error("Any of the zero Value is not nil")
	}
}

func TestGet(t *testing.T) {
	v := mustParse(t, `{"a":1,"b":{"c":"x"},"n":null}`)
	inner, ok := v.Get("b")
	if !ok || inner.Kind != Object {
		t.Fatalf("Get(b) = %v, %v", inner.Kind, ok)
	}
	if c, ok := inner.Get("c"); !ok || c.Text != "x" {
		t.Errorf("Get(c) = %q, %v", c.Text, ok)
	}
	if n, ok := v.Get("n"); !ok || n.Kind != Null {
		t.Errorf("Get(n) = %v, %v; want a present null", n.Kind, ok)
	}
	if _, ok := v.Get("A"); ok {
		t.Error("names are compared without regard to case")
	}
	if _, ok := mustParse(t, `[1]`).Get("a"); ok {
		t.Error("a list has a member")
	}
}

func TestAny(t *testing.T) {
	got := mustParse(t, `{"a":[1.50,"x",true,null,{},[]]}`).Any()
	want := map[string]any{"a": []any{json.Number("1.50"), "x", true, nil, map[string]any{}, []any{}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Any = %#v, want %#v", got, want)
	}
}

func TestKindNames(t *testing.T) {
	for kind, want := range map[Kind]string{
		Null: "null", Bool: "boolean", Number: "number", String: "string", Array: "array", Object: "object", 99: "unknown",
	} {
		if got := kind.String(); got != want {
			t.Errorf("Kind(%d).String() = %q, want %q", kind, got, want)
		}
	}
}

// FuzzParse holds the parser against encoding/json: what is accepted here must
// be accepted there with the same meaning, and what only we refuse must have one
// of our reasons.
func FuzzParse(f *testing.F) {
	for _, c := range publishedCases(f) {
		f.Add([]byte(c.Text))
	}
	f.Add([]byte(`{"a":[1E3,-0.0,"\ud83d\ude00"],"b":{"c":null}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Parse(data, Limits{})
		if err != nil {
			e := err.(*Error)
			if e.Offset < 0 || e.Offset > len(data) {
				t.Fatalf("offset %d of %d bytes", e.Offset, len(data))
			}
			if (e.Reason == Syntax || e.Reason == Empty || e.Reason == Trailing || e.Reason == ControlInString) && json.Valid(data) {
				t.Fatalf("%q refused as %v, but it is valid JSON", data, e)
			}
			return
		}
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil {
			t.Fatalf("%q accepted, but: %v", data, err)
		}
		if got := v.Any(); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q read as %#v, want %#v", data, got, want)
		}
		compact := v.AppendCompact(nil)
		if len(compact) != v.compactSize() || len(compact) > len(data) {
			t.Fatalf("compact form of %q has %d bytes, measured %d", data, len(compact), v.compactSize())
		}
		again, err := Parse(compact, Limits{Bytes: len(compact)})
		if err != nil || !reflect.DeepEqual(again, v) {
			t.Fatalf("%q changed when written as %q (%v)", data, compact, err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	rows := make([]string, 0, 1000)
	for size := 0; size < 250_000; {
		row := `{"id":1234567,"name":"edge-router-01","tags":["a","b"],"description":"café \n","active":true}`
		rows = append(rows, row)
		size += len(row)
	}
	data := []byte("[" + strings.Join(rows, ",") + "]")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(data, Limits{Bytes: 262_144, Depth: 32}); err != nil {
			b.Fatal(err)
		}
	}
}
