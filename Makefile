# Restway's verbs; CI uses the same ones. `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
export PATH := $(PATH):/opt/swift/usr/bin

version_part = $(shell awk '$$2 == "RESTWAY_$(1)" { print $$3 }' Include/restway/version.h)
VERSION := $(call version_part,VERSION_MAJOR).$(call version_part,VERSION_MINOR).$(call \
	version_part,VERSION_PATCH)
SONAME := librestway.so.$(call version_part,ABI_VERSION)
FILE := librestway.so.$(VERSION)

# Where `make install` puts things.
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DOCDIR ?= $(PREFIX)/share/doc/restway
PLUGINDIR = $(LIBDIR)/restway/plugins
DESTDIR ?=

HEADERS := $(notdir $(wildcard Include/restway/*.h))
DOCUMENTS := $(wildcard LICENSE README.md CHANGELOG.md docs/*.md docs/*.json)

# A scratch path for each kind of build: they would throw away each other's work.
RELEASE := .build-release
LIBRARY ?= $(RELEASE)/release/librestway.so
STAGE := $(CURDIR)/build/stage
VENV := $(CURDIR)/build/venv
PYTHON := $(VENV)/bin/python
BENCH_VENV := $(CURDIR)/build/bench-venv

# Jansson as the library has it for itself (docs/decisions/0022): Debian's archive is made for
# programs, whose `stdin` lies in them. Only json_loadf asks for that, and nobody calls it. Where a
# system has no archive, the library shares the system's Jansson.
JANSSON := $(CURDIR)/build/jansson
JANSSON_FLAGS := --pkg-config-path $(JANSSON) -Xlinker --exclude-libs=librestway-jansson.a

# These stay out of Package.swift: there they would be unsafe flags. That no two accesses to one
# place overlap is checked in the debug builds, which the Swift tests run.
MODULE_FLAGS := -c release -Xswiftc -static-stdlib -Xswiftc -enforce-exclusivity=unchecked \
	-Xswiftc -Xfrontend -Xswiftc -function-sections -Xswiftc -use-ld=lld
LIBRARY_FLAGS := --product restway $(JANSSON_FLAGS) \
	-Xlinker --version-script=$(CURDIR)/pkgconfig/restway.map \
	-Xlinker -soname -Xlinker $(SONAME) \
	-Xlinker -z -Xlinker pack-relative-relocs -Xlinker --icf=all \
	-Xlinker --wrap=_swift_stdlib_getScalarName \
	-Xlinker -O2 -Xlinker -z -Xlinker nodelete -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now

# How often each path was taken in the benchmarks (docs/decisions/0021): the compiler lays the code
# out by it. The file that it reads is named after what is in it, or nothing would be built anew.
TRAINED := Sources/restway.proftext
PROFILE := $(CURDIR)/build/training/$(shell sha256sum $(TRAINED) | cut -c1-16).profdata
# (The functions of make do not have the PATH that is exported.)
PROFDATA = $(shell PATH="$(PATH)" swiftc -print-target-info \
	| sed -n 's|.*"runtimeResourcePath": "\(.*\)/lib/swift".*|\1/bin/llvm-profdata|p')
# Functions of one file are told apart by the file's name, not by where it was compiled.
IN_FRONTEND := -Xswiftc -Xllvm -Xswiftc -static-func-full-module-prefix=false -Xswiftc -Xfrontend
TRAINED_FLAGS = $(IN_FRONTEND) -Xswiftc -ir-profile-use=$(PROFILE) \
	-Xlinker -z -Xlinker keep-text-section-prefix
# Linked as a whole, so that the compiler sees across modules. With a relative scratch path what is
# made of each source would stay in this folder.
RELEASE_FLAGS = $(MODULE_FLAGS) $(TRAINED_FLAGS) --experimental-lto-mode=full \
	--scratch-path $(CURDIR)/$(RELEASE)
TEST_FLAGS := --disable-swift-testing $(JANSSON_FLAGS)
# What failed stands among a thousand tests that passed: it is said again at the end.
SAY_FAILURES = 2>&1 | tee build/xctest.log || { echo "=== what failed:"; \
	grep -E '(^|: )error: |Fatal error|^SUMMARY: ' build/xctest.log; exit 1; }

# The stage, as the tests see it.
STAGED = PKG_CONFIG_PATH=$(STAGE)/lib/pkgconfig LD_LIBRARY_PATH=$(STAGE)/lib \
	RESTWAY_PREFIX=$(STAGE) RESTWAY_LIBRARY=$(STAGE)/lib/librestway.so
WITH_DEMO_API := examples/with-demo-api

##@ Verbs
.PHONY: help
help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

.PHONY: setup
setup: $(VENV)/.stamp jansson ## install what the build and the tests need, if it is missing

.PHONY: build
build: setup plugins $(PROFILE) ## build the release library and the plugins
	swift build $(RELEASE_FLAGS) $(LIBRARY_FLAGS)

.PHONY: stage
stage: build ## install into build/stage, where the tests find it
	rm -rf $(STAGE)
	$(MAKE) --no-print-directory install-files PREFIX=$(STAGE) DESTDIR=

.PHONY: demo
demo: stage ## run the C and Python examples against the demo API
	$(STAGED) $(WITH_DEMO_API) examples/run-demo

TESTS := test-swift test-c test-valgrind test-headers test-schema test-python test-plugins \
	test-faults test-crash \
	tidy

.PHONY: test
test: stage $(TESTS) ## run every test
	@echo "make test: everything passed"

.PHONY: check
check: setup test-swift tidy ## run the quick tests: Swift in debug, tidy, C if staged
	@if [ -z "$$(find Sources Include Package.swift -newer $(STAGE)/lib/$(FILE) -print -quit \
	    2>/dev/null || echo none)" ]; then \
	    $(MAKE) --no-print-directory test-c; \
	else \
	    echo "make check: the stage is missing or stale, the C harness was left out (make stage)"; \
	fi

# XCTest keeps every test case alive to the end, which the leak check takes for a leak. Leaks are
# found by valgrind in the C harness, and by tests that hold weak references.
.PHONY: asan
asan: setup ## run the Swift tests and the C harness with the address sanitizer
	ASAN_OPTIONS=detect_leaks=0 swift test --sanitize=address --scratch-path .build-asan \
	    $(TEST_FLAGS) $(SAY_FAILURES)
	$(MAKE) --no-print-directory stage test-c-asan

.PHONY: tsan
tsan: setup ## run the Swift tests with the thread sanitizer
	swift test --sanitize=thread --scratch-path .build-tsan $(TEST_FLAGS) $(SAY_FAILURES)

# New inputs go to build/fuzz; Tests/Fuzz/README.md says how they get into the corpus.
FUZZ_SECONDS ?= 60
FUZZER := .build-fuzz/release/restway-fuzz

# Of several -sanitize options the compiler takes the last, and SwiftPM has no order of its own.
.PHONY: fuzz
fuzz: setup ## let libFuzzer search the mapping for FUZZ_SECONDS (60)
	RESTWAY_FUZZ=1 swift build -c release --product restway-fuzz --scratch-path .build-fuzz \
	    --sanitize=fuzzer -Xswiftc -sanitize=fuzzer,address $(JANSSON_FLAGS)
	@nm $(FUZZER) | grep sancov.module_ctor >/dev/null || { echo "$(FUZZER) is blind" >&2; exit 1; }
	mkdir -p build/fuzz/new
	$(FUZZER) build/fuzz/new Tests/Fuzz/Corpus -dict=Tests/Fuzz/mapping.dict -max_len=600 \
	    -max_total_time=$(FUZZ_SECONDS) -timeout=10 -artifact_prefix=build/fuzz/

.PHONY: valgrind
valgrind: stage test-valgrind ## run the C harness under valgrind, on a fresh stage

# Kills for each of the two suites of them.
CRASH_KILLS ?= 600

.PHONY: crash
crash: stage ## kill a process with an outbox more than 1,000 times (CRASH_KILLS)
	RESTWAY_CRASH_KILLS=$(CRASH_KILLS) $(MAKE) --no-print-directory test-crash

.PHONY: tidy
tidy: setup ## test the taste: sizes, walls, words
	$(PYTHON) -m pytest -q Tests/Tidy
	$(VENV)/bin/ruff check --config Tests/ruff.toml Tests benchmarks examples/companies.py
	$(PYTHON) -m mypy --strict Tests/Tidy
	$(PYTHON) -m mypy --strict Tests/HeaderTests

.PHONY: bench
bench: stage $(BENCH_VENV)/.stamp transport-bench ## measure against plain C and Python programs
	$(STAGED) BENCH_PYTHON=$(BENCH_VENV)/bin/python \
	    TRANSPORT_BENCH=$(CURDIR)/$(RELEASE)/release/restway-transport-bench benchmarks/run

# Of the same modules as the library, compiled in the same way.
.PHONY: transport-bench
transport-bench: setup $(PROFILE)
	RESTWAY_BENCH=1 swift build $(RELEASE_FLAGS) --product restway-transport-bench \
	    $(JANSSON_FLAGS)

# The paths are counted by a library that is built for it, in a stage of its own.
TRAINING := .build-training
TRAINING_FLAGS = $(MODULE_FLAGS) $(IN_FRONTEND) -Xswiftc -ir-profile-generate \
	--scratch-path $(TRAINING) -Xlinker -u__llvm_profile_runtime \
	-Xlinker $(shell clang=$$(dirname $(PROFDATA))/../lib/clang; \
	    echo $$clang/*/lib/linux/libclang_rt.profile-$$(uname -m).a)

.PHONY: train
train: STAGE := $(CURDIR)/build/training/stage
train: setup plugins $(BENCH_VENV)/.stamp ## count which paths the benchmarks take, for the compiler
	swift build $(TRAINING_FLAGS) $(LIBRARY_FLAGS)
	RESTWAY_BENCH=1 swift build $(TRAINING_FLAGS) --product restway-transport-bench \
	    $(JANSSON_FLAGS)
	rm -rf $(STAGE)
	$(MAKE) --no-print-directory install-files LIBRARY=$(TRAINING)/release/librestway.so \
	    PREFIX=$(STAGE) DESTDIR=
	$(STAGED) BENCH_PYTHON=$(BENCH_VENV)/bin/python PROFDATA=$(PROFDATA) \
	    TRANSPORT_BENCH=$(CURDIR)/$(TRAINING)/release/restway-transport-bench \
	    benchmarks/train $(TRAINED)

.PHONY: profile
profile: stage ## say where the time of the benchmarks goes (perf, else callgrind)
	@.ci/setup bench profile
	$(STAGED) RESTWAY_SYMBOLS=$(CURDIR)/$(LIBRARY) benchmarks/profile

.PHONY: install
install: build install-files ## install into PREFIX (/usr/local), below DESTDIR if set
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

.PHONY: uninstall
uninstall: ## remove exactly what install put there
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,$(FILE) $(SONAME) librestway.so pkgconfig/restway.pc) \
	    $(PLUGINS:%=$(DESTDIR)$(PLUGINDIR)/%.so) \
	    $(DESTDIR)$(BINDIR)/$(notdir $(CHECK_TOOL)) \
	    $(addprefix $(DESTDIR)$(INCLUDEDIR)/restway/,$(HEADERS)) \
	    $(addprefix $(DESTDIR)$(DOCDIR)/,$(notdir $(DOCUMENTS)))
	for directory in $(PLUGINDIR) $(LIBDIR)/restway $(INCLUDEDIR)/restway $(DOCDIR); do \
	    rmdir "$(DESTDIR)$$directory" 2>/dev/null || true; \
	done

.PHONY: clean
clean: ## remove everything that was built
	rm -rf build .build .build-release .build-asan .build-tsan .build-fuzz .build-training
	find . -name .git -prune -o -type d \( -name __pycache__ -o -name '.*_cache' \) -prune -print0 \
	    | xargs -0 rm -rf

##@ Parts of them
include Plugins/plugins.mk

.PHONY: system-packages
system-packages:
	@.ci/setup

.PHONY: jansson
jansson: system-packages
	@.ci/private-jansson $(JANSSON)

$(PROFILE): $(TRAINED) | system-packages
	mkdir -p $(@D)
	$(PROFDATA) merge -o $@ $<

$(VENV)/.stamp: Tests/requirements.txt | system-packages
	rm -rf $(VENV)
	python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

# What the benchmarks alone need: a server, and other clients.
.PHONY: bench-packages
bench-packages:
	@.ci/setup bench

$(BENCH_VENV)/.stamp: benchmarks/requirements.txt | bench-packages
	rm -rf $(BENCH_VENV)
	python3 -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

.PHONY: install-files
install-files:
	install -d $(addprefix $(DESTDIR),$(BINDIR) $(LIBDIR)/pkgconfig $(PLUGINDIR) \
	    $(INCLUDEDIR)/restway $(DOCDIR))
	install -m 755 $(LIBRARY) $(DESTDIR)$(LIBDIR)/$(FILE)
	strip --strip-unneeded $(DESTDIR)$(LIBDIR)/$(FILE)
	install -m 755 $(PLUGIN_FILES) $(DESTDIR)$(PLUGINDIR)
	strip --strip-unneeded $(PLUGINS:%=$(DESTDIR)$(PLUGINDIR)/%.so)
	install -m 755 $(CHECK_TOOL) $(DESTDIR)$(BINDIR)
	strip $(DESTDIR)$(BINDIR)/$(notdir $(CHECK_TOOL))
	ln -sf $(FILE) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/librestway.so
	install -m 644 $(addprefix Include/restway/,$(HEADERS)) $(DESTDIR)$(INCLUDEDIR)/restway
	install -m 644 $(DOCUMENTS) $(DESTDIR)$(DOCDIR)
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' \
	    -e 's|@PLUGINDIR@|$(call in_pc,$(PLUGINDIR),$(LIBDIR),libdir)|' \
	    -e 's|@LIBDIR@|$(call in_pc,$(LIBDIR),$(PREFIX),prefix)|' \
	    -e 's|@INCLUDEDIR@|$(call in_pc,$(INCLUDEDIR),$(PREFIX),prefix)|' \
	    pkgconfig/restway.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/restway.pc

# $(call in_pc,PATH,BASE,NAME): PATH with a leading BASE written as ${NAME}, to stay relocatable.
in_pc = $(patsubst $(2)/%,$${$(3)}/%,$(1))

.PHONY: test-swift
test-swift: setup
	swift test $(TEST_FLAGS) $(SAY_FAILURES)

HARNESS := build/harness/harness
HARNESS_SOURCES := $(wildcard Tests/CHarness/*.c)
HARNESS_FLAGS := -std=c99 -D_POSIX_C_SOURCE=200809L -g -O1 -Wall -Wextra -pedantic -Werror \
	-pthread -DRESTWAY_CASES=\"$(CURDIR)/Tests/Fixtures/mapping\" \
	-DRESTWAY_TEST_PLUGINS=\"$(CURDIR)/build/harness/plugins\"
# What it loads: the transport of the C template, and deliberately bad ones.
HARNESS_PLUGINS := build/harness/plugins/template.so build/harness/plugins/transport.so
HARNESS_PLUGIN := -Iexamples/plugin-template/c -IInclude -g -O1 -Wall -Wextra -fPIC -shared -pthread

$(STAGE)/lib/librestway.so:
	@echo "$@ is missing: make stage" >&2; exit 1

# A hang is a failure too: hence the time limits.
.PHONY: test-c
test-c: setup $(HARNESS) $(HARNESS_PLUGINS)
	$(STAGED) timeout 180 $(WITH_DEMO_API) $(HARNESS)

# The harness alone is instrumented: what it gives to the library and takes from it is checked where
# the C library sees it. Leaks are valgrind's, as the library's own threads live to the end.
.PHONY: test-c-asan
test-c-asan: setup $(HARNESS)-asan $(HARNESS_PLUGINS)
	$(STAGED) RESTWAY_HARNESS_SLOW=1 ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1 \
	    UBSAN_OPTIONS=halt_on_error=1 timeout 300 $(WITH_DEMO_API) $(HARNESS)-asan

# gcc loses sight of what malloc gave when it instruments, and then warns of bounds that are none.
$(HARNESS)-asan: HARNESS_FLAGS += -fsanitize=address,undefined -fno-omit-frame-pointer \
    -Wno-array-bounds -Wno-stringop-overflow
$(HARNESS) $(HARNESS)-asan: $(HARNESS_SOURCES) $(wildcard Tests/CHarness/*.h) \
    $(STAGE)/lib/librestway.so
	mkdir -p $(@D)
	$(STAGED) bash -c 'cc $(HARNESS_FLAGS) $(HARNESS_SOURCES) -o $@ \
	    $$(pkg-config --cflags --libs restway cmocka jansson sqlite3)'

build/harness/plugins/template.so: $(wildcard examples/plugin-template/c/*) \
    $(wildcard Include/restway/plugin*.h)
	mkdir -p $(@D)
	cc -std=gnu11 $(HARNESS_PLUGIN) $(filter %.c,$^) -o $@ \
	    -Wl,--version-script=examples/plugin-template/c/plugin.map

build/harness/plugins/transport.so: Tests/Plugins/transport.c Tests/Plugins/bad_transport.c \
    Tests/Plugins/transport.h $(wildcard Include/restway/plugin*.h)
	mkdir -p $(@D)
	cc -std=c99 -D_POSIX_C_SOURCE=200809L $(HARNESS_PLUGIN) $(filter %.c,$^) -o $@

# The harness itself asks for the leak check, at its end.
VALGRIND := valgrind --quiet --error-exitcode=99 --leak-check=no --show-leak-kinds=definite \
	--errors-for-leak-kinds=definite --child-silent-after-fork=yes --num-callers=30 \
	--suppressions=Tests/CHarness/valgrind.supp --log-file=build/valgrind/found

# With the names of the functions, which a stripped library lacks and suppressions need.
.PHONY: test-valgrind
test-valgrind: setup $(HARNESS) $(HARNESS_PLUGINS)
	mkdir -p build/valgrind
	cp $(LIBRARY) build/valgrind/$(SONAME)
	$(STAGED) LD_LIBRARY_PATH=$(CURDIR)/build/valgrind RESTWAY_HARNESS_SLOW=1 \
	    RESTWAY_PLUGIN_PATH=$(STAGE)/lib/restway/plugins \
	    timeout 900 $(WITH_DEMO_API) $(VALGRIND) $(HARNESS) \
	    || { echo "=== what failed:"; cat build/valgrind/found; exit 1; }
	@echo "valgrind: no errors, no leaks"

.PHONY: test-headers
test-headers: setup
	$(STAGED) $(WITH_DEMO_API) $(PYTHON) -m pytest -q Tests/HeaderTests

.PHONY: test-schema
test-schema: setup $(STAGE)/lib/librestway.so
	$(STAGED) PYTHONPATH=bindings/python $(PYTHON) -m pytest -q Tests/Schema
	MYPYPATH=bindings/python $(PYTHON) -m mypy --strict Tests/Schema

.PHONY: test-python
test-python: setup
	$(STAGED) $(WITH_DEMO_API) bash -c 'cd bindings/python && PYTHONPATH=. $(PYTHON) -m pytest -q'
	cd bindings/python && $(PYTHON) -m mypy --strict . && $(VENV)/bin/ruff check .
	cd examples/demo-api && $(PYTHON) -m pytest -q
	cd examples/demo-api && $(PYTHON) -m mypy --strict . && $(VENV)/bin/ruff check .
	MYPYPATH=bindings/python $(PYTHON) -m mypy --strict examples/companies.py

# Plugins that are compiled for each test, good and bad ones.
.PHONY: test-plugins
test-plugins: setup $(STAGE)/lib/librestway.so
	$(STAGED) timeout 900 $(PYTHON) -m pytest -c Tests/Plugins/pytest.ini Tests/Plugins
	MYPYPATH=bindings/python $(PYTHON) -m mypy --strict Tests/Plugins

# Servers that misbehave, and packaged ones: nginx, httpbin.
.PHONY: test-faults
test-faults: setup $(STAGE)/lib/librestway.so
	$(STAGED) timeout 600 $(PYTHON) -m pytest -c Tests/Faults/pytest.ini Tests/Faults
	MYPYPATH=bindings/python $(PYTHON) -m mypy --strict Tests/Faults

# A process that has an outbox is killed and started again; its disk is full, or fails.
.PHONY: test-crash
test-crash: setup $(STAGE)/lib/librestway.so
	$(STAGED) timeout 3600 $(PYTHON) -m pytest -c Tests/Crash/pytest.ini Tests/Crash
	$(PYTHON) -m mypy --strict Tests/Crash
