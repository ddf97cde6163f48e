public import CRestway
import Glibc
import RestwayCalls
import RestwayDocument
import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayText

// value.h

@_cdecl("restway_value_null") @implementation
public func restway_value_null() -> restway_value { restway_value() }

@_cdecl("restway_value_bool") @implementation
public func restway_value_bool(_ truth: Int32) -> restway_value {
    restway_value(.RESTWAY_VALUE_BOOL, integer: truth == 0 ? 0 : 1)
}

@_cdecl("restway_value_int64") @implementation
public func restway_value_int64(_ integer: Int64) -> restway_value {
    restway_value(.RESTWAY_VALUE_INT64, integer: integer)
}

@_cdecl("restway_value_double") @implementation
public func restway_value_double(_ real: Double) -> restway_value {
    var value = restway_value(.RESTWAY_VALUE_DOUBLE)
    value.as.real = real
    return value
}

@_cdecl("restway_value_date") @implementation
public func restway_value_date(_ microseconds: Int64) -> restway_value {
    restway_value(.RESTWAY_VALUE_DATE, integer: microseconds)
}

@_cdecl("restway_value_string") @implementation
public func restway_value_string(_ text: CString?) -> restway_value {
    // A longer text does not fit into a value, and cutting it would make different texts equal.
    guard let text, let length = UInt32(exactly: strlen(text)) else { return restway_value() }
    var value = restway_value(.RESTWAY_VALUE_STRING)
    value.length = length
    value.as.text = text
    return value
}

@_cdecl("restway_value_bytes") @implementation
public func restway_value_bytes(_ bytes: UnsafeRawPointer?, _ length: Int) -> restway_value {
    guard let bytes, let length = UInt32(exactly: length) else { return restway_value() }
    var value = restway_value(.RESTWAY_VALUE_BYTES)
    value.length = length
    value.as.bytes = bytes.assumingMemoryBound(to: UInt8.self)
    return value
}

extension restway_value {
    init(_ kind: restway_value_kind, integer: Int64 = 0) {
        self.init()
        self.kind = kind.rawValue
        self.as.integer = integer
    }
}

/// A `restway_value` of the program, checked and copied.
indirect enum HostValue {
    /// Null, a bool, an int64, a double, a date, a string or bytes.
    case plain(Value)
    case json(JSONValue)
    case object(Snapshot)
    case list([HostValue])

    /// The deepest nesting of lists. It stops at lists that contain themselves.
    private static let depthMax = 64

    init(_ pointer: In<restway_value>?, _ name: String, depth: Int = 0) throws(Failure) {
        guard let pointer else { throw Argument.null(name) }
        let value = pointer.pointee
        switch restway_value_kind(rawValue: value.kind) {
        case .RESTWAY_VALUE_NULL: self = .plain(.null)
        case .RESTWAY_VALUE_BOOL: self = .plain(.bool(value.as.integer != 0))
        case .RESTWAY_VALUE_INT64: self = .plain(.int64(value.as.integer))
        case .RESTWAY_VALUE_DOUBLE: self = .plain(.double(value.as.real))
        case .RESTWAY_VALUE_DATE:
            guard DateFormat.dates.contains(value.as.integer) else {
                throw Argument.wrong(name, "\(name) is a date outside of the years 0 to 9999")
            }
            self = .plain(.date(value.as.integer))
        case .RESTWAY_VALUE_STRING: self = .plain(.string(try Self.text(value, name)))
        case .RESTWAY_VALUE_BYTES:
            let bytes = try Argument.bytes(value.as.bytes, Int(value.length), name)
            self = .plain(.bytes(Array(bytes)))
        case .RESTWAY_VALUE_JSON:
            let text = try Self.text(value, name)
            do throws(JSONError) {
                self = .json(try JSONValue.parseAnySize(text))
            } catch {
                throw Argument.wrong(name, "\(name): \(error.message)")
            }
        case .RESTWAY_VALUE_OBJECT:
            self = .object(try Snapshot.argument(value.as.object, name))
        case .RESTWAY_VALUE_LIST:
            self = .list(try Self.list(value, name, depth: depth + 1))
        default:
            throw Argument.wrong(name, "\(name) has kind \(value.kind), which cannot be passed in")
        }
    }

    private static func text(_ value: restway_value, _ name: String) throws(Failure) -> String {
        // The pointer of an empty string may be NULL.
        if value.length == 0 { return "" }
        return try Argument.string(value.as.text, Int(value.length), name)
    }

    private static func list(
        _ value: restway_value, _ name: String, depth: Int
    ) throws(Failure) -> [HostValue] {
        guard depth <= depthMax else {
            throw Argument.wrong(name, "\(name): lists nest deeper than \(depthMax)")
        }
        guard value.length > 0 else { return [] }
        guard let start = value.as.list else { throw Argument.null(name) }
        return try (0..<Int(value.length)).map { index throws(Failure) in
            try HostValue(start + index, "\(name)[\(index)]", depth: depth)
        }
    }

    // MARK: Uses

    /// Returns the value as a path variable.
    func variable(_ name: String) throws(Failure) -> RequestSpec.Variable {
        switch self {
        case .plain(.null): return .null
        case .object(let object): return .object(object)
        case .list(let elements):
            let texts = elements.compactMap(\.text)
            guard texts.count == elements.count else { throw unfit(name, "a list of texts") }
            return .value(.list(texts))
        case .json(let value):
            guard let members = value.members else {
                guard let text else { throw unfit(name, "a path variable") }
                return .value(.string(text))
            }
            var pairs: [Pair] = []
            for member in members {
                if let pair = try pair(member.key, member.value, name) { pairs.append(pair) }
            }
            return .value(.map(pairs))
        default:
            guard let text else { throw unfit(name, "a path variable") }
            return .value(.string(text))
        }
    }

    /// Returns a member of an associative array (RFC 6570, section 2.3); `nil` for null, which is
    /// undefined.
    private func pair(
        _ key: String, _ value: JSONValue, _ name: String
    ) throws(Failure) -> Pair? {
        if value.isNull { return nil }
        guard value.members == nil, value.elements == nil else {
            throw unfit(name, "a map of texts")
        }
        return Pair(name: key, value: Self.text(ofScalar: value))
    }

    /// Returns the text of a string, a number or a bool, without quotes.
    private static func text(ofScalar value: JSONValue) -> String {
        let text = String(decoding: value.text(), as: UTF8.self)
        return text.utf8.first == UInt8(ascii: "\"") ? value.string ?? text : text
    }

    /// The value as a path writes it; `nil` for a value that a path cannot hold.
    private var text: String? {
        if case .json(let value) = self {
            // A number that no other kind of value holds comes as JSON.
            guard value.members == nil, value.elements == nil, !value.isNull else { return nil }
            return Self.text(ofScalar: value)
        }
        guard case .plain(let value) = self else { return nil }
        return switch value {
        case .bool(let value): value ? "true" : "false"
        case .int64(let value): String(value)
        case .double(let value): value.isFinite ? "\(value)" : nil
        case .date(let value): DateFormat.iso8601.format(value)
        case .string(let value): value
        case .absent, .null, .bytes, .json, .link, .links: nil
        }
    }

    /// Returns the value as a parameter. If the body's format has no form for a value, its mapper
    /// decides how to write it.
    func parameter(_ name: String) throws(Failure) -> WireValue {
        switch self {
        case .plain(.double(let value)) where !value.isFinite: throw unfit(name, "a JSON number")
        case .json(let value): return value.withTree(WireValue.init)
        case .object: throw unfit(name, "a parameter")
        case .list(let elements):
            return .list(
                try elements.map { element throws(Failure) in try element.parameter(name) })
        case .plain(let value): return .leaf(value)
        }
    }

    /// Returns the value as the value of an attribute.
    func attributeValue(_ name: String) throws(Failure) -> Value {
        switch self {
        case .plain(let value): return value
        case .json(let value): return .json(String(decoding: value.text(), as: UTF8.self))
        case .object, .list: throw unfit(name, "the value of an attribute")
        }
    }

    /// Returns the value as an identity.
    func identity() throws(Failure) -> Identity {
        switch self {
        case .plain(.int64(let value)): return .integer(value)
        case .plain(.string(let value)): return .string(value)
        default: throw Argument.wrong("identity", "identity must be a string or an int64")
        }
    }

    /// Returns the value as an identity of an entity: JSON or a list if the identity has several
    /// parts.
    func identity(of entity: Entity) throws(Failure) -> Identity {
        switch self {
        case .json(let value):
            guard let elements = value.elements else { return try entity.fitting(identity()) }
            return try entity.identity(
                ofParts: elements.map { element in
                    element.integer.map(Value.int64) ?? element.string.map(Value.string)
                        ?? .json(String(decoding: element.text(), as: UTF8.self))
                })
        case .list(let elements):
            return try entity.identity(
                ofParts: try elements.map { element throws(Failure) in
                    try element.attributeValue("identity")
                })
        default: return try entity.fitting(identity())
        }
    }

    func unfit(_ name: String, _ use: String) -> Failure {
        Argument.wrong(name, "the value of \(name) cannot be used as \(use)")
    }
}

/// Gives values the form of the header.
extension Value {
    /// Calls `body` with this value, which must not be a link. The memory behind it lives as long
    /// as `body` runs.
    func lend<Result>(_ body: (UnsafePointer<restway_value>) -> Result) -> Result {
        switch self {
        case .absent: withUnsafePointer(to: restway_value(.RESTWAY_VALUE_ABSENT), body)
        case .null, .link, .links: withUnsafePointer(to: restway_value_null(), body)
        case .bool(let value): withUnsafePointer(to: restway_value_bool(value ? 1 : 0), body)
        case .int64(let value): withUnsafePointer(to: restway_value_int64(value), body)
        case .double(let value): withUnsafePointer(to: restway_value_double(value), body)
        case .date(let value): withUnsafePointer(to: restway_value_date(value), body)
        case .string(let text): Self.lend(.RESTWAY_VALUE_STRING, Array(text.utf8), body)
        case .json(let text): Self.lend(.RESTWAY_VALUE_JSON, Array(text.utf8), body)
        case .bytes(let bytes): Self.lend(.RESTWAY_VALUE_BYTES, bytes, body)
        }
    }

    private static func lend<Result>(
        _ kind: restway_value_kind, _ content: [UInt8],
        _ body: (UnsafePointer<restway_value>) -> Result
    ) -> Result {
        (content + [0]).withUnsafeBufferPointer { bytes in
            var value = restway_value(kind)
            value.length = UInt32(clamping: content.count)
            value.as.bytes = bytes.baseAddress
            return withUnsafePointer(to: value, body)
        }
    }
}
