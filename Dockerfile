# syntax=docker/dockerfile:1

# Caddy with this project's module, laid out as the official caddy image: /usr/bin/caddy, /etc/caddy/Caddyfile, settings
# under /config, certificates under /data. Unlike there, it runs as a user of its own.
#
#   docker build -t caddy-netbox-mcp .

FROM golang:1.26-alpine AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
# The flags of the Makefile and xcaddy.json, and a static, stripped binary.
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
	GOFLAGS="-trimpath -tags=nobadger,nomysql,nopgx -buildvcs=false" CGO_ENABLED=0 \
	go build -ldflags="-s -w" -o /out/caddy ./caddymodule/cmd/caddy

FROM alpine:3.22
RUN apk add --no-cache ca-certificates libcap mailcap \
	&& addgroup -S -g 1000 caddy && adduser -S -D -H -u 1000 -G caddy caddy \
	&& mkdir -p /config/caddy /data/caddy /etc/caddy /srv \
	&& chown -R caddy:caddy /config /data
COPY --from=build /out/caddy /usr/bin/caddy
# For ports below 1024 without root. Whoever drops capabilities must keep NET_BIND_SERVICE, or the binary does not start.
RUN setcap cap_net_bind_service=+ep /usr/bin/caddy && /usr/bin/caddy version
ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data
WORKDIR /srv
USER caddy
EXPOSE 80 443 443/udp
# The admin endpoint answers as soon as a configuration is running; a site that moves it brings a check of its own.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
	CMD ["wget", "-q", "-O", "/dev/null", "http://localhost:2019/config/"]
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
