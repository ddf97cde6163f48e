import RestwayThreads
import XCTest

@testable import RestwayOutbox

final class CredentialTrustTests: XCTestCase {
    private var trust = CredentialTrust()
    private let now = ManualClock().now()

    private func take(
        _ refusals: CredentialTrust.Refusal..., wasAccepted: Bool = false,
        of generation: UInt64 = 0, hasOthers: Bool = true
    ) {
        trust.take(
            refusals, wasAccepted: wasAccepted, sentWith: generation, hasOthers: hasOthers,
            now: now)
    }

    func testARefusalEndsEverythingUntilThereIsAnotherCredential() {
        take(wasAccepted: true)
        take(.byServer)
        XCTAssertTrue(trust.isRefused)
        trust.timePassed(now.advanced(milliseconds: 1 << 40))
        XCTAssertTrue(trust.isRefused)
        trust.changed()
        XCTAssertFalse(trust.isRefused)
    }

    func testTheResultOfAnEarlierCredentialSaysNothing() {
        trust.changed()
        take(.byServer, of: 0)
        take(wasAccepted: true, of: 0)
        XCTAssertFalse(trust.isRefused)
        XCTAssertFalse(trust.isAccepted(1))
    }

    func testAnItemThatIsRefusedAgainIsDoubtedUntilAnotherShows() {
        take(.again)
        XCTAssertFalse(trust.isRefused)
        take(wasAccepted: true)
        XCTAssertTrue(trust.isAccepted(0))
        trust.changed()
        take(.again, of: 1)
        take(.again, of: 1)
        XCTAssertTrue(trust.isRefused, "only one other is sent")
    }

    func testNobodyElseCanShowIt() {
        take(.again, hasOthers: false)
        XCTAssertTrue(trust.isRefused)
    }

    func testAMissingCredentialIsLookedForLater() {
        take(.missing(retryMilliseconds: 100))
        XCTAssertEqual(trust.retryAt, now.advanced(milliseconds: 100))
        trust.timePassed(now.advanced(milliseconds: 99))
        XCTAssertTrue(trust.isRefused)
        trust.timePassed(now.advanced(milliseconds: 100))
        XCTAssertFalse(trust.isRefused)
    }

    func testWhoMaySendWhat() {
        func owner(_ text: String?) -> ItemOwner { ItemOwner(text: text) }
        let texts = [nil, "dann", "dbob", "uann", "ubob"]
        let allowed: [[Bool]] = [
            [true, false, false, true, true],
            [false, true, false, false, false],
            [false, false, true, false, false],
            [true, false, false, true, false],
            [true, false, false, false, true],
        ]
        for (row, sender) in texts.enumerated() {
            for (column, item) in texts.enumerated() {
                XCTAssertEqual(
                    owner(sender).maySend(owner(item)), allowed[row][column],
                    "\(sender ?? "-") \(item ?? "-")")
            }
        }
        XCTAssertEqual(ItemOwner(discriminator: "x", userName: "ann"), owner("dx"))
        XCTAssertEqual(ItemOwner(discriminator: nil, userName: "ann"), owner("uann"))
    }
}
