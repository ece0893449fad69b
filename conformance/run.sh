#!/usr/bin/env bash
# Runs the official MCP conformance suite against the test build, at the wire versions 2025-11-25 and 2026-07-28.
#
#   conformance/run.sh
#
# Fetches the suite with npm (versions pinned in package-lock.json) into conformance/.cache, with Node.js 22 where the
# machine has an older one. The server is the test binary of ./caddymodule, which mounts the fixtures on the product's own
# handler in Caddy, or the program that CONFORMANCE_SERVER names: it prints the URL of its MCP endpoint as its first line,
# needs no token there, and ends on SIGTERM.
#
# The last line is "N passed, N failed", alone: the scored checks of both revisions. The status is 0 only if none failed
# but those that expected-failures.yml names. What each check saw is under conformance/.cache/results.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
here=$PWD cache=$PWD/.cache

die() { echo "conformance: $*" >&2; exit 1; }

command -v npm >/dev/null || die "needs npm and Node.js, to fetch the suite: https://nodejs.org"
mkdir -p "$cache"
# The lock file is copied last, so an install that was cut short is done again.
if ! cmp -s package-lock.json "$cache/installed-lock.json"; then
	cp package.json package-lock.json "$cache/"
	(cd "$cache" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) || die "npm cannot fetch the suite"
	cp package-lock.json "$cache/installed-lock.json"
fi
node= # the suite needs fs.globSync, which came with Node.js 22
for candidate in node "$cache"/node_modules/node-*/bin/node; do
	if "$candidate" -e 'process.exit(parseInt(process.versions.node) < 22 ? 1 : 0)' 2>/dev/null; then node=$candidate; break; fi
done
[ -n "$node" ] || die "the suite needs Node.js 22 or newer, and npm has none for this machine: https://nodejs.org"

server=${CONFORMANCE_SERVER:-$cache/server}
if [ -z "${CONFORMANCE_SERVER:-}" ]; then (cd .. && go test -c -o "$server" ./caddymodule); fi
TEST_BINARY_AS=conformance-server "$server" >"$cache/server.url" 2>"$cache/server.log" &
pid=$!
trap 'kill "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true' EXIT
url=
for _ in $(seq 1 300); do
	url=$(head -n 1 "$cache/server.url")
	[ -z "$url" ] || break
	kill -0 "$pid" 2>/dev/null || break
	sleep 0.1
done
[ -n "$url" ] || { cat "$cache/server.log" >&2; die "the server gave no URL"; }

# summary FILE: "passed failed" of the scored checks. The suite's summary has a line for each scenario, then the names
# of those that are not scored.
summary() {
	awk '
		/^=== SUMMARY ===/ { summary = 1; next }
		/^Not scored for / { unscored = 1; next }
		summary && !unscored && $2 ~ /:$/ && / passed, [0-9]+ failed/ {
			name = substr($2, 1, length($2) - 1)
			for (i = 3; i < NF; i++) { if ($(i+1) ~ /^passed/) passed[name] = $i; if ($(i+1) ~ /^failed/) failed[name] = $i }
		}
		unscored && $3 ~ /^\(/ { delete passed[$2]; delete failed[$2] }
		END { for (n in passed) p += passed[n]; for (n in failed) f += failed[n]; print p + 0, f + 0 }
	' "$1"
}

passed=0 failed=0 status=0
rm -rf "$cache/results"
for revision in 2025-11-25 2026-07-28; do
	out=$cache/results/$revision
	mkdir -p "$out"
	suite() { (cd "$out" && NO_COLOR=1 "$node" "$cache/node_modules/@modelcontextprotocol/conformance/dist/index.js" server \
		--url "$url" --requirements "$revision" --output-dir "$out" "$@"); }
	# Twice: with a baseline the suite does not tell which scenarios are scored, without one the exit status does not
	# know the expected failures.
	suite >"$out/scored.txt" 2>&1 || true
	judged=0
	suite --expected-failures "$here/expected-failures.yml" >"$out/judged.txt" 2>&1 || judged=$?
	counts=$(summary "$out/scored.txt")
	echo "== $revision: ${counts% *} scored checks passed, ${counts#* } failed"
	# Without the suite's own total, which counts what is not scored too.
	sed -n '/^=== SUMMARY ===/,$p' "$out/scored.txt" | grep -v '^Total: '
	passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
	if [ "$judged" != 0 ]; then
		status=1
		echo "== $revision: judged with expected-failures.yml"
		sed -n '/^Total: /,$p' "$out/judged.txt"
	fi
	if [ "${counts% *}" = 0 ]; then
		status=1
		echo "== $revision: the suite did not run; its output ends:"
		tail -n 20 "$out/judged.txt"
	fi
done
echo "$passed passed, $failed failed"
exit "$status"
