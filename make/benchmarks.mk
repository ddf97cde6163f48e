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
benchmarks: $(BENCH_VENV)/.stamp swift-bench
	$(STAGED) BENCH_PYTHON=$(BENCH_VENV)/bin/python \
	    SWIFT_BENCH=$(SWIFT_BENCH)/release/restway-clients \
	    SWIFT_OTHER_BENCH=$(SWIFT_BENCH)/release/other-clients \
	    benchmarks/run $(ONLY)

# Programs in Swift, and AsyncHTTPClient beside them. They take some minutes to compile.
SWIFT_BENCH := $(CURDIR)/build/swift-bench

# The flags that docs/SWIFT.md recommends.
SWIFT_PROGRAM_FLAGS := --static-swift-stdlib -Xswiftc -enforce-exclusivity=unchecked

.PHONY: swift-bench
swift-bench: setup
	swift build -c release --quiet --package-path benchmarks/swift/Clients \
	    --scratch-path $(SWIFT_BENCH) $(SWIFT_PROGRAM_FLAGS)

.PHONY: profiles
profiles:
	@.ci/setup bench profile
	$(STAGED) RESTWAY_SYMBOLS=$(CURDIR)/$(LIBRARY) benchmarks/profile
