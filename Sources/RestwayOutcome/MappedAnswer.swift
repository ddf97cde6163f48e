package import RestwayMapping
package import RestwayObjects
package import RestwayRouting

/// An answer and what mapping has made of its body: first rows for the store, and after the commit
/// the objects that the store has.
package struct MappedAnswer: Sendable {
    /// The rows for the commit.
    package enum Rows: Sendable {
        /// There are no rows. The store takes at most what follows from the answer besides.
        case none
        /// The store takes these rows.
        indirect case new(NewRows)
        /// An answer with the same body has given its rows to the store before, which has the
        /// objects.
        case known(CachedMappings.Mapped)
    }

    /// Rows that no store has taken, and what the commit needs to know about them.
    package struct NewRows: Sendable {
        /// The result of the mapping machine without its change set; `nil` if nothing was read.
        package var result: MappingResult?
        package var changes = ChangeSet()
        /// The template of the path of the descriptors; `nil` if they apply to any path.
        package var template: PathTemplate?
        /// How the body is mapped, if the mappings of the answer are cached.
        package var manner: CachedMappings.Manner?

        package init() {}
    }

    package var answer: Answer
    package var rows = Rows.none
    /// Whether a descriptor applies, although there may be no body.
    package var isMapped = false
    /// Whether a JSON mapper has read the whole body, which is therefore valid JSON.
    package var bodyIsJSON = false
    /// The value that a parser has made of the body.
    package var parsed = ParsedValue.objects
    /// Whether the first descriptor describes a value and not objects.
    package var beginsWithValue = false
    /// The first issues; `issueCount` counts all.
    package var issues: [MappingIssue] = []
    package var issueCount = 0

    // MARK: After the commit

    /// The objects of all descriptors, in the order of the descriptors.
    package var objects: [Snapshot] = []
    /// The range of `objects` that each descriptor has made.
    package var results: [Range<Int>] = []
    /// For a stored request: how the answer matches the sent objects.
    package var matching: AnswerMatching?

    package init(_ answer: Answer) {
        self.answer = answer
    }
}

/// The value that a parser has made of a body.
package enum ParsedValue: Sendable {
    /// Nothing: a mapper has read the body.
    case objects
    /// A mapper has read a value of this form, which belongs to no object. It is absent if it did
    /// not fit.
    case value(Value, ValueShape)
    /// The body is the value. An empty body is null.
    case json(isEmpty: Bool)
    /// The body in UTF-8.
    case text(Body)
    /// The body is the value.
    case bytes
    /// The headers are the value.
    case headers
    /// There is no value.
    case nothing
    /// A parser of the program has made the value.
    case made(by: String, Value)

    /// Returns what a mapper has made of the body.
    package init(_ result: MappingResult) {
        self = result.valueShape.map { .value(result.value, $0) } ?? .objects
    }

    /// Returns what a mapper makes of an answer without a body.
    package init(ofNothing plan: MappingPlan) {
        self = plan.valueShape.map { .value(.absent, $0) } ?? .objects
    }

    /// Whether the response has no body, because its parser drops it.
    package var dropsBody: Bool {
        switch self {
        case .headers, .nothing: true
        case .objects, .value, .json, .text, .bytes, .made: false
        }
    }

    /// Whether the parser has read the whole body as JSON.
    var isJSON: Bool {
        if case .json(isEmpty: false) = self { true } else { false }
    }
}
