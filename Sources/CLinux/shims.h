/* Declares the Linux system calls that Swift's Glibc module leaves out. */
#ifndef RESTWAY_CLINUX_SHIMS_H
#define RESTWAY_CLINUX_SHIMS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Makes a pipe whose write end does not block, and which programs that are executed do not get
 * (pipe2(2)). The read end is ends[0]. Returns 0, or -1 with errno. */
static inline int rw_pipe(int ends[2]) {
    if (syscall(SYS_pipe2, ends, O_CLOEXEC) != 0) return -1;
    return fcntl(ends[1], F_SETFL, O_NONBLOCK);
}

/* The descriptors that are free before a library makes a pair of sockets which it names nowhere. */
typedef struct rw_descriptor_window {
    int first;
    /* 1 for the descriptors that may be of the pair. */
    unsigned char is_candidate[64];
    int received[64];
    int sent[64];
} rw_descriptor_window;

/* Notes which of the lowest descriptors are free. */
static inline void rw_window_begin(rw_descriptor_window *window) {
    window->first = eventfd(0, EFD_CLOEXEC);
    if (window->first >= 0) close(window->first);
    for (int i = 0; i < 64; i++) {
        window->is_candidate[i] =
            window->first >= 0 && fcntl(window->first + i, F_GETFD) < 0 && errno == EBADF;
    }
}

/* Notes the bytes that wait in the sockets without names which were opened since, and which
 * programs that are executed would get. */
static inline void rw_window_note(rw_descriptor_window *window) {
    for (int i = 0; i < 64; i++) {
        int descriptor = window->first + i, type = 0;
        struct sockaddr_un name;
        socklen_t name_size = sizeof name, type_size = sizeof type;
        window->is_candidate[i] = window->is_candidate[i]
            && fcntl(descriptor, F_GETFD) == 0
            && getsockname(descriptor, (struct sockaddr *)&name, &name_size) == 0
            && name.sun_family == AF_UNIX && name_size <= sizeof(sa_family_t)
            && getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &type_size) == 0
            && type == SOCK_STREAM
            && ioctl(descriptor, SIOCINQ, &window->received[i]) == 0
            && ioctl(descriptor, SIOCOUTQ, &window->sent[i]) == 0;
    }
}

/* Sets close-on-exec for the pair on which one byte was sent since. Does nothing if it is not
 * clear which sockets these are. */
static inline void rw_window_close_on_exec(const rw_descriptor_window *window) {
    int receiver = -1, sender = -1, count = 0;
    for (int i = 0; i < 64; i++) {
        int descriptor = window->first + i, received = 0, sent = 0;
        if (!window->is_candidate[i] || ioctl(descriptor, SIOCINQ, &received) != 0
            || ioctl(descriptor, SIOCOUTQ, &sent) != 0) continue;
        int has_received = received == window->received[i] + 1;
        int has_sent = window->sent[i] == 0 && sent > 0;
        if (has_received) receiver = descriptor;
        if (has_sent) sender = descriptor;
        count += has_received + has_sent;
    }
    if (count != 2 || receiver < 0 || sender < 0 || receiver == sender) return;
    fcntl(receiver, F_SETFD, FD_CLOEXEC);
    fcntl(sender, F_SETFD, FD_CLOEXEC);
}

/* Writes like write(2). If the other end of the pipe or the socket is closed, the error is EPIPE.
 * The thread then gets no SIGPIPE, because this signal usually ends the process. */
static inline ssize_t rw_write_without_signal(int descriptor, const void *bytes, size_t count) {
    sigset_t pipe, before, pending;
    const struct timespec now = {0, 0};
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    ssize_t written = write(descriptor, bytes, count);
    int code = errno;
    if (written < 0 && code == EPIPE && !sigismember(&pending, SIGPIPE)) {
        sigtimedwait(&pipe, NULL, &now);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return written;
}

/* Returns the file of the library or program that contains `address`; NULL if no file contains it.
 * dladdr is an extension of glibc, whose feature macros are not set for Swift. */
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

/* Opens a folder in which files are then made, or -1. O_PATH and O_TMPFILE are extensions of glibc,
 * whose feature macros are not set for Swift. */
static inline int rw_open_folder(const char *path) {
    enum { only_path = 010000000 };
    return open(path, only_path | O_DIRECTORY | O_CLOEXEC);
}

/* Makes a file without a name in a folder, or returns -1. */
static inline int rw_open_unnamed(int folder, mode_t mode) {
    enum { temporary = 020000000 };
    return openat(folder, ".", temporary | O_DIRECTORY | O_RDWR | O_CLOEXEC, mode);
}

/* Sets the name of the calling thread. prctl is variadic, so Swift cannot call it. */
static inline void rw_thread_set_name(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/* pthread_timedjoin_np is an extension of glibc, whose feature macros are not set for Swift. */
int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until);

/* Joins a thread. Returns ETIMEDOUT if it has not ended within `milliseconds`. */
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

#define RW_UNLOCKED 0
#define RW_EXCLUSIVE 1
#define RW_SHARED 2

/* Locks or unlocks bytes of a file for its open file description, whether the file has them or not;
 * a length of 0 stands for all bytes from the start on. F_OFD_SETLK is an extension of glibc, whose
 * feature macros are not set for Swift. Returns 0 or the error, which is EAGAIN if another
 * description has a lock in the way. */
static inline int rw_description_lock_bytes(
    int descriptor, int kind, long long start, long long length) {
    enum { set_description_lock = 37 };
    struct flock lock = {0};
    lock.l_type = kind == RW_EXCLUSIVE ? F_WRLCK : kind == RW_SHARED ? F_RDLCK : F_UNLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = length;
    for (;;) {
        if (fcntl(descriptor, set_description_lock, &lock) == 0) return 0;
        if (errno != EINTR) return errno == EACCES ? EAGAIN : errno;
    }
}

/* Locks or unlocks the whole file for its open file description, as above. */
static inline int rw_description_lock(int descriptor, int locks) {
    return rw_description_lock_bytes(descriptor, locks ? RW_EXCLUSIVE : RW_UNLOCKED, 0, 0);
}

/* A gate counts the threads inside, and keeps other threads out while it is closed. It is one word,
 * so a forked child can reset it, whatever the parent's threads did. */
#define RW_GATE_CLOSED 0x80000000u

static inline void rw_gate_wait(unsigned *gate, unsigned seen, long long nanoseconds) {
    struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    syscall(SYS_futex, gate, FUTEX_WAIT_PRIVATE, seen, &time, NULL, 0);
}

static inline void rw_gate_wake(unsigned *gate) {
    syscall(SYS_futex, gate, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Enters the gate. Waits while it is closed. */
static inline void rw_gate_enter(unsigned *gate) {
    unsigned seen = __atomic_load_n(gate, __ATOMIC_RELAXED);
    for (;;) {
        if (seen & RW_GATE_CLOSED) {
            rw_gate_wait(gate, seen, 1000000000);
            seen = __atomic_load_n(gate, __ATOMIC_RELAXED);
        } else if (__atomic_compare_exchange_n(
                       gate, &seen, seen + 1, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            return;
        }
    }
}

static inline void rw_gate_leave(unsigned *gate) {
    if (__atomic_sub_fetch(gate, 1, __ATOMIC_RELEASE) == RW_GATE_CLOSED) rw_gate_wake(gate);
}

static inline void rw_gate_open(unsigned *gate) {
    __atomic_and_fetch(gate, ~RW_GATE_CLOSED, __ATOMIC_RELEASE);
    rw_gate_wake(gate);
}

/* Closes the gate, waits until no thread is inside, and returns 1. After `nanoseconds` it opens the
 * gate again and returns 0. One thread at a time may close a gate. */
static inline int rw_gate_close(unsigned *gate, long long nanoseconds) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    const long long end = time.tv_sec * 1000000000LL + time.tv_nsec + nanoseconds;
    unsigned seen = __atomic_or_fetch(gate, RW_GATE_CLOSED, __ATOMIC_ACQUIRE);
    while (seen != RW_GATE_CLOSED) {
        clock_gettime(CLOCK_MONOTONIC, &time);
        const long long left = end - (time.tv_sec * 1000000000LL + time.tv_nsec);
        if (left <= 0) {
            rw_gate_open(gate);
            return 0;
        }
        rw_gate_wait(gate, seen, left);
        seen = __atomic_load_n(gate, __ATOMIC_ACQUIRE);
    }
    return 1;
}

#endif
