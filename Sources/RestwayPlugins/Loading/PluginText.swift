/// Reads texts in the tables of plugins.
enum PluginText {
    /// A NUL-terminated text; nil for NULL, an empty text and invalid UTF-8.
    static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        guard let pointer, let text = String(validatingCString: pointer), !text.isEmpty else {
            return nil
        }
        return text
    }

    /// A name that consists of letters, digits, `-` and `_`.
    static func name(_ pointer: UnsafePointer<CChar>?) -> String? {
        text(pointer).flatMap { isName($0) ? $0 : nil }
    }

    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 64
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                default: false
                }
            }
    }
}
