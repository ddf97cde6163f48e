/// The content of a relationship in a draft.
enum DraftLinks: Sendable {
    case absent
    case null
    case one(DraftLink)
    case many([DraftLink])

    /// Makes the content from the value of the relationship in a snapshot.
    init(_ cell: Value) {
        self =
            switch cell {
            case .link(let key): .one(.key(key))
            case .links(let keys): .many(keys.map { .key($0) })
            case .null: .null
            default: .absent
            }
    }

    var all: [DraftLink] {
        switch self {
        case .absent, .null: []
        case .one(let link): [link]
        case .many(let links): links
        }
    }
}
