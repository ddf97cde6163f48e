/// The keys that a transaction gives to the objects of drafts. The drafts learn them when the store
/// has the whole transaction; until then, later steps of the transaction find them here.
package struct DraftKeys {
    private var objects: [ObjectIdentifier: (node: DraftNode, key: Int64)] = [:]

    package init() {}

    mutating func note(_ key: Int64, of node: DraftNode) {
        objects[ObjectIdentifier(node)] = (node, key)
    }

    /// Returns the key of the draft's object; 0 if no store knows it.
    func key(of node: DraftNode) -> Int64 {
        objects[ObjectIdentifier(node)]?.key ?? node.storeKey
    }

    /// Tells the drafts their keys. Called before anything else commits.
    package func tellDrafts() {
        for (node, key) in objects.values { node.setStoreKey(key) }
    }
}
