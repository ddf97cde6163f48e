#include "resources.h"

#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <time.h>

#include "outcome.h"

#define WARM_UP_ROUNDS 8
#define WAITS_MAX 1000
#define LEAK_MEASUREMENTS 5

size_t memory_in_use(void) {
    struct mallinfo2 now = mallinfo2();
    return now.uordblks + now.hblkhd;
}

static size_t entries(const char *path) {
    size_t count = 0;
    DIR *directory = opendir(path);
    if (directory == NULL) {
        check_skipped("%s cannot be read", path);
    }
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        count += entry->d_name[0] != '.';
    }
    closedir(directory);
    return count;
}

/* The descriptor that reads them is not counted. */
size_t descriptors_open(void) {
    return entries("/proc/self/fd") - 1;
}

size_t threads_running(void) {
    return entries("/proc/self/task");
}

size_t threads_after_wait(size_t count) {
    const struct timespec millisecond = {0, 1000000};
    size_t running = threads_running();
    for (int waits = 0; waits < WAITS_MAX && running > count; waits++) {
        nanosleep(&millisecond, NULL);
        running = threads_running();
    }
    return running;
}

struct rounds {
    int count;
    void (*round)(const void *);
    const void *argument;
};

static void *run(void *argument) {
    const struct rounds *rounds = argument;
    for (int index = 0; index < rounds->count; index++) {
        rounds->round(rounds->argument);
    }
    return NULL;
}

/* Runs on a thread of its own: memory that malloc() keeps for a thread counts as in use until the
 * thread ends. */
static void repeat(int count, void (*round)(const void *), const void *argument) {
    struct rounds rounds = {count, round, argument};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, &rounds) != 0) {
        check_skipped("no thread can be made");
    }
    pthread_join(thread, NULL);
}

/* The number is read when the threads of the rounds have ended, except those that stay. */
static size_t settled(size_t (*number)(void), size_t threads) {
    threads_after_wait(threads);
    return number();
}

/* Memory that grows with every round is a leak, and grows at each measurement. Memory that grows
 * once, or up to a limit, is not: one measurement without growth shows that. */
void expect_no_leak(void (*round)(const void *), const void *argument, size_t bytes_max) {
    const size_t threads = threads_running();
    repeat(WARM_UP_ROUNDS, round, argument);
    const size_t least = LEAK_ROUNDS * bytes_max;
    size_t before = settled(memory_in_use, threads);
    size_t growth = 0;
    for (int measurement = 0; measurement < LEAK_MEASUREMENTS; measurement++) {
        repeat(LEAK_ROUNDS, round, argument);
        const size_t after = settled(memory_in_use, threads);
        if (after < before + least) {
            return;
        }
        growth = after - before;
        before = after;
    }
    check_failed("memory grows by %zu bytes with each round", growth / LEAK_ROUNDS);
}

void expect_no_more_descriptors(void (*round)(const void *), const void *argument) {
    const size_t threads = threads_running();
    repeat(WARM_UP_ROUNDS, round, argument);
    const size_t before = settled(descriptors_open, threads);
    repeat(LEAK_ROUNDS, round, argument);
    const size_t after = settled(descriptors_open, threads);
    require(
        after < before + LEAK_ROUNDS / 2, "%zu more descriptors are open after %d rounds",
        after - before, LEAK_ROUNDS);
}

void expect_no_more_threads(void (*round)(const void *), const void *argument) {
    const size_t first = threads_running();
    repeat(WARM_UP_ROUNDS, round, argument);
    const size_t before = settled(threads_running, first);
    repeat(LEAK_ROUNDS, round, argument);
    const size_t after = threads_after_wait(before);
    require(
        after < before + LEAK_ROUNDS / 2, "%zu more threads run after %d rounds", after - before,
        LEAK_ROUNDS);
}
