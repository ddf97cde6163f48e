import Glibc
import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayPlugins
@testable import RestwayRequests

/// Messages about mistakes that say what is wrong, where, and what is right.
final class MessageTests: OutboxTestCase {
    private static let json = HeaderField(name: "Content-Type", value: "application/json")

    // MARK: Making a client

    func testABaseURLOfTheProgramIsNamed() {
        let failure = refusal { _ = try client { $0.baseURL = "127.0.0.1:8123" } }
        XCTAssertEqual(
            failure?.message,
            "options.base_url: URL \"127.0.0.1:8123\": an absolute URL is expected, such as "
                + "\"https://api.example.com/v1\"")
        XCTAssertEqual(failure?.field, "options.base_url")
    }

    func testAMissingFolderIsSaid() {
        let missing = "\(directory)/none/x.db"
        let words = "\"\(missing)\": the folder \"\(directory)/none\" does not exist"
        for change: (inout ClientOptions) -> Void in [
            { $0.files.outbox = missing }, { $0.files.store = missing },
        ] {
            let failure = refusal { _ = try client(change: change) }
            XCTAssertTrue(failure?.message.hasSuffix(words) ?? false, failure?.message ?? "")
        }
    }

    func testAProblemThatAClientFindsInADocumentNamesItsFile() throws {
        let file = "\(directory)/api.json"
        let text = document(routes: #", "mirror": {"path": "m", "dataMapper": "missing"}"#)
        XCTAssertTrue(TextFile.write(text, to: file))
        defer { unlink(file) }
        let api = try API(file: file)
        let failure = refusal { _ = try Client.make(api: api, options: ClientOptions()) }
        // Other tests of this process load plugins.
        let mappers = PluginRegistry.shared.plugins.flatMap(\.mappers).map(\.name)
        let known = (["jansson"] + mappers).joined(separator: ", ")
        XCTAssertEqual(
            failure?.message,
            "\(file): $.routes.mirror.dataMapper: no data mapper is called \"missing\" "
                + "(there are: \(known))")
    }

    // MARK: Bodies

    private func post(_ body: String, _ type: String = "application/json") -> RequestSpec {
        var spec = RequestSpec(target: .path(.post, "notes?page=1"))
        spec.given.body = .init(bytes: Array(body.utf8), mediaType: type)
        return spec
    }

    func testABodyThatIsNotJSONIsRefusedWhenItIsGiven() throws {
        let client = try client()
        let failure = refusal { _ = try client.send(post("{title: 1, \"token\": \"geheim\"}")) }
        XCTAssertEqual(failure?.reason, .invalidArgument)
        XCTAssertEqual(failure?.field, "body")
        XCTAssertEqual(
            failure?.message,
            "POST http://api.test/v1/notes: the body is declared as application/json and is not "
                + "valid JSON: a key in quotation marks expected at line 1, column 2 (byte 1): "
                + "{title: 1, \"token\": \"[redacted]")
        XCTAssertNotNil(refusal { _ = try client.send(post("no", "application/problem+json")) })
    }

    func testOtherBodiesAreSentAsTheyAre() throws {
        let client = try client()
        for (body, type) in [
            ("", "application/json"), ("{title: 1}", "text/plain"), ("[1e999]", "application/json"),
            ("{\"n\": 123456789012345678901234567890}", "application/json"),
            ("{}\n{}", "application/x-ndjson"), ("+AHs-", "application/json; charset=utf-7"),
        ] {
            let call = try client.send(post(body, type))
            let sent = transport.answer(200)
            guard case .bytes(let bytes) = sent.body else { return XCTFail(body) }
            XCTAssertEqual(bytes, Array(body.utf8))
            _ = try call.wait(milliseconds: 0)
        }
    }

    func testAnAnswerThatIsNotJSONShowsItsTypeAndItsFirstBytes() throws {
        let client = try client()
        let call = try client.send(RequestSpec(target: .path(.get, "things/1?token=geheim")))
        transport.answer(
            200, "{\"id\": 1, \"password\": \"geheim\", \"name\" \"x\"}", headers: [Self.json])
        let message = failure(of: call)?.message ?? ""
        let (before, after) = (
            "GET http://api.test/v1/things/1: not valid JSON: ",
            " (application/json): {\"id\": 1, \"password\": \"[redacted]"
        )
        XCTAssertTrue(message.hasPrefix(before) && message.hasSuffix(after), message)
    }

    // MARK: Routes

    func testTheNameOfARouteThatIsGivenAsAPathIsRecognised() throws {
        let client = try client()
        let call = try client.send(RequestSpec(target: .path(.get, "thing")))
        transport.answer(404, "{}", headers: [Self.json])
        XCTAssertEqual(
            failure(of: call)?.message,
            "GET http://api.test/v1/thing answered 404 Not Found: {}; \"thing\" is a route: "
                + "a request by route is made with its name")
        // Here the name of the route is also its path.
        let other = try client.send(RequestSpec(target: .path(.get, "things")))
        transport.answer(404, "{}", headers: [Self.json])
        XCTAssertEqual(
            failure(of: other)?.message, "GET http://api.test/v1/things answered 404 Not Found: {}")
    }

    func testAURLElsewhereSaysHowARouteIsNamed() throws {
        let client = try client()
        let spec = RequestSpec(target: .path(.get, "http://other.test/x?token=secret"))
        let failure = refusal { _ = try client.send(spec) }
        XCTAssertEqual(
            failure?.message,
            "URL \"http://other.test/x\": it is not below http://api.test/v1, and only a request "
                + "that also names a route leads elsewhere (restway_request_set_route; in Python, "
                + "route=)")
        XCTAssertEqual(failure?.reason, .invalidURL)
    }

    func testAnEmptyVariableThatIsAWholeSegmentSaysWhatToDo() throws {
        var spec = RequestSpec(target: .route("thing", .get))
        spec.variables["id"] = .value(.string(""))
        let client = try client()
        let failure = refusal { _ = try client.send(spec) }
        XCTAssertEqual(
            failure?.message,
            "variable \"id\" of path \"things/:id\": the value is empty, and without it the path "
                + "would name another resource: give the variable a value, or use a path without "
                + "this segment")
        XCTAssertEqual(failure?.field, "id")
    }

    func testATypeThatNoMapperWritesNamesTheEncoder() throws {
        var spec = RequestSpec(target: .path(.post, "things"))
        spec.headers = [("Content-Type", "application/x-amz-json-1.0")]
        spec.parameters = [Parameter(keys: ["a"], value: .leaf(.int64(1)))]
        let client = try client()
        let failure = refusal { _ = try client.send(spec) }
        XCTAssertEqual(
            failure?.message,
            "no mapper writes \"application/x-amz-json-1.0\", which the request's Content-Type "
                + "asks for: name an encoder of the program as \"encode\" of the route, or give "
                + "the body as bytes")
    }

    // MARK: Identities

    func testAnIdentityOfAnotherTypeIsSaid() throws {
        let client = try client()
        let entity = try client.api.entity(named: "Thing")
        let failure = refusal { _ = try entity.fitting(.string("3")) }
        XCTAssertEqual(
            failure?.message,
            "Thing.id, the identity of Thing, is an integer, and \"3\" is a string")
        XCTAssertEqual(try entity.fitting(.integer(3)), .integer(3))
    }
}

private enum TextFile {
    static func write(_ text: String, to path: String) -> Bool {
        guard let file = fopen(path, "w") else { return false }
        defer { fclose(file) }
        return fputs(text, file) >= 0
    }
}
