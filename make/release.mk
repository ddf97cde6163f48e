# The builds of the library, debug and release, and the tools that the build needs.

version_part = $(shell awk '$$2 == "RESTWAY_$(1)" { print $$3 }' Include/restway/version.h)
VERSION := $(call version_part,VERSION_MAJOR).$(call version_part,VERSION_MINOR).$(call \
	version_part,VERSION_PATCH)
SONAME := librestway.so.$(call version_part,ABI_VERSION)
FILE := librestway.so.$(VERSION)

# Each kind of build has a scratch path of its own: otherwise one would discard another's work.
RELEASE := .build-release
LIBRARY ?= $(RELEASE)/release/librestway.so

# The library is linked with a private copy of Jansson (docs/decisions/0022). Where the system has no
# archive of Jansson, the library shares the system's.
JANSSON := $(CURDIR)/build/jansson
JANSSON_FLAGS := --pkg-config-path $(JANSSON) -Xlinker --exclude-libs=librestway-jansson.a

# These flags stay out of Package.swift, which would call them unsafe. The debug build, which the
# Swift tests run, checks exclusive access to memory; the release build does not. The linker keeps
# equal functions once (--icf=all): half a MiB, most of it of the Swift standard library.
#
# The bytes do not depend on the folder (make check-reproducible): the debug information, of which
# the linker makes the build ID, has neither the name of this folder nor the names of compiled Clang
# modules, which are hashes of options and paths, and the compiler writes no hash of its options into
# each module.
RELEASE_BUILD := swift build -c release --scratch-path $(RELEASE) \
	$(JANSSON_FLAGS) \
	-Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=. -Xcc -ffile-prefix-map=$(CURDIR)=. \
	-Xswiftc -static-stdlib -Xswiftc -enforce-exclusivity=unchecked \
	-Xswiftc -Xfrontend -Xswiftc -function-sections -Xswiftc -use-ld=lld \
	-Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs \
	-Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen
LIBRARY_FLAGS := --product restway \
	-Xlinker --version-script=$(CURDIR)/pkgconfig/restway.map \
	-Xlinker -soname -Xlinker $(SONAME) \
	-Xlinker -z -Xlinker nodelete -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now \
	-Xlinker -z -Xlinker pack-relative-relocs -Xlinker --icf=all

.PHONY: release debug system-packages jansson
release: jansson
	$(RELEASE_BUILD) $(LIBRARY_FLAGS)

debug: jansson
	swift build $(JANSSON_FLAGS)

system-packages:
	@.ci/setup

jansson: system-packages
	@.ci/private-jansson $(JANSSON)
