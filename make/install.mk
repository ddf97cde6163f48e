# The installation, and the stage, which is an installation for the tests.

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DOCDIR ?= $(PREFIX)/share/doc/restway
PLUGINDIR = $(LIBDIR)/restway/plugins
CMAKEDIR = $(LIBDIR)/cmake/restway
DESTDIR ?=

HEADERS := $(notdir $(wildcard Include/restway/*.h))
# The header for C++, restway.hpp, stands beside the folder and includes its parts.
CPP_HEADERS := $(notdir $(wildcard Include/restway/cpp/*.hpp))
DOCUMENTS := $(wildcard LICENSE README.md CHANGELOG.md docs/*.md docs/*.json docs/*.supp)

STAGE := $(CURDIR)/build/stage
# The environment in which programs find the stage.
STAGED = PKG_CONFIG_PATH=$(STAGE)/lib/pkgconfig LD_LIBRARY_PATH=$(STAGE)/lib \
	RESTWAY_PREFIX=$(STAGE) RESTWAY_LIBRARY=$(STAGE)/lib/librestway.so

.PHONY: staged staged-debug
staged:
	rm -rf $(STAGE)
	$(MAKE) --no-print-directory install-files PREFIX=$(STAGE) DESTDIR=

# The debug build is used by every test, except the tests of the release library itself: its
# exports, its size, and its linked libraries.
staged-debug:
	rm -rf $(STAGE)
	$(MAKE) --no-print-directory install-files LIBRARY=.build/debug/librestway.so \
	    PREFIX=$(STAGE) DESTDIR=

$(STAGE)/lib/librestway.so:
	@echo "$@ is missing: make stage" >&2; exit 1

.PHONY: install-files
install-files:
	install -d $(addprefix $(DESTDIR),$(BINDIR) $(LIBDIR)/pkgconfig $(PLUGINDIR) \
	    $(CMAKEDIR) $(INCLUDEDIR)/restway/cpp $(DOCDIR))
	install -m 755 $(LIBRARY) $(DESTDIR)$(LIBDIR)/$(FILE)
	strip --strip-unneeded $(DESTDIR)$(LIBDIR)/$(FILE)
	install -m 755 $(PLUGIN_FILES) $(DESTDIR)$(PLUGINDIR)
	strip --strip-unneeded $(PLUGINS:%=$(DESTDIR)$(PLUGINDIR)/%.so)
	install -m 755 $(CHECK_TOOL) $(DESTDIR)$(BINDIR)
	strip $(DESTDIR)$(BINDIR)/$(notdir $(CHECK_TOOL))
	ln -sf $(FILE) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/librestway.so
	install -m 644 $(addprefix Include/restway/,$(HEADERS)) $(DESTDIR)$(INCLUDEDIR)/restway
	install -m 644 Include/restway.hpp $(DESTDIR)$(INCLUDEDIR)
	install -m 644 Include/restway.api.json $(DESTDIR)$(INCLUDEDIR)/restway
	install -m 644 $(addprefix Include/restway/cpp/,$(CPP_HEADERS)) \
	    $(DESTDIR)$(INCLUDEDIR)/restway/cpp
	sed -e 's|restway/||' Include/module.modulemap \
	    > $(DESTDIR)$(INCLUDEDIR)/restway/module.modulemap
	make/documents "$(DESTDIR)" $(DOCDIR) $(INCLUDEDIR) $(DOCUMENTS)
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' \
	    -e 's|@PLUGINDIR@|$(call in_pc,$(PLUGINDIR),$(LIBDIR),libdir)|' \
	    -e 's|@LIBDIR@|$(call in_pc,$(LIBDIR),$(PREFIX),prefix)|' \
	    -e 's|@INCLUDEDIR@|$(call in_pc,$(INCLUDEDIR),$(PREFIX),prefix)|' \
	    pkgconfig/restway.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/restway.pc
	for name in restwayConfig restwayConfigVersion; do \
	    sed -e 's|@VERSION@|$(VERSION)|' -e 's|@FILE@|$(FILE)|' -e 's|@SONAME@|$(SONAME)|' \
	        -e "s|@INCLUDE_FROM_LIB@|$$(realpath -m --relative-to=$(LIBDIR) $(INCLUDEDIR))|" \
	        pkgconfig/$$name.cmake.in > $(DESTDIR)$(CMAKEDIR)/$$name.cmake; \
	done

# $(call in_pc,PATH,BASE,NAME): PATH with a leading BASE written as ${NAME}, to stay relocatable.
in_pc = $(patsubst $(2)/%,$${$(3)}/%,$(1))

.PHONY: uninstall-files
uninstall-files:
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,$(FILE) $(SONAME) librestway.so pkgconfig/restway.pc) \
	    $(PLUGINS:%=$(DESTDIR)$(PLUGINDIR)/%.so) \
	    $(DESTDIR)$(BINDIR)/$(notdir $(CHECK_TOOL)) \
	    $(addprefix $(DESTDIR)$(INCLUDEDIR)/restway/,$(HEADERS)) \
	    $(addprefix $(DESTDIR)$(CMAKEDIR)/restwayConfig,.cmake Version.cmake) \
	    $(addprefix $(DESTDIR)$(INCLUDEDIR)/restway/,module.modulemap restway.api.json) \
	    $(DESTDIR)$(INCLUDEDIR)/restway.hpp \
	    $(addprefix $(DESTDIR)$(INCLUDEDIR)/restway/cpp/,$(CPP_HEADERS)) \
	    $(addprefix $(DESTDIR)$(DOCDIR)/,INDEX.md $(notdir $(DOCUMENTS)))
	for directory in $(PLUGINDIR) $(LIBDIR)/restway $(CMAKEDIR) $(INCLUDEDIR)/restway/cpp $(INCLUDEDIR)/restway \
	    $(DOCDIR); do \
	    rmdir "$(DESTDIR)$$directory" 2>/dev/null || true; \
	done
