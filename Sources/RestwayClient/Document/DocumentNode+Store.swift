import RestwayText
import RestwayThreads

/// The section `store`.
extension DocumentNode {
    private static let cachedObjectsMax: Int64 = 1 << 30

    func store() -> StoreSettings? {
        let known = ["kind", "path", "cachedObjects", "busyTimeoutMilliseconds"]
        guard let object = object(known) else { return nil }
        var settings = StoreSettings()
        let kind = object.required("kind")?.storeKind()
        settings.path = object["path"]?.filePath()
        if let count = object["cachedObjects"]?.integer(in: 0...Self.cachedObjectsMax) {
            settings.cachedObjectsMax = Int(count)
        }
        if let time = object["busyTimeoutMilliseconds"]?.integer(in: 0...Self.millisecondsMax) {
            settings.busyTimeoutMilliseconds = Int32(time)
        }
        guard let kind else { return nil }
        settings.kind = kind
        switch kind {
        case .memory:
            for key in known.dropFirst() {
                object[key]?.report("only a store of kind \"sqlite\" has a \"\(key)\"")
            }
        case .sqlite:
            _ = object.required("path")
        }
        return settings
    }

    private func storeKind() -> StoreSettings.Kind? {
        guard let text = string() else { return nil }
        if let kind = StoreSettings.Kind(rawValue: text) { return kind }
        let known = StoreSettings.Kind.allCases.map(\.rawValue)
        let hint = NearestName.to(text, in: known).map { "; did you mean \"\($0)\"?" } ?? ""
        report("unknown kind \"\(text)\"\(hint) (there are \(known.joined(separator: ", ")))")
        return nil
    }

    /// Reads the key `fileMode`. It is text because JSON has no octal numbers.
    func fileMode() -> FileMode? {
        guard let text = string() else { return nil }
        guard let mode = FileMode(octal: text) else {
            report("must be \"0600\", or more of the digits 0, 2, 4 and 6, as in \"0640\"")
            return nil
        }
        return mode
    }

    func filePath() -> String? {
        guard let text = nonEmptyString() else { return nil }
        guard !text.utf8.contains(0) else {
            report("a path holds no NUL")
            return nil
        }
        return text
    }
}
