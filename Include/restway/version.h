/** @file restway/version.h
 *  Versions: the version of this header at compile time, and of the library at run time.
 */
#ifndef RESTWAY_VERSION_H
#define RESTWAY_VERSION_H

#include "base.h"

RESTWAY_BEGIN_DECLS

#define RESTWAY_VERSION_MAJOR 0
#define RESTWAY_VERSION_MINOR 1
#define RESTWAY_VERSION_PATCH 0

/** A number that grows with every release: major * 1,000,000 + minor * 1,000 + patch. */
#define RESTWAY_VERSION_NUMBER \
    (RESTWAY_VERSION_MAJOR * 1000000 + RESTWAY_VERSION_MINOR * 1000 + RESTWAY_VERSION_PATCH)

/** The number of the ABI in the soname. It changes only when a program must be compiled again. */
#define RESTWAY_ABI_VERSION 0

/** Returns the library's RESTWAY_VERSION_NUMBER. Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_version_number(void);

/** Returns the library's version as text, "0.1.0". Lives as long as the process.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_version_string(void);

/** Returns the library's RESTWAY_ABI_VERSION. Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_abi_version(void);

RESTWAY_END_DECLS

#endif
