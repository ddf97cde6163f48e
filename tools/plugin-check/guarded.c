#include "guarded.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "faults.h"
#include "outcome.h"

guarded guarded_make(size_t length, const char *before, const char *behind) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t room = (length + page - 1) / page * page;
    guarded made = {.length = length, .page_bytes = page + room + page};
    made.pages = mmap(
        NULL, made.page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made.pages == MAP_FAILED
        || (room > 0 && mprotect(made.pages + page, room, PROT_READ | PROT_WRITE) != 0)) {
        check_skipped("no memory for %zu bytes: %s", length, strerror(errno));
    }
    made.start = made.pages + page;
    made.bytes = made.start + room - length;
    faults_know(made.pages, page, before);
    faults_know(made.start + room, page, behind);
    return made;
}

void guarded_protect(const guarded *memory, const char *what) {
    const size_t bytes = (size_t)(memory->bytes + memory->length - memory->start);
    mprotect(memory->start, bytes, PROT_READ);
    faults_know(memory->start, bytes, what);
}

void guarded_take(const guarded *memory, const char *what) {
    mprotect(memory->pages, memory->page_bytes, PROT_NONE);
    faults_know(memory->pages, memory->page_bytes, what);
}

void guarded_free(guarded *memory) {
    munmap(memory->pages, memory->page_bytes);
    memset(memory, 0, sizeof *memory);
}
