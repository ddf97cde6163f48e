import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayRouting
import XCTest

@testable import RestwayBodies
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// The changes of a prepared request on its way. Each test names the fields that differ afterwards,
/// so that a change that loses any other field fails.
final class PreparedRequestTests: OutboxTestCase {
    /// Returns a request whose fields all have unusual values.
    private func request(
        in context: CallContext, isInBatch: Bool = false, upload: UploadSession? = nil
    ) throws -> PreparedRequest {
        let stored = try XCTUnwrap(try context.makeCall(put(1)).request)
        let entity = try context.api.entity(named: "Thing")
        var sending = SendingRules(
            auth: .bypass, transport: 0, isTrusted: true, batchRole: isInBatch ? .item : .alone)
        sending.claim = try XCTUnwrap(stored.sending.claim)
        sending.progress = ProgressRequest(intervalMilliseconds: 7, function: nil)
        sending.upload = upload
        sending.uploadedBefore = 3
        sending.caching = CachePlan(
            rules: CacheRules(), mode: .reload, route: "thing", discriminator: "anna", holder: 7,
            shared: [HeaderField(name: "X-Shared", value: "s")])
        var exchange = stored.exchange
        exchange.headers.set("Expect", "100-continue")
        exchange.timeouts.totalMilliseconds = 0
        return PreparedRequest(
            exchange: exchange,
            reader: BodyReader(length: 1, read: { _ in .success(0) }, rewind: nil),
            destination: stored.destination, sending: sending,
            answers: AnswerRules(accepted: ["text/plain"]), dataMapper: "mapper",
            bodyDestination: .file(SavePlan(path: "saved")),
            submission: Submission(subject: .object(Snapshot.make(entity, []))),
            deletions: [.identity(entity, .integer(1))], owesBody: true, isFromOutbox: true)
    }

    /// Returns the names of the fields in which two requests differ.
    private func differences(_ one: PreparedRequest, _ other: PreparedRequest) -> [String] {
        let (fields, others) = (fields(of: one), fields(of: other))
        XCTAssertEqual(Set(fields.keys), Set(others.keys))
        return fields.filter { others[$0.key] != $0.value }.keys.sorted()
    }

    private func fields(of request: PreparedRequest) -> [String: String] {
        var fields: [String: String] = [:]
        for (name, value) in Mirror(reflecting: request).children {
            guard let name else { continue }
            let parts = ["exchange", "destination", "sending"].contains(name)
                ? Mirror(reflecting: value).children.map { ("\(name).\($0 ?? "")", $1) }
                : [(name, value)]
            for (name, value) in parts {
                var text = ""
                dump(value, to: &text)
                fields[name] = text
            }
        }
        XCTAssertGreaterThan(fields.count, 30, "\(fields.keys)")
        return fields
    }

    func testARequestLosesOnlyItsAnnouncement() throws {
        let request = try request(in: client().calls)
        let next = request.unannounced()
        XCTAssertEqual(differences(request, next), ["exchange.headers"])
        XCTAssertFalse(next.exchange.expectsContinue)
        XCTAssertTrue(request.exchange.expectsContinue, "the request itself stays as it is")
    }

    func testConditionsAreTheOnlyChangeOfAConditionalRequest() throws {
        let request = try request(in: client().calls)
        XCTAssert(request.conditional([]) === request)
        let next = request.conditional([HeaderField(name: "If-None-Match", value: "\"1\"")])
        XCTAssertEqual(differences(request, next), ["exchange.headers"])
        XCTAssertEqual(Headers(next.exchange.headers)[first: "If-None-Match"], "\"1\"")
    }

    func testARedirectChangesTheExchangeAndWhatDependsOnTheTrustInItsTarget() throws {
        let request = try request(in: client().calls)
        var exchange = request.exchange
        exchange.url = "http://stranger.test/"
        let headers = Headers([HeaderField(name: "Vary", value: "Accept")])
        let next = request.redirected(
            exchange, keepsBody: true, isTrusted: false, before: request, by: headers)
        XCTAssertEqual(
            differences(request, next),
            [
                "destination.beforeRedirects", "destination.redirects", "exchange.url",
                "sending.caching", "sending.isTrusted",
            ])
        XCTAssertNil(next.sending.caching?.holder)
        let bodiless = next.redirected(
            exchange, keepsBody: false, isTrusted: false, before: nil, by: headers)
        XCTAssertEqual(
            differences(next, bodiless),
            ["destination.beforeRedirects", "destination.redirects", "reader"])
    }

    func testARequestOfAnUploadHasAnExchangeAndAReaderOfItsOwn() throws {
        let upload = UploadSession(
            UploadPlan(.tus), .tus, Resource(.bytes([1]), name: nil, mediaType: "a/b"))
        let request = try request(in: client().calls, upload: upload)
        let original = request.withoutUpload()
        XCTAssertEqual(differences(request, original), ["sending.upload"])
        var exchange = request.exchange
        exchange.method = "PATCH"
        let piece = original.part(of: upload, exchange, isTrusted: true, uploadedBefore: 5)
        XCTAssertEqual(
            differences(request, piece), ["exchange.method", "reader", "sending.uploadedBefore"])
        XCTAssert(piece.sending.upload === upload)
    }

    func testARequestInTheBackgroundHasNoClaimAndNoProgress() throws {
        let context = try client().calls
        let request = try request(in: context)
        let next = request.inBackground(context)
        XCTAssertEqual(
            differences(request, next), ["bodyDestination", "sending.claim", "sending.progress"])
        XCTAssertNil(next.sending.claim)
        XCTAssertFalse(next.optionalStages.contains(.lane))

        let item = try self.request(in: context, isInBatch: true)
        XCTAssertEqual(
            differences(item, item.inBackground(context)),
            [
                "bodyDestination", "exchange.headers", "exchange.timeouts", "sending.auth",
                "sending.batchRole", "sending.claim", "sending.progress",
            ])
    }
}
