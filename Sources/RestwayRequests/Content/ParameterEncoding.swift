import RestwayDocument
import RestwayHTTP
import RestwayMapping
import RestwayOutcome
import RestwayText

/// Writes parameters into a query or into a body.
enum ParameterEncoding {
    /// Returns the pairs of a query. A null is left out. The keys of a parameter are joined with
    /// dots, as the caller wrote them.
    static func query(
        _ parameters: [Parameter], _ writer: FieldWriter
    ) throws(Failure) -> [Pair] {
        var pairs: [Pair] = []
        for parameter in latest(parameters) {
            let name = parameter.keys.joined(separator: ".")
            do throws(MapperError) {
                pairs += try writer.fields(of: parameter.value, named: name).pairs
            } catch {
                throw Failure(
                    .invalidArgument, "parameter \"\(name)\": \(error.message)", field: name)
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
}

extension [FormField] {
    /// The fields without nulls, which neither a query nor a URL-encoded form can write.
    var pairs: [Pair] {
        compactMap { field in field.text.map { Pair(name: field.name, value: $0) } }
    }
}
