import CRestway
import RestwayCalls
import RestwayDocument
import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRouting

/// A `restway_value` of the program, checked and copied.
indirect enum HostValue {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case date(Int64)
    case string(String)
    case bytes([UInt8])
    case json(JSONValue)
    case object(Snapshot)
    case list([HostValue])

    /// The deepest nesting of lists. It stops at lists that contain themselves.
    private static let depthMax = 64

    init(
        _ pointer: UnsafePointer<restway_value>?, _ name: String, depth: Int = 0
    ) throws(Failure) {
        guard let pointer else { throw Argument.null(name) }
        let value = pointer.pointee
        switch restway_value_kind(rawValue: value.kind) {
        case .RESTWAY_VALUE_NULL: self = .null
        case .RESTWAY_VALUE_BOOL: self = .bool(value.as.integer != 0)
        case .RESTWAY_VALUE_INT64: self = .integer(value.as.integer)
        case .RESTWAY_VALUE_DOUBLE: self = .double(value.as.real)
        case .RESTWAY_VALUE_DATE: self = .date(value.as.integer)
        case .RESTWAY_VALUE_STRING:
            self = .string(try Self.text(value, name))
        case .RESTWAY_VALUE_BYTES:
            let bytes = try Argument.bytes(value.as.bytes, Int(value.length), name)
            self = .bytes(Array(bytes))
        case .RESTWAY_VALUE_JSON:
            let text = try Self.text(value, name)
            do throws(JSONError) {
                self = .json(try JSONValue.parse(text))
            } catch {
                throw Failure(.invalidArgument, "\(name): \(error.message)", field: name)
            }
        case .RESTWAY_VALUE_OBJECT:
            self = .object(try Argument.handle(Snapshot.self, value.as.object, name))
        case .RESTWAY_VALUE_LIST:
            self = .list(try Self.list(value, name, depth: depth + 1))
        default:
            throw Failure(
                .invalidArgument, "\(name) has kind \(value.kind), which cannot be passed in",
                field: name)
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
            throw Failure(
                .invalidArgument, "\(name): lists nest deeper than \(depthMax)", field: name)
        }
        guard value.length > 0 else { return [] }
        guard let start = value.as.list else { throw Argument.null(name) }
        var list: [HostValue] = []
        for index in 0..<Int(value.length) {
            list.append(try HostValue(start + index, "\(name)[\(index)]", depth: depth))
        }
        return list
    }

    // MARK: Uses

    /// Returns the value as a path variable.
    func variable(_ name: String) throws(Failure) -> RequestSpec.Variable {
        switch self {
        case .null: return .null
        case .object(let object): return .object(object)
        case .list(let elements):
            var texts: [String] = []
            for element in elements {
                guard let text = element.text else { throw unfit(name, "a list of texts") }
                texts.append(text)
            }
            return .value(.list(texts))
        default:
            guard let text else { throw unfit(name, "a path variable") }
            return .value(.string(text))
        }
    }

    /// The value as a path writes it; `nil` for a value that a path cannot hold.
    private var text: String? {
        switch self {
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .double(let value): value.isFinite ? "\(value)" : nil
        case .date(let value): DateFormat.iso8601.format(value)
        case .string(let value): value
        case .null, .bytes, .json, .object, .list: nil
        }
    }

    /// Returns the value as a parameter. If the body's format has no form for a value, its mapper
    /// decides how to write it.
    func parameter(_ name: String) throws(Failure) -> WireValue {
        switch self {
        case .null: return .leaf(.null)
        case .bool(let value): return .leaf(.bool(value))
        case .integer(let value): return .leaf(.int64(value))
        case .double(let value):
            guard value.isFinite else { throw unfit(name, "a JSON number") }
            return .leaf(.double(value))
        case .date(let value): return .leaf(.date(value))
        case .string(let value): return .leaf(.string(value))
        case .bytes(let value): return .leaf(.bytes(value))
        case .json(let value): return WireValue(value)
        case .object: throw unfit(name, "a parameter")
        case .list(let elements):
            var values: [WireValue] = []
            for element in elements { values.append(try element.parameter(name)) }
            return .list(values)
        }
    }

    /// Returns the value as an identity.
    func identity() throws(Failure) -> Identity {
        switch self {
        case .integer(let value): return .integer(value)
        case .string(let value): return .string(value)
        default:
            throw Failure(
                .invalidArgument, "identity must be a string or an int64", field: "identity")
        }
    }

    func unfit(_ name: String, _ use: String) -> Failure {
        Failure(.invalidArgument, "the value of \(name) cannot be used as \(use)", field: name)
    }
}
