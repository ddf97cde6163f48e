# The targets of Restway, which CI uses, too. Their recipes are in make/ and Plugins/plugins.mk.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
export PATH := $(PATH):/opt/swift/usr/bin

include make/release.mk make/install.mk make/tests.mk make/benchmarks.mk make/wheel.mk \
	make/packages.mk make/dist.mk Plugins/plugins.mk

.PHONY: help setup build stage stage-debug demo test check asan tsan valgrind crash sync-check \
	sync-check-long fuzz tidy bench profile wheel check-wheel dist deb check-packages \
	check-reproducible generate abi install uninstall clean

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' Makefile

setup: $(VENV)/.stamp jansson ## install what the build and the tests need, if it is missing

build: release plugins ## build the release library and the plugins

stage: build staged ## install the release build into build/stage, where the tests find it

stage-debug: debug plugins staged-debug ## the same with the debug build: quick, for work on tests

demo: stage ## run the C and Python examples against the demo API
	$(STAGED) $(WITH_DEMO_API) examples/run-demo

test: parts ## run every test, the Swift tests with the address sanitizer
	@echo "make test: everything passed"

check: quick-parts test-if-staged ## run the quick tests: Swift, tidy, C, scenarios

asan: setup ## run the tests with the address sanitizer
	make/parts test-swift-asan-1 test-swift-asan-2 test-c-asan test-cpp-asan

tsan: test-swift-tsan ## run the Swift tests with the thread sanitizer

valgrind: test-valgrind ## run the C harness under valgrind, on a fresh stage

crash: stage test-crash-long ## kill processes with an outbox or a cache more than 1,000 times each

sync-check: test-sync-check ## check clients that edit the same objects by SEEDS (200) schedules

sync-check-long: search-sync-rules ## search schedules for each rule, and run SYNC_SEEDS (4000)

fuzz: setup fuzzer ## let libFuzzer search the mapping for FUZZ_SECONDS (60)

tidy: test-tidy test-types ## test the taste: walls, words, types of Python

bench: stage benchmarks ## measure against plain C and Python programs

profile: stage profiles ## say where the time of the benchmarks goes (perf, else callgrind)

wheel: wheel-files ## make a Python wheel with the library inside, and the source distribution

check-wheel: wheel test-wheel ## check the wheel, and run it in an older Debian

dist: stage dist-files ## make archives, checksums and a bill of materials in build/dist

deb: stage deb-files ## make packages of Debian in build/deb/packages

check-packages: deb test-packages ## check, install, use and remove the packages in a Debian

check-reproducible: test-reproducible ## build the library in two folders, and compare the bytes

generate: generated-files ## write what is made from the headers and from the JSON Schema

abi: setup show-abi ## say how the C interface differs from the one that the changelog knows

install: build install-files ## install into PREFIX (/usr/local), below DESTDIR if set
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

uninstall: uninstall-files ## remove exactly what install put there

clean: ## remove everything that was built
	rm -rf build .build .build-*
	find . -name .git -prune -o -type d \( -name __pycache__ -o -name '.*_cache' \) -prune -print0 \
	    | xargs -0 rm -rf
