package manifest

import _ "embed"

// descriptorSchema is read-only; the embed package wants a variable.
//
//go:embed descriptor.schema.json
var descriptorSchema string

// DescriptorSchema returns a JSON Schema (Draft 2020-12, without an $id) of the
// manifests that [Parse] accepts, for the tests of plugin authors. It accepts all
// of them, and of the rest only what breaks no other rule than those that JSON
// Schema cannot express; they are listed in its $comment.
func DescriptorSchema() []byte { return []byte(descriptorSchema) }
