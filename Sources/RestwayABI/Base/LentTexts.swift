import RestwayThreads

/// Texts that a handle lends to C. Each is made at its first use and lives as long as the handle.
final class LentTexts: Sendable {
    private let texts: Lock<[String: CText]>

    /// - Parameter isForProcess: Whether the texts live as long as the process, also in a forked
    ///   child.
    init(isForProcess: Bool = false) {
        let texts = Lock<[String: CText]>([:])
        self.texts = isForProcess ? ForkBarrier.guarded(texts) : texts
    }

    /// Returns the text called `key`. `make` runs unless the text was made before; it returns `nil`
    /// if there is no text.
    func pointer(_ key: String, _ make: () -> String?) -> UnsafePointer<CChar>? {
        texts.withLock { texts in
            if let text = texts[key] { return text.pointer }
            guard let text = CText(make()) else { return nil }
            texts[key] = text
            return text.pointer
        }
    }
}
