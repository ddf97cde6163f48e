package import RestwayObjects

/// The parts of a request and its answer, beside the body, from which objects have values.
package struct AnswerSource {
    /// The variables in the path of the request; nil for a path that has none.
    package let variables: RouteVariables?
    /// The path of the request below the base URL, without its query; nil for a request that went
    /// elsewhere, and for bytes that no request has brought.
    package let path: String?
    /// Returns the value of a header of the answer.
    package let header: (String) -> String?

    package init(
        variables: RouteVariables? = nil, path: String? = nil,
        header: @escaping (String) -> String? = { _ in nil }
    ) {
        self.variables = variables
        self.path = path
        self.header = header
    }
}
