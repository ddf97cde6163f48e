import Foundation
import RestwayRouting
import XCTest

@testable import RestwayDocument
@testable import RestwayOutcome

final class DocumentTests: XCTestCase {
    func testTheSmallestDocumentLoads() throws {
        _ = try TestAPI.load(#"{"restway": 1}"#)
    }

    func testNoProblemOfTheAuthSectionQuotesATextThatMayBeASecret() {
        let secret = "hunter2-secret"
        let sections = [
            #"{"scheme": "oauth2", "grant": "\(s)", "tokenURL": "t"}"#,
            #"{"scheme": "\(s)"}"#,
            #"{"scheme": "oauth2", "grant": "refreshToken", "tokenURL": "t","#
                + #" "clientAuthentication": "\(s)"}"#,
            #"{"scheme": "apiKey", "token": "t", "header": "\(s) of mine"}"#,
            #"{"scheme": "bearer", "token": "\(s)\n"}"#,
            #"{"scheme": "basic", "user": "\(s):x", "password": "\(s)"}"#,
        ]
        for section in sections {
            let text = section.replacingOccurrences(of: "\\(s)", with: secret)
            let problems = TestAPI.problems(#"{"restway": 1, "auth": "# + text + "}")
            XCTAssertFalse(problems.isEmpty, text)
            XCTAssertFalse(problems.contains { $0.contains("hunter2") }, "\(problems)")
        }
        let typo = #"{"scheme": "oauth2", "grant": "refreshTokn", "tokenURL": "t"}"#
        let problems = TestAPI.problems(#"{"restway": 1, "auth": "# + typo + "}")
        XCTAssertEqual(
            problems,
            [
                "$.auth.grant: unknown grant \"refreshTokn\"; did you mean \"refreshToken\"? "
                    + "(there are clientCredentials, refreshToken)"
            ])
    }

    func testADescriptionInOpenAPINamesTheImporter() {
        let message = "$: this is a description in OpenAPI, not an API document: "
            + "\"restway-openapi FILE\" makes an API document of it"
        for text in [
            #"{"openapi": "3.1.0", "info": {"title": "a"}, "paths": {}}"#,
            #"{"swagger": "2.0", "paths": {}}"#,
            "# a comment\nopenapi: 3.0.3\ninfo:\n  title: a\n",
        ] {
            XCTAssertEqual(TestAPI.problems(text), [message], text)
        }
        let both = TestAPI.problems(#"{"restway": 1, "openapi": "3.1.0"}"#)
        XCTAssertEqual(both, ["$.openapi: unknown key \"openapi\""])
    }

    func testANameInPlaceOfADescriptorShowsTheObject() {
        let document = #"{"restway": 1, "entities": {"Issue": {"attributes": {"id": "id"}}}, "#
        let entity = #"must be an object, is a string: write {"entity": "Issue"}"#
        let type = #"must be an object, is a string: write {"type": "string"}"#
        for (rest, problem) in [
            (#""routes": {"x": {"path": "x", "response": "Issue"}}}"#,
             "$.routes.x.response: " + entity),
            (#""routes": {"x": {"path": "x", "response": ["Issue"]}}}"#,
             "$.routes.x.response[0]: " + entity),
            (#""routes": {"x": {"path": "x", "response": "string"}}}"#,
             "$.routes.x.response: " + type),
            (#""routes": {"x": {"method": "POST", "path": "x", "request": "Issue"}}}"#,
             "$.routes.x.request: " + entity),
            (#""responses": ["Issue"]}"#, "$.responses[0]: " + entity),
            (#""requests": ["Issue"]}"#, "$.requests[0]: " + entity),
        ] {
            XCTAssertEqual(TestAPI.problems(document + rest), [problem])
        }
    }

    func testAClosedValueSaysWhichValueIsWrong() {
        XCTAssertEqual(
            TestAPI.problems(#"{"restway": 1, "auth": {"scheme": "Bearer"}}"#),
            [
                "$.auth.scheme: unknown scheme \"Bearer\"; did you mean \"bearer\"? "
                    + "(there are apiKey, basic, bearer, custom, digest, oauth2)"
            ])
        let attribute = #"{"type": "string", "values": ["S"], "closed": true, "default": "XL"}"#
        let entities = #""entities": {"A": {"attributes": {"size": \#(attribute)}}}"#
        XCTAssertEqual(
            TestAPI.problems(#"{"restway": 1, \#(entities)}"#),
            ["$.entities.A.attributes.size.default: \"XL\" is not one of \"values\""])
    }

    func testTwentyProblemsAreReportedAtOnceEachWithItsPath() {
        let problems = TestAPI.problems(
            """
            {
              "restway": 2,
              "environment": "prod",
              "environments": {
                "production": {"baseURL": "ftp://example.com"},
                "develop": {"headers": {"X Y": "1"}},
                "other": {"baseURL": "http://a", "timeoutMilliseconds": "soon"}
              },
              "headers": {"X-Good": 1},
              "entities": {
                "Company": {
                  "identity": "itemId",
                  "attributes": {
                    "itemID": {"source": "id", "type": "integer"},
                    "name": "address..name",
                    "since": {"type": "date", "format": "yyyy-QQ"},
                    "size": {"type": "int", "format": "yyyy"},
                    "tags": 3
                  },
                  "relationships": {"boss": {"entity": "Person"}}
                }
              },
              "routes": {
                "a": {"method": "FETCH IT", "path": "a"},
                "b": {"path": "b/:"},
                "c": {"path": "c", "response": {"entity": "Compny"}},
                "d": {},
                "e": {"path": "e", "parent": "zzz"},
                "f": {"path": "f", "response": {"entity": "Company", "status": "9xx"}},
                "g": {"path": "g", "lane": "a"}
              },
              "responses": {},
              "entites": {}
            }
            """)
        let paths = problems.map { $0.prefix { $0 != ":" } }.map(String.init)
        let expected = [
            "$.entites", "$.restway", "$.headers.X-Good", "$.environments.production.baseURL",
            "$.environments.develop.headers['X Y']", "$.environments.develop",
            "$.environments.other.timeoutMilliseconds", "$.environment",
            "$.entities.Company.relationships.boss.entity",
            "$.entities.Company.attributes.itemID.type",
            "$.entities.Company.attributes.name", "$.entities.Company.attributes.since.format",
            "$.entities.Company.attributes.size.format", "$.entities.Company.attributes.tags",
            "$.entities.Company.identity", "$.routes.a.method", "$.routes.b.path",
            "$.routes.c.response.entity", "$.routes.d", "$.routes.e.parent",
            "$.routes.f.response.status", "$.routes.g.lane", "$.responses",
        ]
        XCTAssertEqual(Set(paths), Set(expected), problems.joined(separator: "\n"))
        XCTAssertEqual(paths.count, expected.count)
        XCTAssertTrue(
            problems.contains(
                "$.routes.c.response.entity: unknown entity \"Compny\"; did you mean \"Company\"?"),
            problems.joined(separator: "\n"))
    }

    func testKeysOfLaterVersionsAreRefusedByName() {
        XCTAssertEqual(
            TestAPI.problems(
                #"{"restway": 1, "routes": {"a": {"path": "a", "lane": "b", "x-mine": {}}}}"#),
            ["$.routes.a.lane: not supported by this version of Restway"])
    }

    func testCONNECTIsRefusedWithTheReason() {
        XCTAssertEqual(
            TestAPI.problems(
                #"{"restway": 1, "routes": {"a": {"path": "a", "method": "CONNECT"}}}"#),
            [
                "$.routes.a.method: is CONNECT, which makes a tunnel and has no answer that could "
                    + "be read; tunnels through proxies are made by themselves"
            ])
    }

    func testATextThatIsNoMethodIsNamed() {
        XCTAssertEqual(
            TestAPI.problems(
                #"{"restway": 1, "routes": {"a": {"path": "a", "#
                    + #""method": ["QUERY", "a b", "post"]}}}"#
            ),
            [
                "$.routes.a.method[1]: is \"a b\", which is no token: it has letters, digits and "
                    + "!#$%&'*+-.^_`|~ alone (RFC 9110, section 9.1)",
                "$.routes.a.method[2]: is \"post\", and methods are case-sensitive: write "
                    + "\"POST\"",
            ])
    }

    func testBrokenJSONSaysWhere() {
        let problems = TestAPI.problems("{\n\"restway\": 1,\n]")
        XCTAssertEqual(problems.count, 1)
        XCTAssertTrue(problems[0].contains("line 3"), problems[0])
    }

    func testAKeyThatStandsTwiceIsAProblem() {
        XCTAssertEqual(TestAPI.problems(#"{"restway": 1, "restway": 1}"#).count, 1)
    }

    func testAnEqualDescriptorTwiceIsAProblem() {
        let problems = TestAPI.problems(
            """
            {"restway": 1, "entities": {"A": {"attributes": {"x": "x"}}}, "responses": [
              {"path": "a", "entity": "A"}, {"path": "a", "entity": "A"},
              {"path": "a", "entity": "A", "keyPath": "k"}]}
            """)
        XCTAssertEqual(
            problems,
            [
                "$.responses[1]: applies to the same answers as $.responses[0], "
                    + "with the same entity and keyPath: remove one of the two; routes with one "
                    + "path share an entry of \"responses\" that has this path"
            ])
        XCTAssertEqual(
            TestAPI.problems(
                """
                {"restway": 1, "entities": {"A": {"attributes": {"x": "x"}}}, "routes": {
                  "a": {"path": "a", "response": [{"entity": "A"}, {"entity": "A"}]}}}
                """),
            [
                "$.routes.a.response[1]: applies to the same answers as $.routes.a.response[0], "
                    + "with the same entity and keyPath: remove one of the two; routes with one "
                    + "path share an entry of \"responses\" that has this path"
            ])
    }

    func testRoutesWithOnePathShareAnEntryOfResponses() {
        let share = #""responses": [{"path": "a", "entity": "A"}]"#
        XCTAssertEqual(
            TestAPI.problems(
                """
                {"restway": 1, "entities": {"A": {"attributes": {"x": "x"}}}, \(share), "routes": {
                  "all": {"path": "a"}, "some": {"path": "a", "parameters": {"some": true}}}}
                """), [])
    }

    func testKeysOfTheRouteInItsResponseAreExplained() {
        let problems = TestAPI.problems(
            """
            {"restway": 1, "entities": {"A": {"attributes": {"x": "x"}}}, "routes": {"a": {
              "path": "a", "response": {"entity": "A", "method": "GET", "path": "b", "pat": 1}}}}
            """)
        XCTAssertEqual(
            problems,
            [
                "$.routes.a.response.method: unknown key \"method\": the response of a route is "
                    + "for all methods of the route; an entry of \"responses\" can name a method",
                "$.routes.a.response.path: unknown key \"path\": the response of a route is for "
                    + "the path of the route; an entry of \"responses\" has a path of its own",
                "$.routes.a.response.pat: unknown key \"pat\"",
            ])
    }

    func testConditionalHeadersOfADocumentHaveNoVariables() {
        let rule =
            "is sent as it stands here, so braces name no variable: set If-Match for each request, "
            + "or in a modifier"
        XCTAssertEqual(
            TestAPI.problems(
                """
                {"restway": 1, "headers": {"If-Match": "{version}", "X-Template": "{id}"},
                 "routes": {
                  "a": {"path": "a", "headers": {"If-Match": "\\"{x}\\"", "If-None-Match": "*"}}}}
                """),
            ["$.headers.If-Match: \(rule)", "$.routes.a.headers.If-Match: \(rule)"])
    }

    func testEqualObjectRoutesAreAProblem() {
        let problems = TestAPI.problems(
            """
            {"restway": 1, "entities": {"A": {"attributes": {"x": "x"}}}, "routes": {
              "one": {"path": "a/:x", "entity": "A"}, "two": {"path": "a/:y", "entity": "A"}}}
            """)
        XCTAssertEqual(problems.count, 1)
        XCTAssertTrue(problems[0].hasPrefix("$.routes.two: "), problems[0])
    }

    func testParentsMayStandBehindTheirChildrenAndCirclesAreProblems() throws {
        let api = try TestAPI.load(
            """
            {"restway": 1, "routes": {"c": {"parent": "b", "path": "c"},
              "b": {"parent": "a", "path": "b"}, "a": {"path": "a/:id"}}}
            """)
        XCTAssertEqual(try api.definition.routes.route(named: "c").template.text, "a/:id/b/c")
        let problems = TestAPI.problems(
            """
            {"restway": 1, "routes": {"a": {"parent": "b", "path": "a"},
              "b": {"parent": "a", "path": "b"}}}
            """)
        XCTAssertEqual(
            problems,
            [
                "$.routes.a.parent: is part of a circle of parents",
                "$.routes.b.parent: is part of a circle of parents",
            ])
    }

    func testOneProblemHidesNoOther() {
        let problems = TestAPI.problems(
            #"""
            {"restway": 1, "$schema": "urn:x", "environments": {
              "e": {"path": 1, "trustedOrigins": ["https://a.test/path", "http://b.test"]}},
             "headers": {"'\\": 1},
             "routes": {"a": {"path": 1, "method": ["GET", "GET", "GET"], "headers": 3,
                              "response": {"status": "x"}},
                        "child": {"path": "c", "parent": "a"}},
             "responses": [{"path": ":", "status": 1.5, "keyPath": 2}],
             "requests": [{"method": "X Y", "parameters": 1}]}
            """#)
        XCTAssertEqual(
            Set(problems.map { String($0.prefix { $0 != ":" }) }),
            [
                "$.environments.e.path", "$.environments.e.trustedOrigins[0]", "$.environments.e",
                #"$.headers['\'\\']"#, "$.routes.a.path", "$.routes.a.method",
                "$.routes.a.headers", "$.routes.a.response.status", "$.routes.a.response",
                "$.responses[0].path", "$.responses[0].status", "$.responses[0].keyPath",
                "$.responses[0]", "$.requests[0].method", "$.requests[0].parameters",
                "$.requests[0]",
            ], problems.joined(separator: "\n"))
        XCTAssertEqual(problems.count, 16)
    }

    func testAnyJSONIsRefusedOrLoadedButNeverTraps() {
        var random = SystemRandomNumberGenerator()
        let pieces = [
            "null", "1", "-1", "1e400", "true", "\"\"", "\"GET\"", "\"a.b\"", "[]", "{}", "[[]]",
            "{\"entity\": 1}", "[{\"entity\": \"A\", \"path\": {}}]",
            "{\"A\": {\"attributes\": []}}",
            "{\"a\": {\"path\": 1, \"parent\": []}}", "{\"\": \"\"}", "\"\\u0000\"",
        ]
        for _ in 0..<2_000 {
            let members = DocumentObject.document.keys.compactMap { key in
                Bool.random(using: &random) ? "\"\(key)\": \(pieces.randomElement()!)" : nil
            }
            _ = TestAPI.problems("{\(members.joined(separator: ","))}")
        }
    }
}
