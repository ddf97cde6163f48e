/// Finds the name that was probably meant.
package enum NearestName {
    /// The name with the smallest edit distance to `wrong`, if the distance is small enough for a
    /// typing error: at most a third of the name's length.
    package static func to(_ wrong: String, in names: some Sequence<String>) -> String? {
        let wrong = Array(wrong.utf8.prefix(lengthMax))
        var best: (name: String, distance: Int)?
        for name in names {
            let distance = distance(wrong, Array(name.utf8.prefix(lengthMax)))
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

    /// Computes Levenshtein's distance: insertions, deletions and replacements count one each.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var row = Array(0...b.count)
        for (i, left) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, right) in b.enumerated() {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, diagonal + (left == right ? 0 : 1))
                diagonal = above
            }
        }
        return row[b.count]
    }
}
