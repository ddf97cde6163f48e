# The tests: Swift, the C harness, Python and the servers, each a target of its own.

VENV := $(CURDIR)/build/venv
PYTHON := $(VENV)/bin/python
WITH_DEMO_API := examples/with-demo-api

TESTS := test-swift test-swift-sample test-c test-cpp test-valgrind test-headers test-schema test-python test-rust \
	test-scenarios test-plugins test-faults test-crash test-tidy

$(VENV)/.stamp: Tests/requirements.txt | system-packages
	rm -rf $(VENV)
	python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

TEST_FLAGS := --disable-swift-testing $(JANSSON_FLAGS)
BUNDLE := debug/restwayPackageTests.xctest
# A failure is hard to find among a thousand tests that passed, so it is printed again at the end.
SAY_FAILURES = 2>&1 | tee build/xctest.log || { echo "=== what failed:"; \
	grep -E '(^|: )error: |Fatal error|^SUMMARY: ' build/xctest.log; exit 1; }

.PHONY: test-swift test-swift-asan test-swift-tsan
test-swift: setup
	swift build --build-tests $(TEST_FLAGS)
	make/xctest-halves .build/$(BUNDLE) $(SAY_FAILURES)

# XCTest keeps every test case alive to the end, which the leak check reports as leaks. Leaks are
# found by valgrind in the C harness, and by tests that hold weak references.
test-swift-asan:
	swift build --build-tests --sanitize=address --scratch-path .build-asan $(TEST_FLAGS)
	ASAN_OPTIONS=detect_leaks=0 make/xctest-halves .build-asan/$(BUNDLE) $(SAY_FAILURES)

test-swift-tsan:
	swift build --build-tests --sanitize=thread --scratch-path .build-tsan $(TEST_FLAGS)
	make/xctest-halves .build-tsan/$(BUNDLE) $(SAY_FAILURES)

HARNESS := build/harness/harness
HARNESS_SOURCES := $(wildcard Tests/CHarness/*.c)
HARNESS_FLAGS := -std=c99 -D_POSIX_C_SOURCE=200809L -g -O1 -Wall -Wextra -pedantic -Werror \
	-pthread -DRESTWAY_CASES=\"$(CURDIR)/Tests/Fixtures/mapping\" \
	-DRESTWAY_TEST_PLUGINS=\"$(CURDIR)/build/harness/plugins\"
# The plugins that the harness loads: the transport of the C template, and deliberately bad ones.
HARNESS_PLUGINS := build/harness/plugins/template.so build/harness/plugins/transport.so
HARNESS_PLUGIN := -Iexamples/plugin-template/c -IInclude -g -O1 -Wall -Wextra -fPIC -shared -pthread

# The time limit makes a hang a failure.
.PHONY: test-c
test-c: setup $(HARNESS) $(HARNESS_PLUGINS)
	$(STAGED) timeout 180 $(WITH_DEMO_API) $(HARNESS)

# `make check` builds no release library: it runs these tests when the stage is newer than the sources.
.PHONY: test-if-staged
test-if-staged:
	@if [ -z "$$(find Sources Include Package.swift -newer $(STAGE)/lib/$(FILE) -print -quit \
	    2>/dev/null || echo none)" ]; then \
	    $(MAKE) --no-print-directory test-c test-scenarios; \
	else \
	    echo "make check: the stage is missing or stale (make stage), so these were left out:" \
	        "the C harness, the scenarios"; \
	fi

# Only the harness is instrumented: it checks the memory that it exchanges with the library where
# the C library sees it. valgrind finds leaks, because the library's own threads live until the end.
.PHONY: test-c-asan
test-c-asan: setup $(HARNESS)-asan $(HARNESS_PLUGINS)
	$(STAGED) RESTWAY_HARNESS_SLOW=1 ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1 \
	    UBSAN_OPTIONS=halt_on_error=1 timeout 300 $(WITH_DEMO_API) $(HARNESS)-asan

# With instrumentation gcc loses track of allocations, and then warns of wrong bounds.
$(HARNESS)-asan: HARNESS_FLAGS += -fsanitize=address,undefined -fno-omit-frame-pointer \
    -Wno-array-bounds -Wno-stringop-overflow
$(HARNESS) $(HARNESS)-asan: $(HARNESS_SOURCES) $(wildcard Tests/CHarness/*.h) \
    $(STAGE)/lib/librestway.so
	mkdir -p $(@D)
	$(STAGED) bash -c 'cc $(HARNESS_FLAGS) $(HARNESS_SOURCES) -o $@ \
	    $$(pkg-config --cflags --libs restway cmocka jansson sqlite3)'

# The tests of restway.hpp: with exceptions in C++17, without them, and coroutines in C++20.
CPP := build/cpp
CPP_PROGRAMS := $(CPP)/harness $(CPP)/results $(CPP)/coroutines
CPP_FLAGS := -gdwarf-4 -O0 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -pthread \
	-DRESTWAY_EXAMPLES=\"$(CURDIR)/examples\" -DRESTWAY_FILES=\"$(CURDIR)/$(CPP)\"

.PHONY: test-cpp
test-cpp: setup $(CPP_PROGRAMS)
	for program in $(CPP_PROGRAMS); do \
	    $(STAGED) timeout 180 $(WITH_DEMO_API) $$program || exit 1; \
	done

# As in test-c-asan, only the program is instrumented.
.PHONY: test-cpp-asan
test-cpp-asan: setup $(CPP_PROGRAMS:%=%-asan)
	for program in $(CPP_PROGRAMS:%=%-asan); do \
	    $(STAGED) ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1 \
	        UBSAN_OPTIONS=halt_on_error=1 timeout 300 $(WITH_DEMO_API) $$program || exit 1; \
	done

$(CPP)/%-asan: CPP_FLAGS += -fsanitize=address,undefined -fno-omit-frame-pointer
# clang++ compiles the many templates in half the time of g++. Valgrind reads DWARF only up to 4 of it.
$(CPP)/harness: CPP_COMPILER := clang++ -std=c++17
$(CPP)/harness-asan: CPP_COMPILER := g++ -std=c++17
$(CPP)/results $(CPP)/results-asan: CPP_COMPILER := clang++ -std=c++17 -fno-exceptions
$(CPP)/coroutines $(CPP)/coroutines-asan: CPP_COMPILER := g++ -std=c++20
$(CPP)/harness $(CPP)/harness-asan: $(wildcard Tests/Cpp/*.cpp)
$(CPP)/results $(CPP)/results-asan: Tests/Cpp/main.cpp $(wildcard Tests/Cpp/results/*.cpp)
$(CPP)/coroutines $(CPP)/coroutines-asan: Tests/Cpp/main.cpp $(wildcard Tests/Cpp/coroutines/*.cpp)
$(CPP_PROGRAMS) $(CPP_PROGRAMS:%=%-asan): Tests/Cpp/harness.hpp $(STAGE)/lib/librestway.so
	mkdir -p $(@D)
	$(STAGED) bash -c '$(CPP_COMPILER) $(CPP_FLAGS) $(filter %.cpp,$^) -o $@ \
	    $$(pkg-config --cflags --libs restway)'

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
# valgrind runs one thread at a time. Without fair turns, a thread that holds the lock of a file may
# wait for its turn longer than others wait for the lock.
VALGRIND := valgrind --quiet --fair-sched=try --error-exitcode=99 --leak-check=no --show-leak-kinds=definite \
	--errors-for-leak-kinds=definite --child-silent-after-fork=yes --num-callers=30 \
	--suppressions=Tests/CHarness/valgrind.supp --log-file=build/valgrind/found.%p

# The suppressions need the names of the functions, which a stripped library does not have.
.PHONY: test-valgrind
test-valgrind: setup $(HARNESS) $(HARNESS_PLUGINS)
	mkdir -p build/valgrind
	cp $(LIBRARY) build/valgrind/$(SONAME)
	rm -f build/valgrind/found.*
	failed=; export $(STAGED) LD_LIBRARY_PATH=$(CURDIR)/build/valgrind RESTWAY_HARNESS_SLOW=1 \
	    RESTWAY_PLUGIN_PATH=$(STAGE)/lib/restway/plugins; \
	for half in 1 2; do RESTWAY_HARNESS_HALF=$$half \
	    timeout 900 $(WITH_DEMO_API) $(VALGRIND) $(HARNESS) & halves+=($$!); done; \
	for half in $${halves[@]}; do wait $$half || failed=1; done; \
	[ -z "$$failed" ] || { echo "=== what failed:"; cat build/valgrind/found.*; exit 1; }
	@echo "valgrind: no errors, no leaks"

.PHONY: test-headers
test-headers: setup
	$(STAGED) $(WITH_DEMO_API) $(PYTHON) -m pytest -q -n 2 Tests/HeaderTests

.PHONY: show-abi
show-abi:
	$(PYTHON) Tests/HeaderTests/abi.py compare

.PHONY: test-schema
test-schema: setup $(STAGE)/lib/librestway.so
	$(STAGED) PYTHONPATH=bindings/python $(PYTHON) -m pytest -q -n 2 Tests/Schema
	MYPYPATH=bindings/python $(PYTHON) -m mypy --strict Tests/Schema

# Each of the two processes starts a demo API of its own, whose issues its tests change.
.PHONY: test-python
test-python: setup
	$(STAGED) bash -c 'cd bindings/python && PYTHONPATH=. $(PYTHON) -m pytest -q -n 2 --dist loadfile'
	cd bindings/python && $(PYTHON) -m mypy --strict . && $(VENV)/bin/ruff check .
	cd examples/demo-api && $(PYTHON) -m pytest -q
	cd examples/demo-api && $(PYTHON) -m mypy --strict . && $(VENV)/bin/ruff check .
	MYPYPATH=bindings/python $(PYTHON) -m mypy --strict examples/companies.py

# The package has no dependencies, so cargo needs no network.
.PHONY: test-rust
test-rust: setup $(STAGE)/lib/librestway.so
	@.ci/setup rust
	$(STAGED) CARGO_TARGET_DIR=$(CURDIR)/build/rust timeout 600 $(WITH_DEMO_API) \
	    cargo test --offline --quiet --manifest-path bindings/rust/Cargo.toml
	$(VENV)/bin/ruff check --config Tests/ruff.toml bindings/rust
	$(PYTHON) -m mypy --strict bindings/rust

# Programs that perform the steps of scenarios: one in C, one in C++, one in Swift.
SCENARIO_DRIVERS := build/scenarios

# Scenarios as data, which C, C++, Python and Swift run in the same way.
.PHONY: test-scenarios
test-scenarios: setup $(SCENARIO_DRIVERS)/c $(SCENARIO_DRIVERS)/cpp $(SCENARIO_DRIVERS)/swift
	$(STAGED) RESTWAY_SCENARIO_DRIVERS=$(CURDIR)/$(SCENARIO_DRIVERS) timeout 300 \
	    $(PYTHON) -m pytest -c Tests/Scenarios/pytest.ini Tests/Scenarios
	cd Tests/Scenarios && MYPYPATH=$(CURDIR)/bindings/python $(PYTHON) -m mypy --strict .

$(SCENARIO_DRIVERS)/c: $(wildcard Tests/Scenarios/c/*) $(STAGE)/lib/librestway.so
	mkdir -p $(@D)
	$(STAGED) bash -c 'cc -std=c99 -D_POSIX_C_SOURCE=200809L -g -O1 -Wall -Wextra -pedantic -Werror \
	    -pthread $(filter %.c,$^) -o $@ $$(pkg-config --cflags --libs restway jansson)'

$(SCENARIO_DRIVERS)/cpp: $(wildcard Tests/Scenarios/cpp/*) $(STAGE)/lib/librestway.so
	mkdir -p $(@D)
	$(STAGED) bash -c 'clang++ -std=c++17 -g -O0 -Wall -Wextra -pedantic -Werror -pthread \
	    $(filter %.cpp,$^) -o $@ $$(pkg-config --cflags --libs restway jansson)'

# The package manager finds out what to compile. All targets are built as for the Swift tests, so
# that both share their build.
.PHONY: $(SCENARIO_DRIVERS)/swift
$(SCENARIO_DRIVERS)/swift:
	mkdir -p $(@D)
	swift build --build-tests $(TEST_FLAGS)
	cp "$$(swift build --show-bin-path)/ScenarioDriver" $@

# Plugins that are compiled for each test, good and bad ones.
.PHONY: test-plugins
test-plugins: setup $(STAGE)/lib/librestway.so
	$(STAGED) timeout 900 $(PYTHON) -m pytest -c Tests/Plugins/pytest.ini Tests/Plugins
	MYPYPATH=bindings/python $(PYTHON) -m mypy --strict Tests/Plugins

# Servers that misbehave, and packaged servers: nginx, httpbin.
.PHONY: test-faults
test-faults: setup $(STAGE)/lib/librestway.so
	$(STAGED) timeout 900 $(PYTHON) -m pytest -n 2 --dist loadfile \
	    -c Tests/Faults/pytest.ini Tests/Faults
	MYPYPATH=bindings/python $(PYTHON) -m mypy --strict Tests/Faults

# A process that has an outbox is killed and started again, or its disk is full or fails.
.PHONY: test-crash
test-crash: setup $(STAGE)/lib/librestway.so
	$(STAGED) timeout 3600 $(PYTHON) -m pytest -c Tests/Crash/pytest.ini Tests/Crash
	$(PYTHON) -m mypy --strict Tests/Crash

# The number of kills of each of the two suites that kill a process.
CRASH_KILLS ?= 600
# The number of kills of the Swift test that kills a process with a response cache.
CACHE_KILLS ?= 1000

.PHONY: test-crash-long
test-crash-long:
	RESTWAY_CRASH_KILLS=$(CRASH_KILLS) $(MAKE) --no-print-directory test-crash
	RESTWAY_CRASH_KILLS=$(CACHE_KILLS) swift test $(TEST_FLAGS) --filter CacheCrashTests \
	    $(SAY_FAILURES)

# A package that uses Restway compiles all of it, in debug, from a clone: the sample package, which
# runs, and the Swift blocks of the documents. No other package is fetched.
SWIFT_PACKAGE := $(STAGED) RESTWAY_PYTHON=$(PYTHON) Tests/SwiftPackage/check build/swift-package

.PHONY: test-swift-sample
test-swift-sample: setup $(STAGE)/lib/librestway.so
	$(SWIFT_PACKAGE) sample documents

# The same, and the sample package from a tag, and a package with all traits, for which swift-syntax
# is compiled, too. This takes some minutes, so `make test` leaves it out.
.PHONY: test-swift-package
test-swift-package: setup $(STAGE)/lib/librestway.so
	$(SWIFT_PACKAGE)

# Scripts of Python whose names have no suffix.
PYTHON_SCRIPTS := make/dist/materials make/debian/python-package

.PHONY: test-tidy
test-tidy: setup
	$(PYTHON) -m pytest -q Tests/Tidy
	$(VENV)/bin/ruff check --config Tests/ruff.toml Tests benchmarks examples/companies.py
	$(PYTHON) -m mypy --strict Tests/Tidy
	$(PYTHON) -m mypy --strict Tests/HeaderTests
	$(VENV)/bin/ruff check --config Tests/ruff.toml $(PYTHON_SCRIPTS)
	for script in $(PYTHON_SCRIPTS); do \
	    $(PYTHON) -m mypy --strict --scripts-are-modules $$script || exit 1; \
	done

# New inputs go to build/fuzz; Tests/Fuzz/README.md says how they get into the corpus.
FUZZ_SECONDS ?= 60
FUZZER := .build-fuzz/release/restway-fuzz

# The compiler takes the last of several -sanitize options, and SwiftPM has no option for a fuzzer.
.PHONY: fuzzer
fuzzer:
	RESTWAY_FUZZ=1 swift build -c release --product restway-fuzz --scratch-path .build-fuzz \
	    --sanitize=fuzzer -Xswiftc -sanitize=fuzzer,address $(JANSSON_FLAGS)
	@nm $(FUZZER) | grep sancov.module_ctor >/dev/null || { echo "$(FUZZER) is blind" >&2; exit 1; }
	mkdir -p build/fuzz/new
	$(FUZZER) build/fuzz/new Tests/Fuzz/Corpus -dict=Tests/Fuzz/mapping.dict -max_len=600 \
	    -max_total_time=$(FUZZ_SECONDS) -timeout=10 -artifact_prefix=build/fuzz/
