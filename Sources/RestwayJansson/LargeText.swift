import CJansson
import RestwayJSON
import RestwayMapping

/// The limits that decide how large texts are divided.
package struct LargeText: Sendable {
    /// A text up to this size becomes one tree.
    package var bytesMin = 64 << 10
    /// Elements of a list are parsed together until they have this size.
    package var partBytes = 8 << 10
    /// Containers deeper than this are not divided: each level scans the text once more.
    package var openedDepthMax = 4
    /// Objects with more members are not divided. They are collections, and all their keys would
    /// have to be kept to detect duplicates.
    package var membersMax = 64

    package init() {}

    /// A placeholder. `TextWalker.large` determines the place of the error.
    static let malformed = JSONError.malformed(
        line: 1, column: 1, byteOffset: 0, reason: "misplaced bracket or comma")
}

/// A large list, divided into parts that are parsed one after the other.
struct LargeList {
    struct Part {
        /// The text of the part, which is borrowed: elements separated by commas, without white
        /// space around them.
        let text: UnsafeRawBufferPointer
        let count: Int
    }

    /// The parts. Each is one large element or several small ones.
    private(set) var parts: [Part] = []
    /// The number of elements.
    private(set) var count = 0
    /// The index after the closing bracket.
    private(set) var end = 0

    /// - Parameter start: The index of the opening bracket.
    init(
        _ outline: JSONOutline, from start: Int, _ sizes: LargeText
    ) throws(JSONError) {
        var partStart = outline.skipSpaces(from: start + 1)
        if partStart < outline.text.count, outline.text[partStart] == UInt8(ascii: "]") {
            end = partStart + 1
            return
        }
        var elementStart = partStart
        var count = 0
        while true {
            guard let end = outline.endOfValue(from: elementStart) else {
                throw LargeText.malformed
            }
            if count > 0, end - elementStart > sizes.bytesMin {
                // A large element is a part of its own.
                add(outline, partStart..<elementStart - 1, count)
                (partStart, count) = (elementStart, 0)
            }
            count += 1
            let isLast = outline.text[end] != UInt8(ascii: ",")
            if isLast || end - partStart >= sizes.partBytes {
                add(outline, partStart..<end, count)
                (partStart, count) = (end + 1, 0)
            }
            elementStart = end + 1
            guard isLast else { continue }
            guard outline.text[end] == UInt8(ascii: "]") else { throw LargeText.malformed }
            self.end = end + 1
            return
        }
    }

    private mutating func add(_ outline: JSONOutline, _ range: Range<Int>, _ count: Int) {
        self.count += count
        parts.append(Part(text: outline.trimmed(range), count: count))
    }
}

/// The members of a large object, located but not parsed.
struct LargeObject {
    struct Member {
        let key: [UInt8]
        /// The text of the value, which is borrowed, without white space around it.
        let value: UnsafeRawBufferPointer
    }

    private(set) var members: [Member] = []

    /// - Parameter outline: The text of the object, from the opening bracket to the closing one.
    /// - Returns: `nil` if the object must be parsed as a whole: it has too many members, or a key
    ///   occurs twice, so that the later member counts.
    init?(_ outline: JSONOutline, _ sizes: LargeText) throws(JSONError) {
        var keys: Set<[UInt8]> = []
        let text = outline.text
        let last = text.count - 1
        var index = outline.skipSpaces(from: 1)
        if index == last, text[last] == UInt8(ascii: "}") { return }
        while true {
            guard members.count < sizes.membersMax else { return nil }
            guard index < last, text[index] == UInt8(ascii: "\"") else {
                throw LargeText.malformed
            }
            let keyEnd = outline.endOfString(from: index)
            let key = try Self.key(outline.trimmed(index..<keyEnd))
            guard keys.insert(key).inserted else { return nil }

            let colon = outline.skipSpaces(from: keyEnd)
            guard colon < last, text[colon] == UInt8(ascii: ":") else {
                throw LargeText.malformed
            }
            guard let end = outline.endOfValue(from: colon + 1) else { throw LargeText.malformed }
            members.append(Member(key: key, value: outline.trimmed(colon + 1..<end)))
            if text[end] == UInt8(ascii: ",") {
                index = outline.skipSpaces(from: end + 1)
                continue
            }
            guard end == last, text[end] == UInt8(ascii: "}") else { throw LargeText.malformed }
            return
        }
    }

    private static func key(_ text: UnsafeRawBufferPointer) throws(JSONError) -> [UInt8] {
        let value = try JSONValue.parse(text)
        return try withExtendedLifetime(value) { () throws(JSONError) in
            let count = json_string_length(value.pointer)
            guard let start = json_string_value(value.pointer) else {
                throw LargeText.malformed
            }
            return Array(UnsafeRawBufferPointer(start: start, count: count))
        }
    }
}

/// Parses a text and pushes its value into a sink. A large text is parsed a part at a time, so that
/// there is never a tree of the whole text.
///
/// Jansson's tree takes ten times the memory of its text. Most of the time is spent on allocating
/// this memory, on cache misses in it, and on freeing it. The tree of a part stays in the cache.
///
/// This code divides large lists and objects, and finds their ends by brackets and quotes. Jansson
/// parses every value in them, and so detects every error in a value.
struct TextWalker<Sink: EventSink> {
    private let sink: Sink
    private let limits: MappingLimits
    private let sizes: LargeText
    private let options: JSONValue.ParseOptions

    init(sink: Sink, _ limits: MappingLimits, _ sizes: LargeText) {
        self.sink = sink
        self.sizes = sizes
        options = .validJSON(keepsDigits: sink.keepsDigits)
        var limits = limits
        // Dividing a container must not allow deeper nesting than Jansson does.
        limits.nestingDepthMax = min(limits.nestingDepthMax, JSONValue.nestingDepthMax)
        self.limits = limits
    }

    /// Parses `text` as one tree.
    func small(_ text: UnsafeRawBufferPointer) throws(JSONError) -> WalkOutcome {
        var arena = JSONArena()
        return try tree(text, depth: 1, isWanted: true, &arena)
    }

    func large(_ text: UnsafeRawBufferPointer) throws(JSONError) -> WalkOutcome {
        do throws(JSONError) {
            let outline = JSONOutline(JSONValue.withoutByteOrderMark(text))
            var arena = JSONArena()
            return try value(
                outline.trimmed(0..<outline.text.count), depth: 1, isWanted: true, &arena)
        } catch {
            guard error != .outOfMemory else { throw error }
            // Only parsing the whole text gives the position of the error in it.
            _ = try JSONValue.parse(text, .validJSON(keepsDigits: false))
            throw error
        }
    }

    /// Pushes the value of `text`, which has no white space around it.
    ///
    /// - Parameters:
    ///   - depth: The depth of a container at this place; the outermost is 1.
    ///   - isWanted: False if the sink skips the value: then only syntax and depth are checked.
    private func value(
        _ text: UnsafeRawBufferPointer, depth: Int, isWanted: Bool, _ arena: inout JSONArena
    ) throws(JSONError) -> WalkOutcome {
        // A byte order mark is allowed only at the start of the whole text.
        guard let first = text.first, first != 0xEF else { throw LargeText.malformed }
        guard text.count > sizes.bytesMin, depth <= sizes.openedDepthMax else {
            return try tree(text, depth: depth, isWanted: isWanted, &arena)
        }
        let outline = JSONOutline(text)
        if first == UInt8(ascii: "[") {
            let list = try LargeList(outline, from: 0, sizes)
            guard list.end == text.count else { throw LargeText.malformed }
            return try array(list, depth, isWanted, &arena)
        }
        if first == UInt8(ascii: "{"), let object = try LargeObject(outline, sizes) {
            return try self.object(object, depth, isWanted, &arena)
        }
        return try tree(text, depth: depth, isWanted: isWanted, &arena)
    }

    private func tree(
        _ text: UnsafeRawBufferPointer, depth: Int, isWanted: Bool, _ arena: inout JSONArena
    ) throws(JSONError) -> WalkOutcome {
        try arena.withTree(text, options) { tree in
            let walker = TreeWalker(sink: sink, tree, limits)
            return walker.walk(tree.pointer, depth: depth, isWanted: isWanted)
        }
    }

    // MARK: Objects

    private func object(
        _ object: LargeObject, _ depth: Int, _ isWanted: Bool, _ arena: inout JSONArena
    ) throws(JSONError) -> WalkOutcome {
        guard depth <= limits.nestingDepthMax else { return .tooDeep }
        guard let wantsMembers = sink.wants(isWanted, { $0.beginObject() }) else {
            return .stopped
        }
        for member in object.members {
            let wantsMember = member.key.withUnsafeBytes { key in
                sink.wants(wantsMembers) { $0.key(key) }
            }
            guard let wantsMember else { return .stopped }
            let outcome = try value(
                member.value, depth: depth + 1, isWanted: wantsMember, &arena)
            guard outcome == .done else { return outcome }
        }
        return wantsMembers && sink.endObject() == .stop ? .stopped : .done
    }

    // MARK: Lists

    private func array(
        _ list: LargeList, _ depth: Int, _ isWanted: Bool, _ arena: inout JSONArena
    ) throws(JSONError) -> WalkOutcome {
        guard depth <= limits.nestingDepthMax else { return .tooDeep }
        guard let wantsElements = sink.wants(isWanted, { $0.beginArray(count: list.count) }) else {
            return .stopped
        }
        for part in list.parts {
            let isOneLarge = part.count == 1 && part.text.count > sizes.bytesMin
            let outcome =
                isOneLarge
                ? try value(part.text, depth: depth + 1, isWanted: wantsElements, &arena)
                : try self.part(part, depth, wantsElements, &arena)
            guard outcome == .done else { return outcome }
        }
        return wantsElements && sink.endArray() == .stop ? .stopped : .done
    }

    private func part(
        _ part: LargeList.Part, _ depth: Int, _ isWanted: Bool, _ arena: inout JSONArena
    ) throws(JSONError) -> WalkOutcome {
        let list = [UInt8(ascii: "[")] + part.text + [UInt8(ascii: "]")]
        return try list.withUnsafeBufferPointer { list throws(JSONError) in
            try arena.withTree(UnsafeRawBufferPointer(list), options) { tree throws(JSONError) in
                guard json_array_size(tree.pointer) == part.count else { throw LargeText.malformed }
                let walker = TreeWalker(sink: sink, tree, limits)
                for index in 0..<part.count {
                    guard let element = json_array_get(tree.pointer, index) else { continue }
                    let outcome = walker.walk(element, depth: depth + 1, isWanted: isWanted)
                    guard outcome == .done else { return outcome }
                }
                return .done
            }
        }
    }
}
