import CJansson
import RestwayJSON
import RestwayMapping

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

    init(sink: Sink, _ limits: MappingLimits, _ sizes: LargeText) {
        self.sink = sink
        self.sizes = sizes
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
            _ = try JSONValue.parse(text, .anyJSON)
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
        try arena.withTree(text) { tree in
            let walker = TreeWalker(sink: sink, tree, limits)
            return isWanted
                ? walker.value(tree.pointer, depth: depth)
                : walker.skip(tree.pointer, depth: depth)
        }
    }

    // MARK: Objects

    private func object(
        _ object: LargeObject, _ depth: Int, _ isWanted: Bool, _ arena: inout JSONArena
    ) throws(JSONError) -> WalkOutcome {
        guard depth <= limits.nestingDepthMax else { return .tooDeep }
        var wantsMembers = isWanted
        if isWanted {
            switch sink.beginObject() {
            case .want: break
            case .skip: wantsMembers = false
            case .stop: return .stopped
            }
        }
        for member in object.members {
            var wantsValue = wantsMembers
            if wantsMembers {
                switch member.key.withUnsafeBytes({ sink.key($0) }) {
                case .want: break
                case .skip: wantsValue = false
                case .stop: return .stopped
                }
            }
            let outcome = try value(of: member, depth + 1, wantsValue, &arena)
            guard outcome == .done else { return outcome }
        }
        guard wantsMembers else { return .done }
        return sink.endObject() == .stop ? .stopped : .done
    }

    private func value(
        of member: LargeObject.Member, _ depth: Int, _ isWanted: Bool, _ arena: inout JSONArena
    ) throws(JSONError) -> WalkOutcome {
        if let list = member.list, member.value.count > sizes.bytesMin,
            depth <= sizes.openedDepthMax
        {
            return try array(list, depth, isWanted, &arena)
        }
        return try value(member.value, depth: depth, isWanted: isWanted, &arena)
    }

    // MARK: Lists

    private func array(
        _ list: LargeList, _ depth: Int, _ isWanted: Bool, _ arena: inout JSONArena
    ) throws(JSONError) -> WalkOutcome {
        guard depth <= limits.nestingDepthMax else { return .tooDeep }
        var wantsElements = isWanted
        if isWanted {
            switch sink.beginArray(count: list.count) {
            case .want: break
            case .skip: wantsElements = false
            case .stop: return .stopped
            }
        }
        for part in list.parts {
            let isOneLarge = part.count == 1 && part.text.count > sizes.bytesMin
            let outcome =
                isOneLarge
                ? try value(part.text, depth: depth + 1, isWanted: wantsElements, &arena)
                : try self.part(part, depth, wantsElements, &arena)
            guard outcome == .done else { return outcome }
        }
        guard wantsElements else { return .done }
        return sink.endArray() == .stop ? .stopped : .done
    }

    private func part(
        _ part: LargeList.Part, _ depth: Int, _ isWanted: Bool, _ arena: inout JSONArena
    ) throws(JSONError) -> WalkOutcome {
        try arena.withTree(elements: part.text) { tree throws(JSONError) in
            guard json_array_size(tree.pointer) == part.count else { throw LargeText.malformed }
            let walker = TreeWalker(sink: sink, tree, limits)
            for index in 0..<part.count {
                guard let element = json_array_get(tree.pointer, index) else { continue }
                let outcome =
                    isWanted
                    ? walker.value(element, depth: depth + 1)
                    : walker.skip(element, depth: depth + 1)
                guard outcome == .done else { return outcome }
            }
            return .done
        }
    }
}
