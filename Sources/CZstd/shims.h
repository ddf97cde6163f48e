/* Declares Zstandard for Swift. */
#ifndef RESTWAY_CZSTD_SHIMS_H
#define RESTWAY_CZSTD_SHIMS_H

#include <zstd.h>

#endif
