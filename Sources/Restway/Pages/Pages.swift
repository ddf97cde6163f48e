import RestwayCalls
import RestwayClient
import RestwayOutcome
import RestwayPages
import RestwayRequests

/// One answer of a route with pages.
public struct Page: Sendable {
    /// The answer that brought the page.
    public let response: Response
    /// The objects of the page.
    public let objects: [Object]
    /// The values of the page, if the first response descriptor of the route describes a value: the
    /// elements of a list, the values of a map, or a single value. Empty for a page of objects.
    public let values: [Object.Value]
    /// How many pages come before it.
    public let number: Int
    /// How many objects come before this page; `nil` if it is not known.
    public let offset: Int?
    /// How many objects all pages have; `nil` if the server does not say it.
    public let total: Int?
    /// Whether no page comes after it.
    public let isLast: Bool
}

/// The pages of a route, each requested when the loop comes to it.
///
///     for try await page in try client.pages(.route("issues"), parameters: ["per_page": 50]) {
///         print(page.number, page.objects.count, page.total ?? 0)
///     }
///     for try await issue in try client.pages(.route("issues")).objects { print(issue) }
///
/// The document says how the pages of the route follow each other. A loop that ends early requests
/// no more pages. One loop reads the pages; another one goes on where it has ended.
public struct Pages: AsyncSequence, Sendable {
    public typealias Element = Page
    public typealias Failure = RestwayError

    private let position: PagePosition

    fileprivate init(_ position: PagePosition) {
        self.position = position
    }

    public func makeAsyncIterator() -> Iterator { Iterator(position: position) }

    /// The objects of all pages, one after the other.
    public var objects: PagedObjects { PagedObjects(pages: self) }

    /// Requests one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let position: PagePosition

        public mutating func next() async throws(RestwayError) -> Page? {
            try await position.next()
        }
    }
}

/// The objects of all pages of a route; see `Pages`. For pages of values, it throws an error of the
/// kind `invalidArgument`.
public struct PagedObjects: AsyncSequence, Sendable {
    public typealias Element = Object
    public typealias Failure = RestwayError

    fileprivate let pages: Pages

    public func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator()) }

    /// Goes through the objects of one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var pages: Pages.Iterator
        private var objects: ArraySlice<Object> = []

        fileprivate init(pages: Pages.Iterator) {
            self.pages = pages
        }

        public mutating func next() async throws(RestwayError) -> Object? {
            while objects.isEmpty {
                guard let page = try await pages.next() else { return nil }
                if page.objects.isEmpty, !page.values.isEmpty {
                    throw RestwayError(
                        RestwayOutcome.Failure(
                            .invalidArgument,
                            "the pages have values and no objects: each page has its values"))
                }
                objects = page.objects[...]
            }
            return objects.removeFirst()
        }
    }
}

/// The place in the pages. When the last reference ends, a page that was requested ahead is
/// cancelled.
private final class PagePosition: Sendable {
    private let pages: RestwayPages.Pages
    /// A client that ends would end the pages.
    private let client: Client
    private var source: ObjectSource { client.source }

    init(_ pages: RestwayPages.Pages, _ client: Client) {
        self.pages = pages
        self.client = client
    }

    deinit { pages.abandon() }

    /// Requests the next page; `nil` after the last one. After an error, it requests the same page.
    func next() async throws(RestwayError) -> Page? {
        guard pages.hasNext else { return nil }
        let outcome = await CallTask.run { [pages] complete throws(Failure) in
            try pages.send(
                Call.Receiver(completion: { _, outcome in complete(outcome) }, end: {}))
        }
        switch outcome {
        // The server has answered that there is no such page.
        case .failure(let failure) where failure.reason == .noObject && !pages.hasNext: return nil
        case .failure(let failure): throw RestwayError(failure, of: source)
        case .success(let response):
            guard let page = pages.last else { return nil }
            let answer = Response(response, source)
            return Page(
                response: answer, objects: page.objects.map { Object($0, source) },
                values: page.valueCount.map { Array(answer.listedValues.prefix($0)) } ?? [],
                number: Int(page.count.number),
                offset: page.count.offset.map(Int.init), total: page.count.total.map(Int.init),
                isLast: page.count.isLast)
        }
    }
}

extension Response {
    /// The values of an answer that is a list, a map or a single value.
    fileprivate var listedValues: [Object.Value] {
        switch value {
        case nil, .null?: []
        case .list(let values)?: values
        case .map(let values)?: values.sorted { $0.key < $1.key }.map(\.value)
        case .json(.array(let elements))?: elements.map { .json($0) }
        case let value?: [value]
        }
    }
}

extension Pages {
    /// Where the pages end, and how they are requested.
    public struct Options: Sendable {
        /// The largest number of pages; `nil` for all.
        public var pagesMax: Int?
        /// The largest number of objects; `nil` for all. It cuts off the objects of the last page.
        public var objectsMax: Int?
        /// Whether the next page is requested while the program uses a page.
        public var prefetching: Bool

        /// Makes the settings; by default, all pages are read, and none is requested ahead.
        public init(pagesMax: Int? = nil, objectsMax: Int? = nil, prefetching: Bool = false) {
            self.pagesMax = pagesMax
            self.objectsMax = objectsMax
            self.prefetching = prefetching
        }

        fileprivate func core() throws(RestwayError) -> RestwayPages.Pages.Options {
            var core = RestwayPages.Pages.Options()
            core.fetchesAhead = prefetching
            let pages = try RestwayError.checked(
                pagesMax, .pageOptionsPagesMax, "options.pagesMax")
            let objects = try RestwayError.checked(
                objectsMax, .pageOptionsObjectsMax, "options.objectsMax")
            core.bounds.pagesMax = Int64(pages ?? 0)
            core.bounds.objectsMax = Int64(objects ?? 0)
            return core
        }
    }
}

extension Client {
    /// Reads a route page by page.
    ///
    /// - Throws: A `RestwayError` if the document does not say how the pages of the route follow
    ///   each other.
    public func pages(
        _ target: Target, variables: Values = [:], parameters: Values = [:],
        options: Pages.Options = .init()
    ) throws(RestwayError) -> Pages {
        try pages(Request(.get, target, variables, parameters, [:], nil), options: options)
    }

    /// Reads the pages that a request begins.
    public func pages(
        _ request: Request, options: Pages.Options = .init()
    ) throws(RestwayError) -> Pages {
        let spec = try request.spec()
        let coreOptions = try options.core()
        let pages = try RestwayError.explaining(source) { () throws(Failure) in
            try RestwayPages.Pages(core.calls, spec, coreOptions)
        }
        return Pages(PagePosition(pages, self))
    }
}
