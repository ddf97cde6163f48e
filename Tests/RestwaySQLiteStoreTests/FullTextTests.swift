import RestwayObjects
import RestwaySQLite
import RestwaySQLiteStore
import RestwayThreads
import XCTest

/// Full text searches: what they find in each kind of store.
final class FullTextTests: StoreTestCase {
    /// An entity whose texts are searched in `fullText`.
    static func note(_ fullText: [Int] = [1, 2]) -> Entity {
        Entity(
            name: "Note", index: 0,
            attributes: [
                Attribute(name: "id", type: .int), Attribute(name: "title", type: .string),
                Attribute(name: "rank"), Attribute(name: "text\"; --", type: .string),
            ], identityIndex: 0, fullText: fullText)
    }

    static func row(_ note: Entity, _ id: Int64, _ texts: Value...) -> Snapshot {
        let rest = Array(repeating: Value.absent, count: 3 - texts.count)
        return Snapshot.make(note, [.int64(id)] + texts + rest)
    }

    static func query(_ note: Entity, _ text: String) -> Query {
        var query = Query(note)
        query.conditions = [.hasWords(WordPattern(text))]
        return query
    }

    private func found(
        _ store: any ObjectStore, _ note: Entity, _ text: String
    ) throws -> [Int64] {
        let query = Self.query(note, text)
        let objects = try store.objects(query)
        XCTAssertEqual(try store.count(query), objects.count)
        return objects.map { $0.cell(at: 0).integer }
    }

    func testWordsAndPhrases() throws {
        try withEachStore {
            let note = Self.note()
            let store = try makeStore([note])
            let texts = [
                "The crash of a server", "Crashes when it starts, server-side", "ÄRGER mit Größe",
                "a \u{0}NUL", "", "b3ta x_y",
            ]
            var rows = texts.enumerated().map { place, text in
                Self.row(note, Int64(place), .string(text))
            }
            rows.append(Self.row(note, 6, .null, .string("crash")))
            rows.append(Self.row(note, 7, .string("server"), .string("a \"crash\"")))
            rows.append(Self.row(note, 8, .string("x"), .int64(5), .string("crash")))
            rows.append(Self.row(note, 9, .string("y"), .json("{\"crash\": 5}")))
            _ = try store.commit(ChangeSet(rows: rows))
            for (text, wanted) in [
                ("crash", [0, 6, 7, 9]), ("CRASH  server", [0, 7]), ("crash*", [0, 1, 6, 7, 9]),
                ("\"server side\"", [1]), ("server-side", [1]), ("\"side server\"", []),
                ("\"of a ser\"*", [0]), ("\"of a ser\"", []), ("ärger größe", [2]),
                ("grosse", []), ("grö*", [2]), ("nul", [3]), ("", []), (" - * \"\" ", []),
                ("crash -", [0, 6, 7, 9]), ("5", [9]), ("b3ta", [5]), ("x", [5, 8]),
                ("\"the crash", [0]), ("crash OR ärger", []), ("NEAR(crash)", []),
                ("title:crash", []), ("^server", [0, 1, 7]), ("crash\u{0}server", [0, 7]),
                ("the\"crash\"", [0]), ("cra*\"server\"", [0, 1, 7]),
            ] as [(String, [Int64])] {
                XCTAssertEqual(try found(store, note, text), wanted, text)
            }
        }
    }

    func testTheTextsOfNow() throws {
        try withEachStore {
            let note = Self.note()
            let store = try makeStore([note])
            _ = try store.commit(
                ChangeSet(rows: (0..<40).map { Self.row(note, $0, .string("old \($0)")) }))
            _ = try store.commit(ChangeSet(rows: [Self.row(note, 3, .string("new"))]))
            XCTAssertEqual(try found(store, note, "new"), [3])
            XCTAssertEqual(try found(store, note, "old").count, 39)
            XCTAssertEqual(try found(store, note, "3"), [])
            var changes = ChangeSet()
            changes.deletions = [.identity(note, .integer(5)), .identity(note, .integer(3))]
            _ = try store.commit(changes)
            XCTAssertEqual(try found(store, note, "new"), [])
            XCTAssertEqual(try found(store, note, "old").count, 38)
            changes.deletions = [.all(note)]
            _ = try store.commit(changes)
            XCTAssertEqual(try found(store, note, "old*"), [])
            _ = try store.commit(ChangeSet(rows: [Self.row(note, 3, .string("old"))]))
            XCTAssertEqual(try found(store, note, "old"), [3])
        }
    }

    func testSearchesJoinOtherConditions() throws {
        try withEachStore {
            let model = EntityModel()
            let person = Entity(
                name: "Person", index: 0,
                attributes: [Attribute(name: "id"), Attribute(name: "name", type: .string)],
                relationships: [
                    Relationship(
                        name: "friends", targetName: "Person", targetIndex: 0, isMany: true)
                ], identityIndex: 0, fullText: [1], model: model)
            let store = try makeStore([person])
            let rows = ["Ada Lovelace", "Bob", "Cy Lovelace"].enumerated().map { place, name in
                Snapshot.make(
                    person, [.int64(Int64(place)), .string(name), .links([Int64(place + 2)])])
            }
            _ = try store.commit(ChangeSet(rows: rows))
            let match = Query.Condition.hasWords(WordPattern("lovelace"))
            let friend = Query.Condition.leads(.init(relationship: 0, target: person, match))
            let isFirst = Query.Condition.compares(attribute: 0, .equal, .int64(0))
            for (condition, wanted) in [
                (.not(match), [1]), (.any([isFirst, match]), [0, 2]),
                (.all([.not(isFirst), match]), [2]), (friend, [1]), (.not(friend), [0, 2]),
            ] as [(Query.Condition, [Int64])] {
                var query = Query(person)
                query.conditions = [condition]
                let ids = try store.objects(query).map { $0.cell(at: 0).integer }
                XCTAssertEqual(ids, wanted, "\(condition)")
                XCTAssertEqual(try store.groups(query, by: 0).count, wanted.count)
            }
        }
    }

    /// The characters that docs/QUERIES.md names divide texts into the same words in both stores.
    func testBothStoresDivideTextsAlike() throws {
        let ranges: [ClosedRange<UInt32>] = [
            0x01...0x2FF, 0x384...0x3CF, 0x400...0x527, 0x2000...0x2064,
        ]
        let note = Self.note([1])
        let file = StoreFile()
        defer { file.remove() }
        let sqlite = try file.open([note])
        let memory = MemoryStore(keyBefore: 0)
        let characters = ranges.flatMap { $0 }.map { Unicode.Scalar($0)! }
        for store in [sqlite, memory] as [any ObjectStore] {
            let rows = characters.map {
                Self.row(note, Int64($0.value), .string("a\($0)b, \($0)"))
            }
            _ = try store.commit(ChangeSet(rows: rows))
        }
        // A text has the word "a" if its character divides words.
        XCTAssertEqual(try found(sqlite, note, "a"), try found(memory, note, "a"))
        let known = Set(characters)
        for character in characters {
            let properties = character.properties
            let cases = [properties.lowercaseMapping, properties.uppercaseMapping].filter {
                $0 != String(character) && known.isSuperset(of: $0.unicodeScalars)
            }
            for text in cases {
                var query = Query(note)
                query.conditions = [
                    .compares(attribute: 0, .equal, .int64(Int64(character.value))),
                    .hasWords(WordPattern(text)),
                ]
                XCTAssertEqual(
                    try sqlite.count(query), memory.count(query),
                    "U+\(String(character.value, radix: 16)): \(text)")
            }
        }
    }
}

/// The index of texts in a file.
final class TextIndexTests: SQLiteTestCase {
    private func found(_ store: SQLiteStore, _ note: Entity, _ text: String) throws -> [Int64] {
        try store.objects(FullTextTests.query(note, text)).map { $0.cell(at: 0).integer }
    }

    /// Checks that the index has the words of the texts, and no others.
    private func checkIndex() throws {
        try file.shell("INSERT INTO \"Note._words\" (\"Note._words\") VALUES ('integrity-check')")
        XCTAssertEqual(try file.integer("SELECT count(*) FROM \"Note._changed\""), 0)
        XCTAssertEqual(
            try file.integer(
                "SELECT count(*) FROM \"Note\" WHERE NOT EXISTS (SELECT 1 FROM \"Note._words\" "
                    + "WHERE rowid = _key AND text0 IS title)"), 0)
    }

    func testAFileFromBeforeIsIndexed() throws {
        let plain = FullTextTests.note([])
        var store: SQLiteStore? = try file.open([plain])
        try commit(store!, FullTextTests.row(plain, 1, .string("crash")))
        let triggers = "SELECT count(*) FROM sqlite_schema WHERE tbl_name = 'Note' "
            + "AND type = 'trigger'"
        XCTAssertEqual(try file.integer(triggers), 0)
        store = nil
        let note = FullTextTests.note()
        store = try file.open([note])
        XCTAssertEqual(try found(store!, note, "crash"), [1])
        try checkIndex()
    }

    func testADocumentMayChangeItsAttributes() throws {
        let both = FullTextTests.note()
        var store: SQLiteStore? = try file.open([both])
        try commit(store!, FullTextTests.row(both, 1, .string("a"), .string("b"), .string("c")))
        for (fullText, words) in [
            ([1], "a"), ([3, 2], "bc"), ([], ""), ([2], "b"), ([1, 2], "ab"),
        ] {
            store = nil
            let note = FullTextTests.note(fullText)
            store = try file.open([note])
            guard !fullText.isEmpty else {
                let left = "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'Note.\\_%' "
                    + "ESCAPE '\\' AND name <> 'Note._identity'"
                XCTAssertEqual(try file.integer(left), 0)
                continue
            }
            for word in ["a", "b", "c"] {
                let isThere = words.contains(word)
                XCTAssertEqual(try found(store!, note, word), isThere ? [1] : [], word)
            }
        }
    }

    func testAnAttributeMayChangeItsType() throws {
        func note(_ type: AttributeType) -> Entity {
            Entity(
                name: "Note", index: 0,
                attributes: [
                    Attribute(name: "id", type: .int), Attribute(name: "title", type: type),
                    Attribute(name: "c"), Attribute(name: "d"),
                ], identityIndex: 0, fullText: [1])
        }
        let any = note(.any)
        var store: SQLiteStore? = try file.open([any])
        try commit(
            store!, FullTextTests.row(any, 1, .string("crash")),
            FullTextTests.row(any, 2, .int64(7)))
        XCTAssertEqual(try found(store!, any, "7"), [])
        store = nil
        let string = note(.string)
        store = try file.open([string])
        XCTAssertEqual(try found(store!, string, "crash"), [1])
        XCTAssertEqual(try found(store!, string, "7"), [2])
        try commit(store!, FullTextTests.row(string, 1, .string("new")))
        XCTAssertEqual(try found(store!, string, "new"), [1])
        try checkIndex()
    }

    func testWhatOthersWriteIsFound() throws {
        let note = FullTextTests.note()
        let store = try file.open([note])
        try commit(store, FullTextTests.row(note, 1, .string("crash")))
        try file.shell(
            """
            UPDATE "Note" SET title = 'edited' WHERE id = 1;
            INSERT INTO "Note" (id, title) VALUES (2, 'by hand');
            """)
        XCTAssertEqual(try found(store, note, "crash"), [])
        XCTAssertEqual(try found(store, note, "edited"), [1])
        XCTAssertEqual(try found(store, note, "hand"), [2])
        try checkIndex()
        let other = try file.open([note])
        try commit(other, FullTextTests.row(note, 2, .string("other")))
        XCTAssertEqual(try found(store, note, "other"), [2])
        try file.shell("DELETE FROM \"Note\" WHERE id = 2")
        XCTAssertEqual(try found(other, note, "other"), [])
        try checkIndex()
    }

    func testAFailedCommitLeavesTheIndex() throws {
        let countdown = Lock(Int.max)
        let faults = FaultPoints { _ in
            countdown.withLock { left in
                left -= 1
                return left == 0 ? 13 : nil  // SQLITE_FULL
            }
        }
        let note = FullTextTests.note()
        let store = try file.open([note]) { $0.connection.faults = faults }
        try commit(store, FullTextTests.row(note, 0, .string("start")))
        for number in 1..<1000 {
            let row = FullTextTests.row(note, Int64(number), .string("word\(number)"))
            countdown.withLock { $0 = number }
            let isStored = (try? store.commit(ChangeSet(rows: [row]))) != nil
            let isOver = countdown.withLock { $0 > 0 }
            countdown.withLock { $0 = .max }
            XCTAssertEqual(
                try found(store, note, "word\(number)"), isStored ? [Int64(number)] : [])
            if isOver { return try checkIndex() }
        }
        XCTFail("the commit has too many operations")
    }

    func testRandomChangesLeaveARightIndex() throws {
        let note = FullTextTests.note([1])
        let store = try file.open([note]) { $0.cachedObjectsMax = 3 }
        let memory = MemoryStore(keyBefore: 0)
        var random = SeededRandom(seed: 7)
        for _ in 0..<60 {
            let rows = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                let words = (0..<3).map { _ in "w\(Int.random(in: 0..<6, using: &random))" }
                let text: [Value] = [.string(words.joined(separator: " ")), .null, .absent]
                let id = Int64.random(in: 0..<12, using: &random)
                return (id, text.randomElement(using: &random)!)
            }
            let gone = Int64.random(in: 0..<12, using: &random)
            for store in [store, memory] as [any ObjectStore] {
                var changes = ChangeSet(rows: rows.map { FullTextTests.row(note, $0.0, $0.1) })
                changes.deletions = [.identity(note, .integer(gone))]
                _ = try store.commit(changes)
            }
            for text in ["w1", "w1 w2", "\"w3 w4\"", "w*"] {
                let query = FullTextTests.query(note, text)
                XCTAssertEqual(
                    try store.objects(query).map(\.storeKey), memory.objects(query).map(\.storeKey))
            }
            try checkIndex()
        }
    }

    func testSQLiteWithoutFTS5RefusesTheDocument() throws {
        let refusal = refusal([FullTextTests.note()]) { $0.textModule = "fts6" }
        XCTAssertEqual(
            refusal?.message,
            "the store \"\(file.path)\": entity \"Note\" has \"fullText\", "
                + "and this SQLite has no FTS5")
        XCTAssertNil(self.refusal([FullTextTests.note([])]) { $0.textModule = "fts6" })
    }
}
