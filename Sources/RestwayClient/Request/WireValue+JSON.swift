package import RestwayJSON
package import RestwayMapping
import RestwayObjects

extension WireValue {
    /// Makes the value of a parameter.
    package init(_ json: JSONValue) {
        switch json.kind {
        case .null: self = .leaf(.null)
        case .boolean: self = .leaf(.bool(json.bool ?? false))
        case .integer: self = .leaf(.int64(json.integer ?? 0))
        case .real: self = .leaf(.double(json.double ?? 0))
        case .string where json.hasOutOfRangeNumbers:
            self = .leaf(.json(String(decoding: json.text(), as: UTF8.self)))
        case .string: self = .leaf(.string(json.string ?? ""))
        case .array: self = .list((json.elements ?? []).map(WireValue.init))
        case .object:
            var object = WireObject()
            for (key, value) in json.members ?? [] { object[key] = WireValue(value) }
            self = .object(object)
        }
    }
}
