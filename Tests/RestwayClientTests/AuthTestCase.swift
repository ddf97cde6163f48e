import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayAuth
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome

/// A client with a fake transport and a clock that does not run.
class AuthTestCase: XCTestCase {
    let transport = FakeTransport()
    let clock = ManualClock()
    /// The refreshes that the program was asked for.
    let refreshes = Monitor<[RefreshTicket]>([])
    let persisted = Monitor<[Credential]>([])

    func client(
        auth: String = #"{"scheme": "bearer", "token": "t1"}"#, retry: String = "null",
        refreshes isHost: Bool = false, clock: (any Clock & Timers)? = nil
    ) throws -> Client {
        let document = """
            {"restway": 1, "environments": {"test": {"baseURL": "http://api.test/v1",
                "trustedOrigins": ["http://friend.test"]}},
             "entities": {"Thing": {"identity": "id", "attributes": {"id": {"type": "int"}}}},
             "errors": {"code": "error.code", "message": "error.text"},
             "auth": \(auth) \(retry == "null" ? "" : ", \"retry\": \(retry)"),
             "routes": {
                "login": {"method": "POST", "path": "login", "auth": false},
                "ping": {"path": "ping", "auth": "bypass"},
                "once": {"path": "once", "retry": false},
                "elsewhere": {"path": ":baseURL/x", "absolute": true}
             },
             "responses": [{"path": "things", "entity": "Thing", "keyPath": "list"},
                           {"path": "things", "entity": "Thing", "keyPath": "seen",
                            "status": "4xx"}]}
            """
        var options = ClientOptions()
        options.timeouts.totalMilliseconds = 60_000
        options.randomSeed = 1
        let client = try Client(
            api: try TestAPI.load(document), options: options, transport: transport,
            clock: clock ?? self.clock)
        if isHost {
            try client.setAuthFunctions { functions in
                functions.refresh = { [refreshes] ticket in
                    refreshes.update { $0.append(ticket) }
                }
                functions.persist = { [persisted] fields in
                    persisted.update { $0.append(fields) }
                }
            }
        }
        addTeardownBlock { client.close() }
        return client
    }

    /// Waits for the next refresh that the program is asked for.
    func nextRefresh() -> RefreshTicket {
        refreshes.wait { $0.isEmpty ? nil : $0.removeFirst() }!
    }

    func token(_ text: String, expiresIn: Int64? = nil) -> Credential {
        var credential = Credential()
        credential.token = Secret(text)
        credential.expiresInMilliseconds = expiresIn
        return credential
    }

    func authorization(_ exchange: Exchange) -> String? {
        Headers(exchange.headers)[first: "Authorization"]
    }

    /// Returns the failure of a call.
    func failure(of call: Call, file: StaticString = #filePath, line: UInt = #line) -> Failure? {
        RestwayClientTests.failure(
            { _ = try call.wait(milliseconds: 0) }, file: file, line: line)
    }

    /// Returns the failure that `body` throws.
    func refusal(
        file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> Void
    ) -> Failure? {
        RestwayClientTests.failure(body, file: file, line: line)
    }

    /// Moves the clock to the next timer, as soon as one is set.
    func advanceToNext() -> Int64 {
        while true {
            if let milliseconds = clock.nextMilliseconds {
                clock.advance(milliseconds: milliseconds)
                return milliseconds
            }
            sched_yield()
        }
    }
}
