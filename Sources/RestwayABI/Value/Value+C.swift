import CRestway
import RestwayJSON
import RestwayObjects
import RestwayOutcome

/// Converts values from and to the header's form.
extension Value {
    /// Calls `body` with this value, which must not be a link. The memory behind it lives as long
    /// as `body` runs.
    func lend<Result>(_ body: (UnsafePointer<restway_value>) -> Result) -> Result {
        switch self {
        case .absent: Self.lend(restway_value(kind: .RESTWAY_VALUE_ABSENT), body)
        case .null, .link, .links: Self.lend(restway_value_null(), body)
        case .bool(let value): Self.lend(restway_value_bool(value ? 1 : 0), body)
        case .int64(let value): Self.lend(restway_value_int64(value), body)
        case .double(let value): Self.lend(restway_value_double(value), body)
        case .date(let value): Self.lend(restway_value_date(value), body)
        case .string(let text): Self.lend(.RESTWAY_VALUE_STRING, Array(text.utf8), body)
        case .json(let text): Self.lend(.RESTWAY_VALUE_JSON, Array(text.utf8), body)
        case .bytes(let bytes): Self.lend(.RESTWAY_VALUE_BYTES, bytes, body)
        }
    }

    private static func lend<Result>(
        _ value: restway_value, _ body: (UnsafePointer<restway_value>) -> Result
    ) -> Result {
        withUnsafePointer(to: value, body)
    }

    private static func lend<Result>(
        _ kind: restway_value_kind, _ content: [UInt8],
        _ body: (UnsafePointer<restway_value>) -> Result
    ) -> Result {
        (content + [0]).withUnsafeBufferPointer { bytes in
            var value = restway_value(kind: kind)
            value.length = UInt32(clamping: content.count)
            value.as.bytes = bytes.baseAddress
            return lend(value, body)
        }
    }
}

extension HostValue {
    /// Returns the value as the value of an attribute.
    func value(_ name: String) throws(Failure) -> Value {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .int64(value)
        case .double(let value): .double(value)
        case .date(let value): .date(value)
        case .string(let text): .string(text)
        case .bytes(let bytes): .bytes(bytes)
        case .json(let json): .json(String(decoding: json.text(), as: UTF8.self))
        case .object, .list:
            throw Failure(
                .invalidArgument, "the value of \(name) cannot be used as an attribute",
                field: name)
        }
    }
}
