# make test is everything that must pass; the rest are its parts and helpers.

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GO_FILES     = $(shell git ls-files '*.go')

.PHONY: test lint unit exhaustive e2e fuzz bench build run clean

test: lint unit exhaustive e2e

lint:
	@bad=$$(gofmt -l $(GO_FILES)); [ -z "$$bad" ] || { echo "not formatted: $$bad"; exit 1; }
	go vet ./...
	go run $(STATICCHECK) ./...
	@go mod tidy -diff

# With the race detector, in random order.
unit:
	.ci/needs redis-server=redis-server
	go test -race -shuffle=on -timeout 10m ./...

# The counts and searches that take too long under the race detector.
exhaustive:
	go test -shuffle=on -timeout 10m ./engine/...

# A real browser against the real binary.
e2e: export OXO_BIN = $(CURDIR)/oxo
e2e: build
	.ci/needs chromium=chromium node=nodejs npm=npm
	cd web/e2e && npm ci --no-audit --no-fund && npm test

# Each fuzz target for a while: make fuzz FUZZTIME=1m
FUZZTIME ?= 10s
fuzz:
	@for package in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package || exit 1; \
		done; \
	done

bench:
	go test -run '^$$' -bench . -benchmem ./...

# The binary as it is released: static, without paths of this machine.
build:
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -buildid=' -o oxo ./cmd/oxo

run:
	go run ./cmd/oxo serve

clean:
	rm -rf oxo web/e2e/node_modules
