import RestwayJSON

/// Dotted key paths (`address.street_number`) as they stand in a document.
enum KeyPathText {
    /// Returns the keys of `text`; `nil` if one of them is empty.
    static func keys(_ text: String) -> [String]? {
        let keys = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return keys.contains("") ? nil : keys
    }
}

extension DocumentNode {
    /// Reads a key path as its keys: `"address.street"`, or `["address", "a.b"]` for keys with
    /// dots.
    package func keyPath() -> [String]? {
        if value.kind == .array { return listedKeys() }
        guard let text = nonEmptyString() else { return nil }
        if let keys = KeyPathText.keys(text) { return keys }
        report("\"\(text)\" is not a key path: a key between its dots is empty")
        return nil
    }

    private func listedKeys() -> [String]? {
        guard let nodes = elements() else { return nil }
        guard !nodes.isEmpty else {
            report("must name at least one key")
            return nil
        }
        let keys = nodes.compactMap { $0.nonEmptyString() }
        return keys.count == nodes.count ? keys : nil
    }
}
