/// The keys that an object of the document may have, and the ranges of its numbers.
///
/// Both are in the schema of documents, `docs/api-document.schema.json`. The script
/// `make/document-keys` writes them into `DocumentKeys.swift`.
final class DocumentObject: Sendable {
    let keys: [String]
    private let ranges: [String: ClosedRange<Int64>]

    init(_ keys: [String], ranges: [String: ClosedRange<Int64>] = [:]) {
        self.keys = keys
        self.ranges = ranges
    }

    /// The range of the number called `key`.
    ///
    /// - Precondition: The schema has a minimum and a maximum for it.
    func range(_ key: String) -> ClosedRange<Int64> {
        guard let range = ranges[key] else {
            preconditionFailure("the schema of documents has no range for \"\(key)\"")
        }
        return range
    }
}
