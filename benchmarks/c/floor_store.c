/* Writes the companies of the large list with plain prepared upserts into a table with the same
 * columns: first all as new rows, then all again with another name. Each is one transaction.
 *
 *     floor_store FILE ROWS */
#include "measure.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct company {
    sqlite3_int64 id, founded, employees, street_number, owner;
    double revenue;
    int active;
    char name[40], about[64], owner_email[40];
    const char *city, *country, *owner_first, *owner_last;
};

static const char *const cities[] = {
    "Amsterdam", "Bordeaux", "Coimbra", "Dresden", "Espoo", "Firenze", "G\xc3\xb6teborg"};
static const char *const countries[] = {"NL", "FR", "PT", "DE", "FI", "IT", "SE"};
static const char *const first_names[] = {"Anna", "Bram", "Chlo\xc3\xa9", "David", "Elif"};
static const char *const last_names[] = {
    "Jansen", "Moreau", "Silva", "Kr\xc3\xbcger", "Virtanen", "Rossi"};
static const char *const words[] = {
    "steel", "paper", "glass", "grain", "light", "water", "stone", "cloth"};

static void make(struct company *company, size_t number, const char *suffix) {
    company->id = (sqlite3_int64)number;
    company->founded = (sqlite3_int64)(number % 25000) * 86400000000;
    company->employees = (sqlite3_int64)(number * 7 % 5000);
    company->street_number = (sqlite3_int64)(number % 300 + 1);
    company->owner = (sqlite3_int64)(number % 9973);
    company->revenue = (double)number * 1234.5 + 0.25;
    company->active = number % 3 != 0;
    company->city = cities[number % 7];
    company->country = countries[number % 7];
    company->owner_first = first_names[number % 5];
    company->owner_last = last_names[number % 6];
    snprintf(company->name, sizeof company->name, "Company %zu%s", number, suffix);
    snprintf(
        company->owner_email, sizeof company->owner_email, "owner%zu@example.com", number % 9973);
    company->about[0] = 0;
    for (size_t word = 0; word < 9; word++) {
        if (word > 0) strcat(company->about, " ");
        strcat(company->about, words[(number + word) % 8]);
    }
}

static sqlite3 *database;

static void check(int code, int expected) {
    if (code != expected) fail("SQLite: %d: %s", code, sqlite3_errmsg(database));
}

static void run(const char *sql) {
    check(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
}

static void text(sqlite3_stmt *statement, int index, const char *value) {
    sqlite3_bind_text(statement, index, value, -1, SQLITE_STATIC);
}

static double store(sqlite3_stmt *statement, const struct company *companies, size_t count) {
    double begun = wall_seconds();
    run("BEGIN IMMEDIATE");
    for (size_t row = 0; row < count; row++) {
        const struct company *company = &companies[row];
        sqlite3_bind_int64(statement, 1, company->id);
        text(statement, 2, company->name);
        sqlite3_bind_int64(statement, 3, company->founded);
        sqlite3_bind_int64(statement, 4, company->employees);
        sqlite3_bind_double(statement, 5, company->revenue);
        sqlite3_bind_int(statement, 6, company->active);
        text(statement, 7, company->about);
        text(statement, 8, "Main street");
        sqlite3_bind_int64(statement, 9, company->street_number);
        text(statement, 10, company->city);
        text(statement, 11, company->country);
        sqlite3_bind_int64(statement, 12, company->owner);
        text(statement, 13, company->owner_first);
        text(statement, 14, company->owner_last);
        text(statement, 15, company->owner_email);
        check(sqlite3_step(statement), SQLITE_DONE);
        sqlite3_reset(statement);
    }
    run("COMMIT");
    return wall_seconds() - begun;
}

int main(int argc, char **argv) {
    const char *path = text_argument(argc, argv, 1, "FILE");
    size_t count = count_argument(argc, argv, 2, "ROWS");
    struct company *companies = malloc(count * sizeof *companies);
    sqlite3_stmt *statement;
    double fresh, upsert;

    if (!companies) fail("no memory");
    check(sqlite3_open(path, &database), SQLITE_OK);
    run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    run("CREATE TABLE Company (itemID INTEGER PRIMARY KEY, name TEXT, founded INTEGER,"
        " employeeCount INTEGER, revenue REAL, active BOOLEAN, about TEXT, street TEXT,"
        " streetNumber INTEGER, city TEXT, country TEXT, ownerID INTEGER, ownerFirstName TEXT,"
        " ownerLastName TEXT, ownerEmail TEXT)");
    check(
        sqlite3_prepare_v2(
            database,
            "INSERT INTO Company VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (itemID) DO"
            " UPDATE SET name = excluded.name, founded = excluded.founded,"
            " employeeCount = excluded.employeeCount, revenue = excluded.revenue,"
            " active = excluded.active, about = excluded.about, street = excluded.street,"
            " streetNumber = excluded.streetNumber, city = excluded.city,"
            " country = excluded.country, ownerID = excluded.ownerID,"
            " ownerFirstName = excluded.ownerFirstName, ownerLastName = excluded.ownerLastName,"
            " ownerEmail = excluded.ownerEmail",
            -1, &statement, NULL),
        SQLITE_OK);
    for (size_t row = 0; row < count; row++) make(&companies[row], row + 1, "");
    fresh = store(statement, companies, count);
    for (size_t row = 0; row < count; row++) make(&companies[row], row + 1, " & Sons");
    upsert = store(statement, companies, count);
    printf("{\"fresh_seconds\": %.9f, \"upsert_seconds\": %.9f}\n", fresh, upsert);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    free(companies);
    return 0;
}
