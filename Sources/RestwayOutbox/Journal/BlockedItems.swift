import RestwaySQLite

/// Finds items that no flush would send: they stand behind a dead letter, or wait for objects.
struct BlockedItems {
    private let file: JournalConnection
    private let rules: OutboxRules

    init(_ file: JournalConnection, _ rules: OutboxRules) {
        self.file = file
        self.rules = rules
    }

    /// Returns whether a dead letter blocks the item.
    func contains(_ item: OutboxItem) throws(OutboxError) -> Bool {
        switch (rules.deadLetters, rules.order) {
        case (.letOthersPass, _): false
        case (.blockTheirLane, .lanes):
            try file.exists(
                "SELECT 1 FROM item WHERE lane = ?1 AND state = 1 AND id < ?2 LIMIT 1",
                .text(item.entry.lane.name), .integer(item.id))
        case (.blockTheirLane, .strict):
            try file.exists(
                "SELECT 1 FROM item WHERE state = 1 AND id < ?1 LIMIT 1", .integer(item.id))
        }
    }

    func count() throws(OutboxError) -> Int {
        let before =
            switch (rules.deadLetters, rules.order) {
            case (.letOthersPass, _): "0"
            case (.blockTheirLane, .lanes):
                "EXISTS (SELECT 1 FROM item AS dead WHERE dead.lane = item.lane "
                    + "AND dead.state = 1 AND dead.id < item.id)"
            case (.blockTheirLane, .strict):
                "EXISTS (SELECT 1 FROM item AS dead WHERE dead.state = 1 AND dead.id < item.id)"
            }
        let waiting = try file.first(
            "SELECT count(*) FROM (SELECT DISTINCT item AS number FROM dependency) "
                + "JOIN item ON item.id = number WHERE item.state = 0 AND NOT \(before)"
        ) { Int($0.integer(0)) }
        return try (waiting ?? 0) + behindDeadLetters()
    }

    private func behindDeadLetters() throws(OutboxError) -> Int {
        guard rules.deadLetters == .blockTheirLane else { return 0 }
        if rules.order == .strict {
            let count = try file.first(
                "SELECT count(*) FROM item "
                    + "WHERE state = 0 AND id > (SELECT min(id) FROM item WHERE state = 1)"
            ) { Int($0.integer(0)) }
            return count ?? 0
        }
        let heads = try file.all("SELECT lane, min(id) FROM item WHERE state = 1 GROUP BY lane") {
            ($0.string(0) ?? "", $0.integer(1))
        }
        var count = 0
        for (lane, id) in heads {
            count += try file.first(
                "SELECT count(*) FROM item WHERE lane = ?1 AND state = 0 AND id > ?2",
                .text(lane), .integer(id)
            ) { Int($0.integer(0)) } ?? 0
        }
        return count
    }
}
