import Glibc
import RestwayRouting

/// Finds the lane of a URL's origin.
struct LaneDirectory {
    /// How many spellings of origins are remembered. Beyond it, idle ones are forgotten, and what
    /// was learned about them with them.
    private static let spellingsMax = 1_024

    /// By what stands before the path, as it was spelled: parsing it for every exchange would cost
    /// more than finding it here.
    private var lanesBySpelling: [Substring: Lane] = [:]
    private var lanesByOrigin: [Origin: Lane] = [:]
    /// What was found last: most exchanges go where the one before went.
    private var last: (spelling: String, lane: Lane)?

    /// nil when `url` is no absolute http or https URL.
    mutating func lane(of url: String) -> Lane? {
        if let last, Self.begins(url, with: last.spelling) { return last.lane }
        let spelling = Self.beforePath(url)
        let lane = lane(of: url, spelling)
        // A copy: a slice would keep the whole URL alive.
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

    /// Whether `spelling` is what stands before the path of `url`.
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
