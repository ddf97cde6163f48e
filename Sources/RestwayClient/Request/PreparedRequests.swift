import RestwayHTTP
import RestwayRouting
import RestwaySupport
import Synchronization

/// Plain GETs as they were prepared, to be sent again.
///
/// A request of which only a path is known goes out the same each time, as long as the document and
/// the retry policy stay: what polls, and what lists, sends few such paths over and over.
final class PreparedRequests: Sendable {
    private struct State {
        /// What all of them were prepared with.
        var api: LoadedAPI?
        var requests: [String: PreparedRequest] = [:]
    }

    /// Beyond it all are forgotten.
    private static let requestsMax = 256
    private static let pathBytesMax = 256

    private let mayRemember: Bool
    private let state = Lock(State())
    private let forgotten = Atomic<Int>(0)

    /// - Parameter mayRemember: Nothing but the document and the policy decides what goes out; an
    ///   outbox does.
    init(mayRemember: Bool) {
        self.mayRemember = mayRemember
    }

    /// How often they were forgotten.
    var version: Int { forgotten.load(ordering: .relaxed) }

    /// As what `spec` went out before; `nil` when it has to be prepared.
    func known(_ spec: RequestSpec, _ api: LoadedAPI) -> PreparedRequest? {
        guard mayRemember, let path = spec.plainPath else { return nil }
        return state.withLock { $0.api === api ? $0.requests[path] : nil }
    }

    /// What comes from now on is prepared anew.
    func forget() {
        state.withLock { state in
            state.requests = [:]
            forgotten.add(1, ordering: .relaxed)
        }
    }

    /// - Parameter version: Before it was prepared: something may have changed since.
    /// - Returns: What is sent in its place: one that is kept knows the plan of its usual answer.
    func remember(
        _ request: PreparedRequest, _ spec: RequestSpec, _ api: LoadedAPI, _ version: Int
    ) -> PreparedRequest {
        guard mayRemember, request.isTheSameAgain, let path = spec.plainPath,
            path.utf8.count <= Self.pathBytesMax
        else { return request }
        let planned = request.planned(api)
        state.withLock { state in
            guard self.version == version else { return }
            if state.api !== api || state.requests.count >= Self.requestsMax {
                state.requests = [:]
                state.api = api
            }
            state.requests[path] = planned
        }
        return planned
    }
}

extension RequestSpec {
    /// The path of a GET of which nothing else is said. None with a query, which may hold a key.
    fileprivate var plainPath: String? {
        guard case .path(.get, let path) = target, case nil = subject, variables.isEmpty,
            parameters.isEmpty, headers.isEmpty, case nil = body, timeoutMilliseconds == 0,
            priority == 0, authMode == nil, case nil = idempotencyKey, case nil = progress,
            lane == nil, !isStored, !travelsInBatch, !Self.hasQuery(path)
        else { return nil }
        return path
    }

    private static func hasQuery(_ path: String) -> Bool {
        var path = path
        return path.withUTF8 { bytes in
            for byte in bytes where byte == UInt8(ascii: "?") { return true }
            return false
        }
    }
}

extension PreparedRequest {
    /// Nothing in it is made anew for each send.
    fileprivate var isTheSameAgain: Bool {
        !owesBody && claim == nil
            && !exchange.headers.contains { $0.isNamed(IdempotencyKey.headerName) }
    }
}
