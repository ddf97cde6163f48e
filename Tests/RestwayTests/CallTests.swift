import Foundation
import LoopbackServer
import Restway
import XCTest

/// The verbs, the values that they take, and the types that they read answers into.
final class CallTests: DemoTestCase {
    struct Enterprise: Codable, Equatable {
        var itemID: Int
        var name: String
        var city: String?
        var creationDate: Date?
        var rating: Double?
        var active: Bool?
        var tags: [String]?
    }

    // MARK: Reading

    func testAMappedAnswerIsReadIntoAStructByTheNamesOfItsAttributes() async throws {
        let client = try client()
        let id = 3
        let company: Enterprise = try await client.get("enterprises/\(id)")
        XCTAssertEqual(company.itemID, 3)
        XCTAssertNotNil(company.creationDate)
        let object = try await client.get("enterprises/\(id)").object
        XCTAssertEqual(company.name, object?["name"])
        XCTAssertEqual(try client.url(of: XCTUnwrap(object)), "\(try url())/enterprises/3")
        XCTAssertEqual(company.creationDate, object?["creationDate"])
        XCTAssertEqual(company.tags.map { JSON.array($0.map(JSON.string)) }, object?["tags"])
    }

    func testAListIsReadIntoAnArray() async throws {
        let companies: [Enterprise] = try await client().get(
            "enterprises", parameters: ["per_page": 5])
        XCTAssertEqual(companies.map(\.itemID), [1, 2, 3, 4, 5])
    }

    func testAnAnswerThatTheDocumentDoesNotMapIsReadAsJSON() async throws {
        let client = try client()
        let response = try await client.get("status")
        XCTAssertFalse(response.isMapped)
        let json: JSON = try await client.get("status")
        XCTAssertEqual(json, try response.json())
        XCTAssertEqual(try JSON(parsing: response.text()), json)
    }

    func testARouteTakesVariables() async throws {
        let client = try client()
        let company: Enterprise = try await client.get(
            .route("enterprise"), variables: ["itemID": 4])
        XCTAssertEqual(company.itemID, 4)
        struct Variables: Encodable { let itemID = 5 }
        let other: Enterprise = try await client.get(
            .route("enterprise"), variables: Values(Variables()))
        XCTAssertEqual(other.itemID, 5)
    }

    func testAWrongTypeIsNamedWithItsProperty() async throws {
        struct Wrong: Decodable { let name: Int }
        let client = try client()
        let error = try await failure { () throws(RestwayError) in
            let _: Wrong = try await client.get("enterprises/3")
        }
        XCTAssertEqual(error.kind, .mapping)
        XCTAssertEqual(error.field, "name")
        XCTAssertEqual(error.message, "Wrong.name: expected Int, is a string")
        XCTAssertNotNil(error.underlyingError as? DecodingError)
    }

    func testAPropertyThatTheEntityDoesNotHaveIsNamed() async throws {
        struct Wrong: Decodable { let nmae: String }
        let client = try client()
        let error = try await failure { () throws(RestwayError) in
            let _: [Wrong] = try await client.get("enterprises", parameters: ["per_page": 1])
        }
        XCTAssertEqual(error.field, "[0].nmae")
        XCTAssertEqual(
            error.message,
            "Array<Wrong>.[0].nmae: the entity Enterprise has neither an attribute nor a "
                + "relationship of this name")
    }

    // MARK: Sending

    func testValuesInAPathStayInTheirSegment() throws {
        let client = try client()
        let request = try client.inspect(Request(.get, "people/\("a/b?c=:d")"))
        XCTAssertTrue(request.url.hasSuffix("/people/a%2Fb%3Fc%3D%3Ad"), request.url)
    }

    func testParametersAndHeadersAndBodies() throws {
        let client = try client()
        var request = Request(.get, "enterprises")
        request.parameters = ["city": "San Marino", "page": 2]
        request.headers = ["X-Trace": "7"]
        let seen = try client.inspect(request)
        XCTAssertTrue(seen.url.hasSuffix("enterprises?city=San%20Marino&page=2"), seen.url)
        XCTAssertEqual(seen.headers["x-trace"], "7")

        struct Person: Encodable {
            let name = "Rossi"
            let born = Date(timeIntervalSince1970: 0)
        }
        var post = Request(.post, "people")
        post.body = try .json(Person())
        let sent = try client.inspect(post)
        XCTAssertEqual(
            String(decoding: try XCTUnwrap(sent.body), as: UTF8.self),
            #"{"born":"1970-01-01T00:00:00Z","name":"Rossi"}"#)
        XCTAssertEqual(sent.headers["Content-Type"], "application/json")
        XCTAssertEqual(sent.method, .post)
    }

    func testAnyTokenIsAMethod() async throws {
        let client = try client()
        var request = Request("M-SEARCH", "echo")
        request.parameters = ["a": 1]
        let echo: JSON = try await client.send(request).json()
        XCTAssertEqual(echo["method"], "M-SEARCH")
        XCTAssertEqual(echo["body"], #"{"a":1}"#)
        XCTAssertEqual(try client.inspect(request).method, "M-SEARCH")
        for (method, path, message) in [
            ("a b", "echo", #"method is "a b", which is no token"#),
            ("get", "echo", #"write "GET""#), ("CONNECT", "echo", "makes a tunnel"),
            ("echo", "GET", "the method comes first"),
        ] {
            let refused = Request(Method(rawValue: method), .path(path))
            XCTAssertThrowsError(try client.inspect(refused)) { error in
                let error = error as? RestwayError
                XCTAssertEqual(error?.kind, .invalidArgument)
                XCTAssertTrue(error?.message.contains(message) == true, "\(error as Any)")
            }
        }
    }

    func testRequestsAreCompared() throws {
        let client = try client()
        func request(_ body: RequestBody, _ headers: Headers = [:]) throws -> OutgoingRequest {
            var request = Request(.post, "people")
            request.body = body
            request.headers = headers
            return try client.inspect(request)
        }
        let first = try request(.text(#"{"a": 1, "b": [2]}"#, mediaType: "application/json"))
        XCTAssertEqual(first, try request(.json(["b": [2], "a": 1])))
        XCTAssertNotEqual(first, try request(.json(["b": [3], "a": 1])))
        XCTAssertNotEqual(first, try request(.json(["b": [2], "a": 1]), ["X-Trace": "1"]))
        XCTAssertEqual(
            try request(.text("x"), ["X-A": "1", "X-B": "2"]),
            try request(.text("x"), ["x-b": "2", "x-a": "1"]))
        XCTAssertNotEqual(try request(.text("x")), try request(.text("y")))
        XCTAssertNotEqual(try client.inspect(Request(.post, "people")), try request(.text("x")))
    }

    func testEachPartOfARequestIsCompared() throws {
        let client = try client()
        func request(
            _ path: Target, _ method: Method = .post, _ parameters: Values = [:],
            _ body: RequestBody? = nil
        ) throws -> OutgoingRequest {
            var request = Request(method, path)
            request.parameters = parameters
            request.body = body
            return try client.inspect(request)
        }
        let get = try request("people", .get, ["page": 2])
        XCTAssertEqual(get, try request("people", .get, ["page": 2]))
        XCTAssertNotEqual(get, try request("people", .head, ["page": 2]))
        XCTAssertNotEqual(get, try request("people", .get, ["page": 3]))
        XCTAssertNotEqual(get, try request("person", .get, ["page": 2]))
        let numbers = try [1, 1.0].map { try request("people", .post, [:], .json($0)) }
        XCTAssertEqual(numbers[0], numbers[1])
        // Only JSON is compared by its content, whatever the bytes look like.
        XCTAssertNotEqual(
            try request("people", .post, [:], .text("[1]")),
            try request("people", .post, [:], .text("[1 ]")))
        XCTAssertEqual(
            try request("people", .post, [:], .data(Data([1, 2]))),
            try request("people", .post, [:], .data(Data([1, 2]))))
    }

    func testBodiesOfFilesAndFormsAreComparedByTheirBytes() throws {
        let client = try client()
        func file(_ text: String) throws -> String {
            let path = try temporaryFile("notes.txt")
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            return path
        }
        func request(_ body: RequestBody, _ parameters: Values = [:]) throws -> OutgoingRequest {
            var request = Request(.post, "people")
            request.body = body
            request.parameters = parameters
            return try client.inspect(request)
        }
        let (first, same, other) = (try file("abc"), try file("abc"), try file("abd"))
        XCTAssertEqual(try request(.file(first)), try request(.file(same)))
        XCTAssertNotEqual(try request(.file(first)), try request(.file(other)))
        XCTAssertNotEqual(
            try request(.file(first)), try request(.file(first, mediaType: "text/x-a")))

        func form(
            _ path: String, _ title: JSON = "Ann", _ year: JSON = 1
        ) throws -> OutgoingRequest {
            let body = RequestBody.multipart(
                fields: ["title": title], files: ["notes": .file(path)])
            return try request(body, ["year": year])
        }
        XCTAssertEqual(try form(first), try form(same))
        XCTAssertNotEqual(try form(first), try form(other))
        XCTAssertNotEqual(try form(first), try form(first, "Bob"))
        XCTAssertNotEqual(try form(first), try form(first, "Ann", 2))
        let fields = RequestBody.parameters(as: .multipart)
        XCTAssertEqual(try request(fields, ["a": 1]), try request(fields, ["a": 1]))
        XCTAssertNotEqual(try request(fields, ["a": 1]), try request(fields, ["a": 2]))

        let pieces = RequestBody.stream(AsyncStream<Data> { $0.finish() })
        XCTAssertEqual(try request(pieces), try request(pieces))
        let others = RequestBody.stream(AsyncStream<Data> { $0.finish() })
        XCTAssertNotEqual(try request(pieces), try request(others))
    }

    func testARequestForTheOutboxEqualsItself() throws {
        let document: JSON = [
            "restway": 1, "environments": ["here": ["baseURL": "http://127.0.0.1:1"]],
            "routes": ["note": ["method": "POST", "path": "notes", "offline": true]],
            "outbox": ["path": "outbox.db"],
        ]
        let file = try temporaryFile("outbox.db")
        let client = try ending(Client(API(document: document), options: .init(outbox: file)))
        var request = Request(.post, .route("note"))
        let made = try client.inspect(request)
        XCTAssertNotNil(made.headers["Idempotency-Key"])
        XCTAssertEqual(made, try client.inspect(request), "the library makes new keys")
        request.idempotencyKey = "a"
        let given = try client.inspect(request)
        XCTAssertEqual(given, try client.inspect(request))
        request.idempotencyKey = "b"
        XCTAssertNotEqual(given, try client.inspect(request))
    }

    func testASentRequestEqualsTheInspectedOne() async throws {
        let client = try client()
        var request = Request(.post, "echo/any")
        request.body = try .json(["a": 1])
        let sent = try await client.send(request).request
        XCTAssertEqual(sent, try client.inspect(request))
        let path = try temporaryFile("notes.txt")
        try Data("abc".utf8).write(to: URL(fileURLWithPath: path))
        request.body = .file(path)
        let (first, second) = (try await client.send(request), try await client.send(request))
        XCTAssertEqual(first.request, first.request)
        XCTAssertNotEqual(first.request, second.request, "the bytes that were sent are not known")
    }

    func testAnEncodableValueHasTheParameters() throws {
        struct Filter: Encodable {
            let city = "San Marino"
            let since = Date(timeIntervalSince1970: 0)
            let state: String? = nil
            let page = 2
        }
        var request = Request(.get, "enterprises")
        request.parameters = try Values(Filter())
        let seen = try client().inspect(request)
        XCTAssertTrue(
            seen.url.hasSuffix("?city=San%20Marino&page=2&since=1970-01-01T00%3A00%3A00Z"),
            seen.url)
        XCTAssertThrowsError(try Values([1, 2])) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .invalidArgument)
        }
    }

    func testAURLIsSplitAndAQueryIsWritten() async throws {
        let parts = try URLParts("HTTPS://API.Example/a%2Fb?tag=a+b&tag=c%26&empty#end%21")
        XCTAssertEqual(parts.scheme, "https")
        XCTAssertEqual(parts.host, "api.example")
        XCTAssertEqual(parts.port, 443)
        XCTAssertEqual(parts.path, "/a%2Fb")
        XCTAssertEqual(parts.fragment, "end!")
        XCTAssertEqual(parts.parameters.map(\.name), ["tag", "tag", "empty"])
        XCTAssertEqual(parts.parameters.map(\.value), ["a b", "c&", ""])
        XCTAssertEqual(parts.parameters["tag"], "a b")
        XCTAssertNil(parts.parameters["none"])
        XCTAssertEqual(try URLParts("http://[::1]:8080").port, 8080)
        XCTAssertNil(try URLParts("http://a").fragment)
        let error = try await failure { () throws(RestwayError) in try URLParts("ftp://a") }
        XCTAssertEqual(error.kind, .invalidURL)
        XCTAssertEqual(
            URLParts.query(["sort": "name", "tag": "a b&", "tag": "é"]),
            "sort=name&tag=a%20b%26&tag=%C3%A9")
    }

    func testAStatusHasAClass() async throws {
        let classes = [99, 100, 204, 302, 404, 599, 600].map(StatusClass.init(_:))
        XCTAssertEqual(
            classes,
            [.none, .informational, .success, .redirection, .clientError, .serverError, .none])
        let response = try await client().get("status")
        XCTAssertEqual(response.statusClass, .success)
        XCTAssertEqual(
            response.request?.headers["User-Agent"], "restway/\(API.libraryVersion)")
    }

    func testAHeaderThatCannotBeSentIsRefused() async throws {
        let client = try client()
        let error = try await failure { () throws(RestwayError) in
            try await client.get("enterprises", headers: ["X-Bad": "a\nb"])
        }
        XCTAssertEqual(error.kind, .invalidArgument)
        XCTAssertEqual(error.field, "X-Bad")
    }

    func testAnObjectIsMadeChangedAndDeleted() async throws {
        let client = try client()
        let made: Enterprise = try await client.post(
            "enterprises", body: .json(["name": "Rossi", "address": ["city": "Pisa"]]))
        XCTAssertEqual(made.city, "Pisa")
        let changed: Enterprise = try await client.patch(
            "enterprises/\(made.itemID)", body: .json(["name": "Bianchi"]))
        XCTAssertEqual(changed.name, "Bianchi")
        try await client.delete("enterprises/\(made.itemID)")
        let error = try await failure { () throws(RestwayError) in
            try await client.get("enterprises/\(made.itemID)")
        }
        XCTAssertEqual(error.kind, .http)
        XCTAssertEqual(error.httpStatus, 404)
        XCTAssertEqual(error.response?.status, 404)
        XCTAssertEqual(error.request?.method, .get)
    }

    // MARK: Ends

    func testACancelledTaskCancelsItsCall() async throws {
        let server = try TestServer.silent()
        let client = try client { $0.baseURL = server.url("/v2") }
        let task = CallTask { () throws(RestwayError) in try await client.get("anything") }
        task.cancel()
        let kind = await task.kind
        XCTAssertEqual(kind, .cancelled)
    }

    func testAClosedClientRefusesCalls() async throws {
        let client = try client()
        client.close()
        client.close()
        let error = try await failure { () throws(RestwayError) in try await client.get("status") }
        XCTAssertEqual(error.kind, .closed)
    }

    func testManyTasksShareAClient() async throws {
        let client = try client()
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for id in 1...32 {
                group.addTask {
                    let company: Enterprise = try await client.get("enterprises/\(id % 4 + 1)")
                    return company.itemID
                }
            }
            return try await group.reduce(0, +)
        }
        XCTAssertEqual(sum, 8 * (1 + 2 + 3 + 4))
    }

    func testAClientEndsWithItsLastReference() async throws {
        weak var ended: Client?
        var response: Response?
        do {
            let client = try client()
            ended = client
            response = try await client.get("enterprises/3")
        }
        XCTAssertNil(ended)
        XCTAssertEqual(response?.object?["itemID"], 3)
    }
}
