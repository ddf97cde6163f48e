import RestwayText

/// The part of a path template that decides matches: the path, as a list of segments, and the
/// parameters that its query always has.
///
/// It is a class because each request compares its path with several patterns, and no pattern ever
/// changes.
final class PathPattern: Sendable {
    enum Piece: Hashable, Sendable {
        /// Literal text, percent-decoded.
        case literal([UInt8])
        /// A variable, as an index into `names`.
        case variable(Int)
    }

    let segments: [[Piece]]
    /// The parameters of the query that have no variable: `beta=true` in
    /// `answers?beta=true{&page}`. A path matches only if its query has all of them, in any order.
    /// Each stands here once, decoded, with a NUL between its name and its value; they are sorted.
    let fixedQuery: [String]
    private let names: [String]
    /// Whether each segment is one literal or one variable, and no variable occurs twice.
    let isPlain: Bool
    /// The path of a plain pattern as text, with a NUL in place of each variable. Paths are
    /// compared with it byte by byte. `nil` if the pattern is not plain, or has a query, or has a
    /// character that no path writes as it is.
    private let plainText: [UInt8]?

    /// Creates a pattern; nil if the path has an expression that is not simple.
    ///
    /// - Parameters:
    ///   - path: The parts before the query and the fragment.
    ///   - names: The names of all variables of the template, the path's before the others.
    ///   - indices: The index of each name in `names`.
    ///   - rest: The query and the fragment.
    init?(
        _ path: [TemplatePart], _ names: [String], _ indices: [String: Int],
        rest: ArraySlice<TemplatePart>
    ) {
        var segments: [[Piece]] = [[]]
        var nameCount = 0
        var variableCount = 0
        for part in path {
            switch part {
            case .literal(let bytes):
                Self.append(bytes, to: &segments)
                continue
            case .expression(let expression) where expression.simpleName == nil:
                return nil
            case .variable, .expression:
                break
            }
            for index in part.variableNames.compactMap({ indices[$0] }) {
                segments[segments.count - 1].append(.variable(index))
                nameCount = max(nameCount, index + 1)
                variableCount += 1
            }
        }
        self.segments = Self.trimmed(segments)
        fixedQuery = rest.isEmpty ? [] : Self.fixedQuery(rest)
        self.names = nameCount == names.count ? names : Array(names.prefix(nameCount))
        isPlain = self.segments.allSatisfy { $0.count == 1 } && variableCount == nameCount
        plainText = isPlain && fixedQuery.isEmpty ? Self.plainText(self.segments) : nil
    }

    private static func plainText(_ segments: [[Piece]]) -> [UInt8]? {
        var text: [UInt8] = []
        for (index, pieces) in segments.enumerated() {
            if index > 0 { text.append(ASCII.slash) }
            switch pieces[0] {
            case .literal(let bytes):
                guard !bytes.contains(where: isEncoded) else { return nil }
                text += bytes
            case .variable: text.append(variableMark)
            }
        }
        return text
    }

    private static let variableMark: UInt8 = 0

    /// Whether a byte of a segment stands encoded in every path, or for something else in
    /// `plainText`.
    private static func isEncoded(_ byte: UInt8) -> Bool {
        switch byte {
        case variableMark, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"),
            UInt8(ascii: "%"):
            true
        default: false
        }
    }

    /// Appends literal text, in which each slash begins a new segment.
    private static func append(_ literal: [UInt8], to segments: inout [[Piece]]) {
        var rest = literal[...]
        while true {
            let run = rest.prefix { $0 != ASCII.slash }
            if !run.isEmpty {
                segments[segments.count - 1].append(.literal(PercentEncoding.decode(run).bytes))
            }
            rest = rest[run.endIndex...]
            guard !rest.isEmpty else { return }
            rest.removeFirst()
            segments.append([])
        }
    }

    /// The parts before the query and the fragment.
    static func pathParts(of parts: [TemplatePart]) -> [TemplatePart] {
        for (index, part) in parts.enumerated() {
            switch part {
            case .literal(let bytes):
                guard let end = bytes.firstIndex(where: ASCII.endsPath) else { break }
                let path = Array(parts[..<index])
                return end == 0 ? path : path + [.literal(Array(bytes[..<end]))]
            case .expression(let expression) where expression.endsPath:
                return Array(parts[..<index])
            case .variable, .expression:
                break
            }
        }
        return parts
    }

    /// The parts after the path, which begin with the first "?" or "#".
    static func rest(of parts: [TemplatePart]) -> ArraySlice<TemplatePart> {
        let path = pathParts(of: parts)
        guard let last = path.last, parts.count >= path.count, last != parts[path.count - 1],
            case .literal(let bytes) = parts[path.count - 1],
            let end = bytes.firstIndex(where: ASCII.endsPath)
        else { return parts[path.count...] }
        return [.literal(Array(bytes[end...]))] + parts[path.count...]
    }

    /// The parameters without variables in a query.
    private static func fixedQuery(_ rest: ArraySlice<TemplatePart>) -> [String] {
        // No parameter of a template has a NUL, which stands for a variable here.
        var query: [UInt8] = []
        for part in rest {
            switch part {
            case .literal(let bytes): query += bytes
            case .expression(let expression) where expression.endsPath:
                query.append(UInt8(ascii: "&"))
                query.append(0)
            case .variable, .expression: query.append(0)
            }
        }
        let texts = query.split(separator: UInt8(ascii: "&")).filter { !$0.contains(0) }
        var fixed: [String] = []
        for parameter in parameters(Array(texts.joined(separator: "&".utf8)))
        where !fixed.contains(parameter) {
            fixed.insert(parameter, at: fixed.firstIndex { $0 > parameter } ?? fixed.endIndex)
        }
        return fixed
    }

    /// Whether the query of a path has all parameters that every path has.
    private func matchesQuery(_ path: String) -> Bool {
        if fixedQuery.isEmpty { return true }
        let given = Self.parameters(Array(path.utf8))
        return fixedQuery.allSatisfy(given.contains)
    }

    /// The parameters of the query in a text.
    private static func parameters(_ text: [UInt8]) -> [String] {
        let text = text.prefix { $0 != ASCII.hash }
        guard let start = text.firstIndex(of: ASCII.question) else { return [] }
        let query = String(decoding: text[(start + 1)...], as: UTF8.self)
        return SplitURL.parameters(query).map { "\($0.name)\0\($0.value)" }
    }

    func match(_ path: String) -> [String: String]? {
        guard matchesQuery(path) else { return nil }
        let bytes = Array(path.utf8)
        let end = bytes.firstIndex(where: ASCII.endsPath) ?? bytes.endIndex
        let split = bytes[..<end].split(
            separator: ASCII.slash, maxSplits: segments.count + 2, omittingEmptySubsequences: false)
        let actual = Self.trimmed(split)
        guard actual.count == segments.count else { return nil }
        var values = [String?](repeating: nil, count: names.count)
        for (pieces, segment) in zip(segments, actual) {
            guard Self.match(pieces, segment, &values) else { return nil }
        }
        return Dictionary(uniqueKeysWithValues: zip(names, values.map { $0 ?? "" }))
    }

    /// Whether `match` finds values. This does not create the values of a plain pattern.
    func matches(_ path: String) -> Bool {
        guard let plainText else { return match(path) != nil }
        let matches = path.utf8.withContiguousStorageIfAvailable { Self.matches($0, plainText) }
        return (matches ?? nil) ?? (match(path) != nil)
    }

    /// Whether a path has the text of a plain pattern; `nil` if that depends on encoded text, which
    /// must be decoded first.
    private static func matches(_ path: UnsafeBufferPointer<UInt8>, _ text: [UInt8]) -> Bool? {
        // The slashes at the start and at the end are skipped as in `trimmed`.
        var position = path.first == ASCII.slash ? 1 : 0
        for byte in text {
            guard byte == variableMark else {
                guard position < path.count else { return false }
                if path[position] == ASCII.percent { return nil }
                guard path[position] == byte else { return false }
                position += 1
                continue
            }
            let start = position
            while !endsSegment(path, position) {
                if path[position] == ASCII.percent { return nil }
                position += 1
            }
            if position == start { return false }
        }
        if position < path.count, path[position] == ASCII.slash { position += 1 }
        return position == path.count || ASCII.endsPath(path[position])
    }

    private static func endsSegment(_ path: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
        guard index < path.count else { return true }
        switch path[index] {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return true
        default: return false
        }
    }

    /// Matches one segment. A variable that appears twice must have one value.
    private static func match(
        _ pieces: [Piece], _ segment: ArraySlice<UInt8>, _ values: inout [String?]
    ) -> Bool {
        let decoded = PercentEncoding.decode(segment)
        guard let variables = variables(of: pieces, in: decoded.bytes) else { return false }
        for (variable, range) in variables {
            let value = text(range, of: decoded, in: segment)
            if let earlier = values[variable], !earlier.utf8.elementsEqual(value.utf8) {
                return false
            }
            values[variable] = value
        }
        return true
    }

    /// The variables of a segment and the ranges of `symbols` that they take; nil if the segment
    /// does not match. It takes each literal at its first occurrence, and the last literal at the
    /// end. This finds a match whenever a match exists, so no part is tried twice.
    static func variables<Symbol: FixedWidthInteger>(
        of pieces: [Piece], in symbols: [Symbol]
    ) -> [(index: Int, range: Range<Int>)]? {
        var variables: [(index: Int, range: Range<Int>)] = []
        var position = 0
        // A variable is open until the piece after it is found.
        var open: (variable: Int, start: Int)?
        func close(at end: Int) {
            if let (variable, start) = open.take() { variables.append((variable, start..<end)) }
        }
        for (index, piece) in pieces.enumerated() {
            let least = open.map { scalarEnd(symbols, $0.start) } ?? position
            switch piece {
            case .literal(let bytes):
                let literal = bytes.map { Symbol($0) }
                var start: Int? = position
                if open != nil {
                    let isLast = index == pieces.count - 1
                    start =
                        isLast
                        ? symbols.count - literal.count : find(literal, in: symbols, from: least)
                }
                guard let start, start >= least, symbols[start...].starts(with: literal) else {
                    return nil
                }
                close(at: start)
                position = start + literal.count
            case .variable(let variable):
                guard least < symbols.count else { return nil }
                close(at: least)
                position = least
                open = (variable, least)
            }
        }
        if open == nil, position != symbols.count { return nil }
        close(at: symbols.count)
        return variables
    }

    private static func text(
        _ range: Range<Int>, of decoded: PercentEncoding.Decoded, in segment: ArraySlice<UInt8>
    ) -> String {
        if decoded.isWellFormed,
            let text = String(validating: decoded.bytes[range], as: UTF8.self)
        {
            return text
        }
        let start = segment.startIndex + (decoded.offsets?[range.lowerBound] ?? range.lowerBound)
        let end = segment.startIndex + (decoded.offsets?[range.upperBound] ?? range.upperBound)
        return String(decoding: segment[start..<end], as: UTF8.self)
    }

    /// The end of the UTF-8 sequence that begins at `start`, whether it is well formed or not.
    private static func scalarEnd<Symbol: FixedWidthInteger>(
        _ symbols: [Symbol], _ start: Int
    ) -> Int {
        var end = start + 1
        while end < symbols.count, symbols[end] & 0xC0 == 0x80, end - start < 4 { end += 1 }
        return end
    }

    /// The first occurrence of `needle`, by the algorithm of Knuth, Morris and Pratt. It takes
    /// linear time for any input.
    private static func find<Symbol: Equatable>(
        _ needle: [Symbol], in bytes: [Symbol], from start: Int
    ) -> Int? {
        guard start <= bytes.count - needle.count else { return nil }
        var borders = [Int](repeating: 0, count: needle.count)
        var length = 0
        for index in needle.indices.dropFirst() {
            while length > 0, needle[index] != needle[length] { length = borders[length - 1] }
            if needle[index] == needle[length] { length += 1 }
            borders[index] = length
        }
        length = 0
        for index in start..<bytes.count {
            while length > 0, bytes[index] != needle[length] { length = borders[length - 1] }
            if bytes[index] == needle[length] { length += 1 }
            if length == needle.count { return index + 1 - length }
        }
        return nil
    }

    /// Removes the empty segments that a leading and a trailing slash make.
    private static func trimmed<Segment: Collection>(_ segments: [Segment]) -> [Segment] {
        var segments = segments[...]
        if segments.count > 1, segments.first?.isEmpty == true { segments.removeFirst() }
        if segments.count > 1, segments.last?.isEmpty == true { segments.removeLast() }
        return Array(segments)
    }
}
