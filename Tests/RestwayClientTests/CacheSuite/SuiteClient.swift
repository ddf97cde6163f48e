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

/// A client with a response cache that talks to a real server.
final class SuiteClient: SuiteDriver {
    private let client: Client
    private let socket: TestServer
    private let server: SuiteServer

    /// - Parameter cache: The section `cache` of the document, with a comma behind it; empty for a
    ///   client without a cache.
    init(_ server: SuiteServer, _ clock: ManualClock, cache: String) throws {
        self.server = server
        socket = try server.listen()
        let document = """
            {"restway": 1, \(cache)
             "environments": {"test": {"baseURL": "http://127.0.0.1:\(socket.port)"}}}
            """
        var options = ClientOptions()
        options.calls.redirectsMax = nil
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
        guard let method = Method(token: request.method) else { return performElsewhere(request) }
        var spec = RequestSpec(target: .path(method, request.path))
        spec.headers = request.headers.fields.map { ($0.name, $0.value) }
        if let body = request.body {
            spec.body = .init(bytes: Array(body.utf8), mediaType: "text/plain")
        }
        spec.reception.caching.mode = Self.mode(request.mode)
        do {
            return Self.answer(try client.calls.perform(spec, milliseconds: 0))
        } catch {
            return error.response.map(Self.answer)
        }
    }

    /// A call has the methods of HTTP and PATCH. The cache hears of a request with another method
    /// as it hears of stored requests, which become no calls.
    private func performElsewhere(_ request: SuiteRequest) -> SuiteAnswer? {
        guard let answer = server.answer(request) else { return nil }
        let url = "http://127.0.0.1:\(socket.port)\(request.path)"
        let received = ReceivedResponse(
            status: answer.status, headers: answer.headers, url: url,
            body: Body(Array(answer.body.utf8)))
        let plan = CachePlan(
            rules: CacheRules(), mode: .standard, route: nil, discriminator: nil, holder: nil)
        client.calls.cache?.observed(received, to: request.method, url, plan)
        return answer
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
