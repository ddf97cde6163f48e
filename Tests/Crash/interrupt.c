/* Preloaded into the victim: counts the writes to the files of the outbox, and at the n-th step
 * ends the process or makes the disk fail.
 *
 *     INTERRUPT=kill:N        SIGKILL before step N
 *     INTERRUPT=half:N        SIGKILL in the middle of step N, if the step writes bytes
 *     INTERRUPT=fail:N:ERRNO  only step N fails
 *     INTERRUPT=from:N:ERRNO  step N and all later steps fail
 *     INTERRUPT=quota:BYTES   no file grows beyond BYTES: ENOSPC */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum kind { NONE, KILL, HALF, FAIL, FROM, QUOTA };

static pthread_once_t begun = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum kind kind;
static long number, step;
static int failure;

static ssize_t (*next_pwrite64)(int, const void *, size_t, off64_t);
static ssize_t (*next_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*next_write)(int, const void *, size_t);
static int (*next_fdatasync)(int);
static int (*next_fsync)(int);
static int (*next_ftruncate64)(int, off64_t);
static int (*next_ftruncate)(int, off_t);
static int (*next_fallocate)(int, off_t, off_t);
static int (*next_unlink)(const char *);

static void begin(void) {
    const char *word = getenv("INTERRUPT");
    char name[16] = "";

    *(void **)&next_pwrite64 = dlsym(RTLD_NEXT, "pwrite64");
    *(void **)&next_pwrite = dlsym(RTLD_NEXT, "pwrite");
    *(void **)&next_write = dlsym(RTLD_NEXT, "write");
    *(void **)&next_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    *(void **)&next_fsync = dlsym(RTLD_NEXT, "fsync");
    *(void **)&next_ftruncate64 = dlsym(RTLD_NEXT, "ftruncate64");
    *(void **)&next_ftruncate = dlsym(RTLD_NEXT, "ftruncate");
    *(void **)&next_fallocate = dlsym(RTLD_NEXT, "posix_fallocate");
    *(void **)&next_unlink = dlsym(RTLD_NEXT, "unlink");
    if (!word) return;
    if (sscanf(word, "%15[a-z]:%ld:%d", name, &number, &failure) < 2) abort();
    kind = strcmp(name, "kill") == 0    ? KILL
           : strcmp(name, "half") == 0  ? HALF
           : strcmp(name, "fail") == 0  ? FAIL
           : strcmp(name, "from") == 0  ? FROM
           : strcmp(name, "quota") == 0 ? QUOTA
                                        : NONE;
    if (kind == NONE) abort();
}

/* Returns whether the file is the database, its log, or the index of its log. */
static int is_ours(const char *path) { return strstr(path, "/outbox.db") != NULL; }

static int is_ours_open(int descriptor) {
    char link[64], path[4096];
    ssize_t length;

    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return is_ours(path);
}

/* Returns the result of a step that would make a file `end` bytes long: 0, or the error. Does not
 * return if the process ends here. `half` writes a part of the bytes. */
static int interrupted(off64_t end, void (*half)(void *), void *context) {
    int error = 0;

    pthread_mutex_lock(&lock);
    step++;
    if ((kind == KILL || kind == HALF) && step == number) {
        if (kind == HALF && half) half(context);
        kill(getpid(), SIGKILL);
        for (;;) pause();
    }
    if (kind == FAIL && step == number) error = failure;
    if (kind == FROM && step >= number) error = failure;
    if (kind == QUOTA && end > number) error = ENOSPC;
    pthread_mutex_unlock(&lock);
    return error;
}

struct piece {
    int descriptor;
    const void *bytes;
    size_t count;
    off64_t offset;
};

static void write_half(void *context) {
    struct piece *piece = context;

    if (next_pwrite64(piece->descriptor, piece->bytes, piece->count / 2, piece->offset) < 0) return;
}

static int passes(int descriptor, const void *bytes, size_t count, off64_t offset) {
    struct piece piece = {descriptor, bytes, count, offset};
    int error;

    if (!is_ours_open(descriptor)) return 1;
    error = interrupted(offset + (off64_t)count, write_half, &piece);
    errno = error;
    return error == 0;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    pthread_once(&begun, begin);
    return passes(descriptor, bytes, count, offset)
               ? next_pwrite64(descriptor, bytes, count, offset)
               : -1;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    pthread_once(&begun, begin);
    return passes(descriptor, bytes, count, offset)
               ? next_pwrite(descriptor, bytes, count, offset)
               : -1;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    pthread_once(&begun, begin);
    if (descriptor <= 2) return next_write(descriptor, bytes, count);
    return passes(descriptor, bytes, count, lseek(descriptor, 0, SEEK_CUR))
               ? next_write(descriptor, bytes, count)
               : -1;
}

static int may(int descriptor, off64_t end) {
    int error = is_ours_open(descriptor) ? interrupted(end, NULL, NULL) : 0;

    errno = error;
    return error == 0;
}

int fdatasync(int descriptor) {
    pthread_once(&begun, begin);
    return may(descriptor, 0) ? next_fdatasync(descriptor) : -1;
}

int fsync(int descriptor) {
    pthread_once(&begun, begin);
    return may(descriptor, 0) ? next_fsync(descriptor) : -1;
}

int ftruncate64(int descriptor, off64_t length) {
    pthread_once(&begun, begin);
    return may(descriptor, length) ? next_ftruncate64(descriptor, length) : -1;
}

int ftruncate(int descriptor, off_t length) {
    pthread_once(&begun, begin);
    return may(descriptor, length) ? next_ftruncate(descriptor, length) : -1;
}

int posix_fallocate(int descriptor, off_t offset, off_t length) {
    pthread_once(&begun, begin);
    return may(descriptor, offset + length) ? next_fallocate(descriptor, offset, length) : errno;
}

int unlink(const char *path) {
    int error;

    pthread_once(&begun, begin);
    error = is_ours(path) ? interrupted(0, NULL, NULL) : 0;
    errno = error;
    return error == 0 ? next_unlink(path) : -1;
}
