package import RestwayCalls
package import RestwayDocument
import RestwayHTTP
import RestwayMapping
import RestwayRouting
import RestwayText
import RestwayThreads

/// The parts of a client that authentication uses.
struct AuthSurroundings: Sendable {
    let transport: any Transport
    let executors: CallContext.Executors
    let options: CallOptions

    var pool: WorkerPool { executors.pool }
    var clock: any Clock { executors.clock }
    var timers: any Timers { executors.timers }

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
        headers.set("User-Agent", options.userAgent)
        if let basic = request.basicCredentials {
            headers.set("Authorization", AuthDefinition.basic(basic))
        }
        var timeouts = options.timeouts
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
                return unsafe body.withUnsafeBytes {
                    unsafe TokenResponse(status: head.status, body: $0)
                }
            } catch {
                return .refused(
                    reason: "the token endpoint's answer is damaged: \(error.message)",
                    isFinal: false)
            }
        }
    }
}

/// Puts a credential into an exchange, as the document's scheme says.
extension AuthDefinition {
    package func authorize(_ outgoing: inout OutgoingExchange, with credential: Credential) {
        switch scheme {
        case .custom:
            break
        case .basic:
            guard let user = credential.user else { return }
            outgoing.exchange.headers.set(
                "Authorization", Self.basic(user + ":" + (credential.password?.revealed ?? "")))
        case .digest:
            guard let user = credential.user else { return }
            outgoing.exchange.digest = DigestCredential(
                user: user, password: credential.password ?? Secret(""))
        case .bearer, .oauth2:
            guard let token = credential.token else { return }
            outgoing.exchange.headers.set("Authorization", "Bearer " + token.revealed)
        case .apiKey(.header(let name)):
            guard let key = credential.token else { return }
            outgoing.exchange.headers.set(name, key.revealed)
        case .apiKey(.query(let name)):
            guard let key = credential.token else { return }
            outgoing.addParameter(name, key.revealed)
        }
    }

    /// Returns the value of the header for basic authentication (RFC 7617).
    package static func basic(_ userAndPassword: String) -> String {
        "Basic " + Base64.encode(Array(userAndPassword.utf8))
    }
}
