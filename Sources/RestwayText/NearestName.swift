/// Finds the name that was probably meant.
package enum NearestName {
    /// The name with the smallest edit distance to `wrong`, if the distance is small enough for a
    /// typing error: at most a third of the name's length. Case, "_" and "-" make no difference.
    package static func to(_ wrong: String, in names: some Sequence<String>) -> String? {
        let wrong = plain(wrong)
        var best: (name: String, distance: Int)?
        for name in names {
            let distance = distance(wrong, plain(name))
            if distance < best?.distance ?? Int.max { best = (name, distance) }
        }
        guard let best, best.distance * 3 <= max(wrong.count, 3) else { return nil }
        return best.name
    }

    /// Returns a question about the name that was probably meant, which follows a message about
    /// `wrong`. It is empty if no name is near enough.
    package static func hint(for wrong: String, in names: some Sequence<String>) -> String {
        to(wrong, in: names).map { "; did you mean \"\($0)\"?" } ?? ""
    }

    /// The longest name that is compared. It limits the work on malicious names.
    private static let lengthMax = 64

    /// Returns the characters that are compared.
    private static func plain(_ name: String) -> [UInt8] {
        name.utf8.prefix(lengthMax).filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
            .map(ASCII.lowercased)
    }

    /// Computes the distance of Damerau and Levenshtein in which no part is edited twice:
    /// insertions, deletions, replacements and swaps of neighbours count one each.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            row.reserveCapacity(b.count + 1)
            for j in b.indices {
                var best = min(last[j + 1], row[j]) + 1
                best = min(best, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    best = min(best, beforeLast[j - 1] + 1)
                }
                row.append(best)
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}
