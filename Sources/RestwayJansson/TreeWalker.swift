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
        isWanted ? self.value(value, depth: depth) : skip(value, depth: depth)
    }

    private func value(_ value: UnsafeMutablePointer<json_t>, depth: Int) -> WalkOutcome {
        let answer: EventAnswer
        switch value.pointee.type {
        case JSON_STRING:
            answer = string(value)
        case JSON_INTEGER:
            answer = sink.int64(json_integer_value(value))
        case JSON_REAL:
            answer = sink.double(json_real_value(value))
        case JSON_TRUE:
            answer = sink.bool(true)
        case JSON_FALSE:
            answer = sink.bool(false)
        case JSON_OBJECT:
            return object(value, depth)
        case JSON_ARRAY:
            return array(value, depth)
        default:
            answer = sink.null()
        }
        return answer == .stop ? .stopped : .done
    }

    private func string(_ value: UnsafeMutablePointer<json_t>) -> EventAnswer {
        guard let start = json_string_value(value) else { return sink.null() }
        let count = json_string_length(value)
        if hasOutOfRangeNumbers, let number = JSONValue.outOfRangeNumber(start, count) {
            return sink.unrepresentableNumber(number)
        }
        return sink.string(UnsafeRawBufferPointer(start: start, count: count))
    }

    private func object(_ object: UnsafeMutablePointer<json_t>, _ depth: Int) -> WalkOutcome {
        guard depth <= depthMax else { return .tooDeep }
        switch sink.beginObject() {
        case .want: break
        case .skip: return skipContent(of: object, depth)
        case .stop: return .stopped
        }
        var iterator = json_object_iter(object)
        while let current = iterator {
            let key = UnsafeRawBufferPointer(
                start: json_object_iter_key(current), count: json_object_iter_key_len(current))
            if let member = json_object_iter_value(current) {
                let outcome: WalkOutcome
                switch sink.key(key) {
                case .want: outcome = value(member, depth: depth + 1)
                case .skip: outcome = skip(member, depth: depth + 1)
                case .stop: return .stopped
                }
                guard outcome == .done else { return outcome }
            }
            iterator = json_object_iter_next(object, current)
        }
        return sink.endObject() == .stop ? .stopped : .done
    }

    private func array(_ array: UnsafeMutablePointer<json_t>, _ depth: Int) -> WalkOutcome {
        guard depth <= depthMax else { return .tooDeep }
        switch sink.beginArray(count: json_array_size(array)) {
        case .want: break
        case .skip: return skipContent(of: array, depth)
        case .stop: return .stopped
        }
        for index in 0..<json_array_size(array) {
            guard let element = json_array_get(array, index) else { continue }
            let outcome = value(element, depth: depth + 1)
            guard outcome == .done else { return outcome }
        }
        return sink.endArray() == .stop ? .stopped : .done
    }

    /// Skips a value that is not wanted. Only its depth is checked.
    private func skip(_ value: UnsafeMutablePointer<json_t>, depth: Int) -> WalkOutcome {
        let type = value.pointee.type
        guard type == JSON_OBJECT || type == JSON_ARRAY else { return .done }
        guard depth <= depthMax else { return .tooDeep }
        return skipContent(of: value, depth)
    }

    private func skipContent(
        of container: UnsafeMutablePointer<json_t>, _ depth: Int
    ) -> WalkOutcome {
        if container.pointee.type == JSON_ARRAY {
            for index in 0..<json_array_size(container) {
                guard let element = json_array_get(container, index) else { continue }
                let outcome = skip(element, depth: depth + 1)
                guard outcome == .done else { return outcome }
            }
            return .done
        }
        var iterator = json_object_iter(container)
        while let current = iterator {
            if let member = json_object_iter_value(current) {
                let outcome = skip(member, depth: depth + 1)
                guard outcome == .done else { return outcome }
            }
            iterator = json_object_iter_next(container, current)
        }
        return .done
    }
}
