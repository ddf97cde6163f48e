import RestwayObjects
import RestwayThreads

/// The section `store`.
extension StoreSettings {
    init?(_ node: DocumentNode) {
        guard let object = node.object(.store) else { return nil }
        self.init()
        let named: Kind? = object.required("kind")?.choice("kind")
        path = object["path"]?.filePath()
        cachedObjectsMax = object.number("cachedObjects")
        busyTimeoutMilliseconds = object.number("busyTimeoutMilliseconds")
        let shown: Query.PendingDeletes? = object["pendingDeletes"]?.choice("setting")
        if let shown { pendingDeletes = shown }
        guard let named else { return nil }
        kind = named
        switch kind {
        case .memory:
            for key in ["path", "cachedObjects", "busyTimeoutMilliseconds"] {
                object[key]?.report("only a store of kind \"sqlite\" has a \"\(key)\"")
            }
        case .sqlite:
            _ = object.required("path")
        }
    }
}

extension FileMode {
    /// Reads the key `fileMode`. It is text because JSON has no octal numbers.
    init?(_ node: DocumentNode) {
        guard let text = node.string() else { return nil }
        guard let mode = FileMode(octal: text) else {
            node.report("must be \"0600\", or more of the digits 0, 2, 4 and 6, as in \"0640\"")
            return nil
        }
        self = mode
    }
}
