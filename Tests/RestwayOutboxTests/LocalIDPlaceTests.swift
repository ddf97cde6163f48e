import RestwayHTTP
import RestwayObjects
import RestwayThreads
import XCTest

@testable import RestwayOutbox

/// Identities are spliced in where the request says that local identities stand.
final class LocalIDPlaceTests: JournalTestCase {
    func testPlacesAreReadAsTheyAreStored() {
        let local = LocalID.random()
        let body = "[\"\(local.text(as: .base64))\",\"\(local.text)\"]"
        let places = LocalIDPlace.all(
            path: "a/\(local.text)", headers: "X: \(local.text)\n", body: Array(body.utf8))
        XCTAssertEqual(places.map(\.part), [.path, .headers, .body, .body])
        XCTAssertEqual(places.map(\.start), [2, 3, 2, 2 + 46 + 7 + 3])
        XCTAssertEqual(places.map(\.form), [.plain, .plain, .base64, .plain])
        XCTAssertEqual(LocalIDPlace.text(places), "p2 h3 b2-base64 b58")
        XCTAssertEqual(LocalIDPlace.read("p2 h3 b2-base64 b58", of: local), places)
        XCTAssertEqual(LocalIDPlace.read("", of: local), [])
        for text in ["x2", "p", "pq", "b2-other", "b-text"] {
            XCTAssertEqual(LocalIDPlace.read(text, of: local), [], text)
        }
    }

    func testAnIdentityIsWrittenOnlyWhereTheRequestSaysSo() throws {
        let local = LocalID.random()
        let journal = try openSender()
        let post = try journal.enqueue(entry(Lane(local), creates: local))
        let note = "{\"id\":\"\(local.text)\",\"note\":\"\(local.text)\"}"
        let all = LocalIDPlace.all(path: "", body: Array(note.utf8))
        let put = try journal.enqueue(entry("a", body: note), places: [all[0]])
        let free = try journal.enqueue(entry("b", body: note), places: [])
        XCTAssertEqual(try journal.item(free)?.dependencies, [])
        XCTAssertEqual(try taken(journal), [post, free])
        _ = try journal.settle([.remove(id: post, identity: .integer(7), lane: nil)])
        let item = try XCTUnwrap(journal.take(itemsMax: 9, now: 0).first)
        XCTAssertEqual(item.id, put)
        XCTAssertEqual(text(item.entry.body), "{\"id\":7,\"note\":\"\(local.text)\"}")
    }

    /// Identities become known one after the other, in any order, and the places of the other
    /// identities move. A plain replacement in a text without forms gives the expected result.
    func testSplicesGiveTheSameTextInEveryOrder() throws {
        var random = SeededRandom(seed: 7)
        for round in 0..<60 {
            let locals = (0..<3).map { _ in LocalID.random() }
            let names = (0..<3).map { _ in
                String(repeating: "n", count: Int.random(in: 0...60, using: &random))
            }
            func words(_ separator: String) -> String {
                (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    Bool.random(using: &random)
                        ? locals.randomElement(using: &random)!.text : "word"
                }.joined(separator: separator)
            }
            var entry = entry("c", path: "p/" + words("/"), body: "<" + words(" ") + ">")
            entry.headers = [
                HeaderField(name: "Content-Type", value: "text/plain"),
                HeaderField(name: "X-Of", value: words(",")),
            ]
            func named(_ text: String) -> String {
                zip(locals, names).reduce(text) { text, pair in
                    text.components(around: pair.0.text).joined(separator: pair.1)
                }
            }
            let journal = try openSender()
            let makers = try locals.map { local in
                try journal.enqueue(self.entry(Lane(local), creates: local))
            }
            let id = try journal.enqueue(entry)
            for index in [0, 1, 2].shuffled(using: &random) {
                var isTaken = false
                while !isTaken {
                    let items = try journal.take(itemsMax: 1, now: 0)
                    isTaken = items.isEmpty || items.contains { $0.id == makers[index] }
                }
                let settled = try journal.settle([
                    .remove(id: makers[index], identity: .string(names[index]), lane: nil)
                ])
                XCTAssertEqual(settled.missing, [])
            }
            let item = try XCTUnwrap(journal.item(id))
            XCTAssertEqual(item.entry.path, named(entry.path), "round \(round)")
            XCTAssertEqual(text(item.entry.body), named(text(entry.body) ?? ""), "round \(round)")
            XCTAssertEqual(item.entry.headers[1].value, named(entry.headers[1].value))
            XCTAssertEqual(item.dependencies, [])
            XCTAssertEqual(try journal.dropAll().items.count, 1)
            journal.close()
        }
    }
}

extension String {
    /// The parts of the text between the occurrences of another text.
    fileprivate func components(around other: String) -> [String] {
        var parts = [""]
        var rest = self[...]
        while !rest.isEmpty {
            if rest.hasPrefix(other) {
                parts.append("")
                rest = rest.dropFirst(other.count)
            } else {
                parts[parts.count - 1].append(rest.removeFirst())
            }
        }
        return parts
    }
}
