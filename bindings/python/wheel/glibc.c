/* Functions of newer versions of glibc that the archives in a wheel need. */

#include <fcntl.h>
#include <stdarg.h>

/* libstdc++ reads this variable of glibc 2.32 to leave out atomic operations while the process has
 * one thread. Zero means that other threads may exist. */
char __libc_single_threaded = 0;

/* Debian's SQLite calls this function of glibc 2.28, which is fcntl on 64-bit systems. */
int fcntl64(int descriptor, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return fcntl(descriptor, command, argument);
}
