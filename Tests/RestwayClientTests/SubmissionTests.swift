import RestwayHTTP
import RestwayObjects
import RestwayRouting
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Tests the effect of answers on the objects that were sent.
final class SubmissionTests: SubmissionTestCase {
    func testAPostedObjectBecomesTheReturnedIdentityAndRelationshipsStillResolve() throws {
        let (draft, person) = (try draft("Company", ["name": .string("New")]), try draft("Person"))
        try person.add(.draft(draft), relationship: 0)
        let employee = try client.store.insert(person)
        let unsent = try XCTUnwrap(client.store.related(employee, relationship: 0).first)
        XCTAssertTrue(try client.store.isUnsent(unsent.entity, storeKey: unsent.storeKey))

        let response = try send(
            spec(.post, draft), 201, #"{"company": {"id": 5, "name": "NEW"}}"#)
        let object = try XCTUnwrap(response.objects.first)
        XCTAssertEqual(object.storeKey, unsent.storeKey)
        XCTAssertEqual(object.identity, .integer(5))
        XCTAssertEqual(try count("Company"), 1)
        XCTAssertEqual(
            try client.store.related(employee, relationship: 0).map(\.identity), [.integer(5)])
        XCTAssertFalse(try client.store.isUnsent(object.entity, storeKey: object.storeKey))
        XCTAssertEqual(draft.changedCells, [])
        XCTAssertEqual(draft.snapshot().value(named: "name"), .string("NEW"))
        XCTAssertEqual(
            try client.store.object(object.entity, .integer(5))?.storeKey, unsent.storeKey)
    }

    func testAnObjectOfTheStoreIsPostedLikeItsDraft() throws {
        let object = try client.store.insert(try draft("Company", ["name": .string("New")]))
        let spec = RequestSpec(target: .subject(.post), subject: .object(object))
        XCTAssertEqual(
            try body(spec), #"{"source":"default","company":{"name":"New"}}"#)
        try send(spec, 201, #"{"company": {"id": 5}}"#)
        XCTAssertEqual(try newest(object)?.identity, .integer(5))
        XCTAssertEqual(try count("Company"), 1)
    }

    func testADraftThatNoStoreKnewIsOneObjectAfterwards() throws {
        let draft = try draft("Company", ["name": .string("New"), "city": .string("Rome")])
        let object = try send(spec(.post, draft), 201, #"{"company": {"id": 5}}"#).objects[0]
        XCTAssertEqual(object.value(named: "name"), .string("New"), "as it was sent")
        XCTAssertEqual(draft.storeKey, object.storeKey)
        XCTAssertEqual(try count("Company"), 1)
        try set(draft, "name", .string("Newer"))
        XCTAssertEqual(try body(spec(.patch, draft)), #"{"name":"Newer"}"#)
        try send(spec(.patch, draft), 200, #"{"id": 5, "name": "Newest"}"#)
        XCTAssertEqual(try newest(object)?.value(named: "name"), .string("Newest"))
        XCTAssertEqual(try count("Company"), 1)
    }

    func testAnotherObjectWithTheReturnedIdentityEndsInThePostedOne() throws {
        let known = try company(#"{"id": 5, "address": {"city": "Rome"}}"#)
        let draft = try draft("Company", ["name": .string("New")])
        let inserted = try client.store.insert(draft)
        try send(spec(.post, draft), 201, #"{"company": {"id": 5}}"#)
        XCTAssertEqual(try count("Company"), 1)
        XCTAssertEqual(try newest(known)?.storeKey, inserted.storeKey)
        XCTAssertEqual(try newest(inserted)?.value(named: "city"), .string("Rome"))
    }

    func testAnAnswerWithoutIdentityUpdatesThePostedObject() throws {
        let draft = try draft("Company", ["name": .string("New")])
        let inserted = try client.store.insert(draft)
        let object = try send(spec(.post, draft), 201, #"{"company": {"name": "NEW"}}"#).objects[0]
        XCTAssertEqual(object.storeKey, inserted.storeKey)
        XCTAssertEqual(try newest(inserted)?.value(named: "name"), .string("NEW"))
        XCTAssertEqual(try count("Company"), 1)
    }

    func testAnAnswerThatMapsToNothingLeavesTheObjectMarkedAsSent() throws {
        for answer in ["", #"{"company": null}"#, #"{"status": {"text": "fine"}}"#] {
            let draft = try draft("Company", ["name": .string("New")])
            let inserted = try client.store.insert(draft)
            try send(spec(.post, draft), 204, answer)
            let object = try XCTUnwrap(newest(inserted))
            XCTAssertNil(object.identity)
            XCTAssertFalse(try client.store.isUnsent(object.entity, storeKey: object.storeKey))
            let direct = try self.draft("Company", ["name": .string("Direct")])
            try send(spec(.post, direct), 200, answer)
            XCTAssertGreaterThan(direct.storeKey, 0)
            let spec = RequestSpec(target: .subject(.post), subject: .object(object))
            try send(spec, 200, answer)
        }
        XCTAssertEqual(try count("Company"), 6)
    }

    func testAFailedPostLeavesTheObjectUnsentAndTheDraftChanged() throws {
        let draft = try draft("Company", ["name": .string("New")])
        let inserted = try client.store.insert(draft)
        XCTAssertThrowsError(try send(spec(.post, draft), 422, #"{"company": {"id": 5}}"#))
        XCTAssertThrowsError(try send(spec(.post, draft), 200, "no JSON"))
        XCTAssertTrue(try client.store.isUnsent(inserted.entity, storeKey: inserted.storeKey))
        XCTAssertTrue(try newest(inserted) === inserted)
        XCTAssertEqual(draft.changedCells, [1])
    }

    func testAPutWithoutObjectsPutsTheDraftsValuesIntoTheStore() throws {
        let object = try company(
            #"{"id":1,"name":"One","staff":[{"key":1},{"key":2}],"address":{"city":"x"}}"#)
        let draft = Draft(copying: object)
        try set(draft, "name", .string("Two"))
        let first = try client.store.related(object, relationship: 0)[0]
        try draft.remove(.object(first), relationship: 0)
        let call = try client.send(spec(.put, draft))
        try set(draft, "city", .string("later"))
        transport.answer(204)
        XCTAssertFalse(try call.wait(milliseconds: 0).objects.count > 0)
        let stored = try XCTUnwrap(newest(object))
        XCTAssertEqual(stored.value(named: "name"), .string("Two"))
        XCTAssertEqual(stored.value(named: "city"), .string("x"))
        XCTAssertEqual(stored.relatedKeys(at: 0).count, 1, "no policy adds a removed link")
        XCTAssertEqual(draft.changedCells, [2])
        XCTAssertEqual(try count("Company"), 1)
    }

    func testWhatWasLeftOutStaysAChangeOfTheDraftAndOutOfTheStore() throws {
        let draft = try draft("Company", ["name": .string("New")])
        try draft.set([.draft(try self.draft("Person"))], relationship: 0)
        try send(spec(.post, draft), 204)
        XCTAssertEqual(try count("Person"), 0)
        XCTAssertEqual(draft.changedCells, [3])
        XCTAssertEqual(try client.store.insert(draft).relatedKeys(at: 0).count, 1)
    }

    func testADraftOfWhatHasBeenDeletedIsNotInserted() throws {
        let object = try company(#"{"id": 1}"#)
        let draft = Draft(copying: object)
        try send(RequestSpec(target: .subject(.delete), subject: .object(object)), 204)
        let failure = failure { _ = try client.store.insert(draft) }
        XCTAssertEqual(failure?.reason, .noObject)
        try set(draft, "name", .string("again"))
        try send(spec(.put, draft), 204)
        XCTAssertEqual(
            try client.store.object(object.entity, .integer(1))?.value(named: "name"),
            .string("again"))
    }

    // MARK: DELETE

    func testADeletedObjectIsRemovedOn2xxOnly() throws {
        let object = try company(#"{"id": 1}"#)
        let spec = RequestSpec(target: .subject(.delete), subject: .object(object))
        for status in [404, 410, 500, 304] {
            XCTAssertThrowsError(try send(spec, status))
            XCTAssertEqual(try count("Company"), 1, "\(status)")
        }
        // The object is also deleted if the answer contains it, in the same change set.
        let response = try send(spec, 200, #"{"id": 1, "name": "last words"}"#)
        XCTAssertEqual(response.objects[0].value(named: "name"), .string("last words"))
        XCTAssertEqual(try count("Company"), 0)
    }

    func testADraftAndAnUnsentObjectAreDeletedByTheirKey() throws {
        let draft = try draft("Person", ["name": .string("x")])
        _ = try client.store.insert(draft)
        let spec = RequestSpec(
            target: .path(.delete, "people/9"), subject: .draft(draft, client.store))
        try send(spec, 204)
        XCTAssertEqual(try count("Person"), 0)
    }

    func testADeleteByPathOrRouteRemovesTheObjectThatTheVariableNames() throws {
        func refill() throws {
            _ = try company(#"{"id": 1, "staff": [{"key": 7}, {"key": "7"}, {"key": "x"}]}"#)
        }
        try refill()
        try send(RequestSpec(target: .path(.delete, "companies/2")), 204)
        XCTAssertEqual(try count("Company"), 1)
        try send(RequestSpec(target: .path(.delete, "/companies/1/?q=2")), 204)
        XCTAssertEqual(try count("Company"), 0)
        try refill()
        var spec = RequestSpec.route("company", .delete)
        spec.variables = ["itemID": .value(.string("1"))]
        try send(spec, 204)
        XCTAssertEqual(try count("Company"), 0)
        XCTAssertEqual(try count("Person"), 3)
        try send(RequestSpec(target: .path(.delete, "purge/x")), 204)
        XCTAssertEqual(try count("Person"), 2, "the descriptor of the request names the entity")
        try send(RequestSpec(target: .path(.delete, "companies/1/people/7")), 204)
        XCTAssertEqual(try count("Person"), 0, "an identity without a type may be either")
    }

    func testADeleteOfPartOfAnObjectLeavesTheObject() throws {
        _ = try company(#"{"id": 1}"#)
        try send(RequestSpec(target: .path(.delete, "companies/1/logo")), 200, #"{"id": 1}"#)
        XCTAssertEqual(try count("Company"), 1)
    }

    func testMissingIsTakenForDeletedWhenTheClientSaysSo() throws {
        let client = try makeClient { $0.calls.takesMissingForDeleted = true }
        defer { client.close() }
        for status in [404, 410] {
            let object = try company(#"{"id": 1}"#, through: client)
            let get = RequestSpec(target: .subject(.get), subject: .object(object))
            XCTAssertThrowsError(try send(get, status, through: client))
            let spec = RequestSpec(target: .subject(.delete), subject: .object(object))
            XCTAssertThrowsError(try send(spec, 403, through: client))
            XCTAssertEqual(try client.store.count(nil), 1)
            XCTAssertEqual(try send(spec, status, "<html>", through: client).status, status)
            XCTAssertEqual(try client.store.count(nil), 0)
        }
    }
}
