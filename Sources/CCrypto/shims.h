/* Declares the message digests of OpenSSL's libcrypto for Swift. */
#ifndef RESTWAY_CCRYPTO_SHIMS_H
#define RESTWAY_CCRYPTO_SHIMS_H

#include <openssl/evp.h>

#endif
