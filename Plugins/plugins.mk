# The plugins that ship: each is one shared object, made of what its folder holds.

PLUGINS := simdjson
PLUGIN_FILES := $(PLUGINS:%=build/plugins/%.so)
PLUGIN_FLAGS := -O3 -fPIC -fvisibility=hidden -Wall -Wextra -Werror -IInclude
PLUGIN_LINK := -shared -Wl,--version-script=Plugins/plugin.map -Wl,-z,relro -Wl,-z,now
PLUGIN_HEADERS := $(wildcard Include/restway/plugin*.h) Plugins/plugin.map Plugins/plugins.mk

.PHONY: plugins
plugins: setup $(PLUGIN_FILES) ## build the plugins that ship

build/plugins/simdjson.so: $(wildcard Plugins/simdjson/*) $(PLUGIN_HEADERS)
	mkdir -p $(@D)
	c++ -std=c++17 $(PLUGIN_FLAGS) $(filter %.cpp,$^) -o $@ $(PLUGIN_LINK) \
	    $$(pkg-config --cflags --libs simdjson)
