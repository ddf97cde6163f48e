# The Python wheel with the library inside, the wheel of restway-tools, their source distributions,
# and their check.

WHEEL_SCRIPTS := bindings/python/wheel
WHEEL := $(CURDIR)/build/wheel
# The oldest glibc on which the wheel runs.
WHEEL_GLIBC := 2.26
WHEEL_MACHINE := $(shell uname -m)
WHEEL_PLATFORM := manylinux_$(subst .,_,$(WHEEL_GLIBC))_$(WHEEL_MACHINE)

WHEEL_VENV := $(WHEEL)/venv
# zig compiles and links for older versions of glibc. It comes as a package of PyPI.
WHEEL_BUILD = RESTWAY_ZIG=$$($(WHEEL_VENV)/bin/python -c \
	'import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).with_name("zig"))') \
	RESTWAY_TARGET=$(WHEEL_MACHINE)-linux-gnu.$(WHEEL_GLIBC) \
	ZIG_GLOBAL_CACHE_DIR=$(WHEEL)/zig-cache ZIG_LOCAL_CACHE_DIR=$(WHEEL)/zig-cache

.PHONY: wheel-packages wheel-files
wheel-packages:
	@.ci/setup wheel

$(WHEEL_VENV)/.stamp: $(WHEEL_SCRIPTS)/requirements.txt | wheel-packages
	rm -rf $(WHEEL_VENV)
	python3 -m venv $(WHEEL_VENV)
	$(WHEEL_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

$(WHEEL)/libraries/.stamp: $(WHEEL_SCRIPTS)/libraries $(WHEEL_SCRIPTS)/source make/wheel.mk \
    $(WHEEL_VENV)/.stamp
	$(WHEEL_BUILD) $< $(@D)
	touch $@

wheel-files: release $(WHEEL)/libraries/.stamp
	$(WHEEL_BUILD) $(WHEEL_SCRIPTS)/link $(WHEEL)/libraries \
	    $(RELEASE)/release/restway.product/Objects.LinkFileList \
	    $(JANSSON)/librestway-jansson.a $(WHEEL)/librestway.so
	$(WHEEL_BUILD) $(WHEEL_SCRIPTS)/plugins $(WHEEL)/libraries $(JANSSON)/librestway-jansson.a \
	    $(WHEEL)/plugins
	$(WHEEL_BUILD) $(WHEEL_SCRIPTS)/package $(WHEEL) $(WHEEL_PLATFORM)
	@ls $(WHEEL)/dist

# An older Debian, in which the wheel is installed.
WHEEL_DEBIAN := bullseye

.PHONY: test-wheel
test-wheel: setup wheel-packages
	$(WHEEL_SCRIPTS)/old-system $(WHEEL)/$(WHEEL_DEBIAN) $(WHEEL_DEBIAN)
	RESTWAY_WHEELS=$(WHEEL)/dist RESTWAY_OLD_SYSTEM=$(WHEEL)/$(WHEEL_DEBIAN) \
	    RESTWAY_AUDITWHEEL=$(WHEEL_VENV)/bin/auditwheel RESTWAY_PLATFORM=$(WHEEL_PLATFORM) \
	    $(WITH_DEMO_API) $(PYTHON) -m pytest -c Tests/Wheel/pytest.ini Tests/Wheel
	MYPYPATH=Tests/Faults $(PYTHON) -m mypy --strict Tests/Wheel
