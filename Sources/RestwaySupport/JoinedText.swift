extension String {
    /// Joins the pieces in one allocation. Appending them one by one would move the text.
    package static func joining(_ pieces: String...) -> String {
        let count = pieces.reduce(0) { $0 + $1.utf8.count }
        return String(unsafeUninitializedCapacity: count) { text in
            var end = 0
            for piece in pieces {
                var piece = piece
                piece.withUTF8 { end = text[end...].initialize(fromContentsOf: $0) }
            }
            return end
        }
    }
}
