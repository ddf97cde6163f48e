/** @file document.h
 *  The harness's own API document, for the demo API. test_demo.c tests the demo's own document.
 */
#ifndef RESTWAY_HARNESS_DOCUMENT_H
#define RESTWAY_HARNESS_DOCUMENT_H

#define HARNESS_DOCUMENT \
    "{" \
    "\"restway\": 1," \
    "\"environment\": \"demo\"," \
    "\"environments\": {" \
    "  \"demo\": {\"baseURL\": \"http://127.0.0.1:1/v2\"}," \
    "  \"other\": {\"baseURL\": \"http://127.0.0.1:2/v2\"}" \
    "}," \
    "\"entities\": {" \
    "  \"Enterprise\": {" \
    "    \"identity\": \"itemID\"," \
    "    \"attributes\": {" \
    "      \"itemID\": {\"source\": \"id\", \"type\": \"int\"}," \
    "      \"name\": \"name\"," \
    "      \"streetNumber\": \"address.street_number\"," \
    "      \"creationDate\": {\"source\": \"creation_date\", \"type\": \"date\"," \
    "                         \"format\": \"yyyy-MM-dd\"}," \
    "      \"employeeCount\": {\"source\": \"employee_count\", \"type\": \"int\"}," \
    "      \"rating\": \"rating\"," \
    "      \"active\": \"active\"," \
    "      \"website\": \"website\"," \
    "      \"tags\": \"tags\"," \
    "      \"unseen\": \"not_there\"" \
    "    }" \
    "  }," \
    "  \"Note\": {\"attributes\": {\"status\": \"status\"}}" \
    "}," \
    "\"routes\": {" \
    "  \"enterprises\": {\"method\": \"GET\", \"path\": \"enterprises\", \"x-label\": \"all\"," \
    "    \"response\": {\"entity\": \"Enterprise\", \"keyPath\": \"array_of_enterprises\"}}," \
    "  \"enterprise\": {\"method\": [\"GET\", \"PUT\", \"DELETE\"]," \
    "    \"path\": \"enterprises/:itemID\", \"entity\": \"Enterprise\"," \
    "    \"response\": {\"entity\": \"Enterprise\"}}," \
    "  \"status\": {\"method\": \"GET\", \"path\": \"status\"," \
    "    \"response\": {\"entity\": \"Note\"}}," \
    "  \"echo\": {\"method\": [\"GET\", \"POST\"], \"path\": \"echo\"}," \
    "  \"html\": {\"method\": \"GET\", \"path\": \"bad/html\"," \
    "    \"response\": {\"entity\": \"Note\"}}," \
    "  \"json\": {\"method\": \"GET\", \"path\": \"bad/json\"," \
    "    \"response\": {\"entity\": \"Note\"}}," \
    "  \"half\": {\"method\": \"GET\", \"path\": \"bad/half\"," \
    "    \"response\": {\"entity\": \"Note\"}}," \
    "  \"deep\": {\"method\": \"GET\", \"path\": \"bad/deep\"," \
    "    \"response\": {\"entity\": \"Note\"}}" \
    "}," \
    "\"batch\": {\"path\": \"/batch\", \"limit\": 3}," \
    "\"errors\": {\"code\": \"error.error_code\"," \
    "             \"message\": \"error.error_description\"}," \
    "\"redact\": [\"X-Pin\", \"pin\"]" \
    "}"

#endif
