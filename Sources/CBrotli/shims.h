/* Declares the decoder of Brotli for Swift. */
#ifndef RESTWAY_CBROTLI_SHIMS_H
#define RESTWAY_CBROTLI_SHIMS_H

#include <brotli/decode.h>

#endif
