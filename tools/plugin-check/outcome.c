#include "outcome.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "faults.h"
#include "settings.h"

/* The process of the check writes it; the tool reads it when that process has ended. */
static outcome *shared;
static atomic_flag decided = ATOMIC_FLAG_INIT;

void *shared_memory(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("restway-plugin-check: memory");
        exit(2);
    }
    return memory;
}

void doing(const char *format, ...) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&lock);
    vsnprintf(shared->doing, sizeof shared->doing, format, arguments);
    pthread_mutex_unlock(&lock);
    va_end(arguments);
}

/* The first thread that decides ends the process; the others wait for that. */
static _Noreturn void decide(verdict verdict, const char *format, va_list arguments) {
    if (atomic_flag_test_and_set(&decided)) {
        for (;;) {
            pause();
        }
    }
    vsnprintf(shared->why, sizeof shared->why, format, arguments);
    shared->verdict = verdict;
    _exit(0);
}

void check_failed(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    decide(VERDICT_FAILED, format, arguments);
}

void check_skipped(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    decide(VERDICT_SKIPPED, format, arguments);
}

static _Noreturn void be_the_check(
    void (*body)(const void *), const void *argument, const sigset_t *signals) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigprocmask(SIG_SETMASK, signals, NULL);
    /* The output of a plugin must not get into the report. */
    dup2(STDERR_FILENO, STDOUT_FILENO);
    faults_tell(shared->fault, sizeof shared->fault);
    body(argument);
    shared->verdict = VERDICT_OK;
    _exit(0);
}

static int64_t milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits for `child`; returns false when the time has passed. */
static bool wait_for(pid_t child, int *status) {
    const int64_t end = milliseconds_now() + (int64_t)run_settings.time_out_seconds * 1000;
    sigset_t child_signal;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    for (;;) {
        if (waitpid(child, status, WNOHANG) == child) {
            return true;
        }
        int64_t left = end - milliseconds_now();
        if (left <= 0) {
            return false;
        }
        struct timespec time_left = {left / 1000, left % 1000 * 1000000};
        sigtimedwait(&child_signal, NULL, &time_left);
    }
}

static void judge(outcome *result, bool in_time, int status) {
    char what[192] = "";
    if (!in_time) {
        snprintf(what, sizeof what, "does not finish within %d s", run_settings.time_out_seconds);
    } else if (WIFSIGNALED(status)) {
        snprintf(what, sizeof what, "crashes: %s", strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status) != 0 || result->verdict == VERDICT_NONE) {
        snprintf(what, sizeof what, "ends the process, with status %d", WEXITSTATUS(status));
    } else {
        return;
    }
    result->verdict = VERDICT_FAILED;
    snprintf(
        result->why, sizeof result->why, "%s%s%s%s%s", what, result->fault[0] ? ", " : "",
        result->fault, result->doing[0] ? "; while " : "", result->doing);
}

outcome outcome_of(void (*body)(const void *), const void *argument) {
    if (shared == NULL) {
        shared = shared_memory(sizeof *shared);
    }
    memset(shared, 0, sizeof *shared);
    fflush(NULL);
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    pid_t child = fork();
    if (child < 0) {
        perror("restway-plugin-check: fork");
        exit(2);
    }
    if (child == 0) {
        be_the_check(body, argument, &before);
    }
    setpgid(child, child);
    int status = 0;
    bool in_time = wait_for(child, &status);
    /* Also ends every process that the plugin may have started. */
    kill(-child, SIGKILL);
    if (!in_time) {
        waitpid(child, &status, 0);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    outcome result = *shared;
    judge(&result, in_time, status);
    return result;
}

void in_process_of_its_own(void (*body)(const void *), const void *argument) {
    pid_t child = fork();
    require(child >= 0, "fork: %s", strerror(errno));
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        body(argument);
        _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (shared->verdict != VERDICT_NONE) {
        _exit(0);
    }
    require(
        !WIFSIGNALED(status), "crashes: %s; while %s", strsignal(WTERMSIG(status)), shared->doing);
    require(
        WEXITSTATUS(status) == 0, "ends the process, with status %d; while %s", WEXITSTATUS(status),
        shared->doing);
}
