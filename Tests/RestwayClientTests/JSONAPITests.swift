import Glibc
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayPages
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// The format JSON:API of a document: answers are read in both kinds of stores, and requests are
/// written by drafts.
final class JSONAPITests: OutboxTestCase {
    private static let base = """
        {"restway": 1, "format": "jsonapi",
         "environments": {"test": {"baseURL": "http://api.test/v1"}},
        """
    private static let blog = """
        "entities": {
          "Article": {"type": "articles", "identity": "id",
            "attributes": {"id": {"type": "int"}, "title": {"type": "string"},
                           "words": {"source": "attributes.word-count", "type": "int"},
                           "rank": {"source": "meta.rank", "type": "int"}},
            "relationships": {"author": {"entity": "Person"},
                              "comments": {"entity": "Comment", "many": true},
                              "related": {"entity": "Any", "many": true},
                              "cover": {"source": "relationships.cover-page.data",
                                        "entity": "Any"}}},
          "Person": {"type": "people", "identity": "key",
            "attributes": {"key": {"type": "string"}, "name": {"type": "string"}}},
          "Comment": {"type": "comments", "identity": "id",
            "attributes": {"id": {"type": "int"}, "body": {"type": "string"}},
            "relationships": {"author": {"entity": "Person"}}}},
        "unions": {"Any": {"oneOf": ["Article", "Person", "Comment"]}},
        "outbox": {"path": "unused.db"},
        "routes": {
          "articles": {"path": "articles", "method": ["GET", "POST"], "entity": "Article",
                       "response": [{"entity": "Article"},
                                    {"type": "int", "keyPath": "meta.total"}],
                       "pages": {}, "offline": true},
          "article": {"path": "articles/:id", "method": ["GET", "PATCH", "DELETE"],
                      "entity": "Article", "response": {"entity": "Article"},
                      "request": {"changedOnly": true}, "offline": true},
          "person": {"path": "people/:key", "method": "GET", "entity": "Person",
                     "response": {"entity": "Person"}},
          "comments": {"path": "articles/:id/relationships/comments", "entity": "Article",
                       "method": ["GET", "POST", "DELETE"], "relationship": "comments",
                       "offline": true},
          "people": {"path": "people", "method": "POST", "entity": "Person",
                     "response": {"entity": "Person"}, "offline": true},
          "search": {"path": "search", "response": {"entity": "Any"}}}}
        """

    override func document(_ outbox: String, _ rest: String, routes: String) -> String {
        Self.base + Self.blog
    }

    private var wire = FakeTransport()

    /// Runs a test with each kind of store.
    private func withEachStore(_ test: (Client) throws -> Void) throws {
        for inFile in [false, true] {
            wire = FakeTransport()
            let client = try client(transport: wire) { options in
                options.files.store = inFile ? self.directory + "/objects.db" : nil
            }
            try test(client)
            client.close()
            removeFiles()
        }
    }

    @discardableResult
    private func get(_ path: String, _ body: String, _ client: Client) throws -> Response {
        let call = try client.send(.get(path))
        wire.answer(200, body, headers: Self.type)
        return try call.wait(milliseconds: 0)
    }

    private static let type = [HeaderField(name: "Content-Type", value: "application/vnd.api+json")]

    private func name(_ object: Snapshot) -> String {
        switch object.identity {
        case .integer(let number): "\(object.entity.name) \(number)"
        case .string(let text): "\(object.entity.name) \(text)"
        case nil: object.entity.name
        }
    }

    private func related(
        _ relationship: String, of object: Snapshot, _ client: Client
    ) throws -> [String] {
        let index = try XCTUnwrap(object.entity.relationshipIndex(named: relationship))
        return try client.store.related(object, relationship: index).map(name)
    }

    private func value(_ name: String, of object: Snapshot) -> Value {
        object.entity.attributeIndex(named: name).map { object.value(at: $0) } ?? .absent
    }

    private func stored(
        _ entity: String, _ identity: Identity, _ client: Client
    ) throws -> Snapshot? {
        try client.store.object(client.api.entity(named: entity), identity)
    }

    // MARK: Answers

    private static let article = """
        {"links": {"self": "http://api.test/v1/articles/1"},
         "data": {"type": "articles", "id": "1", "attributes": {"title": "JSON", "word-count": 9},
           "meta": {"rank": 2}, "relationships": {
             "author": {"links": {"related": "/people/9"}, "data": {"type": "people", "id": "9"}},
             "comments": {"data": [{"type": "comments", "id": "5"},
                                   {"type": "comments", "id": "12"}]},
             "cover-page": {"data": null},
             "related": {"data": [{"type": "people", "id": "2"}, {"type": "articles", "id": "1"},
                                  {"type": "tags", "id": "2"}]}}},
         "included": [
           {"type": "people", "id": "9", "attributes": {"name": "Dan"}},
           {"type": "tags", "id": "2", "attributes": {"name": "web"}},
           {"type": "comments", "id": "5", "attributes": {"body": "First!"},
            "relationships": {"author": {"data": {"type": "people", "id": "2"}}}}]}
        """

    func testAResourceIsAnObjectWithItsIncludedOnes() throws {
        try withEachStore { client in
            let response = try get("articles/1", Self.article, client)
            XCTAssertEqual(response.objects.map(name), ["Article 1"])
            let article = response.objects[0]
            XCTAssertEqual(value("title", of: article), .string("JSON"))
            XCTAssertEqual(value("words", of: article), .int64(9))
            XCTAssertEqual(value("rank", of: article), .int64(2))
            XCTAssertEqual(try related("author", of: article, client), ["Person 9"])
            XCTAssertEqual(
                try related("comments", of: article, client), ["Comment 5", "Comment 12"])
            XCTAssertEqual(
                try related("related", of: article, client), ["Person 2", "Article 1"])
            XCTAssertEqual(try related("cover", of: article, client), [])
            let author = try XCTUnwrap(try stored("Person", .string("9"), client))
            XCTAssertEqual(value("name", of: author), .string("Dan"))
            let comment = try XCTUnwrap(try stored("Comment", .integer(5), client))
            XCTAssertEqual(value("body", of: comment), .string("First!"))
            XCTAssertEqual(try related("author", of: comment, client), ["Person 2"])
            // A link alone does not load a resource.
            XCTAssertTrue(author.isLoaded && comment.isLoaded)
            XCTAssertEqual(try stored("Comment", .integer(12), client)?.isLoaded, false)
            XCTAssertEqual(try stored("Person", .string("2"), client)?.isLoaded, false)
            // A link to a resource of an unknown type is an issue. An included resource of an
            // unknown type is ignored.
            XCTAssertEqual(response.issues.map(\.keyPath), ["data.relationships.related.data[2]"])
        }
    }

    func testALaterAnswerLeavesWhatItDoesNotHave() throws {
        try withEachStore { client in
            try get("articles/1", Self.article, client)
            let body = """
                {"data": [{"type": "articles", "id": "1", "attributes": {"word-count": null},
                   "relationships": {"author": {"links": {"related": "/people/9"}},
                                     "comments": {"data": []}}}],
                 "meta": {"total": 40}}
                """
            let response = try get("articles", body, client)
            let article = response.objects[0]
            guard case .value(let total, _) = response.parsed else { return XCTFail("no total") }
            XCTAssertEqual(total, .int64(40))
            XCTAssertEqual(value("title", of: article), .string("JSON"))
            XCTAssertEqual(value("words", of: article), .null)
            XCTAssertEqual(try related("author", of: article, client), ["Person 9"])
            XCTAssertEqual(try related("comments", of: article, client), [])
            XCTAssertEqual(response.issues, [])
        }
    }

    func testPrimaryDataOfAnotherTypeIsAnIssue() throws {
        try withEachStore { client in
            let response = try get(
                "people/1", #"{"data": {"type": "companies", "id": "1"}}"#, client)
            XCTAssertEqual(response.objects.count, 0)
            XCTAssertEqual(
                response.issues.map(\.reason),
                ["expected a value of \"type\" that stands for Person, found \"companies\""])
            let none = try get("people/1", #"{"data": null}"#, client)
            XCTAssertEqual(none.objects.count, 0)
            XCTAssertEqual(none.issues, [])
        }
    }

    func testAnAnswerMixesTypes() throws {
        try withEachStore { client in
            let body = """
                {"data": [{"type": "people", "id": "1"}, {"type": "articles", "id": "1"},
                          {"type": "comments", "id": "3", "attributes": {"body": "b"}}]}
                """
            let response = try get("search", body, client)
            XCTAssertEqual(response.objects.map(name), ["Person 1", "Article 1", "Comment 3"])
        }
    }

    func testBytesAreMappedAsAnAnswerIs() throws {
        try withEachStore { client in
            let (response, _) = try client.calls.map(
                Body(Array(Self.article.utf8)), BytesMapping(.entity("Article", keyPath: [])))
            XCTAssertEqual(response.objects.map(name), ["Article 1"])
            XCTAssertNotNil(try stored("Comment", .integer(5), client))
        }
    }

    func testTheProblemsOfAFailureAreDetails() throws {
        let client = try client(transport: wire)
        let call = try client.send(.get("articles/1"))
        wire.answer(
            422,
            """
            {"errors": [{"status": "422", "code": "blank", "detail": "title is blank",
                         "source": {"pointer": "/data/attributes/title"}}]}
            """, headers: [HeaderField(name: "Content-Type", value: "application/json")])
        let failure = failure(of: call)
        XCTAssertEqual(failure?.details.map(\.message), ["title is blank"])
        XCTAssertEqual(failure?.details.map(\.path), ["title"])
        XCTAssertEqual(failure?.details.map(\.code), ["blank"])
    }

    func testPagesFollowTheLinkNext() throws {
        for link in [#""/v1/articles?page=2""#, #"{"href": "/v1/articles?page=2", "meta": {}}"#] {
            let client = try client(transport: wire)
            let pages = try Pages(
                client.calls, RequestSpec(target: .route("articles", .get)), Pages.Options())
            let bodies = [
                #"{"data": [{"type": "articles", "id": "1"}], "links": {"next": \#(link)}}"#,
                #"{"data": [{"type": "articles", "id": "2"}], "links": {"next": null}}"#,
            ]
            var (urls, found): ([String], [String]) = ([], [])
            for body in bodies {
                let answered = Monitor<Result<Page?, Failure>?>(nil)
                _ = Thread.start("asking") {
                    let page = Result { () throws(Failure) in try pages.next(milliseconds: 0) }
                    answered.update { $0 = page }
                }
                urls.append(wire.answer(200, body, headers: Self.type).url)
                found += try answered.wait { $0 }!.get()?.objects.map(name) ?? []
            }
            XCTAssertNil(try pages.next(milliseconds: 0))
            XCTAssertEqual(found, ["Article 1", "Article 2"])
            XCTAssertEqual(urls.last, "http://api.test/v1/articles?page=2")
            client.close()
            removeFiles()
            wire = FakeTransport()
        }
    }

    // MARK: Requests

    private func send(_ spec: RequestSpec, _ client: Client, _ answer: String) throws -> Exchange {
        let call = try client.send(spec)
        let exchange = wire.answer(200, answer, headers: Self.type)
        _ = try call.wait(milliseconds: 0)
        return exchange
    }

    func testANewDraftIsWrittenWithItsTypeAndItsLinks() throws {
        try withEachStore { client in
            try get("articles/1", Self.article, client)
            let draft = Draft(try client.api.entity(named: "Article"))
            try draft.set(.string("New"), attribute: 1)
            let author = try XCTUnwrap(try stored("Person", .string("9"), client))
            let comment = try XCTUnwrap(try stored("Comment", .integer(5), client))
            try draft.set([.object(author)], relationship: 0)
            try draft.set([.object(comment)], relationship: 1)
            try draft.set([.object(author), .object(comment)], relationship: 2)
            let spec = RequestSpec(target: .subject(.post), subject: .draft(draft, client.store))
            let exchange = try send(
                spec, client, #"{"data": {"type": "articles", "id": "7", "attributes": {}}}"#)
            XCTAssertEqual(
                text(exchange),
                """
                POST articles {"data":{"type":"articles","attributes":{"title":"New"},\
                "relationships":{"author":{"data":{"type":"people","id":"9"}},\
                "comments":{"data":[{"type":"comments","id":"5"}]},\
                "related":{"data":[{"type":"people","id":"9"},{"type":"comments","id":"5"}]}}}}
                """)
            XCTAssertEqual(
                Headers(exchange.headers)[first: "Content-Type"], "application/vnd.api+json")
            XCTAssertEqual(
                Headers(exchange.headers)[first: "Accept"],
                "application/vnd.api+json, application/json;q=0.9")
            XCTAssertNotNil(try stored("Article", .integer(7), client))
        }
    }

    func testAPatchHasTheTypeTheIdentityAndTheChanges() throws {
        try withEachStore { client in
            let response = try get("articles/1", Self.article, client)
            let draft = Draft(copying: response.objects[0])
            try draft.set(.null, attribute: 2)
            try draft.set([], relationship: 0)
            let spec = RequestSpec(target: .subject(.patch), subject: .draft(draft, client.store))
            let exchange = try send(spec, client, "")
            XCTAssertEqual(
                text(exchange),
                """
                PATCH articles/1 {"data":{"type":"articles","id":"1",\
                "attributes":{"word-count":null},"relationships":{"author":{"data":null}}}}
                """)
        }
    }

    func testADeletionRemovesTheObject() throws {
        try withEachStore { client in
            try get("articles/1", Self.article, client)
            let call = try client.send(RequestSpec(target: .path(.delete, "articles/1")))
            wire.answer(204, "")
            _ = try call.wait(milliseconds: 0)
            XCTAssertNil(try stored("Article", .integer(1), client))
            XCTAssertNotNil(try stored("Person", .string("9"), client))
        }
    }

    func testAStoredChangeOfARelationshipChangesItsLinksWhenItIsDelivered() throws {
        try withEachStore { client in
            let article = try get("articles/1", Self.article, client).objects[0]
            var spec = RequestSpec(target: .route("comments", .delete), subject: .object(article))
            spec.given.body = RequestSpec.Body(
                bytes: Array(#"{"data": [{"type": "comments", "id": "5"}]}"#.utf8),
                mediaType: "application/json")
            try client.setReachability(.unreachable)
            try queue(client, spec)
            let stored = try XCTUnwrap(try self.stored("Article", .integer(1), client))
            XCTAssertEqual(
                try related("comments", of: stored, client), ["Comment 5", "Comment 12"])
            try flush(client)
            let sent = text(wire.answer(204, ""))
            XCTAssertEqual(
                sent,
                #"DELETE articles/1/relationships/comments {"data": [{"type": "comments", "#
                    + #""id": "5"}]}"#)
            _ = nextFlushed()
            XCTAssertEqual(try states(client), [])
            let changed = try XCTUnwrap(try self.stored("Article", .integer(1), client))
            XCTAssertEqual(try related("comments", of: changed, client), ["Comment 12"])
            XCTAssertNotNil(try self.stored("Comment", .integer(5), client))
        }
    }

    /// Returns the requests that create a person and then an article by this person.
    private func creations(isOffline: Bool) throws -> [String] {
        wire = FakeTransport()
        let client = try client(transport: wire)
        try observe(client)
        let person = Draft(try client.api.entity(named: "Person"))
        try person.set(.string("Dan"), attribute: 1)
        let article = Draft(try client.api.entity(named: "Article"))
        try article.set([.draft(person)], relationship: 0)
        let specs = [person, article].map {
            RequestSpec(target: .subject(.post), subject: .draft($0, client.store))
        }
        let answers = ["people", "articles"].map { #"{"data": {"type": "\#($0)", "id": "31"}}"# }
        defer {
            client.close()
            removeFiles()
        }
        guard isOffline else {
            return try zip(specs, answers).map { text(try send($0, client, $1)) }
        }
        try client.setReachability(.unreachable)
        for spec in specs { try queue(client, spec) }
        try flush(client)
        return answers.map { text(wire.answer(201, $0, headers: Self.type)) }
    }

    func testALinkToAnObjectThatWaitsInTheOutboxGetsItsIdentity() throws {
        let asked = try creations(isOffline: true)
        XCTAssertEqual(asked, try creations(isOffline: false))
        XCTAssertEqual(
            asked[1],
            """
            POST articles {"data":{"type":"articles",\
            "relationships":{"author":{"data":{"type":"people","id":"31"}}}}}
            """)
    }

    // MARK: Documents

    func testShapesOfOneResourceHaveItsType() throws {
        let client = try Client(
            api: try TestAPI.load(
                Self.base + """
                    "entities": {
                      "Member": {"extends": "User", "attributes": {"plan": {"type": "string"}}},
                      "User": {"type": "users", "identity": "id",
                               "attributes": {"id": {"type": "int"}}},
                      "Team": {"identity": "id", "attributes": {"id": {"type": "int"}},
                               "relationships": {"lead": {"entity": "Member"}}}},
                    "routes": {"team": {"path": "teams/:id", "response": {"entity": "Team"}}}}
                    """), options: ClientOptions(), transport: wire)
        let response = try get(
            "teams/1",
            """
            {"data": {"type": "Team", "id": 1, "relationships": {
               "lead": {"data": {"type": "users", "id": "3"}}}},
             "included": [{"type": "users", "id": "3"}]}
            """, client)
        XCTAssertEqual(try related("lead", of: response.objects[0], client), ["Member 3"])
        XCTAssertEqual(response.issues, [])
        client.close()
    }

    private static let users = """
        "entities": {
          "User": {"type": "users", "identity": "id",
                   "attributes": {"id": {"type": "int"}, "name": {}},
                   "relationships": {"boss": {"entity": "User"}}},
          "Member": {"extends": "User", "attributes": {"plan": {"type": "string"}}},
          "Patron": {"extends": "Member", "relationships": {"guide": {"entity": "User"}}},
          "Admin": {"extends": "User", "type": "admins", "attributes": {"rights": {}}},
          "Team": {"type": "teams", "identity": "id", "attributes": {"id": {"type": "int"}},
                   "relationships": {"lead": {"entity": "User"},
                                     "users": {"entity": "User", "many": true}}}},
        "routes": {"team": {"path": "teams/:id", "response": {"entity": "Team"}},
                   "users": {"path": "users", "response": {"entity": "User"}}}}
        """

    func testEntitiesThatExtendOthersKeepWhatTheirResourcesHave() throws {
        for inFile in [false, true] {
            wire = FakeTransport()
            var options = ClientOptions()
            options.files.store = inFile ? directory + "/users.db" : nil
            let client = try Client(
                api: try TestAPI.load(Self.base + Self.users), options: options, transport: wire)
            let response = try get(
                "teams/1",
                """
                {"data": {"type": "teams", "id": 1, "relationships": {
                   "lead": {"data": {"type": "admins", "id": "5"}},
                   "users": {"data": [{"type": "users", "id": "3"}, {"type": "users", "id": "4"},
                                      {"type": "admins", "id": "5"}, {"type": "users", "id": "6"}]}
                   }},
                 "included": [
                   {"type": "users", "id": "3", "attributes": {"name": "c", "plan": "gold"}},
                   {"type": "users", "id": "4", "attributes": {"name": "d"}},
                   {"type": "admins", "id": "5", "attributes": {"name": "e", "rights": "all"}},
                   {"type": "users", "id": "6", "relationships": {
                     "guide": {"data": {"type": "admins", "id": "5"}}}}]}
                """, client)
            XCTAssertEqual(response.issues, [])
            let team = response.objects[0]
            XCTAssertEqual(try related("lead", of: team, client), ["Admin 5"])
            XCTAssertEqual(
                try related("users", of: team, client),
                ["Member 3", "User 4", "Admin 5", "Patron 6"])
            let (third, fifth) = (
                try stored("User", .integer(3), client), try stored("User", .integer(5), client)
            )
            XCTAssertEqual(third.map { value("plan", of: $0) }, .string("gold"))
            XCTAssertEqual(fifth.map { value("rights", of: $0) }, .string("all"))
            XCTAssertEqual(fifth.map { value("name", of: $0) }, .string("e"))
            let primary = try get(
                "users",
                #"{"data": [{"type": "admins", "id": "7", "attributes": {"rights": "x"}}]}"#,
                client)
            XCTAssertEqual(primary.objects.map(name), ["Admin 7"])
            XCTAssertEqual(primary.issues, [])
            client.close()
        }
    }

    func testAnAPIOfFunctionsHasTheFormat() throws {
        let api = try TestAPI.load(Self.base + #""entities": {}}"#)
        var text = #"{"attributes": {"id": "id"}}"#
        let refused = refusal { try text.withUTF8 { try api.addEntity("Tag", .init($0)) } }
        XCTAssertEqual(
            refused?.details.map(\.message),
            ["a resource of JSON:API has an identity: \"identity\" names the attribute with it"])
        text = #"{"type": "tags", "identity": "id", "attributes": {"id": {}}}"#
        try text.withUTF8 { try api.addEntity("Tag", .init($0)) }
        try api.addAttribute(
            "name", toEntity: "Tag", source: nil, type: .string, format: nil, transform: nil)
        try api.addRelationship(
            "parent", toEntity: "Tag", source: nil, target: "Tag", isMany: false,
            isByIdentity: false, policy: .assign)
        let client = try Client(api: api, options: ClientOptions(), transport: wire)
        let json = """
            {"data": [{"type": "tags", "id": "a", "attributes": {"name": "A"},
                       "relationships": {"parent": {"data": {"type": "tags", "id": "b"}}}}]}
            """
        let (response, _) = try client.calls.map(
            Body(Array(json.utf8)), BytesMapping(.entity("Tag", keyPath: [])))
        XCTAssertEqual(value("name", of: response.objects[0]), .string("A"))
        XCTAssertEqual(try related("parent", of: response.objects[0], client), ["Tag b"])
        client.close()
    }

    func testWhatDoesNotGoWithTheFormatIsAProblem() {
        let problems = TestAPI.problems(
            Self.base + """
                "entities": {
                  "A": {"identity": "id", "attributes": {"id": "id", "title": "title",
                          "date": {"source": "published.at"}},
                        "relationships": {"b": {"entity": "B", "byIdentity": true},
                                          "c": {"entity": "B", "source": "c"},
                                          "f": {"entity": "B", "source": "relationships.x"},
                                          "d": {"entity": "B", "many": true, "map": "id"},
                                          "e": {"entity": "B", "many": true,
                                                "empty": "object"}}},
                  "B": {"type": "A", "identity": "id", "attributes": {"id": {}}},
                  "C": {"attributes": {"name": {}}}},
                "unions": {"U": {"oneOf": ["A", "B"], "keys": {"B": ["id"]}}}}
                """)
        let member = "a resource object of JSON:API has no member"
        XCTAssertEqual(
            problems,
            [
                "$.unions.U.keys: does not go with JSON:API, whose types tell resources apart",
                "$.entities.A.attributes.title: \(member) \"title\": write "
                    + "\"attributes.title\", or leave the source out",
                "$.entities.A.attributes.date.source: \(member) \"published\": write "
                    + "\"attributes.published\", or leave the source out",
                "$.entities.A.relationships.b.byIdentity: does not go with JSON:API, which links "
                    + "by type and identity",
                "$.entities.A.relationships.c.source: \(member) \"c\": a relationship that has "
                    + "another name there has the source \"relationships.c.data\"",
                "$.entities.A.relationships.f.source: leads to the relationship object of "
                    + "JSON:API: its resources are at \"relationships.x.data\"",
                "$.entities.A.relationships.d.map: does not go with JSON:API, which links by type "
                    + "and identity",
                "$.entities.A.relationships.e.empty: does not go with JSON:API, which links by "
                    + "type and identity",
                "$.entities.C: a resource of JSON:API has an identity: \"identity\" names the "
                    + "attribute with it",
                "$.entities.B: has the type \"A\", as A ($.entities.A) has",
            ])
        XCTAssertEqual(
            TestAPI.problems(
                #"{"restway": 1, "entities": {"A": {"type": "a", "attributes": {"id": "id"}}}}"#),
            ["$.entities.A.type: is for documents with \"format\": \"jsonapi\""])
    }
}
