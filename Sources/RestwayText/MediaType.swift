/// Media types (RFC 9110, section 8.3.1).
package enum MediaType {
    /// The type that nearly all servers send.
    package static let json = "application/json"

    /// Whether the type is `application/json`, `text/json` or ends in `+json` (RFC 6839).
    package static func isJSON(_ type: String) -> Bool {
        if type == json { return true }
        let essence = essence(type)
        return essence == json || essence == "text/json" || essence.hasSuffix("+json")
    }

    /// Returns the type without parameters, in lower case.
    package static func essence(_ type: String) -> String {
        type.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
    }
}
