import Glibc
import RestwayRouting

/// Finds the lane of a URL's origin.
struct LaneDirectory {
    /// The number of remembered spellings of origins. Beyond it, idle origins are removed together
    /// with the facts learned about them.
    private static let spellingsMax = 1_024

    /// The lanes by the text before the path, as it was spelled. Parsing the URL of every exchange
    /// would cost more than this lookup.
    private var lanesBySpelling: [Substring: Lane] = [:]
    private var lanesByOrigin: [Origin: Lane] = [:]
    /// The lane that was found last. Most exchanges go to the same origin as the one before.
    private var last: (spelling: String, lane: Lane)?

    /// The lane for a URL; nil if `url` is not an absolute http or https URL.
    mutating func lane(of url: String) -> Lane? {
        if let last, Self.begins(url, with: last.spelling) { return last.lane }
        let spelling = Self.beforePath(url)
        let lane = lane(of: url, spelling)
        // A copy is stored because a slice would keep the whole URL alive.
        if let lane { last = (String(spelling), lane) }
        return lane
    }

    private mutating func lane(of url: String, _ spelling: Substring) -> Lane? {
        if let lane = lanesBySpelling[spelling] { return lane }
        guard let origin = try? Origin(url: url) else { return nil }
        if lanesBySpelling.count >= Self.spellingsMax { forgetIdle() }
        let lane = lanesByOrigin[origin] ?? Lane(origin)
        lanesByOrigin[origin] = lane
        lanesBySpelling[Substring(String(spelling))] = lane
        return lane
    }

    private mutating func forgetIdle() {
        lanesBySpelling = lanesBySpelling.filter { !$0.value.isIdle }
        lanesByOrigin = lanesByOrigin.filter { !$0.value.isIdle }
        last = nil
    }

    /// Whether `spelling` is the text before the path of `url`.
    private static func begins(_ url: String, with spelling: String) -> Bool {
        var url = url
        var spelling = spelling
        return url.withUTF8 { url in
            spelling.withUTF8 { spelling in
                guard url.count >= spelling.count, let start = url.baseAddress,
                    memcmp(start, spelling.baseAddress!, spelling.count) == 0
                else { return false }
                guard url.count > spelling.count else { return true }
                let next = url[spelling.count]
                return next == UInt8(ascii: "/") || next == UInt8(ascii: "?")
                    || next == UInt8(ascii: "#")
            }
        }
    }

    private static func beforePath(_ url: String) -> Substring {
        var slashes = 0
        let end = url.utf8.firstIndex { byte in
            if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { return true }
            guard byte == UInt8(ascii: "/") else { return false }
            slashes += 1
            return slashes == 3
        }
        return url[..<(end ?? url.endIndex)]
    }
}
