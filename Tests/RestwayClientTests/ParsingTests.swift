import Foundation
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayBodies
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests
@testable import RestwayStore

/// The program's validators, the parsers and the encoders of routes, and bytes that are mapped
/// without a server.
final class ParsingTests: XCTestCase {
    private static let document = """
        {"restway": 1,
         "errors": {"code": "code", "message": "text"},
         "entities": {"Thing": {"identity": "id",
            "attributes": {"id": {"type": "int"}, "name": {"type": "string"}},
            "relationships": {"parts": {"entity": "Thing", "many": true}}}},
         "routes": {
            "checked": {"path": "checked", "validate": {"function": "envelope"}},
            "things": {"path": "things", "response": [
                {"entity": "Thing", "keyPath": "list", "required": true},
                {"entity": "Thing", "keyPath": "more"}]},
            "json": {"path": "json", "parse": "json"},
            "text": {"path": "text", "parse": "text"},
            "bytes": {"path": "bytes", "parse": "bytes"},
            "headers": {"path": "headers", "parse": "headers"},
            "nothing": {"path": "nothing", "parse": "nothing", "method": ["DELETE", "GET"]},
            "table": {"path": "table", "parse": "csv"},
            "upload": {"path": "upload", "method": ["POST", "GET"], "encode": "csv",
                       "entity": "Thing", "request": {"method": "POST"}}}}
        """

    private let transport = FakeTransport()
    private let asked = Lock<[String]>([])

    private func client(
        strict: Bool = false,
        validator: @escaping Validator = { _ in },
        parser: @escaping BodyParser = { _, _ in .null },
        encoder: @escaping BodyEncoder = { EncodedBody(bytes: $0, mediaType: nil) }
    ) throws -> Client {
        let api = try TestAPI.load(Self.document)
        try api.addValidator("envelope", validator)
        try api.addParser("csv", parser)
        try api.addEncoder("csv", encoder)
        var options = ClientOptions()
        options.baseURL = "http://api.test"
        options.calls.isMappingStrict = strict
        let client = try Client(
            api: api, options: options, transport: transport, clock: ManualClock())
        addTeardownBlock { client.close() }
        return client
    }

    private func outcome(_ call: Call) -> Call.Outcome {
        Result { () throws(Failure) in try call.wait(milliseconds: 0) }
    }

    private func failure(
        of call: Call, file: StaticString = #filePath, line: UInt = #line
    ) -> Failure? {
        RestwayClientTests.failure(
            { _ = try call.wait(milliseconds: 0) }, file: file, line: line)
    }

    private func text(_ response: Response) -> String {
        String(decoding: response.bodyWithNUL.dropLast(), as: UTF8.self)
    }

    // MARK: Validators

    func testAValidatorSeesTheAnswerAndMayRefuseIt() throws {
        let client = try client(validator: { [asked] response throws(Failure) in
            asked.withLock { $0.append("\(response.status)") }
            if response.status == 201 { throw Failure(.auth, "not ok (RESTWAY_E_AUTH)") }
        })
        let first = try client.send(.route("checked"))
        transport.answer(200)
        XCTAssertEqual(try first.wait(milliseconds: 0).status, 200)
        let second = try client.send(.route("checked"))
        transport.answer(201, #"{"code": "E1", "text": "no"}"#)
        let failure = try XCTUnwrap(failure(of: second))
        XCTAssertEqual(failure.reason, .auth, "the function chooses the status")
        XCTAssertEqual(failure.domain, .validation)
        XCTAssertEqual(failure.apiCode, "E1")
        XCTAssertEqual(
            failure.message,
            "GET http://api.test/checked: the answer is refused: validator \"envelope\": not ok "
                + "(RESTWAY_E_AUTH)")
        let third = try client.send(.route("checked"))
        transport.answer(500)
        XCTAssertEqual(self.failure(of: third)?.reason, .http)
        XCTAssertEqual(asked.withLock { $0 }.count, 2, "it is not asked about a failure")
    }

    func testASavedBodyIsRefusedBeforeItsFirstByte() throws {
        let client = try client(validator: { [asked] response throws(Failure) in
            asked.withLock { $0.append("\(response.bodyCount)") }
            if response.headers[first: "ETag"] == nil { throw Failure(.mapping, "no tag") }
        })
        var template = Array("/tmp/restway-parsing-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        let folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var spec = RequestSpec.route("checked")
        spec.reception.bodyDestination = .file(SavePlan(path: folder + "/body"))
        let refused = try client.send(spec)
        transport.answer(200, "data")
        let failure = try XCTUnwrap(failure(of: refused))
        XCTAssertEqual(failure.domain, .validation)
        XCTAssertEqual(failure.httpStatus, 200)
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder), [])
        let saved = try client.send(spec)
        transport.answer(200, "data", headers: [HeaderField(name: "ETag", value: "1")])
        XCTAssertEqual(try saved.wait(milliseconds: 0).saved?.length, 4)
        XCTAssertEqual(asked.withLock { $0 }, ["0", "0"], "each answer once, without its body")
    }

    func testACallThatEndsWhileItsValidatorRunsIsCancelled() throws {
        let (isRunning, mayEnd) = (Monitor(false), Monitor(false))
        let client = try client(validator: { _ in
            isRunning.update { $0 = true }
            mayEnd.wait { $0 ? () : nil }
        })
        let call = try client.send(.route("checked"))
        transport.answer(200)
        isRunning.wait { $0 ? () : nil }
        call.cancel()
        mayEnd.update { $0 = true }
        XCTAssertEqual(failure(of: call)?.reason, .cancelled)
    }

    // MARK: Parsers

    func testJSONMustBeJSON() throws {
        let client = try client()
        let good = try client.send(.route("json"))
        transport.answer(200, #" {"id": 1} "#, headers: [.init(name: "Content-Type", value: "x/y")])
        let response = try good.wait(milliseconds: 0)
        XCTAssertFalse(response.isMapped)
        XCTAssertTrue(response.bodyIsJSON)
        let empty = try client.send(.route("json"))
        transport.answer(204)
        guard case .json(isEmpty: true) = try empty.wait(milliseconds: 0).parsed else {
            return XCTFail("an empty body is null")
        }
        let bad = try client.send(.route("json"))
        transport.answer(200, "<html>")
        let failure = try XCTUnwrap(failure(of: bad))
        XCTAssertEqual(failure.reason, .mapping)
        XCTAssertEqual(failure.domain, .parsing)
        XCTAssertTrue(failure.message.hasPrefix("GET http://api.test/json: "), failure.message)
        XCTAssertEqual(failure.response?.bodyCount, 6)
    }

    func testTextIsConverted() throws {
        let client = try client()
        let call = try client.send(.route("text"))
        let type = HeaderField(name: "Content-Type", value: "text/plain; charset=iso-8859-1")
        let started = transport.begin(200, [type])
        [UInt8(0xE9)].withUnsafeBytes { _ = started.observer.receivedBody($0) }
        started.observer.completed(.success(ExchangeSummary()))
        guard case .text(let body) = try call.wait(milliseconds: 0).parsed else {
            return XCTFail("no text")
        }
        XCTAssertEqual(body.withBytes { String(decoding: $0, as: UTF8.self) }, "é")
        let unknown = try client.send(.route("text"))
        transport.answer(
            200, "x", headers: [HeaderField(name: "Content-Type", value: "text/plain; charset=q9")])
        let failure = try XCTUnwrap(failure(of: unknown))
        XCTAssertEqual(failure.domain, .parsing)
        XCTAssertEqual(failure.field, "Content-Type")
    }

    func testABodyThatNobodyReadsIsDroppedWhileItArrives() throws {
        let client = try client()
        for (name, method) in [("headers", RestwayRouting.Method.get), ("nothing", .delete)] {
            let call = try client.send(.route(name, method))
            let started = transport.begin(200, [.init(name: "X-A", value: "b")])
            let recorder = try XCTUnwrap(started.observer as? ExchangeRecorder)
            _ = [UInt8](repeating: 1, count: 1_000).withUnsafeBytes { recorder.receivedBody($0) }
            XCTAssertEqual(recorder.takeBody().count, 0)
            started.observer.completed(.success(ExchangeSummary()))
            let response = try call.wait(milliseconds: 0)
            XCTAssertEqual(response.bodyCount, 0)
            XCTAssertEqual(response.headers[first: "X-A"], "b")
        }
        let failed = try client.send(.route("nothing"))
        transport.answer(404, #"{"text": "gone"}"#)
        XCTAssertEqual(failure(of: failed)?.apiMessage, "gone", "a failure keeps its body")
    }

    func testACompressedBodyIsDroppedWithoutDecoding() throws {
        let client = try client()
        let call = try client.send(.route("nothing"))
        transport.answer(200, "no gzip", headers: [.init(name: "Content-Encoding", value: "gzip")])
        XCTAssertEqual(try call.wait(milliseconds: 0).bodyCount, 0)
    }

    func testAParserOfTheProgramMakesTheValue() throws {
        let client = try client(parser: { [asked] body, type throws(Failure) in
            asked.withLock { $0.append(type) }
            if body.count == 1 { throw Failure(.mapping, "empty") }
            return .json("[\(body.count)]")
        })
        let call = try client.send(.route("table"))
        transport.answer(200, "a;b", headers: [.init(name: "Content-Type", value: "text/csv")])
        guard case .made(by: "csv", .json("[4]")) = try call.wait(milliseconds: 0).parsed else {
            return XCTFail("another value")
        }
        XCTAssertEqual(asked.withLock { $0 }, ["text/csv"])
        let failed = try client.send(.route("table"))
        transport.answer(200)
        let failure = try XCTUnwrap(failure(of: failed))
        XCTAssertEqual(failure.domain, .parsing)
        XCTAssertTrue(failure.message.hasSuffix(#"parser "csv": empty"#), failure.message)
    }

    func testARequestChoosesItsParser() throws {
        let client = try client(parser: { _, _ in .string("made") })
        var spec = RequestSpec.route("things")
        spec.reception.parser = "csv"
        let call = try client.send(spec)
        transport.answer(200, "{}")
        guard case .made = try call.wait(milliseconds: 0).parsed else {
            return XCTFail("another parser")
        }
        spec.reception.parser = "jsn"
        let refused = try XCTUnwrap(
            RestwayClientTests.failure { _ = try client.send(spec) })
        XCTAssertEqual(refused.reason, .invalidArgument)
        XCTAssertEqual(refused.field, "parser")
        XCTAssertTrue(refused.message.hasPrefix(#"there is no parser "jsn""#), refused.message)
    }

    func testTheNamesOfParsersAreTheirOwn() throws {
        let api = try TestAPI.load(Self.document)
        for choice in ParserChoice.builtIn {
            XCTAssertEqual(
                RestwayClientTests.failure {
                    try api.addParser(choice.name) { _, _ in .null }
                }?.reason, .invalidArgument)
        }
        try api.addParser("csv") { _, _ in .null }
        XCTAssertEqual(
            RestwayClientTests.failure { try api.addParser("csv") { _, _ in .null } }?.reason,
            .duplicate)
    }

    // MARK: Required key paths

    func testAMissingKeyPathIsAnErrorWhereItIsRequired() throws {
        let client = try client()
        for body in [#"{"more": [{"id": 1}]}"#, "[]", "", #"{"list.x": 1}"#] {
            let call = try client.send(.route("things"))
            transport.answer(200, body)
            let failure = try XCTUnwrap(failure(of: call))
            XCTAssertEqual(failure.reason, .mapping, body)
            XCTAssertEqual(failure.domain, .mapping)
            XCTAssertEqual(failure.field, "list")
            XCTAssertTrue(failure.message.hasSuffix("there is nothing at list"), failure.message)
        }
        let entity = try client.api.entity(named: "Thing")
        XCTAssertNil(try client.store.object(entity, .integer(1)), "nothing is stored")
        for body in [#"{"list": null}"#, #"{"list": []}"#, #"{"list": {"id": 2}}"#] {
            let call = try client.send(.route("things"))
            transport.answer(200, body)
            XCTAssertEqual(try call.wait(milliseconds: 0).results.count, 2)
        }
    }

    // MARK: Encoders

    func testAnEncoderWritesTheBodyOfItsRoute() throws {
        let client = try client(encoder: { [asked] json throws(Failure) in
            asked.withLock {
                $0.append(String(decoding: json.dropLast(), as: UTF8.self))
                $0.append("\(json.last == 0)")
            }
            return EncodedBody(bytes: Array("a;b".utf8), mediaType: "text/csv")
        })
        var spec = RequestSpec.route("upload", .post)
        spec.parameters = [Parameter(keys: ["a", "b"], value: .leaf(.int64(1)))]
        let call = try client.send(spec)
        let exchange = transport.answer(201)
        XCTAssertEqual(exchange.body.count, 3)
        XCTAssertEqual(Headers(exchange.headers)[first: "Content-Type"], "text/csv")
        XCTAssertEqual(try call.wait(milliseconds: 0).status, 201)
        spec.parameters = []
        spec.given.body = .init(bytes: Array("[1]".utf8), mediaType: "application/json")
        _ = try client.send(spec)
        transport.answer(201)
        XCTAssertEqual(
            asked.withLock { $0 }, [#"{"a":{"b":1}}"#, "true", "[1]", "true"])
        spec.given.body = .init(bytes: Array("raw".utf8), mediaType: "text/plain")
        _ = try client.send(spec)
        transport.answer(201)
        XCTAssertEqual(asked.withLock { $0.count }, 4, "a body in another format is sent as it is")
    }

    func testWithoutAMediaTypeTheRequestSaysWhichOneItIs() throws {
        let client = try client()
        var spec = RequestSpec.route("upload", .post)
        spec.parameters = [Parameter(keys: ["a"], value: .leaf(.int64(1)))]
        _ = try client.send(spec)
        let first = transport.answer(200)
        XCTAssertEqual(
            Headers(first.headers)[first: "Content-Type"], "application/octet-stream")
        spec.headers = [(name: "Content-Type", value: "text/x")]
        _ = try client.send(spec)
        XCTAssertEqual(
            Headers(transport.answer(200).headers)[first: "Content-Type"], "text/x")
    }

    func testAnEncoderThatFailsSendsNothing() throws {
        let client = try client(encoder: { _ throws(Failure) in throw Failure(.store, "full") })
        var spec = RequestSpec.route("upload", .post)
        spec.parameters = [Parameter(keys: ["a"], value: .leaf(.int64(1)))]
        let failure = try XCTUnwrap(failure(of: try client.send(spec)))
        XCTAssertEqual(failure.reason, .store)
        XCTAssertEqual(failure.message, #"encoder "csv": full"#)
        XCTAssertEqual(transport.waitingCount, 0)
    }

    // MARK: Bytes

    private func map(
        _ client: Client, _ json: String, _ order: BytesMapping
    ) throws -> (Response, ObservedStore) {
        try client.calls.map(Body(Array(json.utf8)), order)
    }

    func testBytesAreMappedAndStored() throws {
        let client = try client()
        let (response, store) = try map(
            client, #"{"data": [{"id": 1, "name": 5, "parts": [{"id": 2}]}]}"#,
            BytesMapping(.entity("Thing", keyPath: ["data"])))
        XCTAssertTrue(store === client.store)
        XCTAssertEqual(response.objects.map(\.identity), [.integer(1)])
        XCTAssertEqual(response.issues.map(\.keyPath), ["data[0].name"])
        let entity = try client.api.entity(named: "Thing")
        XCTAssertTrue(try client.store.object(entity, .integer(1)) === response.objects[0])
        XCTAssertNotNil(try client.store.object(entity, .integer(2)))
    }

    func testSnapshotsStayOutOfTheStore() throws {
        let client = try client()
        var order = BytesMapping(.entity("Thing", keyPath: []))
        order.makesSnapshots = true
        let (response, store) = try map(client, #"{"id": 1, "parts": [{"id": 2}]}"#, order)
        let entity = try client.api.entity(named: "Thing")
        XCTAssertNil(try client.store.object(entity, .integer(1)))
        let parts = try store.related(response.objects[0], relationship: 0)
        XCTAssertEqual(parts.map(\.identity), [.integer(2)])
    }

    func testARouteMapsBytesByItsDescriptors() throws {
        let client = try client()
        let (response, _) = try map(
            client, #"{"list": [{"id": 1}], "more": [{"id": 2}]}"#, BytesMapping(.route("things")))
        XCTAssertEqual(response.results.map(\.count), [1, 1])
        XCTAssertEqual(
            RestwayClientTests.failure {
                _ = try map(client, "{}", BytesMapping(.route("json")))
            }?.field, "route")
    }

    func testErrorsNameWhatAndWhere() throws {
        let client = try client(strict: true)
        func failure(_ json: String, _ order: BytesMapping) -> Failure? {
            RestwayClientTests.failure { _ = try map(client, json, order) }
        }
        let plain = BytesMapping(.entity("Thing", keyPath: []))
        XCTAssertEqual(
            failure("[]", BytesMapping(.entity("Thing", keyPath: ["a", "b"])))?.message,
            "bytes of Thing at a.b: there is nothing at a.b")
        XCTAssertEqual(
            failure(#"{"id": 1, "name": 2}"#, plain)?.message,
            "bytes of Thing: name: expected a string, found an integer")
        XCTAssertTrue(failure("{", plain)?.message.hasPrefix("bytes of Thing: ") ?? false)
        XCTAssertEqual(failure("", plain)?.reason, .mapping)
        XCTAssertEqual(
            failure("{}", BytesMapping(.entity("Thin", keyPath: [])))?.reason, .unknownEntity)
        XCTAssertEqual(failure("{}", BytesMapping(.route("nix")))?.reason, .unknownRoute)
        var order = plain
        order.mapper = "msgpack"
        XCTAssertEqual(failure("{}", order)?.field, "mapper")
        order = plain
        order.mediaType = "text/unread"  // other tests load a plugin that reads text/csv
        XCTAssertEqual(failure("{}", order)?.field, "media_type")
        client.close()
        XCTAssertEqual(failure("{}", plain)?.reason, .closed)
    }

    func testProgressIsToldAndMayEndTheMapping() throws {
        let client = try client()
        let told = Lock<[Int]>([])
        let json = "[" + (1...600).map { "{\"id\": \($0)}" }.joined(separator: ",") + "]"
        var order = BytesMapping(.entity("Thing", keyPath: []))
        order.progressed = { done, _ in
            told.withLock { $0.append(done) }
            return true
        }
        _ = try map(client, json, order)
        XCTAssertEqual(told.withLock { $0 }.last, 600)
        XCTAssertEqual(told.withLock { $0 }.count, 4)
        order.progressed = { done, _ in done < 100 }
        let cancelled = RestwayClientTests.failure {
            _ = try map(client, json.replacingOccurrences(of: ": ", with: ": 700"), order)
        }
        XCTAssertEqual(cancelled?.reason, .cancelled)
        let entity = try client.api.entity(named: "Thing")
        XCTAssertNil(try client.store.object(entity, .integer(7001)), "nothing is stored")
    }
}
