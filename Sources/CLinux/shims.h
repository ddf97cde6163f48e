/* The Linux system calls that Swift's Glibc module leaves out. */
#ifndef RESTWAY_CLINUX_SHIMS_H
#define RESTWAY_CLINUX_SHIMS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* The file of the library, or program, that holds `address`; NULL when nothing does. dladdr is an
 * extension of glibc, which names no features for Swift. */
static inline const char *rw_library_of(const void *address) {
    struct {
        const char *file;
        void *base;
        const char *symbol;
        void *symbol_address;
    } found = {0};
    extern int dladdr(const void *, void *) __asm__("dladdr");
    return dladdr(address, &found) != 0 ? found.file : 0;
}

/* Asks for memory and gives it back; the compiler would leave both out. */
static inline void rw_heap_touch(size_t bytes) {
    void *block = malloc(bytes);
    __asm__ volatile("" : : "r"(block) : "memory");
    free(block);
}

/* What tells the calling thread from all others that run, without a call. */
static inline unsigned long rw_thread_mark(void) {
    return (unsigned long)__builtin_thread_pointer();
}
/* Has the cache fetch what lies at `address`, which need not be readable. */
static inline void rw_prefetch(const void *address) { __builtin_prefetch(address); }

/* Copies to memory past the caches, for another core to read. All of it lies at multiples of eight
 * bytes. Before another thread may look, the writer calls rw_stream_end. */
static inline void rw_stream(void *to, const void *from, size_t length) {
    unsigned long *target = (unsigned long *)to;
    const unsigned long *source = (const unsigned long *)from;
    for (size_t index = 0; index < length / sizeof *target; index++)
        __builtin_nontemporal_store(source[index], target + index);
}

/* Orders what rw_stream wrote before all that the thread writes next. */
static inline void rw_stream_end(void) {
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* prctl is variadic. */
static inline void rw_thread_set_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/* From now on the calling thread takes no core from a thread that runs when it is woken
 * (SCHED_BATCH, sched(7)). Threads that it starts inherit that. Nothing changes when somebody chose
 * another policy for it, or a sandbox forbids it. */
static inline void rw_thread_preempt_nobody(void) {
    const struct sched_param none = {0};
    if (sched_getscheduler(0) == SCHED_OTHER) sched_setscheduler(0, SCHED_BATCH, &none);
}

/* pthread_timedjoin_np is an extension of glibc, which names no features for Swift. */
int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until);

/* Joins a thread; ETIMEDOUT when it has not ended within so many milliseconds. */
static inline int rw_thread_join_within(pthread_t thread, int milliseconds) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += milliseconds / 1000;
    until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    return pthread_timedjoin_np(thread, NULL, &until);
}

/* Locks, or unlocks, the whole file for its open file description; F_OFD_SETLK is an extension of
 * glibc, which names no features for Swift. 0, or the error: EAGAIN when another description has
 * the lock. */
static inline int rw_description_lock(int descriptor, int locks) {
    enum { set_description_lock = 37 };
    struct flock lock = {0};
    lock.l_type = locks ? F_WRLCK : F_UNLCK;
    lock.l_whence = SEEK_SET;
    for (;;) {
        if (fcntl(descriptor, set_description_lock, &lock) == 0) return 0;
        if (errno != EINTR) return errno == EACCES ? EAGAIN : errno;
    }
}

#endif
