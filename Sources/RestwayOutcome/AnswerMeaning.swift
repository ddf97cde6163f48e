package import RestwayHTTP
import RestwayJSON
import RestwayText

/// The meaning of an answer for its request.
///
/// No other table says this. Retries, rates and the outbox read it here, and nothing else decides
/// what a status means for a request. `docs/RETRY.md` has the same table for users.
package enum AnswerMeaning: Equatable, CaseIterable, Sendable {
    /// The server has done what the request asks for, or has taken it.
    case done
    /// The request deletes something that the server no longer has. The request is done.
    case alreadyGone
    /// The server did not act on the request, and wants fewer requests for now.
    case limited
    /// The server did not act on the request, because its object is locked for now.
    case locked
    /// The server still works on an earlier attempt, or on another request that is in the way.
    case inProgress
    /// The server could not answer for now. It may have acted on the request.
    case temporary
    /// The network has answered, and not the API: a proxy, or the page of a hotspot.
    case notTheAPI
    /// The API has sent the request to a page of its own, as it does when it wants a sign-in. It
    /// did not act on the request.
    case needsSignIn
    /// The API does not take the credential of the request, and did not act on the request.
    case credentialRefused
    /// The object has changed at the server since the request was made, and the server did not act
    /// on the request (RFC 9110, section 15.5.13).
    case conflict
    /// The server acts on the request only with a condition (RFC 6585, section 3).
    case needsCondition
    /// The object that the request changes is no longer at the server.
    case objectGone
    /// The server does not do what the request asks for.
    case refused

    /// Reads the table. RFC 9110, section 15: an unknown status counts like the first of its class.
    package init(_ answer: AnswerFacts) {
        switch answer.status {
        // RFC 6585, section 6, and RFC 9110, section 15.5.8: the API does not send these.
        case 407, 511: self = .notTheAPI
        case _ where answer.isOfNetwork: self = .notTheAPI
        case _ where answer.refusesCredential: self = .credentialRefused
        case 200...299: self = .done
        // The server has taken the request, and names a page to go on with (RFC 9110, 15.4.4).
        case 303 where answer.isOfWrite: self = .done
        // A 301 with the same effect is a refusal that names the new address.
        case 302 where answer.losesContent: self = .needsSignIn
        case 401 where !answer.isWithoutCredential: self = .credentialRefused
        case 404 where answer.isOfKnownDelete, 410 where answer.isOfKnownDelete:
            self = .alreadyGone
        case 404 where answer.isOfVersionedChange, 410 where answer.isOfVersionedChange:
            self = .objectGone
        case _ where answer.namesConflict, 412: self = .conflict
        case 428 where answer.isOfVersioned: self = .needsCondition
        case 409 where answer.asksToWait || answer.namesWork || answer.wasSentBefore:
            self = .inProgress
        case 403 where answer.asksToWait || answer.usesUpRate: self = .limited
        case 429: self = .limited
        case 503 where answer.asksToWait: self = .limited
        case 423 where answer.asksToWait: self = .locked
        case 408, 425: self = .temporary
        case 501, 505: self = .refused
        case 500...599: self = .temporary
        default: self = .refused
        }
    }

    /// Whether the same request may succeed at the server a moment later.
    package var isTemporary: Bool {
        switch self {
        case .limited, .locked, .inProgress, .temporary: true
        case .done, .alreadyGone, .notTheAPI, .needsSignIn, .credentialRefused, .conflict,
            .needsCondition, .objectGone, .refused:
            false
        }
    }

    /// Whether the same request may succeed later: at the server, or when the network leads there.
    package var mayPass: Bool { isTemporary || self == .notTheAPI }

    /// Whether the server may have acted on the request although the request is not done.
    package var mayHaveArrived: Bool {
        switch self {
        case .limited, .locked, .needsSignIn, .credentialRefused, .conflict, .needsCondition,
            .objectGone, .refused:
            false
        case .done, .alreadyGone, .inProgress, .temporary, .notTheAPI: true
        }
    }

    /// Whether the wait that the server asks for holds for all requests to its origin. A lock on
    /// one object says nothing about other requests.
    package var holdsOrigin: Bool { self == .limited }
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
    /// Whether the server may have got the request in an earlier attempt.
    package var wasSentBefore = false
    /// Whether it is known to come from the network: a redirect to another origin, or a page of
    /// HTML in place of the API's answer.
    package var isOfNetwork = false
    /// Whether it is a redirect within the API after which the request would be a GET without the
    /// content that the server has to take.
    package var losesContent = false
    /// Whether the request is not safe (RFC 9110, section 9.2.1).
    package var isOfWrite = false
    /// Whether the request is a DELETE that the server may have got before, or that comes from the
    /// outbox.
    package var isOfKnownDelete = false
    /// Whether the document declares that this status, with this code of the API, is a conflict.
    package var namesConflict = false
    /// Whether the request is about an object of an entity with a `version`.
    package var isOfVersioned = false
    /// Whether the request changes such an object, with PATCH or PUT.
    package var isOfVersionedChange = false
    /// Whether the request was sent without a credential on purpose, so that no other credential
    /// would change the answer.
    package var isWithoutCredential = false
    /// Whether the document or the program says that the answer refuses the credential.
    package var refusesCredential = false

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

    /// Whether the request may succeed at the server a moment later.
    ///
    /// - Parameter statuses: The statuses that a section of the document lists in place of those
    ///   that the table calls temporary; `nil` if it lists none.
    package func isTemporary(_ statuses: [ClosedRange<Int>]?) -> Bool {
        statuses.map { $0.contains { $0.contains(status) } } ?? AnswerMeaning(self).isTemporary
    }
}

extension AnswerFacts {
    /// Reads the facts from the failure of a call; `nil` if the server has not answered it.
    package init?(_ failure: Failure, wallMicroseconds: Int64 = 0) {
        guard failure.reason == .http else { return nil }
        let headers = failure.response?.headers ?? Headers()
        self.init(
            status: failure.httpStatus, headers,
            ServerTime(headers, wallMicroseconds: wallMicroseconds))
        isOfNetwork = failure.isOfNetwork
        losesContent = failure.losesContent
        wasSentBefore = failure.wasSentBefore || failure.repetitions > 0
        refusesCredential = failure.refusesCredential
        let versions = failure.versions
        isOfVersioned = versions.isOfVersioned
        isOfVersionedChange = versions.isOfVersionedChange
        (namesConflict, namesWork) = (versions.namesConflict, versions.namesWork)
    }
}

extension Failure {
    /// The meaning of the answer; `nil` if the server has not answered.
    package var meaning: AnswerMeaning? { AnswerFacts(self).map(AnswerMeaning.init) }

    /// Whether the network has answered, and not the API.
    package var comesFromNetwork: Bool { self.isOfNetwork || meaning == .notTheAPI }

    /// Whether the failed request may have reached the server, which may have acted on it.
    package var mayHaveArrived: Bool {
        // The client asks an authorize function before it sends anything.
        if self.isOfProgram, self.httpStatus == 0 { return false }
        if meaning?.mayHaveArrived == false { return false }
        // A function of the program that reads the answer may fail with any reason.
        return self.isOfProgram || self.reason.traits.mayHaveArrived
    }
}

extension Failure {
    /// Whether the answer to a GET says that the object does not exist. A page of HTML may come
    /// from another server.
    package var saysObjectIsGone: Bool {
        guard reason == .http, [404, 410].contains(httpStatus), !comesFromNetwork else {
            return false
        }
        return response.map { Body($0.bodyWithNUL.dropLast()).isPage($0.headers) } != true
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
