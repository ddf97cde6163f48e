import RestwayHTTP
import RestwayObjects
import RestwayPages
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Tests the requests for pages with a transport that the test controls.
final class PagesTests: XCTestCase {
    private let transport = FakeTransport()

    private func client(
        _ pages: String, path: String = "things", method: String = "GET", auth: String? = nil
    ) throws -> Client {
        let auth = auth ?? #"{"scheme": "bearer", "token": "t1"}"#
        let document = """
            {"restway": 1, "environments": {"test": {"baseURL": "http://api.test/v1",
                "trustedOrigins": ["http://friend.test"], "headers": {"X-Key": "k"}}},
             "entities": {"Thing": {"identity": "id", "attributes": {"id": {"type": "int"},
                "mark": {"type": "string"}}}},
             "auth": \(auth),
             "routes": {"things": {"method": "\(method)", "path": "\(path)", "pages": \(pages),
                "parameters": {"sort": "id"},
                "response": {"entity": "Thing", "keyPath": "list"}},
              "thing": {"path": "things/:id", "response": {"entity": "Thing"}}}}
            """
        let client = try Client(
            api: try TestAPI.load(document), options: ClientOptions(), transport: transport)
        addTeardownBlock { client.close() }
        return client
    }

    private func pages(
        _ client: Client, ahead: Bool = false, _ change: (inout RequestSpec) -> Void = { _ in }
    ) throws -> Pages {
        var spec = RequestSpec(target: .route("things", nil))
        change(&spec)
        var options = Pages.Options()
        options.fetchesAhead = ahead
        return try Pages(client.calls, spec, options)
    }

    private static let json = [HeaderField(name: "Content-Type", value: "application/json")]

    private func link(_ text: String) -> [HeaderField] {
        Self.json + [HeaderField(name: "Link", value: text)]
    }

    /// Asks for the next page on another thread, while this thread answers.
    private func next(
        _ pages: Pages, _ body: String, _ headers: [HeaderField] = json, status: Int = 200
    ) throws -> (page: Page?, exchange: Exchange) {
        let answered = Monitor<Result<Page?, Failure>?>(nil)
        _ = Thread.start("asking") {
            let result = Result { () throws(Failure) in try pages.next(milliseconds: 0) }
            answered.update { $0 = result }
        }
        let exchange = transport.answer(status, body, headers: headers)
        return (try answered.wait { $0 }!.get(), exchange)
    }

    private static func ids(_ page: Page?) -> [Int64] {
        (page?.objects ?? []).map { object in
            guard case .int64(let number) = object.value(at: 0) else { return -1 }
            return number
        }
    }

    func testLinksLeadFromPageToPageWithTheDescriptorsOfTheRoute() throws {
        let client = try client(#"{"next": "link"}"#)
        let pages = try pages(client)
        let first = try next(
            pages, #"{"list": [{"id": 1}, {"id": 2}]}"#,
            link("</repositories/7/things?page=2>; rel=\"next\""))
        XCTAssertEqual(first.exchange.url, "http://api.test/v1/things?sort=id")
        XCTAssertEqual(Self.ids(first.page), [1, 2])
        let second = try next(pages, #"{"list": [{"id": 3}]}"#)
        XCTAssertEqual(second.exchange.url, "http://api.test/repositories/7/things?page=2")
        XCTAssertEqual(Self.ids(second.page), [3])
        XCTAssertEqual(second.page?.count.offset, 2)
        let headers = Headers(second.exchange.headers)
        XCTAssertEqual(headers[first: "Authorization"], "Bearer t1")
        XCTAssertEqual(headers[first: "X-Key"], "k")
        XCTAssertFalse(pages.hasNext)
        XCTAssertNil(try pages.next(milliseconds: 0))
    }

    func testANextURLAtAnotherOriginIsRefused() throws {
        let client = try client(#"{"next": "link"}"#)
        let pages = try pages(client)
        let first = try next(
            pages, #"{"list": []}"#, link("<http://evil.test/x?token=t>; rel=next"))
        XCTAssertEqual(Self.ids(first.page), [])
        XCTAssertTrue(pages.hasNext)
        let refused = failure { _ = try pages.next(milliseconds: 0) }
        XCTAssertEqual(refused?.reason, .invalidURL)
        XCTAssertTrue(refused?.message.contains("http://evil.test/x\"") == true)
        XCTAssertFalse(refused?.message.contains("token=t") == true)
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testANextURLAtATrustedOriginIsRequested() throws {
        let client = try client(#"{"nextURL": "next"}"#)
        let pages = try pages(client)
        _ = try next(pages, #"{"list": [], "next": "http://friend.test/2"}"#)
        let second = try next(pages, #"{"list": [{"id": 4}], "next": null}"#)
        XCTAssertEqual(second.exchange.url, "http://friend.test/2")
        XCTAssertEqual(Self.ids(second.page), [4])
    }

    func testAnAPIKeyThatTheServerRepeatsIsSentOnce() throws {
        let client = try client(
            #"{"nextURL": "next"}"#, auth: #"{"scheme": "apiKey", "query": "key", "token": "s"}"#)
        let pages = try pages(client)
        _ = try next(pages, #"{"list": [], "next": "/v1/things?key=s&page=2"}"#)
        let second = try next(pages, #"{"list": []}"#)
        XCTAssertEqual(second.exchange.url, "http://api.test/v1/things?page=2&key=s")
    }

    func testCursorsAreParametersOfTheSameRequest() throws {
        let client = try client(
            #"{"cursor": "meta.next", "parameter": "after", "more": "more", "size": "n","#
                + #" "pageSize": 2, "total": "meta.total"}"#)
        let pages = try pages(client)
        let first = try next(
            pages, #"{"list": [{"id": 1}], "more": true, "meta": {"next": "a b", "total": 9}}"#)
        XCTAssertEqual(first.exchange.url, "http://api.test/v1/things?sort=id&n=2")
        XCTAssertEqual(first.page?.count.total, 9)
        let second = try next(pages, #"{"list": [], "more": true, "meta": {"next": 7}}"#)
        XCTAssertEqual(second.exchange.url, "http://api.test/v1/things?sort=id&after=a%20b&n=2")
        let third = try next(pages, #"{"list": [], "more": false, "meta": {"next": "x"}}"#)
        XCTAssertEqual(third.exchange.url, "http://api.test/v1/things?sort=id&after=7&n=2")
        XCTAssertFalse(pages.hasNext)
    }

    func testTheLastObjectIsTheCursor() throws {
        let client = try client(#"{"last": "id", "parameter": "starting_after", "more": "more"}"#)
        let pages = try pages(client)
        _ = try next(pages, #"{"list": [{"id": 5}, {"id": 3}], "more": true}"#)
        let second = try next(pages, #"{"list": [{"id": 1}], "more": false}"#)
        XCTAssertEqual(
            second.exchange.url, "http://api.test/v1/things?sort=id&starting_after=3")
        XCTAssertFalse(pages.hasNext)
    }

    func testALastObjectWithoutTheAttributeIsAnError() throws {
        let client = try client(#"{"last": "mark", "parameter": "after"}"#)
        let pages = try pages(client)
        _ = try next(pages, #"{"list": [{"id": 5}]}"#)
        let refused = failure { _ = try pages.next(milliseconds: 0) }
        XCTAssertEqual(refused?.reason, .mapping)
        XCTAssertEqual(refused?.field, "mark")
    }

    func testPagesByNumberBeginWhereTheProgramSays() throws {
        let client = try client(#"{"page": "page", "total": {"header": "X-Total"}}"#)
        let total = Self.json + [HeaderField(name: "X-Total", value: "3")]
        let pages = try pages(client)
        let first = try next(pages, #"{"list": [{"id": 1}, {"id": 2}]}"#, total)
        XCTAssertEqual(first.exchange.url, "http://api.test/v1/things?sort=id&page=1")
        let second = try next(pages, #"{"list": [{"id": 3}]}"#, total)
        XCTAssertEqual(second.exchange.url, "http://api.test/v1/things?sort=id&page=2")
        XCTAssertFalse(pages.hasNext)
        let later = try self.pages(client) { spec in
            spec.parameters = [Parameter(keys: ["page"], value: .leaf(.string("4")))]
        }
        let fourth = try next(later, #"{"list": []}"#, total)
        XCTAssertEqual(fourth.exchange.url, "http://api.test/v1/things?sort=id&page=4")
        XCTAssertNil(fourth.page?.count.offset)
    }

    func testPagesOfAPostHaveTheirNumberInTheBody() throws {
        let client = try client(
            #"{"offset": "from", "size": "size", "pageSize": 2}"#, method: "POST")
        let pages = try pages(client)
        _ = try next(pages, #"{"list": [{"id": 1}, {"id": 2}]}"#)
        let second = try next(pages, #"{"list": []}"#)
        guard case .bytes(let bytes) = second.exchange.body else { return XCTFail("no body") }
        XCTAssertEqual(
            String(decoding: bytes, as: UTF8.self), #"{"sort":"id","from":2,"size":2}"#)
    }

    func testAValueOfTheWrongKindIsAnErrorThatNamesItsPlace() throws {
        let bodies = [
            #"{"list": [{"id": 1}], "more": "yes", "next": "x"}"#,
            #"{"list": [{"id": 1}], "next": "x"}"#,
            #"{"list": [{"id": 1}], "more": true, "next": {"a": 1}}"#,
            #"{"list": [{"id": 1}], "more": true, "next": "x", "total": "many"}"#,
        ]
        let fields = ["more", "more", "next", "total"]
        for (body, field) in zip(bodies, fields) {
            let client = try client(
                #"{"cursor": "next", "parameter": "p", "more": "more", "total": "total"}"#)
            let pages = try pages(client)
            let first = try next(pages, body)
            XCTAssertEqual(Self.ids(first.page), [1], "the page itself has come")
            XCTAssertEqual(first.page?.count.isLast, false)
            for _ in 1...2 {
                let refused = failure { _ = try pages.next(milliseconds: 0) }
                XCTAssertEqual(refused?.reason, .mapping)
                XCTAssertEqual(refused?.field, field)
                XCTAssertEqual(refused?.response?.status, 200)
            }
        }
    }

    func testAPageThatRepeatsIsAnError() throws {
        let client = try client(#"{"cursor": "next", "parameter": "p"}"#)
        let pages = try pages(client)
        _ = try next(pages, #"{"list": [], "next": "x"}"#)
        _ = try next(pages, #"{"list": [], "next": "x"}"#)
        let refused = failure { _ = try pages.next(milliseconds: 0) }
        XCTAssertEqual(refused?.reason, .protocolViolation)
        XCTAssertTrue(refused?.message.contains("\"x\"") == true)
    }

    func testAPageWithTheObjectsOfThePageBeforeIsEmptyAndTheNextOneFails() throws {
        let client = try client(#"{"page": "page"}"#)
        let pages = try pages(client)
        _ = try next(pages, #"{"list": [{"id": 1}], "page": 1}"#)
        let second = try next(pages, #"{"list": [{"id": 2}], "page": 2}"#)
        XCTAssertEqual(Self.ids(second.page), [2])
        let third = try next(pages, #"{"list": [{"id": 2}], "page": 3}"#)
        XCTAssertEqual(Self.ids(third.page), [])
        XCTAssertEqual(third.page?.response.objects.count, 1)
        let repeated = failure { _ = try pages.next(milliseconds: 0) }
        XCTAssertEqual(repeated?.reason, .protocolViolation)
        XCTAssertTrue(repeated?.message.contains("the page at 3") == true)
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testPagesOfEqualObjectsWithoutIdentitiesAreCompared() throws {
        let client = try client(#"{"offset": "offset"}"#)
        let pages = try pages(client)
        for _ in 1...PageMachine.equalBodiesMax {
            XCTAssertNotNil(try next(pages, #"{"list": [{"mark": "a"}]}"#).page)
        }
        XCTAssertEqual(try next(pages, #"{"list": [{"mark": "a"}]}"#).page?.objects.count, 0)
        let repeated = failure { _ = try pages.next(milliseconds: 0) }
        XCTAssertEqual(repeated?.reason, .protocolViolation)
    }

    func testAFailedPageCanBeAskedForAgain() throws {
        let client = try client(#"{"page": "page"}"#)
        let pages = try pages(client)
        let failed = failure { _ = try self.next(pages, "", status: 500) }
        XCTAssertEqual(failed?.httpStatus, 500)
        let first = try next(pages, #"{"list": [{"id": 1}]}"#)
        XCTAssertEqual(first.exchange.url, "http://api.test/v1/things?sort=id&page=1")
        XCTAssertEqual(first.page?.count.number, 0)
    }

    func testThePageAfterIsRequestedWhileOneIsUsed() throws {
        let client = try client(#"{"page": "page"}"#)
        let pages = try pages(client, ahead: true)
        _ = try next(pages, #"{"list": [{"id": 1}]}"#)
        let ahead = transport.answer(200, #"{"list": [{"id": 2}]}"#, headers: Self.json)
        XCTAssertEqual(ahead.url, "http://api.test/v1/things?sort=id&page=2")
        XCTAssertEqual(Self.ids(try pages.next(milliseconds: 0)), [2])
        let third = transport.next()
        XCTAssertEqual(third.exchange.url, "http://api.test/v1/things?sort=id&page=3")
        pages.abandon()
        transport.waitForCancels()
    }

    func testAPageThatFailedAheadFailsWhenItIsAskedFor() throws {
        let client = try client(#"{"page": "page"}"#)
        let pages = try pages(client, ahead: true)
        _ = try next(pages, #"{"list": [{"id": 1}]}"#)
        transport.answer(503, "")
        XCTAssertEqual(failure { _ = try pages.next(milliseconds: 0) }?.httpStatus, 503)
        XCTAssertEqual(Self.ids(try next(pages, #"{"list": [{"id": 2}]}"#).page), [2])
    }

    func testPagesAreToldToAReceiverThatAsksForTheNext() throws {
        for ahead in [false, true] {
            let client = try client(#"{"page": "page"}"#)
            let pages = try pages(client, ahead: ahead)
            let told = Monitor<(ids: [Int64], ends: Int)>(([], 0))
            @Sendable func ask() throws(Failure) {
                _ = try pages.send(
                    Call.Receiver(
                        completion: { _, _ in
                            let ids = Self.ids(pages.last)
                            // Ready for the next page when the receiver runs.
                            if pages.hasNext { try? ask() }
                            told.update { $0.ids += ids }
                        }, end: { told.update { $0.ends += 1 } }))
            }
            try ask()
            for id in 1...3 {
                transport.answer(200, "{\"list\": [{\"id\": \(id)}]}", headers: Self.json)
            }
            transport.answer(200, #"{"list": []}"#, headers: Self.json)
            let all = told.wait { $0.ends == 4 ? $0.ids : nil }
            XCTAssertEqual(all, [1, 2, 3])
            XCTAssertEqual(failure { try ask() }?.reason, .noObject)
        }
    }

    func testOnlyOnePageIsOnItsWay() throws {
        let client = try client(#"{"page": "page"}"#)
        let pages = try pages(client)
        let receiver = Call.Receiver(completion: { _, _ in }, end: {})
        let call = try pages.send(receiver)
        XCTAssertEqual(failure { _ = try pages.send(receiver) }?.field, "pages")
        pages.cancel()
        XCTAssertEqual(failure { _ = try call.wait(milliseconds: 0) }?.reason, .cancelled)
        transport.waitForCancels()
    }

    func testAClosedClientEndsThePages() throws {
        let client = try client(#"{"page": "page"}"#)
        let pages = try pages(client)
        let told = Monitor<Failure?>(nil)
        _ = try pages.send(
            Call.Receiver(
                completion: { _, outcome in
                    if case .failure(let failure) = outcome { told.update { $0 = failure } }
                }, end: {}))
        client.close()
        XCTAssertEqual(told.wait { $0 }?.reason, .closed)
        XCTAssertEqual(failure { _ = try pages.next(milliseconds: 0) }?.reason, .closed)
    }

    func testRequestsWithoutPagesAreRefused() throws {
        let client = try client(#"{"next": "link"}"#)
        for target: RequestSpec.Target in [
            .path(.get, "things"), .route("thing", nil), .subject(.get),
        ] {
            let refused = failure { _ = try Pages(client.calls, RequestSpec(target: target)) }
            XCTAssertEqual(refused?.reason, .invalidArgument)
        }
        let unknown = failure {
            _ = try Pages(client.calls, RequestSpec(target: .route("thingz", nil)))
        }
        XCTAssertEqual(unknown?.reason, .unknownRoute)
    }
}
