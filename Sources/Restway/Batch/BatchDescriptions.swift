import FoundationEssentials

// Headers, queries and bodies may hold secrets, so no description shows them.

extension BatchRequest: CustomStringConvertible, CustomReflectable {
    public var description: String {
        let path = uri.prefix { $0 != "?" }
        return "<BatchRequest \(method.rawValue) \(path), \(body?.count ?? 0) bytes>"
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension BatchAnswer: CustomStringConvertible, CustomReflectable {
    public var description: String { "<BatchAnswer \(status), \(body.count) bytes>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
