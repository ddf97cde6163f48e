/// Dotted key paths (`address.street_number`) as they stand in a document.
enum KeyPathText {
    /// The keys of `text`; `nil` when one of them is empty.
    static func keys(_ text: String) -> [String]? {
        let keys = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return keys.contains("") ? nil : keys
    }
}

extension DocumentNode {
    /// A key path, as its keys.
    func keyPath() -> [String]? {
        guard let text = nonEmptyString() else { return nil }
        if let keys = KeyPathText.keys(text) { return keys }
        report("\"\(text)\" is not a key path: a key between its dots is empty")
        return nil
    }
}
