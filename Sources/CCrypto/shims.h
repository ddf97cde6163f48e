/* Declares OpenSSL's libcrypto for Swift. */
#ifndef RESTWAY_CCRYPTO_SHIMS_H
#define RESTWAY_CCRYPTO_SHIMS_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>

#endif
