# make demo | tool | install | deb | test | test-sanitize | fuzz | conformance | bench | lint | docs. Each sets up what it needs on a fresh Debian or
# Ubuntu with Swift installed.

SWIFT ?= swift
BUILD = SWIFT="$(SWIFT)" scripts/tools/build

.PHONY: demo tool install deb test test-sanitize fuzz conformance bench lint docs setup clean

setup:
	@scripts/tools/setup build

# The demo first: only it needs swift-certificates, which has to be built before this package's module Security (scripts/tools/setup).
demo: setup
	$(BUILD) --traits Development --product Demo
	$(BUILD) --traits Development --product urlload
	$(BUILD) --traits Development --product urlsessiond
	$$($(SWIFT) build --show-bin-path)/Demo

# The tool, the daemon that its `background` needs and the library that its `leaks` preloads, as files that need no Swift where they run:
# .build-tool/release/urlload, urlsessiond and liburlload-leaks.so. The tool looks for the others beside itself. HTTP/3's libraries are in it
# where the system has their archives, as Debian does.
STRIP = -Xlinker -s
TOOL = $(BUILD) -c release --static-swift-stdlib --disable-local-rpath --scratch-path .build-tool $(STRIP) --traits HTTP3,Inspector \
	$$(scripts/tools/static-libraries .build-tool/archives ngtcp2 nghttp3 stdc++) $$(scripts/tools/link-options)

tool: setup
	$(TOOL) --product urlsessiond
	$(TOOL) --product urlload-leaks
	$(TOOL) --product urlload

# What `make tool` has made, below $(DESTDIR)$(PREFIX): the programs with their library in lib/urlload and links to them in bin, the manual page,
# completions for bash, zsh and fish, and systemd's user units of urlsessiond.
PREFIX ?= /usr/local

install:
	scripts/tools/install-tool .build-tool/release "$(DESTDIR)" "$(PREFIX)"

# A package of the same for Debian and Ubuntu: .build-tool/urlload_VERSION_ARCHITECTURE.deb
deb: tool
	scripts/tools/make-deb .build-tool/release .build-tool

test: setup
	scripts/tests/test

test-sanitize: setup
	@scripts/tools/setup test
	scripts/tests/test-sanitize $(SANITIZE_OPTIONS)

# TARGET=name for one target, SECONDS=n for each.
fuzz: setup
	SECONDS_EACH=$(or $(SECONDS),60) scripts/tests/fuzz $(TARGET)

conformance: setup
	SWIFT="$(SWIFT)" scripts/tests/websocket-conformance/run

bench:
	@scripts/tools/setup bench
	Benchmarks/run $(BENCH_OPTIONS)

lint:
	@SWIFT="$(SWIFT)" scripts/checks/lint

docs: setup
	scripts/documentation/docs $(DOCS_OPTIONS)

clean:
	rm -rf .build
