/// Returns all texts of up to `countMax` symbols.
func shortTexts(of symbols: [String], upTo countMax: Int) -> [String] {
    var texts = [""]
    var longest = texts
    for _ in 0..<countMax {
        longest = longest.flatMap { text in symbols.map { text + $0 } }
        texts += longest
    }
    return texts
}
