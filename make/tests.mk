# The tests: Swift, the C harness, Python and the servers, each a target of its own.

VENV := $(CURDIR)/build/venv
PYTHON := $(VENV)/bin/python
WITH_DEMO_API := examples/with-demo-api

# The parts of `make test`. Several of them run at once, each in one process, so that all cores have
# work (make/parts). They start in this order: first the parts that need no release library, which
# takes longest to build, and then the long ones. CONTRIBUTING.md has a table of them.
# With WITH_TSAN=1, the Swift tests run with the thread sanitizer, too.
TSAN_PARTS := test-swift-tsan-1 test-swift-tsan-2
PARTS := test-swift-asan-1 test-swift-asan-2 test-types test-tidy test-python test-python-tools \
	test-headers test-plugins test-faults test-cpp-asan test-valgrind-1 test-valgrind-2 \
	test-scenarios test-swift-sample test-c-asan test-schema test-c test-servers test-rust test-crash \
	test-sync-check
# A part that is run by itself uses this number of processes, if it can.
SIDE_BY_SIDE ?= 2
PYTEST := $(PYTHON) -m pytest -n $(SIDE_BY_SIDE) --dist loadfile

# Long tests that start no thread, so that the thread sanitizer has nothing to find in them. Most are
# in modules whose tests it leaves out as a whole (Package.swift). `make check` leaves them out, too.
LONG_TESTS := StoreAgreementTests AuthScheduleTests QueryModelTests FullTextTests ListDiffTests \
	DraftIdentityTests ShapeModelTests MappingCaseTests DocumentBoundsTests HostileInputTests \
	RandomRuleTests RandomJSONTests RandomUnionTests TemplateMatchTests HTTPDateTests LargeTextTests \
	OutboxScheduleTests CorpusTests JournalFaultTests FlushScheduleTests

.PHONY: parts quick-parts python-tools
parts: jansson
	DRIVER_BUILD=ASAN make/parts stage $(if $(WITH_TSAN),$(TSAN_PARTS)) $(PARTS)

quick-parts: jansson
	XCTEST_WITHOUT='$(LONG_TESTS)' make/parts test-swift-1 test-swift-2 test-tidy test-types

# The parts start with the builds, which need no Python, while these packages are installed. Their
# modules are compiled when a test first imports them, which most are not.
python-tools: $(VENV)/.stamp

$(VENV)/.stamp: Tests/requirements.txt | system-packages
	rm -rf $(VENV)
	python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --no-compile --disable-pip-version-check -r $<
	touch $@

TEST_FLAGS := --disable-swift-testing $(JANSSON_FLAGS)
BUNDLE := debug/restwayPackageTests.xctest
# A failure is hard to find among a thousand tests that passed, so it is printed again at the end.
SAY_FAILURES = 2>&1 | tee build/$@.log || { echo "=== what failed:"; \
	grep -E '(^|: )error: |Fatal error|^SUMMARY: ' build/$@.log; exit 1; }

# The folders and the options of the builds of the Swift tests. A report of a sanitizer needs the
# lines of the sources, and no other debug information, which takes time to make. The builds for the
# sanitizers compile each module in one process, which reads each file once. The compiler would
# otherwise divide a module among processes, which all read most of its files. The debug build does,
# because it compiles only what a change affects. Nothing is optimized. SwiftPM expects an object
# file for each source file, which the compiler writes only if it has several threads.
DEBUG := .build
WHOLE_MODULES := -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2
ASAN := .build-asan --sanitize=address -Xswiftc -gline-tables-only $(WHOLE_MODULES)
TSAN := .build-tsan --sanitize=thread -Xswiftc -gline-tables-only $(WHOLE_MODULES)
# $(call xctest,BUILD,HALF): runs a half of the Swift tests. XCTest keeps every test case alive to the
# end, which the leak check reports as leaks. Leaks are found by valgrind in the C harness, and by
# tests that hold weak references.
xctest = ASAN_OPTIONS=detect_leaks=0 make/xctest-half $(firstword $($(1)))/$(BUNDLE) $(2) $(SAY_FAILURES)

.PHONY: build-swift build-swift-asan build-swift-tsan
build-swift: jansson
	swift build --build-tests --scratch-path $(DEBUG) $(TEST_FLAGS)
build-swift-asan: jansson
	swift build --build-tests --scratch-path $(ASAN) $(TEST_FLAGS)
# Only tests that start threads (Package.swift).
build-swift-tsan: export RESTWAY_TSAN = 1
build-swift-tsan: jansson
	swift build --build-tests --scratch-path $(TSAN) $(TEST_FLAGS)

# `make test` runs the Swift tests with the address sanitizer only: it finds what a run without it
# finds, and more.
.PHONY: test-swift test-swift-asan test-swift-tsan
test-swift: setup
	make/parts test-swift-1 test-swift-2
test-swift-asan: setup
	make/parts test-swift-asan-1 test-swift-asan-2
test-swift-tsan: setup
	make/parts $(TSAN_PARTS)

.PHONY: $(foreach kind,swift swift-asan swift-tsan,test-$(kind)-1 test-$(kind)-2)
test-swift-1 test-swift-2: test-swift-%:
	$(call xctest,DEBUG,$*)
test-swift-asan-1 test-swift-asan-2: test-swift-asan-%:
	$(call xctest,ASAN,$*)
test-swift-tsan-1 test-swift-tsan-2: export XCTEST_WITHOUT = $(LONG_TESTS)
test-swift-tsan-1 test-swift-tsan-2: test-swift-tsan-%:
	$(call xctest,TSAN,$*)

HARNESS := build/harness/harness
HARNESS_SOURCES := $(wildcard Tests/CHarness/*.c)
HARNESS_FLAGS := -std=c99 -D_POSIX_C_SOURCE=200809L -g -O1 -Wall -Wextra -pedantic -Werror \
	-pthread -DRESTWAY_CASES=\"$(CURDIR)/Tests/Fixtures/mapping\" \
	-DRESTWAY_TEST_PLUGINS=\"$(CURDIR)/build/harness/plugins\"
# The plugins that the harness loads: the transport of the C template, and deliberately bad ones.
HARNESS_PLUGINS := build/harness/plugins/template.so build/harness/plugins/transport.so
HARNESS_PLUGIN := -Iexamples/plugin-template/c -IInclude -g -O1 -Wall -Wextra -fPIC -shared -pthread

.PHONY: build-harness
build-harness: setup $(HARNESS) $(HARNESS_PLUGINS)

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
$(CPP)/harness $(CPP)/harness-asan: CPP_COMPILER := clang++ -std=c++17 -fuse-ld=lld
$(CPP)/results $(CPP)/results-asan: CPP_COMPILER := clang++ -std=c++17 -fuse-ld=lld -fno-exceptions
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
	--suppressions=Tests/CHarness/valgrind.supp

# The suppressions need the names of the functions, which a stripped library does not have. Each half
# has a folder of its own, because both may run at once.
.PHONY: test-valgrind test-valgrind-1 test-valgrind-2
test-valgrind: setup
	make/parts test-valgrind-1 test-valgrind-2

test-valgrind-1 test-valgrind-2: HALF = build/valgrind/$*
test-valgrind-1 test-valgrind-2: test-valgrind-%: setup $(HARNESS) $(HARNESS_PLUGINS)
	rm -rf $(HALF)
	mkdir -p $(HALF)
	cp $(LIBRARY) $(HALF)/$(SONAME)
	$(STAGED) LD_LIBRARY_PATH=$(CURDIR)/$(HALF) RESTWAY_HARNESS_SLOW=1 RESTWAY_HARNESS_HALF=$* \
	    RESTWAY_PLUGIN_PATH=$(STAGE)/lib/restway/plugins timeout 1800 $(WITH_DEMO_API) \
	    $(VALGRIND) --log-file=$(HALF)/found.%p $(HARNESS) || \
	    { echo "=== what failed:"; cat $(HALF)/found.*; exit 1; }
	@echo "valgrind: no errors, no leaks"

.PHONY: test-headers
test-headers: setup
	$(STAGED) $(WITH_DEMO_API) $(PYTEST) -q Tests/HeaderTests

# The interface as data, and the files that are made from it, which test-headers checks; and the files
# that are made from the JSON Schema of the API document, which test-tidy checks.
.PHONY: generated-files
generated-files: $(VENV)/.stamp
	make/document-keys
	$(PYTHON) Tests/HeaderTests/interface.py
	$(PYTHON) Include/generate.py
	$(PYTHON) Sources/generate.py
	$(PYTHON) bindings/python/generate.py
	$(PYTHON) bindings/rust/generate.py
	$(PYTHON) bindings/python/reference.py

.PHONY: show-abi
show-abi:
	$(PYTHON) Tests/HeaderTests/abi.py compare

.PHONY: test-schema
test-schema: setup $(STAGE)/lib/librestway.so
	$(STAGED) PYTHONPATH=bindings/python $(PYTEST) -q Tests/Schema

# Each process starts a demo API of its own, whose issues its tests change. Tests of the plugin of
# pytest and of the examples in documents, and those of tools/restway-tools, are a part of their own.
PYTHON_TOOL_TESTS := tests/test_docs.py tests/test_pytest_plugin.py

.PHONY: test-python test-python-tools
test-python: setup
	$(STAGED) bash -c 'cd bindings/python && PYTHONPATH=. $(PYTEST) -q \
	    $(PYTHON_TOOL_TESTS:%=--ignore=%)'
	cd examples/demo-api && $(PYTHON) -m pytest -q
test-python-tools: setup
	$(STAGED) bash -c 'cd bindings/python && PYTHONPATH=. $(PYTEST) -q $(PYTHON_TOOL_TESTS)'
	$(STAGED) bash -c 'cd tools/restway-tools && \
	    PYTHONPATH=../../bindings/python:. $(PYTEST) -q'

# The package has no dependencies, so cargo needs no network.
.PHONY: test-rust
test-rust: setup $(STAGE)/lib/librestway.so
	@.ci/setup rust
	$(STAGED) CARGO_TARGET_DIR=$(CURDIR)/build/rust timeout 600 $(WITH_DEMO_API) \
	    cargo test --offline --quiet --manifest-path bindings/rust/Cargo.toml

# Programs that perform the steps of scenarios: one in C, one in C++, one in Swift.
SCENARIO_DRIVERS := build/scenarios

# Scenarios as data, which C, C++, Python and Swift run in the same way.
.PHONY: test-scenarios
test-scenarios: setup $(SCENARIO_DRIVERS)/c $(SCENARIO_DRIVERS)/cpp $(SCENARIO_DRIVERS)/swift
	$(STAGED) ASAN_OPTIONS=detect_leaks=0 RESTWAY_SCENARIO_DRIVERS=$(CURDIR)/$(SCENARIO_DRIVERS) timeout 1800 \
	    $(PYTEST) --dist load -c Tests/Scenarios/pytest.ini Tests/Scenarios

$(SCENARIO_DRIVERS)/c: $(wildcard Tests/Scenarios/c/*) $(STAGE)/lib/librestway.so
	mkdir -p $(@D)
	$(STAGED) bash -c 'cc -std=c99 -D_POSIX_C_SOURCE=200809L -g -O1 -Wall -Wextra -pedantic -Werror \
	    -pthread $(filter %.c,$^) -o $@ $$(pkg-config --cflags --libs restway jansson)'

$(SCENARIO_DRIVERS)/cpp: $(wildcard Tests/Scenarios/cpp/*) $(STAGE)/lib/librestway.so
	mkdir -p $(@D)
	$(STAGED) bash -c 'clang++ -std=c++17 -g -O0 -Wall -Wextra -pedantic -Werror -pthread \
	    $(filter %.cpp,$^) -o $@ $$(pkg-config --cflags --libs restway jansson)'

# The package manager finds out what to compile. All targets are built as for the Swift tests, so
# that both share their build: DEBUG, or ASAN in `make test`.
DRIVER_BUILD ?= DEBUG

.PHONY: $(SCENARIO_DRIVERS)/swift
$(SCENARIO_DRIVERS)/swift:
	mkdir -p $(@D)
	swift build --build-tests --scratch-path $($(DRIVER_BUILD)) $(TEST_FLAGS)
	cp $(firstword $($(DRIVER_BUILD)))/debug/ScenarioDriver $@

# Plugins that are compiled for each test, good and bad ones.
.PHONY: test-plugins
test-plugins: setup $(STAGE)/lib/librestway.so
	$(STAGED) timeout 1800 $(PYTEST) -c Tests/Plugins/pytest.ini Tests/Plugins

# Servers that misbehave, and packaged servers: nginx, httpbin.
.PHONY: test-faults
test-faults: setup $(STAGE)/lib/librestway.so
	$(STAGED) timeout 1800 $(PYTEST) -c Tests/Faults/pytest.ini Tests/Faults

# A shop on Django REST framework, and Kinto, from PyPI.
.PHONY: test-servers
test-servers: setup $(STAGE)/lib/librestway.so
	$(STAGED) timeout 600 $(PYTHON) -m pytest -c Tests/Servers/pytest.ini Tests/Servers

# A process that has an outbox is killed and started again, or its disk is full or fails.
.PHONY: test-crash
test-crash: setup $(STAGE)/lib/librestway.so
	$(STAGED) timeout 3600 $(PYTHON) -m pytest -c Tests/Crash/pytest.ini Tests/Crash

# The number of kills of each of the two suites that kill a process.
CRASH_KILLS ?= 600
# The number of kills of the Swift test that kills a process with a response cache.
CACHE_KILLS ?= 1000

.PHONY: test-crash-long
test-crash-long:
	RESTWAY_CRASH_KILLS=$(CRASH_KILLS) $(MAKE) --no-print-directory test-crash
	RESTWAY_CRASH_KILLS=$(CACHE_KILLS) swift test $(TEST_FLAGS) --filter CacheCrashTests \
	    $(SAY_FAILURES)

# Clients in processes of their own, which are killed now and then, against a server that loses
# requests and answers: each must show what a model says, and at the end all must agree with the server.
# `make test` always runs the same schedules. The client is a debug build, because a release library
# has no fault points, and no switches that leave a rule out.
SEEDS ?= 100
SYNC_CLIENT = $(CURDIR)/$(firstword $($(DRIVER_BUILD)))/debug/SyncCheckClient
SYNC_CHECK = swift build --product SyncCheckClient --scratch-path $($(DRIVER_BUILD)) $(TEST_FLAGS) && \
	RESTWAY_SYNC_CLIENT=$(SYNC_CLIENT) ASAN_OPTIONS=detect_leaks=0 $(PYTHON) Tests/SyncCheck/check.py

.PHONY: test-sync-check search-sync-rules
test-sync-check: setup
	$(SYNC_CHECK) --seeds $(SEEDS)

search-sync-rules: setup
	$(SYNC_CHECK) --search
	$(SYNC_CHECK) --seeds $(SYNC_SEEDS) --first 1001

# The number of further random schedules of the long form.
SYNC_SEEDS ?= 4000

# Packages that use Restway: the sample package, which runs, and the Swift blocks of the documents. No
# other package is fetched. They take the modules that the Swift tests were built with.
SWIFT_PACKAGE := $(STAGED) RESTWAY_PYTHON=$(PYTHON) ASAN_OPTIONS=detect_leaks=0 \
	Tests/SwiftPackage/check build/swift-package

.PHONY: test-swift-sample
test-swift-sample: setup $(STAGE)/lib/librestway.so
	RESTWAY_SCRATCH=$(CURDIR)/$(firstword $($(DRIVER_BUILD))) \
	    RESTWAY_FLAGS='$(filter-out .build%,$($(DRIVER_BUILD))) $(JANSSON_FLAGS)' \
	    $(SWIFT_PACKAGE) sample documents

# The same from a clone of the last commit, and the sample package from a tag, and a package with all
# traits, for which swift-syntax is compiled, too. All modules are compiled three times, which takes
# some minutes, so `make test` leaves it out.
.PHONY: test-swift-package
test-swift-package: setup $(STAGE)/lib/librestway.so
	$(SWIFT_PACKAGE)

# Scripts of Python whose names have no suffix.
PYTHON_SCRIPTS := make/documents make/document-keys make/dist/materials make/debian/python-package \
	make/parts-table

.PHONY: test-tidy
test-tidy: setup
	$(PYTHON) -m pytest -q Tests/Tidy
	$(PYTHON) Tests/Tidy/sizes.py

# Folders whose modules import each other by their names alone, and programs, so that each is checked
# by itself. They share what mypy remembers of the package.
TYPED := tools/restway-tools Tests/Tidy Tests/HeaderTests Tests/Schema Tests/Scenarios Tests/Plugins \
	Tests/Faults Tests/Crash Tests/Servers Tests/SyncCheck Include Sources bindings/rust examples/companies.py \
	examples/inspection.py examples/conflicts.py $(PYTHON_SCRIPTS)
# Programs that have errors on purpose; a test checks them.
UNTYPED := ^tools/restway-tools/tests/stubs/

.PHONY: test-types
test-types: setup
	cd bindings/python && $(PYTHON) -m mypy --strict . && $(VENV)/bin/ruff check .
	cd examples/demo-api && $(PYTHON) -m mypy --strict . && $(VENV)/bin/ruff check .
	for typed in $(TYPED); do \
	    MYPYPATH=$(CURDIR)/bindings/python:$(CURDIR)/tools/restway-tools:$(CURDIR)/Tests/Faults \
	        $(PYTHON) -m mypy --strict --scripts-are-modules --exclude $(UNTYPED) $$typed || exit 1; \
	done
	cd tools/restway-tools && $(VENV)/bin/ruff check .
	$(VENV)/bin/ruff check --config Tests/ruff.toml Tests benchmarks examples/companies.py \
	    examples/inspection.py examples/conflicts.py Include Sources bindings/rust $(PYTHON_SCRIPTS)

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
