// Package toolset is what the product's tools are made of, without any protocol: the [Tool] with its definition and
// handler, the [Call] it is given, the [Site] and [Principal] it is judged by, and the [Recorder] that hears of it.
//
// It guarantees that a tool never sees arguments its published input schema refuses, that a [Set] is complete and
// consistent before anything is served, and that everything one call is judged by is fixed when the request arrives:
// a configuration that is reloaded meanwhile changes nothing under it.
package toolset
