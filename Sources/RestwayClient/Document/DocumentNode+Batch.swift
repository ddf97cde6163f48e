import RestwayText

/// The section `batch`.
extension DocumentNode {
    func batch() -> BatchDefinition? {
        guard let object = object(["path", "limit", "stopsAtFailure"]) else { return nil }
        let path = object.required("path").flatMap { $0.batchPath() }
        var limit = BatchDefinition.limitUsual
        if let stated = object["limit"]?.integer(in: 1...Int64(BatchDefinition.limitMax)) {
            limit = Int(stated)
        }
        let stops = object["stopsAtFailure"]?.bool() ?? false
        return path.map { BatchDefinition(path: $0, limit: limit, stopsAtFailure: stops) }
    }

    /// Reads the batch path: a path without variables, below the base URL.
    private func batchPath() -> String? {
        guard let text = nonEmptyString() else { return nil }
        guard !URLText.isAbsolute(text) else {
            report("must be a path below the base URL")
            return nil
        }
        guard text.utf8.allSatisfy(Self.standsForItself) else {
            report("must be a path without variables")
            return nil
        }
        return text
    }

    private static func standsForItself(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ":"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "\\"): false
        default: byte > 0x20 && byte != 0x7F
        }
    }
}
