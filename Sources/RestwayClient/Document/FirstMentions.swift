import RestwayText

/// Names that a document mentions, each with the path of its first mention.
struct FirstMentions: Sendable {
    private(set) var all: [Pair] = []
    private var names: Set<String> = []

    mutating func add(_ name: String, at path: String) {
        if names.insert(name).inserted { all.append(Pair(name: name, value: path)) }
    }
}
