import LoopbackServer
import RestwayHTTP
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayCache
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// A client with a response cache that talks to a real server.
final class SuiteClient: SuiteDriver {
    private let client: Client
    private let socket: TestServer

    /// - Parameter cache: The section `cache` of the document, with a comma behind it; empty for a
    ///   client without a cache.
    init(_ server: SuiteServer, _ clock: ManualClock, cache: String) throws {
        socket = try server.listen()
        let document = """
            {"restway": 1, \(cache)
             "environments": {"test": {"baseURL": "http://127.0.0.1:\(socket.port)"}}}
            """
        var options = ClientOptions()
        options.calls.followsRedirects = false
        client = try Client(api: try TestAPI.load(document), options: options, clock: clock)
    }

    func end() {
        client.close()
        socket.stop()
    }

    /// Waits until kept answers are in the file, if there is one. The suite only counts what a
    /// refresh in the background brings after the next pause, and the server has answered by then
    /// or the entry is too old anyway.
    func settle() { client.cache?.writer?.finish() }

    func perform(_ request: SuiteRequest) -> SuiteAnswer? {
        guard let method = Method(token: request.method) else { return nil }
        var spec = RequestSpec(target: .path(method, request.path))
        spec.headers = request.headers.fields.map { ($0.name, $0.value) }
        if let body = request.body {
            spec.given.body = .init(bytes: Array(body.utf8), mediaType: "text/plain")
        }
        spec.reception.caching.mode = Self.mode(request.mode)
        do {
            return Self.answer(try client.calls.perform(spec, milliseconds: 0))
        } catch {
            return error.response.map(Self.answer)
        }
    }

    private static func mode(_ name: String?) -> CacheMode {
        switch name {
        case "no-store": .bypass
        case "reload": .reload
        case "no-cache": .validate
        case "force-cache": .preferred
        case "only-if-cached": .only
        default: .standard
        }
    }

    private static func answer(_ response: Response) -> SuiteAnswer {
        SuiteAnswer(
            status: response.status, headers: response.headers,
            body: String(decoding: response.bodyWithNUL.dropLast(), as: UTF8.self))
    }
}
