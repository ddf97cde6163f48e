import RestwaySupport

/// Texts that a handle lends to C, each made when it is first asked for and kept until the handle
/// goes.
final class LentTexts: Sendable {
    private let texts = Lock<[String: CText]>([:])

    /// The text called `key`; `make` runs unless it was made before, and may answer none.
    func pointer(_ key: String, _ make: () -> String?) -> UnsafePointer<CChar>? {
        texts.withLock { texts in
            if let text = texts[key] { return text.pointer }
            guard let text = CText(make()) else { return nil }
            texts[key] = text
            return text.pointer
        }
    }
}
