/// When this process has used entries of the file last, as far as the file does not say it.
///
/// A use is written to the file at most once a minute, and when the entry would otherwise be
/// removed to make room. Times never go back, even if the clock does.
struct CacheUses {
    /// If more entries are known, their uses are written.
    static let countMax = 256

    private var times: [Int64: Int64] = [:]
    private var last: Int64 = 0

    /// Takes note of the latest use that the file knows.
    mutating func raise(to time: Int64) {
        last = max(last, time)
    }

    /// Returns the time of a use that happens now.
    mutating func time(_ now: Int64) -> Int64 {
        last = max(last + 1, now)
        return last
    }

    /// Notes that an entry is used now.
    ///
    /// - Returns: The time of this use, and the uses that have to be written because too many are
    ///   known.
    mutating func note(_ id: Int64, now: Int64) -> (time: Int64, excess: [Int64: Int64]) {
        let time = time(now)
        times[id] = time
        return (time, times.count > Self.countMax ? takeAll() : [:])
    }

    /// Forgets the last use of an entry, and returns its time if it is later than the one that the
    /// file has.
    mutating func take(_ id: Int64, after written: Int64) -> Int64? {
        guard let time = times.removeValue(forKey: id), time > written else { return nil }
        return time
    }

    /// Forgets and returns all uses, by entry.
    mutating func takeAll() -> [Int64: Int64] {
        defer { times = [:] }
        return times
    }

    /// The file says now that the entry was used at `time`.
    mutating func noteWritten(_ id: Int64, at time: Int64) {
        if let known = times[id], known <= time { times[id] = nil }
    }
}
