# make demo | test | test-sanitize | conformance | bench | lint | docs. Each sets up what it needs on a fresh Debian or Ubuntu with Swift installed.

SWIFT ?= swift
SWIFT_FILES = $(shell git ls-files -co --exclude-standard '*.swift')

.PHONY: demo test test-sanitize conformance bench lint docs setup clean

setup:
	@scripts/setup build

demo: setup
	$(SWIFT) build --traits HTTP3,Combine --product urlload
	$(SWIFT) build --traits HTTP3,Combine --product urlsessiond
	$$($(SWIFT) build --show-bin-path)/urlload demo

test: setup
	@scripts/setup test
	scripts/test

test-sanitize: setup
	@scripts/setup test
	scripts/test-sanitize

conformance: setup
	SWIFT="$(SWIFT)" scripts/websocket-conformance/run

bench:
	@scripts/setup bench
	Benchmarks/run $(BENCH_OPTIONS)

lint:
	$(SWIFT) format lint --strict --parallel $(SWIFT_FILES)

docs: setup
	scripts/docs

clean:
	rm -rf .build
