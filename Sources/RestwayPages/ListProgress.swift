/// How far the pages of a list have come, as the store keeps it with the list.
package struct ListProgress: Equatable, Sendable {
    package enum Next: Equatable, Sendable {
        /// The pages go on here.
        case place(PagePlace)
        /// The list has all pages.
        case nothing
        /// It is not known where the pages go on, so the list begins anew.
        case unknown
    }

    package var next: Next
    /// The number of objects on the pages so far; `nil` if it is not known.
    package var offset: Int64?
    package var total: Int64?

    package init(_ next: Next, offset: Int64? = nil, total: Int64? = nil) {
        self.next = next
        self.offset = offset
        self.total = total
    }

    /// The progress as text: the version, the offset, the total, the kind of the next place, and
    /// its value.
    package var text: String {
        let (kind, value) =
            switch next {
            case .nothing: ("end", "")
            case .unknown: ("unknown", "")
            case .place(.first): ("first", "")
            case .place(.url(let url)): ("url", url)
            case .place(.cursor(let text)): ("cursor", text)
            case .place(.number(let number)): ("number", String(number))
            }
        let numbers = [offset, total].map { $0.map { String($0) } ?? "-" }
        return "1 \(numbers[0]) \(numbers[1]) \(kind) \(value)"
    }

    /// Reads a text; a text that was written by another version is not known.
    package init(text: String) {
        let parts = text.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "1" else {
            self.init(.unknown)
            return
        }
        let value = String(parts[4])
        let next: Next
        switch parts[3] {
        case "end": next = .nothing
        case "first": next = .place(.first)
        case "url": next = .place(.url(value))
        case "cursor": next = .place(.cursor(value))
        case "number": next = Int64(value).map { .place(.number($0)) } ?? .unknown
        default: next = .unknown
        }
        self.init(next, offset: Int64(parts[1]), total: Int64(parts[2]))
    }
}
