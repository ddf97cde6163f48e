import RestwayDocument
import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRouting
import RestwayText

/// Writes parameters into a query or into a body.
enum ParameterEncoding {
    /// Returns the pairs of a query. A null is left out; an array repeats its name.
    static func query(_ parameters: [Parameter]) throws(Failure) -> [Pair] {
        var pairs: [Pair] = []
        for parameter in latest(parameters) {
            let name = parameter.keys.joined(separator: ".")
            for value in elements(parameter.value) {
                switch value {
                case .leaf(.null): continue
                case .leaf(let value): pairs.append(Pair(name: name, value: text(value)))
                case .list, .object:
                    var found = "an object"
                    if case .list = value { found = "an array" }
                    throw Failure(
                        .invalidArgument,
                        "parameter \"\(name)\" is \(found); a query holds strings, numbers, "
                            + "booleans and lists of them",
                        field: name)
                }
            }
        }
        return pairs
    }

    /// Returns the object of a body, in which keys nest.
    static func object(_ parameters: [Parameter]) throws(Failure) -> WireObject {
        var object = WireObject()
        for parameter in parameters {
            guard object.set(parameter.keys[...], parameter.value) else {
                let name = parameter.keys.joined(separator: ".")
                throw Failure(
                    .invalidArgument,
                    "parameter \"\(name)\" nests in a parameter that is not an object",
                    field: name)
            }
        }
        return object
    }

    /// Keeps the last of several parameters with the same keys, at the place of the first.
    private static func latest(_ parameters: [Parameter]) -> [Parameter] {
        var result: [Parameter] = []
        var places: [[String]: Int] = [:]
        for parameter in parameters {
            if let place = places[parameter.keys] {
                result[place] = parameter
            } else {
                places[parameter.keys] = result.count
                result.append(parameter)
            }
        }
        return result
    }

    private static func elements(_ value: WireValue) -> [WireValue] {
        if case .list(let elements) = value { elements } else { [value] }
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .bool(let value): value ? "true" : "false"
        case .int64(let value): String(value)
        // A query writes the number in the same way as a body.
        case .double(let value):
            JSONValue.real(value).map { String(decoding: $0.text(), as: UTF8.self) } ?? "\(value)"
        case .string(let text), .json(let text): text
        case .date(let date): DateFormat.iso8601.format(date)
        case .bytes(let bytes): Base64.encode(bytes)
        case .absent, .null, .link, .links: ""
        }
    }
}
