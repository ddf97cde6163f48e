# What is published of a version: the sources and the library as archives, the software bill of
# materials, and checksums.

DIST := $(CURDIR)/build/dist
DIST_VENV := $(CURDIR)/build/dist-venv
DIST_STAGE ?= $(STAGE)

# A package of PyPI checks the bill of materials.
$(DIST_VENV)/.stamp: make/dist/requirements.txt
	rm -rf $(DIST_VENV)
	python3 -m venv $(DIST_VENV)
	$(DIST_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

.PHONY: dist-files
dist-files: setup $(DIST_VENV)/.stamp $(DIST_STAGE)/lib/librestway.so
	make/dist/build $(DIST_STAGE) $(DIST) $(VERSION)
	$(DIST_VENV)/bin/pyspdxtools --infile $(DIST)/restway-$(VERSION).spdx.json
	cd $(DIST) && sha256sum --check --quiet SHA256SUMS
	@ls $(DIST)

# The published library is trained (docs/decisions/0038): the library is built to count how often the
# benchmarks take each path, the benchmarks run, and the library is built again with these counts.
# `make stage` with the variables below makes both builds, each in folders of its own.
TRAINING := $(CURDIR)/build/training
COUNTING_STAGE := $(TRAINING)/counting
TRAINED_STAGE := $(TRAINING)/stage
PROFILE := $(TRAINING)/restway.profdata
# The functions of make do not have the PATH that is exported.
TOOLCHAIN = $(shell PATH="$(PATH)" swiftc -print-target-info \
	| sed -n 's|.*"runtimeResourcePath": "\(.*\)/lib/swift".*|\1|p')
PROFDATA = $(TOOLCHAIN)/bin/llvm-profdata
PROFILE_RUNTIME = lib/linux/libclang_rt.profile-$(shell uname -m).a
PROFILE_RUNTIMES = $(wildcard $(TOOLCHAIN)/lib/clang/*/$(PROFILE_RUNTIME))
COUNTING_FLAGS = -Xswiftc -Xfrontend -Xswiftc -ir-profile-generate \
	-Xlinker -u__llvm_profile_runtime -Xlinker $(firstword $(PROFILE_RUNTIMES))
TRAINED_FLAGS = -Xswiftc -Xfrontend -Xswiftc -ir-profile-use=$(PROFILE)

.PHONY: training-tools trained
training-tools: system-packages
	@if [ ! -x "$(PROFDATA)" ]; then \
	    echo "make dist: the Swift toolchain has no $(PROFDATA), which merges the counts of the" \
	        "training; toolchains of swift.org have it" >&2; exit 1; \
	fi
	@if [ -z "$(PROFILE_RUNTIMES)" ]; then \
	    echo "make dist: the Swift toolchain has no $(TOOLCHAIN)/lib/clang/*/$(PROFILE_RUNTIME)," \
	        "with which the library counts in the training; toolchains of swift.org have it" >&2; \
	    exit 1; \
	fi

# The package manager does not see that the counts have changed, so it builds everything anew.
trained: training-tools $(BENCH_VENV)/.stamp
	rm -rf .build-trained $(PROFILE)
	$(MAKE) --no-print-directory stage RELEASE=.build-counting STAGE=$(COUNTING_STAGE) \
	    TRAINING_FLAGS='$(COUNTING_FLAGS)'
	$(subst $(STAGE),$(COUNTING_STAGE),$(STAGED)) BENCH_PYTHON=$(BENCH_VENV)/bin/python \
	    PROFDATA=$(PROFDATA) benchmarks/train $(PROFILE)
	$(MAKE) --no-print-directory stage RELEASE=.build-trained STAGE=$(TRAINED_STAGE) \
	    TRAINING_FLAGS='$(TRAINED_FLAGS)'
	RESTWAY_PREFIX=$(TRAINED_STAGE) $(PYTHON) -m pytest -q Tests/HeaderTests/test_exports.py

# Two builds of the last commit in folders with different names. It takes two release builds.
.PHONY: test-reproducible
test-reproducible: setup
	make/dist/build-twice $(CURDIR)/build/reproducible
