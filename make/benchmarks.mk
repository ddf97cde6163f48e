# The benchmarks, and the server and the other clients that only they need.

BENCH_VENV := $(CURDIR)/build/bench-venv

.PHONY: bench-packages
bench-packages:
	@.ci/setup bench

$(BENCH_VENV)/.stamp: benchmarks/requirements.txt | bench-packages
	rm -rf $(BENCH_VENV)
	python3 -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

# ONLY="outbox map.simdjson" runs the figures whose names begin with one of these words.
.PHONY: benchmarks
benchmarks: $(BENCH_VENV)/.stamp transport-bench swift-bench
	$(STAGED) BENCH_PYTHON=$(BENCH_VENV)/bin/python \
	    TRANSPORT_BENCH=$(CURDIR)/$(RELEASE)/release/restway-transport-bench \
	    SWIFT_BENCH=$(SWIFT_BENCH)/release/restway-clients \
	    SWIFT_OTHER_BENCH=$(SWIFT_BENCH)/release/other-clients \
	    benchmarks/run $(ONLY)

# A program of the library's own modules, compiled with the same flags.
.PHONY: transport-bench
transport-bench: setup
	RESTWAY_BENCH=1 $(RELEASE_BUILD) --product restway-transport-bench

# Programs in Swift, and AsyncHTTPClient beside them. They take some minutes to compile, because the
# linker compiles all of a program together, as in the release build of the library.
SWIFT_BENCH := $(CURDIR)/build/swift-bench

# The flags that docs/SWIFT.md recommends.
SWIFT_PROGRAM_FLAGS := --static-swift-stdlib --experimental-lto-mode=full \
	-Xswiftc -use-ld=lld -Xswiftc -enforce-exclusivity=unchecked

.PHONY: swift-bench
swift-bench: setup
	swift build -c release --quiet --package-path benchmarks/swift/Clients \
	    --scratch-path $(SWIFT_BENCH) $(SWIFT_PROGRAM_FLAGS)

.PHONY: profiles
profiles:
	@.ci/setup bench profile
	$(STAGED) RESTWAY_SYMBOLS=$(CURDIR)/$(LIBRARY) benchmarks/profile
