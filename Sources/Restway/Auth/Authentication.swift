public import FoundationEssentials
import RestwayAuth
import RestwayCalls
import RestwayClient
import RestwayHTTP
import RestwayOutcome
import RestwayThreads

/// The credential of a client, and the functions of the program that take part in authentication.
///
///     try client.auth.setCredential(Credential(token: token))
///     try client.auth.setRefresh { try await session.newCredential() }
///
/// Functions run on a worker of the library, apart from the refresh, which has a task of its own.
/// The client keeps them until it is closed, so a function refers to its client weakly. `nil`
/// removes a function.
public struct Authentication: Sendable {
    /// Puts something into each attempt of a request.
    public typealias Authorize = @Sendable (inout OutgoingAttempt) throws -> Void
    /// Returns whether an error says that the credential is no longer valid; `nil` for the rule of
    /// the document.
    public typealias ShouldReplay = @Sendable (RestwayError) throws -> Bool?
    /// Gets a new credential; `nil` if the program keeps the credential itself.
    public typealias Refresh = @Sendable () async throws -> Credential?
    /// Keeps a credential that a refresh has brought.
    public typealias Persist = @Sendable (Credential) -> Void

    fileprivate let core: RestwayClient.Client
    fileprivate let source: ObjectSource

    /// Replaces the whole credential. Calls that wait for a credential go out with it, and so do
    /// stored requests.
    ///
    ///     try client.auth.setCredential(nil)  // signs out
    ///
    /// - Parameter credential: A field without a value has none afterwards, whatever the credential
    ///   before had. If there is no user, the user or client identifier of the document stands in,
    ///   with its password unless the credential has one. `nil` and a credential without fields
    ///   remove everything: nobody is signed in. If the program keeps the credential itself, `nil`
    ///   says that it has changed.
    /// - Throws: A `RestwayError`: `invalidArgument`, whose `field` names a field that cannot be
    ///   sent, or `closed`.
    public func setCredential(_ credential: Credential?) throws(RestwayError) {
        try RestwayError.explaining { () throws(Failure) in
            try core.setCredential(credential?.core)
        }
    }

    /// Sets the function that is called before every send, after all other headers and the scheme
    /// of the document. If it throws, the call fails.
    ///
    ///     try client.auth.setAuthorize { attempt in
    ///         attempt.headers["X-Signature"] = signature(of: attempt.url, attempt.body)
    ///     }
    public func setAuthorize(_ authorize: Authorize?) throws(RestwayError) {
        try set { $0.authorize = authorize.map(Self.function) }
    }

    /// Sets the function that says whether a failed answer means that the credential is no longer
    /// valid. If so, there is a refresh, and the request is sent again. A function that throws has
    /// failed, and the rule of the document holds.
    public func setShouldReplay(_ shouldReplay: ShouldReplay?) throws(RestwayError) {
        let function = shouldReplay.map { shouldReplay -> AuthFunctions.ShouldReplay in
            { [source] failure in
                do {
                    return try shouldReplay(RestwayError(failure, of: source))
                } catch {
                    Log.shared.write(
                        .warning, .auth, "the shouldReplay function threw \(type(of: error))")
                    return nil
                }
            }
        }
        try set { $0.shouldReplay = function }
    }

    /// Sets the function that gets a new credential. There is one refresh at a time; calls wait for
    /// it. If it throws, the waiting calls fail with the kind `auth`, and the error is their
    /// `underlyingError`. A later call starts another refresh, unless a `RefreshRefused` was
    /// thrown.
    ///
    /// A request that the function sends through its own client needs the `authentication` `bypass`
    /// or `none`: it would wait for the refresh itself.
    public func setRefresh(_ refresh: Refresh?) throws(RestwayError) {
        let function = refresh.map { refresh -> AuthFunctions.Refresh in
            let running = RunningRefresh()
            return { ticket in running.start { await Self.run(refresh, for: ticket) } }
        }
        try set { $0.refresh = function }
    }

    /// Sets the function that gets each credential that a refresh has brought, for example to keep
    /// it in a file, before a request uses it.
    public func setPersist(_ persist: Persist?) throws(RestwayError) {
        let function = persist.map { persist -> AuthFunctions.Persist in
            { persist(Credential($0)) }
        }
        try set { $0.persist = function }
    }

    private func set(_ change: (inout AuthFunctions) -> Void) throws(RestwayError) {
        try RestwayError.explaining { () throws(Failure) in try core.setAuthFunctions(change) }
    }

    private static func function(_ authorize: @escaping Authorize) -> AuthFunctions.Authorize {
        { exchange in
            var attempt = OutgoingAttempt(exchange)
            do {
                try authorize(&attempt)
                for field in attempt.headers { try field.check() }
            } catch {
                return Failure(thrown: error, by: "the authorize function")
            }
            exchange = attempt.core
            return nil
        }
    }

    private static func run(_ refresh: Refresh, for ticket: RefreshTicket) async {
        do {
            let credential = try await refresh()
            // A refresh that is over needs no credential any more.
            _ = try ticket.succeed(credential?.core)
        } catch {
            let refusal = error as? RefreshRefused
            let reason = refusal?.reason ?? (error as? Failure)?.message ?? "\(error)"
            _ = ticket.fail(reason, isFinal: refusal != nil, cause: ProgramError(error))
        }
    }
}

/// Thrown by a refresh function: no refresh can succeed any more. All later calls fail with the
/// kind `auth` until the program sets a credential.
public struct RefreshRefused: Error, Sendable {
    /// Why no refresh can succeed, in words.
    public let reason: String

    /// Makes the error with a text that says why no refresh can succeed.
    public init(_ reason: String) {
        self.reason = reason
    }
}

/// The task of a refresh. The client drops it together with the function, and the task is then
/// cancelled.
private final class RunningRefresh: Sendable {
    private let task = Lock<Task<Void, Never>?>(nil)

    deinit { task.withLock { $0 }?.cancel() }

    /// Cancels the refresh before, whose time has passed, and starts another one.
    func start(_ body: @escaping @Sendable () async -> Void) {
        let before = task.withLock { task in
            let before = task
            task = Task { await body() }
            return before
        }
        before?.cancel()
    }
}

/// One attempt of a request just before it is sent.
public struct OutgoingAttempt: Sendable {
    var core: Exchange

    init(_ core: Exchange) {
        self.core = core
    }

    /// The method of the request.
    public var method: Method { Method(rawValue: core.method) }
    /// The URL with its query.
    public var url: String { core.url }
    /// The headers as they are sent.
    public var headers: Headers {
        get { Headers(RestwayHTTP.Headers(core.headers)) }
        set { core.headers = newValue.core.fields }
    }
    /// The body; `nil` if there is no body, or if it is not in memory.
    public var body: Data? { core.body.bytes.map { Data($0) } }
    /// The number of the attempt, from 1.
    public var number: Int { core.attempt }

    /// Adds a parameter to the query.
    public mutating func addParameter(_ name: String, _ value: String) {
        core.addParameter(name, value)
    }
}

extension Client {
    /// The credential and the functions for authentication.
    public var auth: Authentication { Authentication(core: core, source: source) }
}
