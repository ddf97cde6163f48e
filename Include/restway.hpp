/** @file restway.hpp
 *  Restway for C++17 and later: the C library behind types that release themselves, exceptions or
 *  results, and functions as callbacks. docs/CPP.md shows how it is used.
 *
 *  It needs nothing but the headers of C and the library: every function here is inline and calls
 *  functions of the C library, whose comments say what happens.
 */
#ifndef RESTWAY_HPP
#define RESTWAY_HPP

#include "restway/cpp/client.hpp"
#include "restway/cpp/coroutine.hpp"
#include "restway/cpp/routing.hpp"

#endif
