import RestwayAuth
import RestwayHTTP
import RestwayMapping
import RestwayThreads

/// The parts of a client that authentication uses.
struct AuthSurroundings: Sendable {
    let transport: any Transport
    let pool: WorkerPool
    let clock: any Clock
    let timers: any Timers
    let userAgent: String
    let timeouts: ExchangeTimeouts

    /// The largest answer of a token endpoint; a server that sends more is not one.
    static let tokenBytesMax = 1 << 20

    /// Returns when a token should be replaced and when it becomes useless.
    func life(
        of fields: Credential?, _ definition: AuthDefinition
    ) -> (refreshAt: Deadline, expiresAt: Deadline) {
        guard let life = fields?.expiresInMilliseconds else { return (.never, .never) }
        let now = clock.now()
        // A token with a shorter life would be replaced all the time.
        let early = min(definition.earlyMilliseconds, life / 2)
        return (
            now.advanced(milliseconds: life - early), now.advanced(milliseconds: life)
        )
    }

    /// Returns the exchange for the token endpoint. It goes straight to the transport, so that
    /// nothing of the environment, no modifier and no redirect affects it.
    func exchange(
        _ request: TokenRequest, to url: String, timeoutMilliseconds: Int64
    ) throws(AuthFailure) -> Exchange {
        var headers = Headers()
        headers.set("Accept", "application/json")
        headers.set("Content-Type", "application/x-www-form-urlencoded")
        headers.set("User-Agent", userAgent)
        if let basic = request.basicCredentials {
            headers.set("Authorization", AuthDefinition.basic(basic))
        }
        var timeouts = timeouts
        timeouts.totalMilliseconds = timeoutMilliseconds
        var exchange = Exchange(
            method: "POST", url: url, headers: headers.fields, body: .bytes(request.body),
            timeouts: timeouts, usesCookies: false)
        exchange.isAuthorized = true
        return exchange
    }

    static func tokenResponse(
        _ result: Result<ExchangeSummary, TransportError>, _ recorder: ExchangeRecorder
    ) -> TokenResponse {
        switch result {
        case .failure(let error):
            // The message names only the host and the port of the request.
            return .refused(
                reason: "the token endpoint cannot be reached: \(error.message)", isFinal: false)
        case .success:
            guard let head = recorder.head else {
                return .refused(reason: "the token endpoint gave no answer", isFinal: false)
            }
            do throws(BodyError) {
                let body = try ContentDecoder.decode(
                    recorder.takeBody(), headers: head.headers, bytesMax: tokenBytesMax)
                return body.withUnsafeBytes { TokenResponse(status: head.status, body: $0) }
            } catch {
                return .refused(
                    reason: "the token endpoint's answer is damaged: \(error.message)",
                    isFinal: false)
            }
        }
    }
}
