import Foundation
import LoopbackServer
import Restway
import XCTest

/// Validators, parsers, encoders, transforms, hooks and exclusions of a program.
final class FunctionTests: DemoTestCase {
    private struct Refusal: Error {}

    private func client(
        routes: JSON, entities: JSON = [:], _ add: (API) throws -> Void
    ) throws -> Client {
        let api = try API(document: [
            "restway": 1, "environments": ["local": ["baseURL": "http://127.0.0.1:1/v2"]],
            "entities": entities, "routes": routes,
        ])
        try add(api)
        return try ending(Client(api, options: .init(baseURL: url())))
    }

    // MARK: Answers

    func testAValidatorRefusesAnAnswer() async throws {
        let client = try client(routes: [
            "status": ["path": "status", "validate": ["function": "envelope"]],
            "echo": ["path": "echo", "validate": ["function": "envelope"]],
        ]) { api in
            try api.addValidator("envelope") { response in
                struct Echo: Decodable { let method: String }
                let _: Echo = try response.decode()
            }
        }
        try await client.get(.route("echo"))
        let error = try await failure { () throws(RestwayError) in
            try await client.get(.route("status"))
        }
        XCTAssertEqual(error.domain, .validation)
        XCTAssertEqual(error.kind, .mapping)
        XCTAssertEqual(error.httpStatus, 200)
        XCTAssertEqual((error.underlyingError as? RestwayError)?.field, "method")
    }

    func testAParserMakesAValueThatIsDecoded() async throws {
        let client = try client(routes: [
            "csv": ["path": "repos/octo/hello/issues.csv", "parse": "csv"],
            "bad": ["path": "status", "parse": "bad"],
            "text": ["path": "status", "parse": "text"],
            "nothing": ["path": "status", "parse": "nothing"],
        ]) { api in
            try api.addParser("csv") { body, mediaType in
                let lines = String(decoding: body, as: UTF8.self).split(separator: "\n")
                return JSON.array(
                    [JSON(mediaType)] + lines.map { JSON(String($0.prefix { $0 != "," })) })
            }
            try api.addParser("bad") { _, _ in throw Refusal() }
        }
        let response = try await client.get(.route("csv"))
        let columns: [String] = try response.decode()
        XCTAssertTrue(columns[0].hasPrefix("text/csv"), columns[0])
        XCTAssertGreaterThan(columns.count, 2)
        XCTAssertEqual(response.value, .json(.array(columns.map(JSON.string))))

        let error = try await failure { () throws(RestwayError) in
            try await client.get(.route("bad"))
        }
        XCTAssertEqual(error.domain, .parsing)
        XCTAssertTrue(error.underlyingError is Refusal)
        let text = try await client.get(.route("text")).value?.string
        XCTAssertEqual(text?.hasPrefix("{"), true)
        let nothing = try await client.get(.route("nothing"))
        XCTAssertEqual(nothing.value, .null)
    }

    func testARequestChoosesAParserInPlaceOfItsRoute() async throws {
        let client = try client(
            routes: tracker(), entities: ["Issue": issue]
        ) { api in
            try api.addTransform("loud", decode: { $0 })
            try api.addParser("size") { body, _ in body.count }
        }
        func response(_ parser: Request.Parser?) async throws -> Response {
            var request = Request(.get, .route("issue"))
            request.variables = ["number": 5]
            request.parser = parser
            return try await client.send(request)
        }
        let bytes = try await response(.bytes)
        XCTAssertEqual(bytes.value, .bytes(bytes.body))
        let json = try await response(.json)
        XCTAssertEqual(try json.decode(JSON.self)["number"], 5)
        XCTAssertEqual(json.value, try .json(JSON(parsing: json.text())))
        let text = try await response(.text)
        XCTAssertEqual(try text.decode(String.self), String(decoding: bytes.body, as: UTF8.self))
        for parser in [Request.Parser.headers, .nothing] {
            let dropped = try await response(parser)
            XCTAssertEqual(dropped.value, .null)
            XCTAssertEqual(dropped.body, Data())
            XCTAssertNotNil(dropped.headers["Content-Type"])
        }
        let size = try await response(.named("size"))
        XCTAssertEqual(try size.decode(Int.self), bytes.body.count)
        for (found, parser) in [
            (bytes, Request.Parser.bytes), (json, .json), (text, .text), (size, .named("size")),
        ] {
            XCTAssertEqual(found.parser, parser)
            XCTAssertEqual(found.objects.count, 0)
        }
        // None of these answers was mapped.
        XCTAssertNil(try client.store.find("Issue", 5))
        for parser in [nil, Request.Parser.objects] {
            let mapped = try await response(parser)
            XCTAssertEqual(mapped.parser, .objects)
            XCTAssertEqual(mapped.object?["number"], 5)
        }
    }

    func testTheParserOfARequestReplacesAParserOfTheRoute() async throws {
        let client = try client(routes: [
            "status": ["path": "status", "parse": "bad"]
        ]) { api in
            try api.addParser("bad") { _, _ in throw Refusal() }
        }
        let route = Route(.route("status"), modifiers: [.parser(.text)])
        let text = try await client.send(route)
        XCTAssertEqual(text.parser, .text)
        let operation = client.operation(try Request(route), as: String.self)
        let same = try await operation.execute()
        XCTAssertEqual(same, text.value?.string)
        let error = try await failure { () throws(RestwayError) in
            try await client.send(Request(.get, .route("status")).modified(by: .parser(.json)))
            try await client.send(
                Request(.get, .route("status")).modified(by: .parser(.named("jsn"))))
        }
        XCTAssertEqual(error.kind, .invalidArgument)
        XCTAssertEqual(error.field, "parser")
        XCTAssertTrue(error.message.contains("no parser \"jsn\""), error.message)
    }

    func testAnEncoderWritesTheBodyOfARoute() async throws {
        let client = try client(routes: [
            "echo": ["method": "POST", "path": "echo", "encode": "lines"]
        ]) { api in
            try api.addEncoder("lines") { values in
                guard let name = values["name"]?.string else { throw Refusal() }
                return .text("name: \(name)\n", mediaType: "text/x-lines")
            }
        }
        let seen: JSON = try await client.post(.route("echo"), parameters: ["name": "Rossi"])
        XCTAssertEqual(seen["body"], "name: Rossi\n")
        XCTAssertEqual(seen["headers"]?["Content-Type"], "text/x-lines")
        let error = try await failure { () throws(RestwayError) in
            try await client.post(.route("echo"), parameters: ["other": 1])
        }
        XCTAssertTrue(error.underlyingError is Refusal)
    }

    // MARK: The mapping

    private let issue: JSON = [
        "identity": "number",
        "attributes": [
            "number": ["type": "int"], "title": ["source": "title", "transform": "loud"],
            "state": "state",
        ],
    ]

    private func tracker(hook: String? = nil) throws -> JSON {
        var response: [String: JSON] = ["entity": "Issue"]
        if let hook { response["hook"] = JSON(hook) }
        return [
            "issue": [
                "method": ["GET", "PATCH"], "path": "repos/octo/hello/issues/:number",
                "entity": "Issue", "response": .object(response),
                "request": ["entity": "Issue", "changedOnly": true],
            ]
        ]
    }

    func testATransformConvertsBothWays() async throws {
        let client = try client(routes: tracker(), entities: ["Issue": issue]) { api in
            try api.addTransform(
                "loud", decode: { $0.string?.uppercased() },
                encode: { value in
                    guard let text = value.string else { throw Refusal() }
                    return text.lowercased()
                })
            XCTAssertThrowsError(try api.addTransform("loud")) {
                XCTAssertEqual(($0 as? RestwayError)?.kind, .duplicate)
            }
        }
        let object = try await client.get(.route("issue"), variables: ["number": 5]).object!
        let title: String = try XCTUnwrap(object["title"])
        XCTAssertEqual(title, title.uppercased())
        let draft = try client.draft(of: object)
        try draft.set("title", to: "NEW TITLE")
        let body = try client.inspect(Request(.patch, .draft(draft))).body
        XCTAssertEqual(
            body.map { String(decoding: $0, as: UTF8.self) }, #"{"title":"new title"}"#)
    }

    func testAHookChangesTheObjectsBeforeTheStoreHasThem() async throws {
        let client = try client(
            routes: tracker(hook: "close"), entities: ["Issue": issue]
        ) { api in
            try api.addTransform("loud", decode: { $0 })
            try api.addHook("close") { rows in
                XCTAssertEqual(rows.all.count, 1)
                for row in rows.results {
                    XCTAssertEqual(row.entity, "Issue")
                    guard let number: Int = row["number"], number != 7 else { throw Refusal() }
                    try row.set("state", to: "number \(number)")
                    XCTAssertThrowsError(try row.set("number", to: true))
                    XCTAssertThrowsError(try row.set("nothing", to: 1)) {
                        XCTAssertEqual(($0 as? RestwayError)?.kind, .unknownAttribute)
                    }
                }
            }
        }
        let object = try await client.get(.route("issue"), variables: ["number": 6]).object
        XCTAssertEqual(object?["state"], "number 6")
        let error = try await failure { () throws(RestwayError) in
            try await client.get(.route("issue"), variables: ["number": 7])
        }
        XCTAssertTrue(error.underlyingError is Refusal)
        XCTAssertNil(try client.store.find("Issue", 7))
    }

    func testAHookSeesTheObjectsOfAllDescriptors() async throws {
        let server = try TestServer { connection in
            while connection.readRequest() != nil {
                connection.answer(
                    #"{"users": [{"id": 1}, {"id": 2}], "team": {"id": 7}}"#,
                    headers: ["Content-Type: application/json"])
            }
        }
        let entity: JSON = [
            "identity": "id", "attributes": ["id": ["type": "int"], "note": "note"],
        ]
        let document: JSON = [
            "restway": 1, "environments": ["here": ["baseURL": "http://127.0.0.1:1"]],
            "entities": ["User": entity, "Team": entity],
            "responses": [
                ["path": "both", "entity": "User", "keyPath": "users"],
                ["path": "both", "entity": "Team", "keyPath": "team", "hook": "count"],
            ],
        ]
        let api = try API(document: document)
        try api.addHook("count") { rows in
            XCTAssertEqual(rows.allResults.map { $0.map(\.entity) }, [["User", "User"], ["Team"]])
            for row in rows.results { try row.set("note", to: "\(rows.allResults[0].count)") }
        }
        let client = try ending(Client(api, options: .init(baseURL: server.url(""))))
        let response = try await client.get("both")
        XCTAssertEqual(response.results.last?.first?["note"], "2")
        XCTAssertEqual(response.issueCount, 0)
    }

    func testAnExclusionKeepsRelationshipsOutOfRequests() async throws {
        let client = try client(
            routes: [
                "echo": [
                    "method": "POST", "path": "echo", "entity": "Company",
                    "request": ["entity": "Company"],
                ]
            ],
            entities: [
                "Company": [
                    "attributes": ["name": "name"],
                    "relationships": ["staff": ["entity": "Person", "many": true]],
                ],
                "Person": ["attributes": ["name": "name"]],
            ]
        ) { _ in }
        let draft = try client.draft("Company", ["name": "Rossi"])
        let person = try client.draft("Person", ["name": "Bea"])
        try draft.relate("staff", to: [client.draft("Person", ["name": "Anna"])])
        try draft.add(person, to: "staff")
        try draft.remove(person, from: "staff")
        func echoed() async throws(RestwayError) -> String? {
            let answer: JSON = try await client.post(.draft(draft))
            return answer["body"]?.string
        }
        let whole = try await echoed()
        XCTAssertEqual(whole, #"{"name":"Rossi","staff":[{"name":"Anna"}]}"#)
        try client.calls.setExclusion { written in
            XCTAssertEqual(written.entity, "Company")
            XCTAssertEqual(written.method, .post)
            XCTAssertEqual(written.path, "echo")
            return written.relationship == "staff"
        }
        let rest = try await echoed()
        XCTAssertEqual(rest, #"{"name":"Rossi"}"#)

        try client.calls.setExclusion { _ in throw Refusal() }
        let error = try await failure { () throws(RestwayError) in try await echoed() }
        XCTAssertTrue(error.underlyingError is Refusal)
        try client.calls.setExclusion(nil)
        let again = try await echoed()
        XCTAssertEqual(again, whole)
    }
}
