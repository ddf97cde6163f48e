import Glibc
import LoopbackServer
import RestwayCurl
import RestwayHTTP
import RestwayThreads
import XCTest

/// A test with a transport of its own, which is closed after it.
class CurlTransportTestCase: XCTestCase {
    private(set) var transport: CurlTransport! = nil

    override func setUp() {
        transport = CurlTransport()
    }

    override func tearDown() {
        transport.close()
        // XCTest keeps test cases for ever.
        transport = nil
    }

    /// Returns how many I/O threads the process has now.
    var ioThreads: Int {
        guard let folder = opendir("/proc/self/task") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            let task = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let file = fopen("/proc/self/task/\(task)/comm", "r") else { continue }
            defer { fclose(file) }
            var name = [CChar](repeating: 0, count: 64)
            guard fgets(&name, 64, file) != nil else { continue }
            let bytes = name.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
            if String(decoding: bytes, as: UTF8.self) == "restway-io" { count += 1 }
        }
        return count
    }

    /// Yields until `condition` holds; fails if it never does.
    func eventually(
        file: StaticString = #filePath, line: UInt = #line, _ condition: () -> Bool
    ) {
        let limit = Deadline.testLimit
        while !condition() {
            if SystemClock().now() > limit {
                XCTFail("it never came true", file: file, line: line)
                return
            }
            sched_yield()
        }
    }
}
