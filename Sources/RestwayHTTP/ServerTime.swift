import RestwayText

/// The time of day at which a server sent an answer, by the server's own clock.
///
/// A time of day that an answer states is compared with the `Date` of the same answer (RFC 9110,
/// section 6.6.1), because the local clock may be wrong. Without a `Date`, the local clock counts,
/// and the caller limits the wait that follows from it.
package struct ServerTime: Equatable, Sendable {
    /// In milliseconds since 1970.
    package let milliseconds: Int64

    /// - Parameters:
    ///   - headers: The header fields of the answer.
    ///   - wallMicroseconds: The local time of day, since 1970.
    package init(_ headers: Headers, wallMicroseconds: Int64) {
        let wall = wallMicroseconds / 1_000
        let date = headers.single("Date").flatMap { HTTPDate.seconds($0, now: wall / 1_000) }
        milliseconds = date.map { $0 * 1_000 } ?? wall
    }

    /// Uses the local clock, because there is no `Date` to compare with.
    package init(wallMicroseconds: Int64) {
        milliseconds = wallMicroseconds / 1_000
    }

    /// The time from the answer to a time that the answer states, in milliseconds; 0 if that time
    /// has passed.
    ///
    /// - Parameter time: Milliseconds since 1970.
    package func milliseconds(until time: Int64) -> Int64 {
        let (wait, overflows) = time.subtractingReportingOverflow(milliseconds)
        if overflows { return time > 0 ? .max : 0 }
        return max(0, wait)
    }
}

/// A time of day that this machine noted at an earlier moment, perhaps in another process. The
/// clock may have been corrected since.
package struct NotedTime: Equatable, Sendable {
    /// The time in microseconds since 1970, as all times here.
    package let time: Int64

    package init(_ time: Int64) {
        self.time = time
    }

    /// The time that has passed since; `nil` if the clock went back, so that nobody knows.
    ///
    /// - Parameter tolerated: A step back of up to this length counts as no time. The small
    ///   corrections of a clock that follows a time server need no consequences.
    package func age(now: Int64, tolerated: Int64 = 0) -> Int64? {
        let (age, overflows) = now.subtractingReportingOverflow(time)
        if overflows { return time < 0 ? .max : nil }
        return age >= 0 ? age : age >= -tolerated ? 0 : nil
    }

    /// Returns the end of a wait that began at this time. If the clock went back since, the wait
    /// begins now, because nobody knows how much of it has passed.
    ///
    /// - Parameters:
    ///   - end: The end of the wait by the clock of that time.
    ///   - longest: The wait ends no later than this long from now.
    package func end(ofWaitUntil end: Int64, now: Int64, longest: Int64) -> Int64 {
        let (latest, overflows) = now.addingReportingOverflow(longest)
        let limit = overflows ? .max : latest
        guard age(now: now) == nil else { return min(end, limit) }
        let (length, isEndless) = end.subtractingReportingOverflow(time)
        let (later, isBeyond) = now.addingReportingOverflow(max(0, length))
        return isEndless || isBeyond ? limit : min(later, limit)
    }
}
