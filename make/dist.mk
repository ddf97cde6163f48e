# The published parts of a version: the sources and the library as archives, the software bill of
# materials, and checksums.

DIST := $(CURDIR)/build/dist
DIST_VENV := $(CURDIR)/build/dist-venv

# A package of PyPI checks the bill of materials.
$(DIST_VENV)/.stamp: make/dist/requirements.txt
	rm -rf $(DIST_VENV)
	python3 -m venv $(DIST_VENV)
	$(DIST_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

.PHONY: dist-files
dist-files: setup $(DIST_VENV)/.stamp $(STAGE)/lib/librestway.so
	make/dist/build $(STAGE) $(DIST) $(VERSION)
	$(DIST_VENV)/bin/pyspdxtools --infile $(DIST)/restway-$(VERSION).spdx.json
	cd $(DIST) && sha256sum --check --quiet SHA256SUMS
	@ls $(DIST)

# Two builds of the last commit in folders with different names. It takes two release builds.
.PHONY: test-reproducible
test-reproducible: setup
	make/dist/build-twice $(CURDIR)/build/reproducible
