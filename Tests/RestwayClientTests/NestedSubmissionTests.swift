import Glibc
import RestwayHTTP
import RestwayObjects
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// New objects that are sent inside another one, and the effect of the answer, in both stores.
final class NestedSubmissionTests: SubmissionTestCase {
    override class var document: String {
        """
        {
          "restway": 1,
          "environments": {"test": {"baseURL": "http://api.test"}},
          "entities": {
            "Company": {
              "identity": "id",
              "attributes": {"id": {"type": "int"}, "name": {"type": "string"}},
              "relationships": {
                "staff": {"entity": "Person", "many": true},
                "friends": {"entity": "Person", "many": true, "policy": "merge"},
                "boss": {"entity": "Person"},
                "partners": {"entity": "Person", "many": true, "byIdentity": true},
                "secrets": {"entity": "Person", "many": true}
              }
            },
            "Person": {
              "identity": "key",
              "attributes": {"key": {}, "name": {"type": "string"}},
              "relationships": {"employer": {"entity": "Company"}, "home": {"entity": "Home"},
                                "rivals": {"entity": "Person", "many": true}}
            },
            "Home": {"attributes": {"street": {}}}
          },
          "routes": {
            "add": {"method": "POST", "path": "companies", "entity": "Company",
                    "response": {"entity": "Company"}, "request": {"exclude": ["secrets"]}},
            "company": {"method": ["GET", "PUT", "PATCH"], "path": "companies/:id",
                        "entity": "Company", "response": {"entity": "Company"},
                        "request": {"changedOnly": true}},
            "person": {"method": ["PUT"], "path": "people/:key", "entity": "Person",
                       "response": {"entity": "Person"}, "request": {"changedOnly": true}}
          }
        }
        """
    }

    private func inBothStores(_ body: () throws -> Void) throws {
        try body()
        var template = Array("/tmp/restway-nested-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        let directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        let file = directory + "/objects.db"
        defer {
            for suffix in ["", "-wal", "-shm"] { unlink(file + suffix) }
            rmdir(directory)
        }
        try replaceClient { _ in try makeClient { $0.files.store = file } }
        try body()
        try replaceClient { _ in try makeClient() }
    }

    private func person(_ name: String) throws -> Draft {
        try draft("Person", ["name": .string(name)])
    }

    private func link(_ draft: Draft, _ name: String, _ others: [Draft]) throws {
        try draft.set(
            others.map { .draft($0) },
            relationship: XCTUnwrap(draft.entity.relationshipIndex(named: name)))
    }

    /// The identities and names of the objects that a relationship of the newest snapshot leads to.
    private func related(_ draft: Draft, _ name: String) throws -> [String] {
        let object = try XCTUnwrap(
            client.store.newest(draft.entity, storeKey: draft.storeKey))
        let index = try XCTUnwrap(draft.entity.relationshipIndex(named: name))
        return try client.store.related(object, relationship: index).map { object in
            "\(object.value(at: 0)) \(object.string(at: 1) ?? "-")"
        }
    }

    private func unsent(_ draft: Draft) throws -> Bool {
        try client.store.isUnsent(draft.entity, storeKey: draft.storeKey)
    }

    func testNewObjectsWithinAPostedOneBecomeThoseOfTheAnswer() throws {
        for isInserted in [false, true] {
            try inBothStores {
                _ = try client.store.deleteAll(nil)
                let company = try draft("Company", ["name": .string("New")])
                let (ann, bob, cat) = (try person("Ann"), try person("Bob"), try person("Cat"))
                try link(company, "staff", [ann, bob])
                try link(company, "boss", [cat])
                for one in [ann, bob, cat] { try link(one, "employer", [company]) }
                if isInserted { _ = try client.store.insert(company) }
                let keys = [company, ann, bob, cat].map(\.storeKey)
                try send(
                    spec(.post, company), 201,
                    #"""
                    {"id": 5, "boss": {"key": "c", "name": "CAT"},
                     "staff": [{"key": "a", "name": "ANN", "employer": {"id": 5}}, "b"]}
                    """#)
                XCTAssertEqual(try count("Company"), 1)
                XCTAssertEqual(try count("Person"), 3, "exactly one object each")
                let staff = [#"string("a") ANN"#, #"string("b") Bob"#]
                XCTAssertEqual(try related(company, "staff"), staff)
                XCTAssertEqual(try related(company, "boss"), [#"string("c") CAT"#])
                XCTAssertEqual(try related(bob, "employer"), ["int64(5) New"])
                if isInserted {
                    XCTAssertEqual([company, ann, bob, cat].map(\.storeKey), keys)
                }
                for one in [company, ann, bob, cat] {
                    XCTAssertEqual(one.changedCells, [])
                    XCTAssertFalse(try unsent(one))
                }
                // From now on, each draft belongs to an object of its own.
                try set(bob, "name", .string("Bobby"))
                let put = spec(.put, bob)
                XCTAssertEqual(try prepared(put).exchange.url, "http://api.test/people/b")
                XCTAssertEqual(try body(put), #"{"name":"Bobby"}"#)
            }
        }
    }

    func testNewOnesAreMatchedBesideThoseThatAreKnown() throws {
        try inBothStores {
            _ = try client.store.deleteAll(nil)
            let known = try company(#"{"id": 5, "staff": [{"key": 1}, {"key": 2}]}"#)
            let company = Draft(copying: known)
            let (ann, bob) = (try person("Ann"), try person("Bob"))
            try company.add(.draft(ann), relationship: 0)
            try company.add(.draft(bob), relationship: 0)
            let others = try client.store.related(known, relationship: 0)
            try send(
                spec(.patch, company), 200,
                #"{"id": 5, "staff": [{"key": 8}, {"key": 2}, {"key": 9}, {"key": 1}]}"#)
            XCTAssertEqual(try count("Person"), 4)
            XCTAssertEqual(
                try related(company, "staff"),
                ["int64(8) Ann", "int64(2) -", "int64(9) Bob", "int64(1) -"])
            XCTAssertEqual(
                try others.map { try newest($0)?.identity }, [.integer(1), .integer(2)])
        }
    }

    func testObjectsOfTheStoreThatNobodyWasToldAboutAreMatchedLikeTheirDrafts() throws {
        try inBothStores {
            _ = try client.store.deleteAll(nil)
            let (company, ann) = (try draft("Company"), try person("Ann"))
            let home = try draft("Home", ["street": .string("here")])
            try link(company, "boss", [ann])
            try link(ann, "home", [home])
            let object = try client.store.insert(company)
            let key = home.storeKey
            try send(
                RequestSpec(target: .subject(.post), subject: .object(object)), 201,
                #"{"id": 5, "boss": {"key": 1, "home": {"street": "there"}}}"#)
            XCTAssertEqual(try client.store.count(nil), 3)
            let stored = try client.store.newest(home.entity, storeKey: key)
            XCTAssertEqual(stored?.string(at: 0), "there", "also where nothing has an identity")
            XCTAssertFalse(try unsent(home))
            XCTAssertFalse(try unsent(ann))
        }
    }

    func testWhatTheAnswerDoesNotTellAboutStaysAsItWasSent() throws {
        try inBothStores {
            for answer in ["", #""friends": null"#, #""friends": []"#] {
                _ = try client.store.deleteAll(nil)
                let (company, ann, bob) = (try draft("Company"), try person("A"), try person("B"))
                try link(company, "friends", [ann, bob])
                try link(ann, "rivals", [try person("C")])
                let text = answer.isEmpty ? "" : ", \(answer)"
                try send(spec(.post, company), 201, #"{"id": 5\#(text)}"#)
                XCTAssertEqual(try related(company, "friends"), ["absent A", "absent B"])
                XCTAssertEqual(try related(ann, "rivals"), ["absent C"])
                XCTAssertFalse(try unsent(ann))
                XCTAssertEqual(ann.changedCells, [])
            }
        }
    }

    func testAListThatDoesNotFitWhatWasSentCountsAndTheNewOnesStayDrafts() throws {
        for isInserted in [false, true] {
            try inBothStores {
                for (name, answer) in [
                    ("staff", #"[{"key": 1}]"#), ("staff", "[]"), ("staff", "null"),
                    ("friends", #"[{"key": 1}, {"key": 2}, {"key": 3}]"#), ("boss", "null"),
                ] {
                    _ = try client.store.deleteAll(nil)
                    let (company, ann) = (try draft("Company"), try person("Ann"))
                    let bob = try person("Bob")
                    try link(company, name, name == "boss" ? [ann] : [ann, bob])
                    try link(ann, "home", [try draft("Home")])
                    if isInserted { _ = try client.store.insert(company) }
                    let before = try count("Person")
                    try send(spec(.post, company), 201, #"{"id": 5, "\#(name)": \#(answer)}"#)
                    let told = answer.split(separator: "key").count - 1
                    XCTAssertEqual(try count("Person"), before + told, answer)
                    XCTAssertEqual(try count("Home"), isInserted ? 1 : 0)
                    if !isInserted || name != "friends" {
                        XCTAssertEqual(try related(company, name).count, told)
                    }
                    XCTAssertEqual(ann.storeKey > 0, isInserted)
                    if isInserted { XCTAssertTrue(try unsent(ann)) }
                    let index = try XCTUnwrap(company.entity.relationshipIndex(named: name))
                    XCTAssertEqual(company.changedCells, [2 + index], "still to be said")
                    XCTAssertEqual(ann.changedCells.first, 1)
                }
            }
        }
    }

    func testWhatWasNotWrittenIsNotInTheStore() throws {
        try inBothStores {
            _ = try client.store.deleteAll(nil)
            let known = try company(#"{"id": 5, "partners": [{"key": 1, "name": "old"}]}"#)
            let partner = Draft(copying: try client.store.related(known, relationship: 3)[0])
            try set(partner, "name", .string("new"))
            let named = try draft("Person", ["key": .int64(2), "name": .string("unsaid")])
            let company = try draft("Company", ["name": .string("New")])
            try link(company, "partners", [partner, named])
            let boss = try person("Boss")
            try link(company, "boss", [boss])
            try link(boss, "rivals", [try person("Rival")])
            try client.setExclusion { _, _, _, relationship in relationship.name == "rivals" }
            try link(company, "secrets", [try person("Secret")])
            XCTAssertEqual(
                try self.body(spec(.post, company)),
                #"{"name":"New","boss":{"name":"Boss","rivals":[{"name":"Rival"}]},"#
                    + #""partners":[1,2]}"#)
            try send(spec(.post, company), 201, #"{"id": 6, "boss": {"key": 3}}"#)
            XCTAssertEqual(
                try related(company, "partners"), ["int64(1) old", "int64(2) -"],
                "only identities were sent")
            XCTAssertEqual(try count("Person"), 2, "the other person was only named")
            XCTAssertEqual(try client.store.count(Query(entity("Person"), .unloaded)), 1)
            XCTAssertEqual(partner.changedCells, [1])
            XCTAssertEqual(named.changedCells, [0, 1])
            XCTAssertEqual(boss.changedCells, [4], "an omitted value stays a change")
            XCTAssertEqual(company.changedCells, [6])
            try client.setExclusion(nil)
        }
    }

    func testADraftThatIsInsertedWhileItIsOnItsWayIsOneObject() throws {
        try inBothStores {
            _ = try client.store.deleteAll(nil)
            let (company, ann) = (try draft("Company", ["name": .string("x")]), try person("Ann"))
            try link(company, "staff", [ann])
            let call = try client.send(spec(.post, company))
            let inserted = try client.store.insert(company)
            transport.answer(201, #"{"id": 5, "staff": [{"key": 1}]}"#)
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(try client.store.count(nil), 2)
            XCTAssertEqual(try newest(inserted)?.identity, .integer(5))
            XCTAssertEqual(try related(company, "staff"), ["int64(1) Ann"])
        }
    }

    func testTwoNewOnesThatTheServerTakesForOneAreOneObject() throws {
        for isInserted in [false, true] {
            try inBothStores {
                _ = try client.store.deleteAll(nil)
                let (company, ann, bob) = (try draft("Company"), try person("A"), try person("B"))
                try link(company, "staff", [ann, bob])
                if isInserted { _ = try client.store.insert(company) }
                try send(
                    spec(.post, company), 201, #"{"id": 5, "staff": [{"key": 1}, {"key": 1}]}"#)
                XCTAssertEqual(try count("Person"), 1)
                XCTAssertEqual(try related(company, "staff").count, 1)
            }
        }
    }
}
