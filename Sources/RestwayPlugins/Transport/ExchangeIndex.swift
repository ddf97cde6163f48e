/// The exchanges that are open, by their numbers.
///
/// Each call of a plugin's looks one up, so this is not a dictionary, which mixes its keys well and
/// at length: numbers are given one after the other, so those that are open lie side by side. Open
/// addressing, at most half full.
struct ExchangeIndex {
    private var slots: [PluginExchange?] = Array(repeating: nil, count: 16)
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// All of them, in no order.
    var all: [PluginExchange] { slots.compactMap { $0 } }

    subscript(id: UInt64) -> PluginExchange? { slots[place(of: id)] }

    /// - Parameter exchange: One whose number is not there yet.
    mutating func insert(_ exchange: PluginExchange) {
        if (count + 1) * 2 > slots.count { grow() }
        slots[place(of: exchange.id)] = exchange
        count += 1
    }

    mutating func remove(_ id: UInt64) {
        var gap = place(of: id)
        guard slots[gap] != nil else { return }
        slots[gap] = nil
        count -= 1
        // Who stands behind the gap, and was looked for across it, moves into it.
        var index = next(gap)
        while let exchange = slots[index] {
            let distance = (index &- home(of: exchange.id)) & (slots.count - 1)
            if distance >= (index &- gap) & (slots.count - 1) {
                slots[gap] = exchange
                slots[index] = nil
                gap = index
            }
            index = next(index)
        }
    }

    /// Where `id` stands, or would.
    private func place(of id: UInt64) -> Int {
        var index = home(of: id)
        while let exchange = slots[index], exchange.id != id { index = next(index) }
        return index
    }

    private func home(of id: UInt64) -> Int { Int(truncatingIfNeeded: id) & (slots.count - 1) }
    private func next(_ index: Int) -> Int { (index + 1) & (slots.count - 1) }

    private mutating func grow() {
        let exchanges = all
        slots = Array(repeating: nil, count: slots.count * 2)
        for exchange in exchanges { slots[place(of: exchange.id)] = exchange }
    }
}
