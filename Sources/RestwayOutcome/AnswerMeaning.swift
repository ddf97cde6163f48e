package import RestwayHTTP
import RestwayJSON
import RestwayText

/// The meaning of an answer for its request. Retries, rates and the outbox use the same table.
package enum AnswerMeaning: Equatable, Sendable {
    /// The server has done what the request asks for.
    case done
    /// The request deletes something that the server no longer has, because an earlier attempt has
    /// deleted it. The request is done.
    case alreadyGone
    /// The server did not act on the request, and wants it later.
    case limited
    /// The server still works on an earlier attempt, or on another request that is in the way.
    case inProgress
    /// The server could not answer for now. It may have acted on the request.
    case temporary
    /// The network has answered, and not the API: a proxy, or the page of a hotspot.
    case notTheAPI
    /// The API wants a sign-in or another credential first. It did not act on the request.
    case needsCredential
    /// The server does not do what the request asks for.
    case refused

    /// Reads the table. RFC 9110, section 15: an unknown status counts like the first of its class.
    package init(_ answer: AnswerFacts) {
        switch answer.status {
        // RFC 6585, section 6, and RFC 9110, section 15.5.8: the API does not send these.
        case 407, 511: self = .notTheAPI
        case _ where answer.isOfNetwork: self = .notTheAPI
        case _ where answer.asksToSignIn: self = .needsCredential
        case 200...299: self = .done
        case 404 where answer.isOfRepeatedDelete, 410 where answer.isOfRepeatedDelete:
            self = .alreadyGone
        case 429: self = .limited
        case 403 where answer.asksToWait || answer.usesUpRate: self = .limited
        case 423 where answer.asksToWait, 503 where answer.asksToWait: self = .limited
        case 409 where answer.asksToWait || answer.namesWork: self = .inProgress
        case 408, 425: self = .temporary
        case 501, 505: self = .refused
        case 500...599: self = .temporary
        default: self = .refused
        }
    }

    /// Whether the same request may succeed at the server a moment later.
    package var isTemporary: Bool {
        switch self {
        case .limited, .inProgress, .temporary: true
        case .done, .alreadyGone, .notTheAPI, .needsCredential, .refused: false
        }
    }

    /// Whether the same request may succeed later: at the server, or when the network leads there.
    package var mayPass: Bool { isTemporary || self == .notTheAPI }
}

/// The facts about an answer from which its meaning follows.
package struct AnswerFacts: Equatable, Sendable {
    package var status: Int
    /// Whether it has a `Retry-After` that can be read.
    package var asksToWait: Bool
    /// Whether it states a rate of which no request is left.
    package var usesUpRate = false
    /// Whether its problem type says that the server still works on an earlier attempt.
    package var namesWork = false
    /// Whether it is known to come from the network: a redirect to another origin, or a page of
    /// HTML in place of the API's answer.
    package var isOfNetwork = false
    /// Whether the API has sent the request to another page of its own, as it does when it wants a
    /// sign-in.
    package var asksToSignIn = false
    /// Whether the request is a DELETE that may have been sent before.
    package var isOfRepeatedDelete = false

    package init(status: Int, asksToWait: Bool = false) {
        self.status = status
        self.asksToWait = asksToWait
    }

    /// Reads the status and the header fields of an answer.
    package init(status: Int, _ headers: Headers, _ time: ServerTime) {
        self.init(status: status, asksToWait: RetryAfter.milliseconds(headers, time) != nil)
        if status == 403 || status == 429 {
            usesUpRate = StatedRate.isUsedUp(headers, time)
        }
    }
}

extension Failure {
    /// Whether the network has answered, and not the API.
    package var comesFromNetwork: Bool {
        if self.isOfNetwork { return true }
        return self.reason == .http
            && AnswerMeaning(AnswerFacts(status: self.httpStatus)) == .notTheAPI
    }

    /// Whether the answer says that the server did not act on the request.
    package var saysNothingWasDone: Bool {
        let outcome = RetryOutcome(self, wallMicroseconds: 0)
        return outcome.meaning == .limited || outcome.meaning == .needsCredential
    }
}

extension Body {
    /// Whether this is the body of a page of HTML. An empty body is not a page, and neither is JSON
    /// that its server sends with a wrong type.
    ///
    /// - Parameters:
    ///   - headers: The header fields of the answer.
    ///   - isDropped: Whether the body was dropped while it arrived. Then only its length, if the
    ///     server states it, tells whether there was a body.
    package func isPage(_ headers: Headers, isDropped: Bool = false) -> Bool {
        guard let type = headers[first: "Content-Type"] else { return beginsPage }
        guard MediaType.isHTML(type) else { return false }
        if isDropped { return headers[first: "Content-Length"] != "0" }
        return !isBlank && !looksLikeJSON
    }

    private static let beginningsOfPages = ["<!doctype html", "<html"]

    /// Whether the body begins like a page of HTML, whose type the server has left out.
    private var beginsPage: Bool {
        withBytes { bytes in
            let text = JSONValue.withoutByteOrderMark(bytes).drop(while: ASCII.isJSONSpace)
            return Self.beginningsOfPages.contains { beginning in
                text.prefix(beginning.utf8.count).lazy.map(ASCII.lowercased)
                    .elementsEqual(beginning.utf8)
            }
        }
    }
}
