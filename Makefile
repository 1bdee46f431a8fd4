# make test is everything that must pass; the rest are its parts and helpers.

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GO_FOLDERS  := cmd deploy engine lobby server web

.PHONY: test lint unit exhaustive e2e ops ops-pictures chaos chaos-meta chaos-long fuzz bench build run clean

test: lint unit exhaustive e2e ops chaos chaos-meta

lint:
	@bad=$$(gofmt -l $(GO_FOLDERS)); [ -z "$$bad" ] || { echo "not formatted: $$bad"; exit 1; }
	go vet ./...
	go run $(STATICCHECK) ./...
	@go mod tidy -diff

# With the race detector, in random order.
unit:
	.ci/needs cc=gcc redis-server=redis-server
	go test -race -shuffle=on -timeout 10m ./...

# The counts and searches that take too long under the race detector.
exhaustive:
	go test -shuffle=on -timeout 10m ./engine/...

# A real browser against the real binary.
e2e: export E2E_BINARY = $(CURDIR)/oxo
e2e: build
	.ci/needs chromium=chromium node=nodejs npm=npm
	@node -e 'if (+process.versions.node.split(".")[0] < 20) { console.error("The browser tests need node 20 or later (Debian 13 has it); this is " + process.version); process.exit(1) }'
	cd web/e2e && npm ci --no-audit --no-fund && npm test

# What operators get: every file in deploy by its own checker, then two nodes,
# Redis, nginx and Prometheus under load, restarted and killed, with an eye on
# every panel and alert. ops-pictures draws the dashboards, too.
OPS := cd deploy/check && go run ./cmd/ops --oxo $(CURDIR)/oxo
ops: build
	.ci/needs redis-server=redis-server prometheus=prometheus promtool=prometheus prometheus-redis-exporter=prometheus-redis-exporter amtool=prometheus-alertmanager /usr/sbin/nginx=nginx-light systemd-analyze=systemd
	cd deploy/check && go vet ./... && go run $(STATICCHECK) ./... && go test ./...
	$(OPS)

ops-pictures: build
	.ci/needs chromium=chromium node=nodejs npm=npm
	cd deploy/check/picture && npm ci --no-audit --no-fund
	$(OPS) --pictures ../grafana

# Real processes that are killed, stopped and cut off, and an oracle that looks
# for what was lost. chaos-meta breaks the product in known ways and expects the
# oracle to find each of them.
chaos: build
	.ci/needs redis-server=redis-server
	go run ./cmd/chaos --oxo $(CURDIR)/oxo

chaos-meta: build
	.ci/needs redis-server=redis-server
	go run ./cmd/chaos --oxo $(CURDIR)/oxo --meta

# Ten times that, and then as long with a Redis Cluster whose masters are killed
# and stopped, whose replicas take over and whose slots move: three quarters of
# an hour. For a look at the cluster alone: chaos --phase cluster.
chaos-long: build
	.ci/needs redis-server=redis-server
	go run ./cmd/chaos --oxo $(CURDIR)/oxo --long

# Each fuzz target for a while: make fuzz FUZZTIME=1m
FUZZTIME ?= 10s
fuzz:
	@for package in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$package || exit 1; \
		done; \
	done

bench:
	go test -run '^$$' -bench . -benchmem ./...

# The binary as it is released: static, without paths of this machine.
# make build VERSION=v1.2.3 names it.
VERSION ?=
build:
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -buildid= -X main.release=$(VERSION)' -o oxo ./cmd/oxo

run:
	go run ./cmd/oxo serve

clean:
	rm -rf oxo web/e2e/node_modules
