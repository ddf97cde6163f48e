/* Declares zlib for Swift, with functions for the macros inflateInit2 and deflateInit2. */
#ifndef RESTWAY_CZLIB_SHIMS_H
#define RESTWAY_CZLIB_SHIMS_H

#include <zlib.h>

static inline int rw_inflate_init(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

static inline int rw_deflate_init(z_stream *stream, int level, int window_bits) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}

#endif
