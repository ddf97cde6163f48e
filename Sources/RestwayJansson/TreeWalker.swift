import CJansson
import RestwayJSON
import RestwayMapping

/// The result of a walk.
enum WalkOutcome {
    case done
    /// The sink answered `stop`.
    case stopped
    case tooDeep
}

/// Pushes a tree of Jansson into a sink.
///
/// Two limits bound the recursion: the limit on nesting, and Jansson's own of 2,048.
struct TreeWalker<Sink: EventSink> {
    private let sink: Sink
    private let depthMax: Int
    private let hasOutOfRangeNumbers: Bool

    /// `tree` must outlive the walker.
    init(sink: Sink, _ tree: JSONTree, _ limits: MappingLimits) {
        self.sink = sink
        depthMax = limits.nestingDepthMax
        hasOutOfRangeNumbers = tree.hasOutOfRangeNumbers
    }

    /// - Parameters:
    ///   - depth: The depth of a container at this place; the outermost is 1.
    ///   - isWanted: False if the sink skips the value. Then only its depth is checked.
    func walk(
        _ value: UnsafeMutablePointer<json_t>, depth: Int, isWanted: Bool
    ) -> WalkOutcome {
        switch value.pointee.type {
        case JSON_OBJECT: return object(value, depth, isWanted)
        case JSON_ARRAY: return array(value, depth, isWanted)
        default: return isWanted && scalar(value) == .stop ? .stopped : .done
        }
    }

    private func scalar(_ value: UnsafeMutablePointer<json_t>) -> EventAnswer {
        switch value.pointee.type {
        case JSON_STRING: string(value)
        case JSON_INTEGER: sink.int64(json_integer_value(value))
        case JSON_REAL: sink.double(json_real_value(value))
        case JSON_TRUE: sink.bool(true)
        case JSON_FALSE: sink.bool(false)
        default: sink.null()
        }
    }

    private func string(_ value: UnsafeMutablePointer<json_t>) -> EventAnswer {
        guard let start = json_string_value(value) else { return sink.null() }
        let count = json_string_length(value)
        if hasOutOfRangeNumbers, let number = JSONValue.outOfRangeNumber(start, count) {
            return sink.numberText(number)
        }
        return sink.string(UnsafeRawBufferPointer(start: start, count: count))
    }

    private func object(
        _ object: UnsafeMutablePointer<json_t>, _ depth: Int, _ isWanted: Bool
    ) -> WalkOutcome {
        guard depth <= depthMax else { return .tooDeep }
        guard let wantsMembers = sink.wants(isWanted, { $0.beginObject() }) else {
            return .stopped
        }
        var iterator = json_object_iter(object)
        while let current = iterator {
            let key = UnsafeRawBufferPointer(
                start: json_object_iter_key(current), count: json_object_iter_key_len(current))
            if let member = json_object_iter_value(current) {
                guard let wantsMember = sink.wants(wantsMembers, { $0.key(key) }) else {
                    return .stopped
                }
                let outcome = walk(member, depth: depth + 1, isWanted: wantsMember)
                guard outcome == .done else { return outcome }
            }
            iterator = json_object_iter_next(object, current)
        }
        return wantsMembers && sink.endObject() == .stop ? .stopped : .done
    }

    private func array(
        _ array: UnsafeMutablePointer<json_t>, _ depth: Int, _ isWanted: Bool
    ) -> WalkOutcome {
        guard depth <= depthMax else { return .tooDeep }
        let count = json_array_size(array)
        guard let wantsElements = sink.wants(isWanted, { $0.beginArray(count: count) }) else {
            return .stopped
        }
        for index in 0..<count {
            guard let element = json_array_get(array, index) else { continue }
            let outcome = walk(element, depth: depth + 1, isWanted: wantsElements)
            guard outcome == .done else { return outcome }
        }
        return wantsElements && sink.endArray() == .stop ? .stopped : .done
    }
}

extension EventSink {
    /// Returns whether the sink wants what it is told next; `nil` if it stops.
    ///
    /// - Parameter isWanted: False if the sink skips the value around it. Then it is told nothing.
    @inline(__always)
    func wants(_ isWanted: Bool, _ tell: (Self) -> EventAnswer) -> Bool? {
        guard isWanted else { return false }
        return switch tell(self) {
        case .want: true
        case .skip: false
        case .stop: nil
        }
    }
}
