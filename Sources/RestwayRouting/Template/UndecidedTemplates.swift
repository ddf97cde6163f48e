/// Finds pairs of templates that match the same path although neither is more specific.
///
/// The time is proportional to the templates. Only segments that mix text and variables, or repeat
/// a variable, can be undecided, and only if all segments before them are equal.
package struct UndecidedTemplates {
    package struct Pair: Equatable {
        package let earlier: Int
        package let later: Int
    }

    /// The pairs, at most one pair for each later template.
    package private(set) var pairs: [Pair] = []
    /// The first template that was not compared with all other templates, because too many
    /// templates stand at its place; nil if all templates were compared.
    package private(set) var unchecked: Int?
    /// The number of compared pairs.
    package private(set) var comparisonCount = 0

    /// The number of comparisons for each template. It limits the work.
    package static let comparisonsPerTemplate = 256

    /// A place in the tree of all templates.
    private struct Step: Hashable {
        let place: Int
        let segment: [PathPattern.Piece]
    }

    private struct Visitor {
        let template: Int
        /// The place after its segment at this place.
        let next: Int
        let segment: PathTemplate.Segment

        /// Whether a text may match both segments. This quick check excludes most pairs.
        func mayMeet(_ other: Visitor) -> Bool {
            guard next != other.next else { return false }
            return Self.mayBeEqual(segment.first, other.segment.first)
                && Self.mayBeEqual(segment.last, other.segment.last)
        }

        private static func mayBeEqual(_ byte: UInt8?, _ other: UInt8?) -> Bool {
            byte == nil || other == nil || byte == other
        }
    }

    /// - Parameter areRivals: Whether two templates may apply to the same request at all.
    package init(_ templates: [PathTemplate], areRivals: (Int, Int) -> Bool) {
        var places: [Step: Int] = [:]
        places.reserveCapacity(templates.reduce(0) { $0 + $1.segmentCount })
        var visitors: [Int: [Visitor]] = [:]
        for (index, template) in templates.enumerated() {
            // A different first place separates templates of different lengths.
            var place = -template.segmentCount
            for segment in template.segments {
                let step = Step(place: place, segment: segment.pieces)
                let next = places[step] ?? places.count + 1
                places[step] = next
                if segment.mayBeUndecided {
                    visitors[place, default: []].append(
                        Visitor(template: index, next: next, segment: segment))
                }
                place = next
            }
        }
        let budget = Self.comparisonsPerTemplate * templates.count
        var found: Set<Int> = []
        for place in visitors.keys.sorted() {
            let group = visitors[place] ?? []
            for (position, later) in group.enumerated() where !found.contains(later.template) {
                for earlier in group[..<position] {
                    comparisonCount += 1
                    guard comparisonCount <= budget else {
                        unchecked = later.template
                        return
                    }
                    let (first, second) = (templates[earlier.template], templates[later.template])
                    guard later.mayMeet(earlier), areRivals(earlier.template, later.template),
                        second.precedence(over: first) == .undecided
                    else { continue }
                    found.insert(later.template)
                    pairs.append(Pair(earlier: earlier.template, later: later.template))
                    break
                }
            }
        }
    }
}

extension PathTemplate {
    fileprivate struct Segment {
        let pieces: [PathPattern.Piece]
        /// Whether the segment mixes text and variables, or repeats a variable.
        let mayBeUndecided: Bool

        /// The first byte of the segment; nil for a variable. The same holds for `last`.
        var first: UInt8? {
            guard case .literal(let bytes)? = pieces.first else { return nil }
            return bytes.first
        }

        var last: UInt8? {
            guard case .literal(let bytes)? = pieces.last else { return nil }
            return bytes.last
        }
    }

    /// Whether another template can match the same path although neither is more specific.
    package var mayBeUndecided: Bool {
        guard let pattern, !pattern.isPlain else { return false }
        return segments.contains(where: \.mayBeUndecided)
    }

    fileprivate var segmentCount: Int { pattern?.segments.count ?? 0 }

    fileprivate var segments: [Segment] {
        var variableCount = 0
        return (pattern?.segments ?? []).map { pieces in
            var repeats = false
            for case .variable(let index) in pieces {
                if index < variableCount { repeats = true }
                variableCount = max(variableCount, index + 1)
            }
            return Segment(pieces: pieces, mayBeUndecided: repeats || pieces.count > 1)
        }
    }
}
