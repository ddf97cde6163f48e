# The plugins that ship. Each is one shared object, made from the sources in its folder.

PLUGINS := simdjson msgpack replay
PLUGIN_FILES := $(PLUGINS:%=build/plugins/%.so)
PLUGIN_FLAGS := -O3 -fPIC -fvisibility=hidden -Wall -Wextra -Werror -IInclude
# Debian and the authors of the package use different names.
MSGPACK := $(shell pkg-config --exists msgpack-c && echo msgpack-c || echo msgpack)
PLUGIN_LINK := -shared -Wl,--version-script=Plugins/plugin.map -Wl,-z,relro -Wl,-z,now
PLUGIN_HEADERS := $(wildcard Include/restway/plugin*.h) Plugins/plugin.map Plugins/plugins.mk

# The checker for authors of plugins; it does not need the library. Its build ID is made of its debug
# information, too, which therefore does not name this folder.
CHECK_TOOL := build/restway-plugin-check
CHECK_FLAGS := -std=gnu11 -D_GNU_SOURCE -O2 -g -ffile-prefix-map=$(CURDIR)=. -Wall -Wextra -Werror \
	-IInclude -pthread

.PHONY: plugins
plugins: jansson $(PLUGIN_FILES) $(CHECK_TOOL) ## build the plugins that ship, and their checker

$(CHECK_TOOL): $(wildcard tools/plugin-check/*) $(PLUGIN_HEADERS)
	mkdir -p $(@D)
	cc $(CHECK_FLAGS) $(filter %.c,$^) -o $@

build/plugins/simdjson.so: $(wildcard Plugins/simdjson/*) $(PLUGIN_HEADERS)
	mkdir -p $(@D)
	c++ -std=c++17 $(PLUGIN_FLAGS) $(filter %.cpp,$^) -o $@ $(PLUGIN_LINK) \
	    $$(pkg-config --cflags --libs simdjson)

build/plugins/replay.so: $(wildcard Plugins/replay/*) $(PLUGIN_HEADERS)
	mkdir -p $(@D)
	cc -std=c99 -D_POSIX_C_SOURCE=200809L -pedantic -pthread $(PLUGIN_FLAGS) $(filter %.c,$^) \
	    -o $@ $(PLUGIN_LINK) $$(pkg-config --cflags --libs jansson zlib)

build/plugins/msgpack.so: $(wildcard Plugins/msgpack/*) $(PLUGIN_HEADERS)
	mkdir -p $(@D)
	cc -std=c11 $(PLUGIN_FLAGS) $(filter %.c,$^) -o $@ $(PLUGIN_LINK) -Wl,--as-needed \
	    $$(pkg-config --cflags --libs $(MSGPACK))
