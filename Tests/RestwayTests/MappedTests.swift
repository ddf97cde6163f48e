import Restway
import XCTest

/// Types with key paths, in queries and drafts.
final class MappedTests: DemoTestCase {
    private struct Company: Mapped, Equatable {
        static let entity = "Enterprise"
        static var names: [PartialKeyPath<Company>: String] {
            [\.id: "itemID", \.name: "name", \.city: "city"]
        }

        let id: Int
        let name: String
        let city: String?
        let rating: Double?

        enum CodingKeys: String, CodingKey {
            case id = "itemID"
            case name, city, rating
        }
    }

    func testAQueryNamesPropertiesByKeyPaths() async throws {
        let client = try client()
        let all: [Company] = try await client.get("enterprises", parameters: ["per_page": 20])
        let query = try client.store.query(Company.self).order(by: \.id, descending: true)
        XCTAssertEqual(try query.all(), all.reversed())
        XCTAssertEqual(try query.limit(2, offset: 1).all(), Array(all.reversed()[1...2]))
        XCTAssertEqual(try query.first(), all.last)
        let some = try query.filter(\.id, .lessOrEqual, 3).filter("itemID > ?", 1)
        XCTAssertEqual(try some.all().map(\.id), [3, 2])
        XCTAssertEqual(try some.count(), 2)
        let city = try XCTUnwrap(all.first?.city)
        XCTAssertEqual(
            try client.store.query(Company.self).filter(\.city, .equal, city).all(),
            all.filter { $0.city == city })
        XCTAssertEqual(try client.store.all(Company.self), all)
        XCTAssertEqual(try client.store.find(Company.self, 4), all.first { $0.id == 4 })
        XCTAssertNil(try client.store.find(Company.self, 4_000_000))
    }

    private struct Person: Mapped {
        static let entity = "Person"
        static var names: [PartialKeyPath<Person>: String] { [:] }
        let name: String
    }

    func testAnAnswerThatCannotBecomeTheTypeIsNotAskedFor() async throws {
        let client = try client()
        let before = try client.metrics().startedCalls
        let senders: [any RequestSender] = [
            client, client.scope(["itemID": 1]),
            try RoutingClient(default: client, clients: [:]),
        ]
        for sender in senders {
            do {
                let persons: [Person] = try await sender.get(.route("enterprises"))
                XCTFail("\(persons)")
            } catch {
                XCTAssertEqual(error.kind, .mapping)
                for word in ["Person", "\"enterprises\"", "Enterprise"] {
                    XCTAssertTrue(error.message.contains(word), error.message)
                }
            }
        }
        XCTAssertEqual(try client.metrics().startedCalls, before, "nothing was sent")
        let companies: [Company] = try await client.get(.route("enterprises"))
        XCTAssertFalse(companies.isEmpty)
    }

    func testADraftNamesPropertiesByKeyPaths() throws {
        let client = try client()
        let draft = try client.draft(Company.self)
        try draft.set(\Company.name, to: "Rossi")
        try draft.set(\Company.city, to: "Pisa")
        XCTAssertEqual(draft.changed, ["name", "city"])
        try draft.set(\Company.city, to: nil)
        XCTAssertEqual(draft.snapshot().value("city"), .null)
    }

    func testAPropertyWithoutANameAndADraftOfAnotherEntityAreRefused() throws {
        let client = try client()
        XCTAssertThrowsError(try client.draft(Company.self).set(\Company.rating, to: 1)) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .unknownAttribute)
        }
        XCTAssertThrowsError(try client.draft("Person").set(\Company.name, to: "A")) { error in
            XCTAssertEqual((error as? RestwayError)?.field, "Enterprise")
        }
    }
}
