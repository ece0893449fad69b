// Command xbuild builds Caddy with this project's module through the xcaddy command, from the file xcaddy.json.
//
// The file has the shape of the Builder type of github.com/caddyserver/xcaddy, but the xcaddy command reads flags and
// environment variables only; xbuild turns the one into the other, prints the call and makes it:
//
//	xbuild [-file xcaddy.json] [-o bin/caddy] [-print]
//
// It promises that nothing in the file is silently dropped: a member that the xcaddy command cannot be told about, a
// misspelt one, and a second JSON value are errors. It uses the standard library only, so that it runs without
// compiling Caddy first.
package main
