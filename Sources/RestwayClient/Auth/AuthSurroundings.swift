import RestwayAuth
import RestwayHTTP
import RestwayMapping
import RestwaySupport

/// What authentication needs of its client.
struct AuthSurroundings: Sendable {
    let transport: any Transport
    let pool: WorkerPool
    let clock: any Clock
    let timers: any Timers
    let userAgent: String
    let timeouts: ExchangeTimeouts

    /// A token endpoint that sends more than this is none.
    static let tokenBytesMax = 1 << 20

    /// When a token should be replaced, and from when on it is of no use.
    func life(
        of fields: Credential?, _ definition: AuthDefinition
    ) -> (refreshAt: Deadline, expiresAt: Deadline) {
        guard let life = fields?.expiresInMilliseconds else { return (.never, .never) }
        let now = clock.now()
        // A token that lives for less than that would be replaced all the time.
        let early = min(definition.earlyMilliseconds, life / 2)
        return (
            now.advanced(milliseconds: life - early), now.advanced(milliseconds: life)
        )
    }

    /// What goes to the token endpoint: straight to the transport, so that nothing of the
    /// environment, no interceptor and no redirect has a part in it.
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
            // The message names host and port, and nothing else of the request.
            return .refused(
                reason: "the token endpoint cannot be reached: \(error.message)",
                isTemporary: error.isTemporary)
        case .success:
            guard let head = recorder.head else {
                return .refused(reason: "the token endpoint gave no answer", isTemporary: true)
            }
            do throws(BodyError) {
                let body = try ContentDecoder.decode(
                    recorder.takeBody(), headers: head.headers, bytesMax: tokenBytesMax)
                return body.withUnsafeBytes { TokenResponse(status: head.status, body: $0) }
            } catch {
                return .refused(
                    reason: "the token endpoint's answer is damaged: \(error.message)",
                    isTemporary: true)
            }
        }
    }
}
