import RestwayJSON
import RestwayMapping
import RestwayRouting

/// Writes parameters where they go: into a query, or into a body.
enum ParameterEncoding {
    /// The pairs of a query. A null is left out, an array repeats its name.
    static func query(_ parameters: [Parameter]) throws(Failure) -> [Pair] {
        var pairs: [Pair] = []
        for parameter in latest(parameters) {
            let name = parameter.keys.joined(separator: ".")
            for value in parameter.value.elements ?? [parameter.value] where !value.isNull {
                guard let text = text(value) else {
                    throw Failure(
                        .invalidArgument,
                        "parameter \"\(name)\" is \(value.kind.withArticle); a query holds "
                            + "strings, numbers, booleans and lists of them",
                        field: name)
                }
                pairs.append(Pair(name: name, value: text))
            }
        }
        return pairs
    }

    /// The object of a body; keys nest.
    static func object(_ parameters: [Parameter]) throws(Failure) -> WireObject {
        var object = WireObject()
        for parameter in parameters {
            guard object.set(parameter.keys[...], WireValue(parameter.value)) else {
                let name = parameter.keys.joined(separator: ".")
                throw Failure(
                    .invalidArgument, "parameter \"\(name)\" nests in one that is no object",
                    field: name)
            }
        }
        return object
    }

    /// Of several parameters with the same keys the last, at the place of the first.
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

    private static func text(_ value: JSONValue) -> String? {
        switch value.kind {
        case .string: value.string
        case .integer, .real, .boolean: String(decoding: value.text(), as: UTF8.self)
        case .null, .array, .object: nil
        }
    }
}
