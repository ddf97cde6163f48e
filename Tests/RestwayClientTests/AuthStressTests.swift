import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayAuth
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Many threads at once: tokens that expire, refreshes that fail, cancels, a close. Every call
/// completes once, and there is one refresh at a time.
final class AuthStressTests: AuthTestCase {
    private struct Server {
        var random: SeededRandom
        var token = 1
        var refreshing = 0
        var refreshingMax = 0
        var refreshCount = 0
    }

    /// Answers the exchanges on a thread of its own, until it is stopped.
    private func serve(_ server: Lock<Server>, _ end: String) {
        let transport = transport
        Thread.detachNewThread {
            while true {
                let started = transport.next()
                if started.exchange.url.hasSuffix(end) { return started.answer(200) }
                let token = Headers(started.exchange.headers)[first: "Authorization"]
                let (status, fails): (Int, Bool) = server.withLock { server in
                    if Int.random(in: 0..<12, using: &server.random) == 0 { server.token += 1 }
                    let isGood = token == "Bearer t\(server.token)"
                    return (
                        isGood ? 200 : 401, Int.random(in: 0..<20, using: &server.random) == 0
                    )
                }
                if fails { started.fail(.connectionLost) } else { started.answer(status) }
            }
        }
    }

    private func refreshing(_ server: Lock<Server>) -> AuthFunctions.Refresh {
        { ticket in
            let (token, outcome): (Int, Int) = server.withLock { server in
                server.refreshing += 1
                server.refreshCount += 1
                server.refreshingMax = max(server.refreshingMax, server.refreshing)
                return (server.token, Int.random(in: 0..<8, using: &server.random))
            }
            Thread.detachNewThread {
                // This runs before the refresh ends, because the next one may start right then.
                server.withLock { $0.refreshing -= 1 }
                var fresh = Credential()
                fresh.token = Secret("t\(token)")
                switch outcome {
                case 0: _ = ticket.fail("no", isFinal: false)
                case 1: break
                default: _ = try? ticket.succeed(fresh)
                }
            }
        }
    }

    func testEveryCallCompletesOnceWhateverHappens() throws {
        for seed in 0..<20 as Range<UInt64> {
            let server = Lock(Server(random: SeededRandom(seed: seed)))
            let client = try client(
                auth: #"{"scheme": "bearer", "token": "t1", "refresh": {"max": 1000}}"#,
                retry: #"{"attempts": 2, "baseMilliseconds": 0, "budget": 100000}"#)
            try client.setAuthFunctions { $0.refresh = refreshing(server) }
            serve(server, "/end-\(seed)")
            let completed = Monitor<[Int: Int]>([:])
            var random = SeededRandom(seed: seed + 1_000)
            for number in 0..<100 {
                let call = try client.send(.get("things/\(number)")) { _, _ in
                    completed.update { $0[number, default: 0] += 1 }
                }
                if Int.random(in: 0..<10, using: &random) == 0 { call.cancel() }
                if Int.random(in: 0..<10, using: &random) == 0 {
                    clock.advance(milliseconds: 1_000)
                }
                if Int.random(in: 0..<30, using: &random) == 0 {
                    // After a failed refresh no other refresh starts for a second, so the test sets
                    // a credential.
                    try client.setCredential(token("t\(server.withLock(\.token))"))
                }
            }
            XCTAssertNotNil(completed.wait { $0.count == 100 ? () : nil })
            XCTAssertTrue(completed.withLock { $0.values.allSatisfy { $0 == 1 } }, "seed \(seed)")
            XCTAssertLessThanOrEqual(server.withLock(\.refreshingMax), 1)
            var end = RequestSpec.get("end-\(seed)")
            end.sending.authMode = AuthMode.none
            _ = try client.send(end).wait(milliseconds: 0)
        }
    }
}
