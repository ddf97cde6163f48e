import RestwayHTTP
import RestwayJSON
import RestwayThreads
import XCTest

@testable import RestwayBatch
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Sessions with a transport that the test controls.
class BatchTestCase: XCTestCase {
    let transport = FakeTransport()
    let clock = ManualClock()
    let told = Monitor<[String]>([])

    func client(
        limit: Int = 3, rest: String = #", "auth": {"scheme": "bearer", "token": "t1"}"#
    ) throws -> Client {
        let document = """
            {"restway": 1,
             "environments": {"test": {"baseURL": "http://api.test/v1", "headers": {"X-Env": "e"}}},
             "headers": {"X-All": "a"}, "batch": {"path": "/batch", "limit": \(limit)},
             "entities": {"Thing": {"identity": "id", "attributes": {
                "id": {"type": "int"}, "name": {"type": "string"}}}},
             "errors": {"code": "error.code", "message": "error.text"},
             "routes": {
                "thing": {"method": ["GET", "PUT", "DELETE"], "path": "things/:id",
                          "entity": "Thing", "response": {"entity": "Thing"},
                          "headers": {"X-Route": "r"}},
                "elsewhere": {"path": ":baseURL/x", "absolute": true}
             }\(rest)}
            """
        var options = ClientOptions()
        options.randomSeed = 1
        let client = try Client(
            api: try TestAPI.load(document), options: options, transport: transport, clock: clock)
        addTeardownBlock { client.close() }
        return client
    }

    func get(_ path: String) -> RequestSpec { RequestSpec(target: .path(.get, path)) }

    /// Makes a session. The ends of its requests, and its own end, are stored in `told`.
    func session(_ client: Client, _ specs: [RequestSpec]) throws -> BatchSession {
        let session = try BatchSession(client.batches)
        for (index, spec) in specs.enumerated() {
            try session.add(
                spec,
                completion: { [told] _, outcome in
                    told.update { $0.append("\(index) \(outcome.word)") }
                },
                end: { [told] in told.update { $0.append("end \(index)") } })
        }
        return session
    }

    func send(_ session: BatchSession) throws {
        try session.send(
            completion: { [told] _, failure in
                told.update { $0.append("session \(failure.map { "\($0.reason)" } ?? "ok")") }
            }, end: { [told] in told.update { $0.append("end") } })
    }

    /// Returns the notices, when the session's own context has been destroyed.
    func everythingTold() -> [String] {
        told.wait { $0.last == "end" ? $0 : nil }!
    }

    func items(_ exchange: Exchange) throws -> [String] {
        guard case .bytes(let bytes) = exchange.body else { return [] }
        let tree = try JSONValue.parse(String(decoding: bytes, as: UTF8.self))
        return tree["batch"]?.elements?.map { String(decoding: $0.text(), as: UTF8.self) } ?? []
    }

    /// A GET in the form that it has in a batch.
    static func item(_ number: Int) -> String {
        #"{"method":"GET","uri":"/things/\#(number)"}"#
    }

    static func answer(_ code: Int, _ body: String = "") -> String {
        String(
            decoding: JSONValue.object([
                (key: "code", value: .integer(Int64(code))), (key: "body", value: .string(body)),
            ]).text(), as: UTF8.self)
    }

    func answer(_ answers: String...) -> Exchange {
        transport.answer(200, "[" + answers.joined(separator: ",") + "]")
    }
}

extension Result where Success == Response, Failure == RestwayOutcome.Failure {
    fileprivate var word: String {
        switch self {
        case .success(let response): "\(response.status)"
        case .failure(let failure): "\(failure.reason)"
        }
    }
}
