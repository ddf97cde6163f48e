package import RestwayObjects

/// The parts of a request and its answer, beside the body, from which objects have values.
package struct AnswerSource {
    /// The variables in the path of the request; nil for a path that has none.
    package let variables: RouteVariables?
    /// The path of the request below the base URL, without its query; nil for a request that went
    /// elsewhere, and for bytes that no request has brought.
    package let path: String?
    /// Whether each event of a stream brings objects of its own.
    package let isStream: Bool
    /// Returns the value of a header of the answer.
    package let header: (String) -> String?

    package init(
        variables: RouteVariables? = nil, path: String? = nil, isStream: Bool = false,
        header: @escaping (String) -> String? = { _ in nil }
    ) {
        self.variables = variables
        self.path = path
        self.isStream = isStream
        self.header = header
    }

    /// Returns the identity of an object of which there is one at each path: the path without its
    /// query and without slashes at its beginning.
    package static func identity(ofPath path: String) -> String {
        let path = path.prefix { $0 != "?" && $0 != "#" }
        let relative = path.drop { $0 == "/" }
        return relative.isEmpty ? "/" : String(relative)
    }
}
