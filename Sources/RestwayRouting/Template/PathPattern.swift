import RestwayText

/// The part of a path template that decides matches: the path, as a list of segments.
struct PathPattern: Equatable, Sendable {
    enum Piece: Hashable, Sendable {
        /// Literal text, percent-decoded.
        case literal([UInt8])
        /// A variable, as an index into `names`.
        case variable(Int)
    }

    /// A segment that is one literal or one variable.
    private struct PlainSegment: Equatable, Sendable {
        /// The range of its text in `literals`; empty for a variable.
        let literal: Range<Int>
        let isVariable: Bool
    }

    let segments: [[Piece]]
    private let names: [String]
    /// The segments in a compact form, if each is one literal or one variable and no variable
    /// occurs twice. Most responses are matched with this form, which is fast to read.
    private let plainSegments: [PlainSegment]?
    private let literals: [UInt8]

    /// Creates a pattern; nil if the path has an expression that is not simple.
    init?(_ parts: [TemplatePart]) {
        var builder = Builder()
        for part in Self.pathParts(of: parts) {
            switch part {
            case .literal(let bytes):
                builder.append(literal: bytes)
            case .variable(let name):
                builder.append(variable: name)
            case .expression(let expression):
                guard let name = expression.simpleName else { return nil }
                builder.append(variable: name)
            }
        }
        segments = Self.trimmed(builder.segments)
        names = builder.names
        let variables = segments.joined().count { if case .variable = $0 { true } else { false } }
        let isPlain = segments.allSatisfy { $0.count == 1 } && variables == names.count
        (plainSegments, literals) = isPlain ? Self.plain(segments) : (nil, [])
    }

    private static func plain(_ segments: [[Piece]]) -> ([PlainSegment], literals: [UInt8]) {
        var plain: [PlainSegment] = []
        var literals: [UInt8] = []
        for piece in segments.joined() {
            let start = literals.count
            if case .literal(let literal) = piece { literals += literal }
            var isVariable = false
            if case .variable = piece { isVariable = true }
            plain.append(
                PlainSegment(literal: start..<literals.count, isVariable: isVariable))
        }
        return (plain, literals)
    }

    /// The parts before the query and the fragment.
    static func pathParts(of parts: [TemplatePart]) -> [TemplatePart] {
        var path: [TemplatePart] = []
        for part in parts {
            switch part {
            case .literal(let bytes):
                guard let end = bytes.firstIndex(where: ASCII.endsPath) else { break }
                return end == 0 ? path : path + [.literal(Array(bytes[..<end]))]
            case .expression(let expression) where expression.endsPath:
                return path
            case .variable, .expression:
                break
            }
            path.append(part)
        }
        return path
    }

    func match(_ path: String) -> [String: String]? {
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

    /// Whether `match` finds values. This does not create the values.
    func matches(_ path: String) -> Bool {
        guard let plainSegments else { return match(path) != nil }
        var path = path
        // Each request is compared with many patterns, so these are not looked up for each byte.
        let (question, hash, percent) = (ASCII.question, ASCII.hash, ASCII.percent)
        let answer: Bool? = path.withUTF8 { bytes in
            var end = 0
            while end < bytes.count, bytes[end] != question, bytes[end] != hash {
                // Encoded text must be decoded first.
                if bytes[end] == percent { return nil }
                end += 1
            }
            var start = 0
            // A leading slash is skipped here as in `trimmed`.
            if end > 0, bytes[0] == ASCII.slash { start = 1 }
            if end > start, bytes[end - 1] == ASCII.slash { end -= 1 }
            return plainSegments.withUnsafeBufferPointer { segments in
                literals.withUnsafeBufferPointer { literals in
                    Self.matches(bytes, start..<end, segments, literals)
                }
            }
        }
        return answer ?? (match(path) != nil)
    }

    private static func matches(
        _ bytes: UnsafeBufferPointer<UInt8>, _ path: Range<Int>,
        _ segments: UnsafeBufferPointer<PlainSegment>, _ literals: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let slash = ASCII.slash
        var start = path.lowerBound
        for index in segments.indices {
            var end = start
            while end < path.upperBound, bytes[end] != slash { end += 1 }
            if segments[index].isVariable {
                guard end > start else { return false }
            } else {
                let literal = segments[index].literal
                guard literal.count == end - start else { return false }
                for offset in 0..<literal.count
                where bytes[start + offset] != literals[literal.lowerBound + offset] {
                    return false
                }
            }
            let isLast = index == segments.count - 1
            guard isLast == (end == path.upperBound) else { return false }
            start = end + 1
        }
        return segments.count > 0 || path.isEmpty
    }

    /// Matches one segment. It takes each literal at its first occurrence, and the last literal at
    /// the end. This finds a match if there is one, so no part is tried twice.
    private static func match(
        _ pieces: [Piece], _ segment: ArraySlice<UInt8>, _ values: inout [String?]
    ) -> Bool {
        let decoded = PercentEncoding.decode(segment)
        let bytes = decoded.bytes
        var position = 0
        var open: (variable: Int, start: Int)?

        /// Ends the open variable at `end`. A variable that appears twice must have one value.
        func close(at end: Int) -> Bool {
            guard let (variable, start) = open else { return true }
            open = nil
            let value = text(start..<end, of: decoded, in: segment)
            if let earlier = values[variable] { return earlier.utf8.elementsEqual(value.utf8) }
            values[variable] = value
            return true
        }

        for (index, piece) in pieces.enumerated() {
            let least = open.map { scalarEnd(bytes, $0.start) } ?? position
            switch piece {
            case .literal(let literal):
                let at: Int?
                if index == pieces.count - 1, open != nil {
                    at = bytes.count - literal.count
                } else {
                    at = open == nil ? position : find(literal, in: bytes, from: least)
                }
                guard let at, at >= least, bytes[at...].starts(with: literal), close(at: at)
                else { return false }
                position = at + literal.count
            case .variable(let variable):
                guard least < bytes.count, close(at: least) else { return false }
                position = least
                open = (variable, least)
            }
        }
        if open != nil { return close(at: bytes.count) }
        return position == bytes.count
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
    private static func scalarEnd(_ bytes: [UInt8], _ start: Int) -> Int {
        var end = start + 1
        while end < bytes.count, bytes[end] & 0xC0 == 0x80, end - start < 4 { end += 1 }
        return end
    }

    /// The first occurrence of `needle`, by the algorithm of Knuth, Morris and Pratt. It takes
    /// linear time for any input.
    static func find<Symbol: Equatable>(
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

extension PathPattern {
    /// Collects pieces into segments.
    private struct Builder {
        private(set) var segments: [[Piece]] = [[]]
        private(set) var names: [String] = []
        private var indices: [String: Int] = [:]

        mutating func append(literal bytes: [UInt8]) {
            let runs = bytes.split(separator: ASCII.slash, omittingEmptySubsequences: false)
            for (index, run) in runs.enumerated() {
                if index > 0 { segments.append([]) }
                if run.isEmpty { continue }
                segments[segments.count - 1].append(.literal(PercentEncoding.decode(run).bytes))
            }
        }

        mutating func append(variable name: String) {
            let index = indices[name] ?? names.count
            if index == names.count {
                names.append(name)
                indices[name] = index
            }
            segments[segments.count - 1].append(.variable(index))
        }
    }
}
