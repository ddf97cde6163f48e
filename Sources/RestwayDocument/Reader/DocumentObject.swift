import RestwayJSON

/// A node that is known to be an object.
package struct DocumentObject {
    package let node: DocumentNode

    /// The member called `key`, if the document has it.
    subscript(key: String) -> DocumentNode? {
        node.value[key].map { node.node(key, $0) }
    }

    /// Returns the member called `key`, and reports a problem if it is missing.
    func required(_ key: String) -> DocumentNode? {
        if let member = self[key] { return member }
        node.report("\"\(key)\" is missing")
        return nil
    }

    /// The members that the document's author added for the program, as JSON text.
    var extensions: [String: String] {
        var result: [String: String] = [:]
        for (key, value) in node.value.members ?? [] where key.isExtension {
            result[key] = String(decoding: value.text(), as: UTF8.self)
        }
        return result
    }
}
