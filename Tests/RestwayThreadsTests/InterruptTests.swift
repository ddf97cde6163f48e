import Glibc
import XCTest

@testable import RestwayThreads

final class InterruptTests: XCTestCase {
    /// Uses an interrupt on this thread while `body` runs.
    private func using(_ body: (Interrupt) throws -> Void) throws {
        let interrupt = try XCTUnwrap(Interrupt())
        Interrupt.use(interrupt)
        defer { Interrupt.use(nil) }
        try body(interrupt)
    }

    func testAnInterruptEndsTheWaitOfItsThread() throws {
        try using { interrupt in
            let monitor = Monitor(0)
            let raiser = pthread { interrupt.raise() }
            XCTAssertThrowsError(
                try monitor.waitInterruptibly { _ -> Int? in nil } as Int?)
            pthread_join(raiser, nil)
            XCTAssertFalse(interrupt.isRaised, "the wait lowers it")
        }
    }

    func testAByteInTheDescriptorRaisesIt() throws {
        try using { interrupt in
            let monitor = Monitor(0)
            XCTAssertEqual(write(interrupt.descriptor, "x", 1), 1)
            XCTAssertThrowsError(
                try monitor.waitInterruptibly { _ -> Int? in nil } as Int?)
        }
    }

    func testAResultCountsMoreThanAnInterrupt() throws {
        try using { interrupt in
            interrupt.raise()
            let monitor = Monitor(7)
            XCTAssertEqual(try monitor.waitInterruptibly { $0 }, 7)
            XCTAssertTrue(interrupt.isRaised)
            XCTAssertThrowsError(
                try monitor.waitInterruptibly { _ -> Int? in nil } as Int?)
            XCTAssertNil(
                try monitor.waitInterruptibly(until: .past) { _ -> Int? in nil } as Int?)
        }
    }

    func testOnlyThreadsThatUseItAreInterrupted() throws {
        let interrupt = try XCTUnwrap(Interrupt())
        interrupt.raise()
        XCTAssertNil(
            try Monitor(0).waitInterruptibly(until: .past) { _ -> Int? in nil } as Int?)
        XCTAssertTrue(interrupt.isRaised)
    }

    /// Raises at any moment of a wait that lasts until then: no wait may miss its wake-up.
    func testNoWakeUpIsMissed() throws {
        try using { interrupt in
            let monitor = Monitor(0)
            let rounds = 2_000
            let next = Monitor(0)
            let raiser = pthread {
                for round in 1...rounds {
                    _ = next.wait { $0 >= round ? true : nil }
                    interrupt.raise()
                }
            }
            for round in 1...rounds {
                next.update { $0 = round }
                XCTAssertThrowsError(
                    try monitor.waitInterruptibly { _ -> Int? in nil } as Int?)
            }
            pthread_join(raiser, nil)
        }
    }

    func testItsEndClosesItsDescriptorsAndItsThread() throws {
        weak var last: Interrupt?
        let before = try descriptors()
        try using { last = $0 }
        XCTAssertNil(last)
        // Its thread closes the other end of the pipe.
        while try descriptors() > before { sched_yield() }
        // A thread that ends gives its interrupt back.
        let ending = pthread { Interrupt.use(Interrupt()) }
        pthread_join(ending, nil)
        while try descriptors() > before { sched_yield() }
    }

    func testAFullPipeBlocksNobody() throws {
        try using { interrupt in
            for _ in 0..<100_000 { _ = write(interrupt.descriptor, "x", 1) }
            while !interrupt.isRaised { sched_yield() }
            XCTAssertThrowsError(
                try Monitor(0).waitInterruptibly { _ -> Int? in nil } as Int?)
        }
    }

    private func descriptors() throws -> Int {
        let folder = try XCTUnwrap(opendir("/proc/self/fd"))
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }

    private func pthread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
        Thread.startJoinable("test", body)!
    }
}
