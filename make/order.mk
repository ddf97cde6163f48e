# What each part of the tests needs before it can run. `make/parts` runs this. The goals start in the
# order in which they are named. A goal that has to wait for another one is looked at again only after
# all goals behind it, so what must not end last is named behind the parts that can start early.

ALL := $(sort $(MAKECMDGOALS) stage build-harness build-swift build-swift-asan build-swift-tsan python-tools)
.PHONY: $(ALL)
$(ALL):
	@env -u MAKEFLAGS make/part $@

# The release library, installed into build/stage.
build-harness test-cpp-asan test-faults test-headers test-plugins test-python test-python-tools test-rust test-schema \
    test-crash test-scenarios test-servers test-swift-sample: stage

# Builds of Swift need no packages of Python.
$(filter-out stage build-swift% python-tools,$(ALL)): python-tools

test-c test-c-asan test-valgrind-1 test-valgrind-2: build-harness

test-swift-1 test-swift-2: build-swift
# The scenarios and the sample package use the modules of this build.
test-swift-asan-1 test-swift-asan-2 test-scenarios test-swift-sample test-sync-check: build-swift-asan
test-swift-tsan-1 test-swift-tsan-2: build-swift-tsan
