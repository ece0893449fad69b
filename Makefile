# What a developer runs. `make` alone lists it. Works with GNU make 3.81 (macOS) and newer.

# One set of build flags for every command here, for xcaddy.json and for the image: then one build cache serves all.
# nobadger, nomysql and nopgx leave out databases that only Caddy's own certificate server would use.
export GOFLAGS := -trimpath -tags=nobadger,nomysql,nopgx -buildvcs=false

# The binary is static, as xcaddy's is. Only the race detector needs cgo, so everything else shares one compilation of
# Caddy and the race tests have the other.
GO          ?= go
STATIC      := CGO_ENABLED=0 $(GO)
FUZZTIME    ?= 10s
BENCHFLAGS  ?=
RACE        ?= auto
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
XCADDY      := github.com/caddyserver/xcaddy/cmd/xcaddy@v0.4.5

.DEFAULT_GOAL := help
.PHONY: help run build test test-live conformance fuzz bench xcaddy fmt lint tidy-check

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## start the demo, or serve the NetBox of NETBOX_URL and NETBOX_TOKEN; prints how to connect
	@exec bin/caddy netbox-mcp demo

build: ## build bin/caddy
	$(STATIC) build -o bin/caddy ./caddymodule/cmd/caddy

# The race detector needs cgo and a C compiler. RACE=required fails where there is none, RACE=off does without.
# The servers of the live suites are kept out: those suites are test-live's.
test: ## run every test that needs no foreign server, with the race detector where a C compiler is found
	@why=; \
	if [ "$(RACE)" = off ]; then why='RACE=off'; \
	elif [ "$$($(GO) env CGO_ENABLED)" != 1 ]; then why='cgo is disabled or no C compiler was found'; \
	elif ! command -v "$$($(GO) env CC | cut -d' ' -f1)" >/dev/null; then why="there is no $$($(GO) env CC)"; fi; \
	if [ -z "$$why" ]; then \
		set -x; env -u NETBOX_URL $(GO) test -race -timeout 20m ./...; \
	elif [ "$(RACE)" = required ]; then \
		echo "make test: RACE=required, but $$why" >&2; exit 1; \
	else \
		echo "make test: without the race detector: $$why"; \
		set -x; env -u NETBOX_URL $(STATIC) test -timeout 20m ./...; \
	fi

# The packages that have a live suite are those with a test function named TestLive…. NETBOX_PID is a process of that NetBox on
# this machine (Linux): a second one is started like it, with the example plugin in it. NETBOX_PID=none leaves that out.
test-live: ## run the live suites against the test server of NETBOX_URL; they write to it
	@if [ -z "$$NETBOX_URL" ]; then \
		echo 'make test-live: set NETBOX_URL and the other variables of a test NetBox; the suites name those they miss, and write to it' >&2; exit 1; \
	fi; \
	pkgs=$$($(GO) list -f '{{.ImportPath}} {{.Dir}}' ./... | while read -r pkg dir; do \
		if cat "$$dir"/*_test.go 2>/dev/null | grep -q '^func TestLive'; then echo "$$pkg"; fi; done); \
	if [ -z "$$pkgs" ]; then echo 'make test-live: no package has a function TestLive…' >&2; exit 1; fi; \
	set -x; $(STATIC) test -count=1 -timeout 20m -run '^TestLive' $$pkgs

conformance: ## run the official MCP conformance suite for both protocol eras (fetches it and Node.js 22 with npm)
	CGO_ENABLED=0 conformance/run.sh

# Packages that need Caddy are left out, because fuzzing compiles every dependency anew with its own instrumentation;
# make test runs their seeds.
fuzz: ## fuzz each target outside the Caddy packages for FUZZTIME (10s)
	@$(GO) list -f '{{.ImportPath}} {{.Dir}} {{join .Deps ","}},{{join .TestImports ","}},{{join .XTestImports ","}}' ./... | \
	grep -v 'github.com/caddyserver/' | { n=0; while read -r pkg dir _; do \
		for target in $$(cat "$$dir"/*_test.go 2>/dev/null | sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p'); do \
			n=$$((n+1)); echo "fuzzing $$target of $$pkg"; \
			$(STATIC) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$pkg" </dev/null || exit 1; \
		done; \
	done; \
	if [ $$n = 0 ]; then echo 'make fuzz: found no fuzz target' >&2; exit 1; fi; echo "make fuzz: $$n targets held for $(FUZZTIME) each"; }

# The figures are of this machine as it is now: what else runs on it is in them.
bench: ## measure speed and memory (four minutes); BENCHFLAGS='-run scan', -json, -h; status 1 when a target is missed
	$(STATIC) run ./bench $(BENCHFLAGS)

xcaddy: ## build bin/caddy from xcaddy.json through the xcaddy command
	@command -v xcaddy >/dev/null || [ -x "$$($(GO) env GOPATH)/bin/xcaddy" ] || { set -x; $(STATIC) install $(XCADDY); }
	$(STATIC) run ./caddymodule/cmd/xbuild -o bin/caddy

fmt: ## format the Go files
	gofmt -w .

lint: tidy-check ## check formatting, go vet, staticcheck and go.mod
	@unformatted=$$(gofmt -l .) && \
	if [ -n "$$unformatted" ]; then echo "run make fmt for:" >&2; echo "$$unformatted" >&2; exit 1; fi
	$(STATIC) vet ./...
	$(STATIC) run $(STATICCHECK) ./...

tidy-check: ## check that go.mod and go.sum say what the code needs
	$(GO) mod tidy -diff
