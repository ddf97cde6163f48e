package import RestwayDocument

/// The place of a page: how its request differs from the request for the first page.
package enum PagePlace: Hashable, Sendable {
    /// The request as the program describes it.
    case first
    /// The URL that the answer before names.
    case url(String)
    /// The value of the parameter that leads to the page.
    case cursor(String)
    case number(Int64)

    /// The place as messages name it. A URL stands without its query, which may hold a token.
    var description: String {
        switch self {
        case .first: "the first page"
        case .url: "the same URL"
        case .cursor(let text): "\"\(text)\""
        case .number(let number): String(number)
        }
    }

    /// The page at this place as messages name it.
    fileprivate var name: String {
        switch self {
        case .first: description
        case .url: "the next URL"
        case .cursor, .number: "the page at \(description)"
        }
    }
}

/// The objects of a page, in the form in which they are compared with those of the page before.
package struct PageContent: Equatable, Sendable {
    /// A digest of the identities of the objects or, without identities, of the body.
    package let digest: Int
    package let hasIdentities: Bool

    package init(digest: Int, hasIdentities: Bool) {
        self.digest = digest
        self.hasIdentities = hasIdentities
    }
}

/// Facts of an answer about its page and about the next one.
package struct PageFacts: Equatable, Sendable {
    /// The number of objects on the page.
    package var count: Int64 = 0
    /// The objects; `nil` if there are none.
    package var content: PageContent?
    /// The next page, if the answer names it.
    package var next: PagePlace?
    /// Whether more pages follow; `nil` if the document names no place that says so.
    package var saysMore: Bool?
    /// The number of objects on all pages.
    package var total: Int64?
    /// The number of objects before the page.
    package var start: Int64?
    /// Whether everything that the document names could be read.
    package var isReadable = true

    package init(count: Int64 = 0) {
        self.count = count
    }
}

/// How far a program wants to read; 0 for no bound.
package struct PageBounds: Equatable, Sendable {
    package var pagesMax: Int64 = 0
    package var objectsMax: Int64 = 0

    package init() {}
}

/// A page as the machine has counted it.
package struct PageCount: Equatable, Sendable {
    /// The number of pages before it.
    package let number: Int64
    /// The number of its objects that the program gets. A bound may cut a page off.
    package let objectCount: Int64
    /// The number of objects before it; `nil` if it is not known.
    package let offset: Int64?
    package let total: Int64?
    /// Whether the API has no more pages.
    package let isLast: Bool
}

/// Why no page follows although the API seems to have one.
package enum PageError: Error, Equatable, Sendable {
    /// A part of the answer is not what the document says.
    case unreadable
    /// The answer leads to a page that was already requested.
    case repeats(PagePlace)
    /// The page at this place has the objects of the page before it.
    case sameObjects(PagePlace)
    /// The answer says that more pages follow, but names none.
    case namesNone
    /// The number of the next page or the offset is beyond 64 bits.
    case tooLarge
    case tooManyPages(max: Int)

    package var message: String {
        switch self {
        case .unreadable:
            "the answer is not what the document says"
        case .repeats(let place):
            "the answer leads to a page that was requested before (\(place.description))"
        case .sameObjects(let place):
            "the server repeats a page: the objects of \(place.name) are those of the page before"
        case .namesNone:
            "the answer says that more pages follow, but does not name the next one"
        case .tooLarge:
            "the number of the next page is too large"
        case .tooManyPages(let max):
            "more than \(max) pages"
        }
    }
}

/// Decides which page follows a page, and whether one follows.
///
/// No I/O and no clock: the machine gets the facts of each answer, and says where the next page is.
package struct PageMachine: Sendable {
    package enum State: Equatable, Sendable {
        /// The page to request next.
        case next(PagePlace)
        /// The API has no more pages.
        case complete
        /// A bound of the program is reached. The next page would be here.
        case bounded(PagePlace)
        case broken(PageError)
    }

    /// No API has more pages. A larger number means that it makes up new pages for ever.
    package static let pagesLimit = 1_000_000
    /// How many pages in a row may have equal bodies if their objects have no identities: different
    /// objects may have equal values.
    package static let equalBodiesMax = 10

    package let rules: PageRules
    private let bounds: PageBounds
    package private(set) var state: State
    /// The pages that were requested. An API may lead back to any of them.
    private var requested: Set<PagePlace> = []
    /// The objects of the last page, and how many pages in a row had them.
    private var content: PageContent?
    private var equalPages = 0
    private var pageCount: Int64 = 0
    private var objectCount: Int64 = 0
    /// The number of objects before the next page; `nil` if it is not known.
    package private(set) var offset: Int64?

    /// - Parameters:
    ///   - place: The place to begin at.
    ///   - offset: The number of objects before this place; `nil` if it is not known.
    package init(
        _ rules: PageRules, _ bounds: PageBounds = PageBounds(), at place: PagePlace = .first,
        offset: Int64? = 0
    ) {
        self.rules = rules
        self.bounds = bounds
        self.offset = offset
        state = .next(place)
    }

    /// Takes the answer to the request for the page in `state`.
    package mutating func take(_ facts: PageFacts) -> PageCount {
        guard case .next(let place) = state else {
            preconditionFailure("no page was to be requested")
        }
        requested.insert(place)
        equalPages = facts.content != nil && facts.content == content ? equalPages + 1 : 1
        content = facts.content
        let start = facts.start ?? offset
        let next: PagePlace?
        do {
            next = try follower(of: place, facts, start: start)
        } catch {
            state = .broken(error)
            var facts = facts
            // The program has these objects already.
            if case .sameObjects = error { facts.count = 0 }
            return count(facts, start: start, isLast: false)
        }
        guard let next else {
            state = .complete
            return count(facts, start: start, isLast: true)
        }
        let page = count(facts, start: start, isLast: false)
        let isBounded =
            bounds.pagesMax > 0 && pageCount >= bounds.pagesMax
            || bounds.objectsMax > 0 && objectCount >= bounds.objectsMax
        state = isBounded ? .bounded(next) : .next(next)
        return page
    }

    /// The API has no page in `state`: the page before was the last one.
    package mutating func end() {
        state = .complete
    }

    private mutating func count(_ facts: PageFacts, start: Int64?, isLast: Bool) -> PageCount {
        let rest = bounds.objectsMax > 0 ? bounds.objectsMax - objectCount : .max
        let page = PageCount(
            number: pageCount, objectCount: min(facts.count, rest), offset: start,
            total: facts.total, isLast: isLast && facts.count <= rest)
        pageCount += 1
        objectCount += page.objectCount
        offset = start.flatMap { try? Self.sum($0, facts.count) }
        return page
    }

    /// Returns the page after the page at `place`; `nil` if this page is the last one.
    private func follower(
        of place: PagePlace, _ facts: PageFacts, start: Int64?
    ) throws(PageError) -> PagePlace? {
        if !facts.isReadable { throw .unreadable }
        if facts.saysMore == false { return nil }
        let next: PagePlace
        switch rules.step {
        case .link, .url, .cursor, .last:
            guard let named = facts.next else {
                if facts.saysMore == true { throw .namesNone }
                return nil
            }
            next = named
        case .number(_, let first):
            if facts.saysMore == nil, isEnd(facts, start: start) { return nil }
            next = .number(try Self.sum(place.number ?? first, 1))
        case .offset(_, let first):
            if facts.saysMore == nil, isEnd(facts, start: start) { return nil }
            next = .number(try Self.sum(place.number ?? first, facts.count))
        }
        guard !requested.contains(next) else { throw .repeats(next) }
        let equalMax = content?.hasIdentities == true ? 1 : Self.equalBodiesMax
        guard equalPages <= equalMax else { throw .sameObjects(place) }
        guard requested.count < Self.pagesLimit else { throw .tooManyPages(max: Self.pagesLimit) }
        return next
    }

    /// Whether no page follows an answer that does not say so itself: the page is empty, or it
    /// reaches the total. A short page is no end, because a server may give fewer objects than it
    /// was asked for.
    private func isEnd(_ facts: PageFacts, start: Int64?) -> Bool {
        if facts.count == 0 { return true }
        guard let total = facts.total, let start else { return false }
        return start >= total - facts.count
    }

    private static func sum(_ number: Int64, _ more: Int64) throws(PageError) -> Int64 {
        let (sum, isTooLarge) = number.addingReportingOverflow(more)
        guard !isTooLarge else { throw .tooLarge }
        return sum
    }
}

extension PagePlace {
    fileprivate var number: Int64? {
        if case .number(let number) = self { number } else { nil }
    }
}
