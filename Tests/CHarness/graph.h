/** @file graph.h
 *  An api whose entities are linked: meetings, the enterprises that hold them, and the
 *  employees who attend them. */
#ifndef RESTWAY_HARNESS_GRAPH_H
#define RESTWAY_HARNESS_GRAPH_H

#include "harness.h"

/** The routes `meeting`, `meetings`, `enterprise`, `enterprises` and `employee` of the demo API.
 *  Meeting 1 belongs to enterprise 1; employees 1, 2 and 3 attend it; it has no sponsor. */
restway_client *make_graph_client(restway_delivery mode);

/** Surrounds a test whose clients have stores in files. */
int begin_test_in_files(void **state);
int end_test_in_files(void **state);
int is_test_in_files(void);

/** Returns the first object that a GET of @p path gives. */
restway_object *fetch_first(restway_client *client, const char *path);

/** Returns the object of @p entity with that identity, which the store must have. */
restway_object *find(restway_store *store, const char *entity, int64_t identity);

/** Checks that the objects of @p list have these int64 identities, in this order. */
void expect_identities(const restway_list *list, size_t count, const int64_t *identities);

#endif
