/* Check: a plugin exports only its entry point, so that its symbols do not collide with others. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checks.h"
#include "outcome.h"
#include "settings.h"

typedef struct image {
    const unsigned char *bytes;
    size_t length;
} image;

static image mapped(const char *path) {
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    require(file >= 0 && fstat(file, &status) == 0, "%s", strerror(errno));
    image made = {NULL, (size_t)status.st_size};
    void *bytes = mmap(NULL, made.length, PROT_READ, MAP_PRIVATE, file, 0);
    require(bytes != MAP_FAILED, "%s", strerror(errno));
    made.bytes = bytes;
    close(file);
    return made;
}

/* Returns `count` elements of `size` at `offset`; ends the check if the file is too short. */
static const void *part(const image *image, size_t offset, size_t size, size_t count) {
    require(
        offset <= image->length && (size == 0 || count <= (image->length - offset) / size),
        "the file is damaged");
    return image->bytes + offset;
}

/* Old linkers export these symbols from every shared object. */
static bool is_the_linkers(const char *name) {
    static const char *const names[] = {"_init", "_fini", "_edata", "_end", "__bss_start"};
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
        if (strcmp(name, names[index]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_shown(const ElfW(Sym) *symbol) {
    const unsigned char bind = symbol->st_info >> 4;
    const unsigned char visibility = symbol->st_other & 3;
    return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS && bind != STB_LOCAL
        && (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

static void expect_one_symbol(
    const image *image, const ElfW(Shdr) *table, const ElfW(Shdr) *names) {
    const size_t count = table->sh_size / sizeof(ElfW(Sym));
    const ElfW(Sym) *symbols = part(image, table->sh_offset, sizeof *symbols, count);
    const char *texts = part(image, names->sh_offset, names->sh_size, 1);
    const char *first = NULL;
    size_t others = 0;
    for (size_t index = 0; index < count; index++) {
        require(symbols[index].st_name < names->sh_size, "the file is damaged");
        const char *name = texts + symbols[index].st_name;
        if (is_shown(&symbols[index]) && strcmp(name, "restway_plugin_v1") != 0
            && !is_the_linkers(name)) {
            first = first != NULL ? first : name;
            others++;
        }
    }
    require(
        others == 0, "exports %zu more symbol%s, such as %s: hide them with a version script",
        others, others == 1 ? "" : "s", first);
}

void check_plugin_exports(const void *argument) {
    (void)argument;
    const image image = mapped(run_settings.plugin);
    const ElfW(Ehdr) *head = part(&image, 0, sizeof *head, 1);
    require(
        memcmp(head->e_ident, ELFMAG, SELFMAG) == 0
            && head->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32),
        "is not a shared object of this machine");
    const ElfW(Shdr) *sections = part(&image, head->e_shoff, sizeof *sections, head->e_shnum);
    for (size_t index = 0; index < head->e_shnum; index++) {
        if (sections[index].sh_type == SHT_DYNSYM && sections[index].sh_link < head->e_shnum) {
            expect_one_symbol(&image, &sections[index], &sections[sections[index].sh_link]);
            return;
        }
    }
    check_skipped("the file has no table of sections");
}
