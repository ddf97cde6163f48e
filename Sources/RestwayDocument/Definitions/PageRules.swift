package import RestwayHTTP

/// How the pages of a route follow each other: its key `pages`.
///
/// It is a class because the settings of a route are copied often, and few routes have pages.
package final class PageRules: Sendable {
    /// How the request for the page after an answer is made.
    package enum Step: Equatable, Sendable {
        /// The answer names the URL in its Link header, with the relation "next" (RFC 8288).
        case link
        /// The answer names the URL in its body.
        case url(keyPath: [String])
        /// The answer names the value of a parameter in its body.
        case cursor(keyPath: [String], parameter: String)
        /// The value of a parameter is an attribute of the last object of the page.
        case last(attribute: String, parameter: String)
        /// A parameter is the number of the page.
        case number(parameter: String, first: Int64)
        /// A parameter is the number of objects before the page.
        case offset(parameter: String, first: Int64)
    }

    /// The parameter that asks for pages of a size.
    package struct Size: Equatable, Sendable {
        package let parameter: String
        package let count: Int64
    }

    /// The place of a whole number in an answer.
    package enum Place: Equatable, Sendable {
        case keyPath([String])
        case header(String)
    }

    package let step: Step
    package let size: Size?
    /// The place in the body that says whether more pages follow; `nil` if no place says so.
    package let more: [String]?
    /// The place of the number of objects on all pages; `nil` if the API does not tell it.
    package let total: Place?
    /// The place of the number of objects before the page; `nil` if the API does not tell it.
    package let start: Place?
    /// The statuses with which the API answers a request for a page after the last one.
    package let endStatuses: [Int]

    package init(
        _ step: Step, size: Size? = nil, more: [String]? = nil, total: Place? = nil,
        start: Place? = nil, endStatuses: [Int] = []
    ) {
        self.step = step
        self.size = size
        self.more = more
        self.total = total
        self.start = start
        self.endStatuses = endStatuses
    }

    /// The parameters that ask for the first page, and for pages of a size.
    package var parametersOfFirstPage: [(name: String, value: Int64)] {
        var parameters: [(name: String, value: Int64)] = []
        switch step {
        case .number(let name, let first), .offset(let name, let first):
            parameters.append((name, first))
        case .link, .url, .cursor, .last: break
        }
        if let size { parameters.append((size.parameter, size.count)) }
        return parameters
    }

    /// The parameter that changes from page to page; `nil` if the URL changes.
    package var parameter: String? {
        switch step {
        case .link, .url: nil
        case .cursor(_, let parameter), .last(_, let parameter), .number(let parameter, _),
            .offset(let parameter, _):
            parameter
        }
    }
}

/// The rules of a route for its answers, apart from how they are mapped and kept.
package struct AnswerSettings: Sendable {
    /// Whether the bodies of the answers are saved in files.
    package var areSaved = false
    /// The format of the answers if they are event streams; `nil` if they are not, or if the media
    /// type determines the format.
    package var stream: EventStreamFormat?
    /// How an answer leads to the next page; `nil` if the route has no pages.
    package var pages: PageRules?
    /// Whether an answer that gives the object of the request another identity renames it.
    package var renames = false
}
