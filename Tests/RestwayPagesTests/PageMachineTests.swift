import RestwayDocument
import XCTest

@testable import RestwayPages

/// Tests which page follows which, without requests.
final class PageMachineTests: XCTestCase {
    func testAStartNearTheLargestNumberIsNoTrap() {
        var machine = PageMachine(offset)
        var facts = PageFacts(count: 10)
        (facts.start, facts.total) = (.max, .max)
        XCTAssertTrue(machine.take(facts).isLast)
        XCTAssertNil(machine.offset)
    }

    private func facts(
        _ count: Int64, next: PagePlace? = nil, more: Bool? = nil, total: Int64? = nil,
        start: Int64? = nil
    ) -> PageFacts {
        var facts = PageFacts(count: count)
        facts.next = next
        facts.saysMore = more
        facts.total = total
        facts.start = start
        return facts
    }

    private func bounds(pages: Int64 = 0, objects: Int64 = 0) -> PageBounds {
        var bounds = PageBounds()
        bounds.pagesMax = pages
        bounds.objectsMax = objects
        return bounds
    }

    private let page = PageRules(.number(parameter: "page", first: 1))
    private let offset = PageRules(.offset(parameter: "offset", first: 0))
    private let cursor = PageRules(.cursor(keyPath: ["next"], parameter: "after"))

    func testLinksAreFollowedUntilAnAnswerHasNone() {
        var machine = PageMachine(PageRules(.link))
        XCTAssertEqual(machine.state, .next(.first))
        let first = machine.take(facts(2, next: .url("http://a/2"), total: 3))
        XCTAssertEqual(
            first, PageCount(number: 0, objectCount: 2, offset: 0, total: 3, isLast: false))
        XCTAssertEqual(machine.state, .next(.url("http://a/2")))
        let second = machine.take(facts(1, total: 3))
        XCTAssertEqual(
            second, PageCount(number: 1, objectCount: 1, offset: 2, total: 3, isLast: true))
        XCTAssertEqual(machine.state, .complete)
    }

    func testAnEmptyPageWithANextURLIsNoEnd() {
        var machine = PageMachine(PageRules(.link))
        _ = machine.take(facts(0, next: .url("http://a/2")))
        XCTAssertEqual(machine.state, .next(.url("http://a/2")))
    }

    func testAPageThatLeadsToItselfIsAnErrorThatNamesIt() {
        var machine = PageMachine(cursor)
        _ = machine.take(facts(1, next: .cursor("x")))
        let page = machine.take(facts(1, next: .cursor("x")))
        XCTAssertFalse(page.isLast)
        XCTAssertEqual(machine.state, .broken(.repeats(.cursor("x"))))
        XCTAssertTrue(PageError.repeats(.cursor("x")).message.contains("\"x\""))
    }

    func testAPageThatLeadsBackToAnEarlierOneIsAnError() {
        var machine = PageMachine(cursor)
        for name in ["x", "y", "z"] { _ = machine.take(facts(1, next: .cursor(name))) }
        _ = machine.take(facts(1, next: .cursor("x")))
        XCTAssertEqual(machine.state, .broken(.repeats(.cursor("x"))))
    }

    func testAnswersThatSayThereIsNoMoreEndThePages() {
        var machine = PageMachine(cursor)
        _ = machine.take(facts(1, next: .cursor("x"), more: false))
        XCTAssertEqual(machine.state, .complete)
    }

    func testAnswersThatSayThereIsMoreMustNameIt() {
        var machine = PageMachine(cursor)
        _ = machine.take(facts(1, more: true))
        XCTAssertEqual(machine.state, .broken(.namesNone))
    }

    func testPageNumbersEndWithAnEmptyPage() {
        var machine = PageMachine(page, at: .number(1))
        _ = machine.take(facts(50))
        XCTAssertEqual(machine.state, .next(.number(2)))
        _ = machine.take(facts(3))
        XCTAssertEqual(machine.state, .next(.number(3)), "a short page is no end")
        let last = machine.take(facts(0))
        XCTAssertEqual(machine.state, .complete)
        XCTAssertEqual(last.offset, 53)
        XCTAssertTrue(last.isLast)
    }

    func testAnAnswerMayEndThePagesAfterwards() {
        var machine = PageMachine(page, at: .number(1))
        XCTAssertFalse(machine.take(facts(2)).isLast)
        machine.end()
        XCTAssertEqual(machine.state, .complete)
    }

    func testPageNumbersEndWithTheTotal() {
        var machine = PageMachine(page, at: .number(1))
        _ = machine.take(facts(2, total: 3))
        _ = machine.take(facts(1, total: 3))
        XCTAssertEqual(machine.state, .complete)
    }

    func testATotalDoesNotEndPagesThatBeganInTheMiddle() {
        var machine = PageMachine(page, at: .number(2), offset: nil)
        let page = machine.take(facts(3, total: 3))
        XCTAssertNil(page.offset)
        XCTAssertEqual(machine.state, .next(.number(3)))
    }

    func testWhatAnAnswerSaysCountsMoreThanEmptinessAndTotal() {
        var machine = PageMachine(page, at: .number(1))
        _ = machine.take(facts(0, more: true, total: 0))
        XCTAssertEqual(machine.state, .next(.number(2)))
    }

    func testOffsetsAdvanceByTheObjectsThatCame() {
        var machine = PageMachine(offset, at: .number(0))
        _ = machine.take(facts(20))
        XCTAssertEqual(machine.state, .next(.number(20)))
        _ = machine.take(facts(7, start: 20))
        XCTAssertEqual(machine.state, .next(.number(27)))
    }

    func testAnEmptyPageOfOffsetsThatClaimsMoreRepeatsItself() {
        var machine = PageMachine(offset, at: .number(40))
        _ = machine.take(facts(0, more: true))
        XCTAssertEqual(machine.state, .broken(.repeats(.number(40))))
    }

    func testAServerThatRepeatsItsLastPageIsAnErrorThatNamesThePlace() {
        for rules in [page, offset] {
            var machine = PageMachine(rules, at: .number(1))
            let counts = [1, 2, 2].map { digest in
                var facts = facts(1, total: 9)
                facts.content = PageContent(digest: digest, hasIdentities: true)
                return machine.take(facts).objectCount
            }
            XCTAssertEqual(machine.state, .broken(.sameObjects(.number(3))))
            XCTAssertEqual(counts, [1, 1, 0], "no object is given twice")
        }
        let message = PageError.sameObjects(.number(3)).message
        XCTAssertTrue(message.contains("repeats a page"), message)
        XCTAssertTrue(message.contains("the page at 3"), message)
    }

    func testAURLThatIsNewWithTheObjectsOfThePageBeforeIsAnErrorToo() {
        var machine = PageMachine(PageRules(.link))
        for url in ["http://a/2", "http://a/3"] {
            var facts = facts(1, next: .url(url))
            facts.content = PageContent(digest: 1, hasIdentities: true)
            _ = machine.take(facts)
        }
        XCTAssertEqual(machine.state, .broken(.sameObjects(.url("http://a/2"))))
    }

    func testAPageThatIsTheLastOneMayRepeatThePageBefore() {
        var machine = PageMachine(page, at: .number(1))
        for more in [true, false] {
            var facts = facts(1, more: more)
            facts.content = PageContent(digest: 1, hasIdentities: true)
            _ = machine.take(facts)
        }
        XCTAssertEqual(machine.state, .complete)
    }

    func testFewPagesOfEqualObjectsWithoutIdentitiesAreNoRepetition() {
        var machine = PageMachine(page, at: .number(1))
        var facts = facts(2)
        facts.content = PageContent(digest: 1, hasIdentities: false)
        for _ in 1...PageMachine.equalBodiesMax { _ = machine.take(facts) }
        XCTAssertEqual(machine.state, .next(.number(11)))
        _ = machine.take(facts)
        XCTAssertEqual(machine.state, .broken(.sameObjects(.number(11))))
    }

    func testNumbersDoNotOverflow() {
        var machine = PageMachine(page, at: .number(.max), offset: nil)
        _ = machine.take(facts(1))
        XCTAssertEqual(machine.state, .broken(.tooLarge))
    }

    func testABoundOnPagesStopsBeforeTheNextOne() {
        var machine = PageMachine(page, bounds(pages: 2), at: .number(1))
        _ = machine.take(facts(1))
        let second = machine.take(facts(1))
        XCTAssertFalse(second.isLast)
        XCTAssertEqual(machine.state, .bounded(.number(3)))
    }

    func testABoundOnObjectsCutsThePage() {
        var machine = PageMachine(page, bounds(objects: 5), at: .number(1))
        XCTAssertEqual(machine.take(facts(3)).objectCount, 3)
        let second = machine.take(facts(3))
        XCTAssertEqual(second.objectCount, 2)
        XCTAssertEqual(machine.state, .bounded(.number(3)))
    }

    func testALastPageThatABoundCutsOffIsNotTheLast() {
        var machine = PageMachine(cursor, bounds(objects: 2))
        XCTAssertFalse(machine.take(facts(3)).isLast)
    }

    func testAnUnreadableAnswerLeadsNowhere() {
        var machine = PageMachine(cursor)
        var facts = facts(2)
        facts.isReadable = false
        XCTAssertFalse(machine.take(facts).isLast)
        XCTAssertEqual(machine.state, .broken(.unreadable))
    }
}
