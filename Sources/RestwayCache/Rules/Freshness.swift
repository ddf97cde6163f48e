import RestwayHTTP
import RestwayText

/// How old an entry is, and how long it is fresh (RFC 9111, section 4.2), in seconds.
package struct EntryAge: Sendable, Equatable {
    package var age: Int64
    package var lifetime: Int64
    /// Whether the age is known. It is not known if the clock went back after the answer came. Then
    /// `age` is the age that the answer had at its arrival, and the server is asked before the
    /// entry is used.
    package let isKnown: Bool

    package init(age: Int64, lifetime: Int64, isKnown: Bool = true) {
        self.age = age
        self.lifetime = lifetime
        self.isKnown = isKnown
    }

    package var isFresh: Bool { isKnown && age < lifetime }
    /// How long the entry has been stale; negative if it is fresh.
    var staleness: Int64 { age - lifetime }
}

/// When an answer came, and how old it was then.
struct Arrival: Sendable {
    private static let microsecondsPerSecond: Int64 = 1_000_000

    /// The time of arrival, and the `Date` of the answer, in seconds since 1970.
    let now: Int64
    let date: Int64
    /// The age at the time of arrival, in microseconds (RFC 9111, section 4.2.3).
    let age: Int64

    init(_ headers: Headers, requestTime: Int64, responseTime: Int64) {
        now = responseTime / Self.microsecondsPerSecond
        date = Statements.date("Date", headers, now: now) ?? now
        // If a field has several values, the first one counts (RFC 9111, section 5.1).
        let stated = headers[first: "Age"].flatMap { FieldList.members($0).first }
        let seconds = stated.flatMap { CacheControl.seconds(String($0)) } ?? 0
        let most = CacheControl.secondsMax * Self.microsecondsPerSecond
        age = max(
            min(max(0, now - date), CacheControl.secondsMax) * Self.microsecondsPerSecond,
            seconds * Self.microsecondsPerSecond + min(max(0, responseTime - requestTime), most))
    }
}

/// The header fields of an answer that decide about its reuse, read once.
struct Statements: Sendable {
    let directives: CacheControl
    /// The names of the fields that `Vary` names, in lower case.
    let varyingNames: [String]
    let arrival: Arrival
    /// The lifetime that the server states, in seconds; `nil` if it states none.
    let statedLifetime: Int64?
    /// The lifetime that the age of the resource suggests (RFC 9111, section 4.2.2), if the server
    /// states none.
    let likelyLifetime: Int64

    /// Nothing is fresh for longer only because it has not changed for long.
    static let likelyLifetimeMax: Int64 = 7 * 86_400
    /// - Parameter directives: The directives of `Cache-Control`.
    init(_ headers: Headers, _ directives: CacheControl, status: Int, _ arrival: Arrival) {
        let (now, date) = (arrival.now, arrival.date)
        self.directives = directives
        self.arrival = arrival
        varyingNames = headers.joined("Vary").map(FieldList.names) ?? []
        if let maxAge = directives.maxAge {
            statedLifetime = maxAge
        } else if headers[first: "Expires"] != nil {
            let expires = Self.date("Expires", headers, now: now)
            statedLifetime = expires.map { min(max(0, $0 - date), CacheControl.secondsMax) } ?? 0
        } else {
            statedLifetime = nil
        }
        let mayBeGuessed =
            statedLifetime == nil
            && (StatusCode.isHeuristicallyCacheable(status) || directives.flags.contains(.public))
        let modified = mayBeGuessed ? Self.date("Last-Modified", headers, now: now) : nil
        likelyLifetime =
            modified.map { min(max(0, date - $0) / 10, Self.likelyLifetimeMax) } ?? 0
    }

    /// Reads a date. A field that is there twice with different values has none.
    fileprivate static func date(_ name: String, _ headers: Headers, now: Int64) -> Int64? {
        headers.single(name).flatMap { HTTPDate.seconds($0, now: now) }
    }
}

extension StoredHead {
    private static let microsecondsPerSecond: Int64 = 1_000_000

    /// - Parameter now: Microseconds since 1970. A time of less than a second before the arrival is
    ///   taken for the time of arrival.
    package func age(now: Int64, usesHeuristics: Bool) -> EntryAge {
        let sinceArrival = NotedTime(responseTime).age(
            now: now, tolerated: Self.microsecondsPerSecond)
        let secondsMax = CacheControl.secondsMax
        let resident = min(sinceArrival ?? 0, secondsMax * Self.microsecondsPerSecond)
        let age = (statements.arrival.age + resident) / Self.microsecondsPerSecond
        return EntryAge(
            age: min(age, secondsMax), lifetime: lifetime(usesHeuristics: usesHeuristics),
            isKnown: sinceArrival != nil)
    }

    /// The document's lifetime counts from the arrival, however old the answer was then. It alone
    /// makes an answer behind a redirect fresh.
    func lifetime(usesHeuristics: Bool) -> Int64 {
        if let documentLifetime {
            let initial = statements.arrival.age / Self.microsecondsPerSecond
            return min(documentLifetime, CacheControl.secondsMax) + initial
        }
        // The server behind a redirect does not know for how long the redirect leads to it.
        if isBehindRedirect { return 0 }
        return statements.statedLifetime ?? (usesHeuristics ? statements.likelyLifetime : 0)
    }

    /// Whether the server wants each use validated. The document's lifetime replaces this.
    var mustAlwaysBeValidated: Bool {
        documentLifetime == nil
            && (statements.directives.flags.contains(.noCache)
                || !statements.directives.unvalidatedNames.allSatisfy { name in
                    !headers.fields.contains { $0.isNamed(name) }
                })
    }

    /// Whether the server forbids to use the entry when it is stale.
    var mustBeFresh: Bool {
        statements.directives.flags.contains(.mustRevalidate) || mustAlwaysBeValidated
    }
}

/// The statuses that the cache knows (RFC 9110, section 15).
enum StatusCode {
    /// RFC 9110, section 15.1.
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Whether the cache knows what the status means for it (RFC 9111, section 3).
    static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200...206, 300...305, 307, 308, 400...417, 421, 422, 426, 428, 429, 431, 451: true
        case 500...505, 511: true
        default: false
        }
    }

    /// Whether the answer tells the present state of the resource, so that an older answer no
    /// longer holds.
    static func tellsState(_ status: Int) -> Bool {
        (200..<400).contains(status) && status != 304 || status == 404 || status == 410
    }

    /// Whether the answer leads to another URL.
    static func isRedirect(_ status: Int) -> Bool {
        (300..<400).contains(status) && status != 304
    }

    /// Whether a kept answer may stand in for an answer with this status (RFC 5861, section 4).
    static func isServerFailure(_ status: Int) -> Bool {
        status == 500 || (502...504).contains(status)
    }
}
