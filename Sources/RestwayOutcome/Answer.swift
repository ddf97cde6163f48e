package import RestwayHTTP
import RestwayRouting
import RestwayText
package import RestwayThreads

/// An answer on its way from where it came to the response of its call. It comes from the server,
/// from the response cache, from the exchange of another call, or from the program.
///
/// A stage that changes it changes a copy, which keeps all other values.
package struct Answer: Sendable {
    package var status: Int
    /// The version of HTTP; `nil` if no server has sent the answer.
    package var httpVersion: HTTPVersion?
    package var headers: Headers
    /// The URL that answered, after redirects.
    package var url: String
    /// Where the body is.
    package var bodyPlace: BodyPlace
    /// The header fields after the body.
    package var trailers = Headers()

    /// The times of everything before the mapping; empty for an answer that took no exchange.
    package var timings = CallTimings()
    /// All attempts including this one; empty if this attempt is the only attempt.
    package var attempts: [CallAttempt] = []
    /// The part of the response cache in the answer; `nil` if it was not asked.
    package var cache: CacheNote?

    // MARK: For the journey of the call

    /// Whether the calls that wait for this exchange may have the answer, too. The response cache
    /// says it.
    package var isShareable = false
    /// The objects that the body was mapped to before; `nil` if the response cache does not keep
    /// it.
    package var mappings: CachedMappings?
    /// When the body was decoded or found, from where the time of the mapping counts.
    package var readyAt: Deadline?
    /// Why the body is not whole, or cannot be decoded.
    package var damage: Failure?
    /// Why the call fails although there is an answer.
    package var failure: Failure?

    /// Makes an answer where it comes from.
    package init(
        status: Int, httpVersion: HTTPVersion? = nil, headers: Headers, url: String,
        body: Body = .empty
    ) {
        self.status = status
        self.httpVersion = httpVersion
        self.headers = headers
        self.url = url
        bodyPlace = .memory(body)
    }

    /// Makes an answer of a server without its body.
    package init(_ head: ResponseHead) {
        self.init(
            status: head.status, httpVersion: head.httpVersion, headers: head.headers,
            url: head.url)
    }

    /// Makes what a call gets that succeeds without an answer.
    package init(nothingFrom url: String) {
        self.init(status: 0, headers: Headers(), url: url)
    }

    /// The body, if it is in memory; otherwise an empty body.
    package var body: Body {
        if case .memory(let body) = bodyPlace { body } else { .empty }
    }

    /// The body that was saved or given to the program; `nil` if it is elsewhere.
    package var saved: SavedBody? {
        if case .saved(let saved) = bodyPlace { saved } else { nil }
    }

    /// Whether the server may have got the request before the exchange with this answer.
    package var isToRepetition: Bool {
        timings.repetitions > 0 || attempts.dropLast().contains(where: \.mayHaveArrived)
    }

    package var isSuccess: Bool { (200..<300).contains(status) }

    /// The URL to which the answer redirects; `nil` if it does not redirect.
    package var location: String? {
        guard (300..<400).contains(status), let location = headers[first: "Location"] else {
            return nil
        }
        return try? URLText.resolve(location, against: url)
    }

    /// Whether the server has sent the answer to this call, or has said that it still holds.
    package var cameByExchange: Bool {
        switch cache?.state {
        case nil, .none?, .validated, .stored, .passed: true
        case .hit, .stale, .missing, .shared: false
        }
    }

    /// Whether the server has said just now that a kept answer still holds. The answer is then as
    /// new as one that the server sends.
    package var isValidated: Bool { cache?.state == .validated }

    /// Returns the answer for a call that has waited for the exchange of another call. The times
    /// and the attempts belong to the other call.
    package func shared(with headers: Headers) -> Answer {
        var answer = self
        answer.headers = headers
        answer.timings = CallTimings()
        answer.attempts = []
        var note = cache ?? CacheNote.none
        note.state = .shared
        answer.cache = note
        return answer
    }

    /// Lets go of what only the journey of the call needs. A response may live much longer.
    mutating func endJourney() {
        mappings = nil
        readyAt = nil
        damage = nil
        failure = nil
        if case .kept = bodyPlace { bodyPlace = .dropped }
    }
}
