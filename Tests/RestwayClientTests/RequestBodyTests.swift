import RestwayJSON
import RestwayObjects
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Tests which descriptor applies, and the resulting body.
final class RequestBodyTests: SubmissionTestCase {
    func testARoutesOwnRequestWrapsExcludesAndLiesOverTheDocumentsParameters() throws {
        let draft = try draft("Company", ["name": .string("New"), "city": .null])
        try draft.add(.draft(try self.draft("Person")), relationship: 0)
        XCTAssertEqual(
            try body(spec(.post, draft)),
            #"{"source":"default","company":{"name":"New","address":{"city":null}}}"#)
    }

    func testTheCallersParametersLieOverTheMappedOnes() throws {
        let draft = try draft("Company", ["name": .string("New"), "city": .string("Rome")])
        var spec = spec(.post, draft)
        spec.parameters = [
            Parameter(keys: ["company", "address", "zip"], value: .integer(1)),
            Parameter(keys: ["company", "name"], value: .null),
            Parameter(keys: ["source"], value: .object([("a", .bool(true))])),
            Parameter(keys: ["company"], value: .object([("more", .array([]))])),
        ]
        // If a caller gives a value twice, the later one applies: its object replaces the earlier
        // names.
        XCTAssertEqual(
            try body(spec),
            #"{"source":{"a":true},"company":{"name":"New","address":{"city":"Rome"},"more":[]}}"#)
        spec.parameters.removeLast()
        XCTAssertEqual(
            try body(spec),
            #"{"source":{"a":true},"company":{"name":null,"address":{"city":"Rome","zip":1}}}"#)
    }

    func testTheFirstDescriptorOfRequestsAppliesAndSendsWhatChanged() throws {
        let draft = Draft(
            copying: try company(#"{"id":1,"name":"One","owner_id":"p","address":{"city":"x"}}"#))
        XCTAssertEqual(try body(spec(.patch, draft)), "{}")
        try set(draft, "name", .string("Two"))
        try set(draft, "city", .null)
        XCTAssertEqual(try body(spec(.put, draft)), #"{"name":"Two"}"#)
    }

    func testADescriptorAppliesToPathsThatAreNamedAsTheyAre() throws {
        let draft = Draft(copying: try company(#"{"id":1,"name":"One"}"#))
        try set(draft, "name", .string("Two"))
        var spec = RequestSpec(
            target: .path(.put, "companies/1"), subject: .draft(draft, client.store))
        XCTAssertEqual(try body(spec), #"{"name":"Two"}"#)
        spec.target = .path(.post, "companies")
        XCTAssertEqual(try body(spec), #"{"company":{"id":1,"name":"Two"}}"#)
    }

    func testADraftWithoutADescriptorGoesOutWholeAndAnObjectDoesNot() throws {
        let draft = try draft("Person", ["name": .string("Ann")])
        XCTAssertEqual(try body(spec(.post, draft)), #"{"name":"Ann"}"#)
        let person = try client.store.insert(draft)
        XCTAssertNil(
            try body(RequestSpec(target: .subject(.post), subject: .object(person))))
    }

    func testADescriptorWritesObjectsTooAndTheirRelationshipsAreReadFromTheStore() throws {
        let object = try company(
            #"{"id":1,"owner_id":"boss","staff":[{"key":"boss","name":"B","employer":{"id":1}}]}"#)
        let spec = RequestSpec(target: .path(.post, "companies"), subject: .object(object))
        XCTAssertEqual(try body(spec), #"{"company":{"id":1,"owner_id":"boss"}}"#)
    }

    func testOtherMethodsSendTheObjectOnlyWhenTheirDescriptorNamesThem() throws {
        let draft = try draft("Person", ["key": .string("p"), "name": .string("Ann")])
        var spec = RequestSpec(
            target: .route("purge", nil), subject: .draft(draft, client.store))
        spec.parameters = [Parameter(keys: ["q"], value: .integer(1))]
        XCTAssertEqual(try body(spec), #"{"a":{"b":{"key":"p","name":"Ann"}}}"#)
        XCTAssertEqual(try prepared(spec).exchange.url, "http://api.test/v2/purge/p?q=1")
        let company = Draft(copying: try company(#"{"id":1}"#))
        XCTAssertNil(try body(self.spec(.delete, company)))
        XCTAssertNil(try body(self.spec(.get, company)))
    }

    func testARawBodyGoesOutInPlaceOfTheObject() throws {
        var spec = spec(.post, try draft("Person", ["name": .string("x")]))
        spec.given.body = .init(bytes: [65], mediaType: "text/plain")
        XCTAssertEqual(try body(spec), "A")
    }

    func testVariablesOfThePathFollowRelationshipsOfObjectsAndDrafts() throws {
        let company = Draft(copying: try company(#"{"id":7}"#))
        let person = try draft("Person", ["key": .string("a b")])
        try person.add(.draft(company), relationship: 0)
        func url(_ spec: RequestSpec) throws -> String {
            try prepared(spec).exchange.url
        }
        let expected = "http://api.test/v2/companies/7/people/a%20b"
        XCTAssertEqual(try url(spec(.put, person)), expected)
        let object = try client.store.insert(person)
        XCTAssertEqual(
            try url(RequestSpec(target: .subject(.delete), subject: .object(object))), expected)
        try person.set([], relationship: 0)
        let failure = failure { _ = try url(spec(.put, person)) }
        XCTAssertEqual(failure?.reason, .missingVariable)
        XCTAssertEqual(failure?.field, "employer.itemID")
    }

    func testWhatCannotBeWrittenIsTheCallersMistake() throws {
        let company = try draft("Company")
        try company.add(.draft(try draft("Person")), relationship: 1)
        let failure = failure { _ = try client.send(spec(.post, company)) }
        XCTAssertEqual(failure?.reason, .mapping)
        XCTAssertEqual(failure?.field, "owner")

        let other = try makeClient()
        defer { other.close() }
        let stranger = Draft(try other.api.entity(named: "Company"))
        for store in [other.store, client.store] {
            let spec = RequestSpec(
                target: .path(.post, "x"), subject: .draft(stranger, store))
            XCTAssertEqual(
                mistake(spec)?.reason, .invalidArgument)
        }
    }

    private func mistake(_ spec: RequestSpec) -> Failure? {
        RestwayClientTests.failure { _ = try client.send(spec) }
    }
}
