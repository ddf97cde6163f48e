# The packages of Debian, and their check.

DEB := $(CURDIR)/build/deb
# The Debian in which the packages are installed: the one on which the library is built.
DEB_SUITE := bookworm

.PHONY: deb-tools deb-files test-packages
deb-tools:
	@.ci/setup deb

deb-files: deb-tools $(STAGE)/lib/librestway.so
	make/debian/build $(STAGE) $(DEB) $(VERSION)
	@ls $(DEB)/packages

test-packages: setup deb-tools
	bindings/python/wheel/old-system $(DEB)/$(DEB_SUITE) $(DEB_SUITE) gcc,libc6-dev,pkg-config
	make/debian/build $(STAGE) $(DEB)/again $(VERSION)
	RESTWAY_PACKAGES=$(DEB)/packages RESTWAY_PACKAGES_AGAIN=$(DEB)/again/packages \
	    RESTWAY_SYSTEM=$(DEB)/$(DEB_SUITE) \
	    $(WITH_DEMO_API) $(PYTHON) -m pytest -c Tests/Packages/pytest.ini Tests/Packages
	MYPYPATH=Tests/Wheel $(PYTHON) -m mypy --strict Tests/Packages
