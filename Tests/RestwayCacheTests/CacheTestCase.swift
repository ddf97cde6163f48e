import CLinux
import Foundation
import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwaySQLite
import RestwayThreads
import XCTest

@testable import RestwayCache
@testable import RestwayRequests

/// A folder with the file of a cache, and short functions for its content.
class CacheTestCase: XCTestCase {
    /// Names the folder of the test that has started this process.
    private static let variable = "RESTWAY_CACHE_FOLDER"

    let clock = ManualClock()
    private(set) var folder = ""
    /// Whether another test has started this process, and owns the folder.
    private(set) var isStartedByTest = false
    var path: String { folder + "/cache.db" }
    var bodies: String { path + "-bodies" }

    override func setUp() {
        if let shared = ProcessInfo.processInfo.environment[Self.variable] {
            (folder, isStartedByTest) = (shared, true)
            return
        }
        let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(parent)/restway-cache-XXXXXX".utf8CString)
        folder = template.withUnsafeMutableBufferPointer { buffer in
            String(cString: mkdtemp(buffer.baseAddress!))
        }
    }

    override func tearDown() {
        guard !isStartedByTest else { return }
        chmod(folder, 0o700)
        for name in names(bodies) { unlink(bodies + "/" + name) }
        rmdir(bodies)
        for name in names(folder) { unlink(folder + "/" + name) }
        XCTAssertEqual(rmdir(folder), 0, "something was left behind in \(folder)")
    }

    func names(_ folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    func open(
        isInFile: Bool = true, bytesMax: Int64 = 100 << 20, memoryBytesMax: Int64 = 16 << 20,
        _ change: (inout Connection.Options) -> Void = { _ in }
    ) throws -> ResponseCache {
        var connection = Connection.Options()
        change(&connection)
        return try open(
            isInFile: isInFile, bytesMax: bytesMax, memoryBytesMax: memoryBytesMax, connection)
    }

    func open(
        isInFile: Bool = true, bytesMax: Int64 = 100 << 20, memoryBytesMax: Int64 = 16 << 20,
        _ connection: Connection.Options = .init(),
        options change: (inout ResponseCache.Options) -> Void = { _ in }
    ) throws -> ResponseCache {
        var definition = CacheDefinition()
        definition.path = isInFile ? path : nil
        definition.bytesMax = bytesMax
        definition.memoryBytesMax = memoryBytesMax
        var options = ResponseCache.Options()
        options.clock = clock
        change(&options)
        return try ResponseCache(definition, options, connection)
    }

    // MARK: Requests

    func question(
        _ path: String, _ method: String = "GET", headers: [(String, String)] = [],
        mode: CacheMode = .standard, route: String? = nil, discriminator: String? = nil,
        holder: UInt64? = nil, rules: CacheRules = CacheRules(), wantsBytes: Bool = true
    ) -> CacheQuestion {
        let fields = headers.map { HeaderField(name: $0.0, value: $0.1) }
        let request = CacheRequest(
            method: method, url: "http://127.0.0.1/\(path)", headers: Headers(fields),
            rules: rules, mode: mode)
        let plan = CachePlan(
            rules: rules, mode: mode, route: route, discriminator: discriminator, holder: holder)
        return CacheQuestion(request, plan, wantsBytes: wantsBytes)
    }

    func answer(
        _ body: String = "", status: Int = 200, _ headers: [(String, String)] = [],
        saved: SavedBody? = nil
    ) -> Answer {
        let fields = headers.map { HeaderField(name: $0.0, value: $0.1) }
        var answer = Answer(
            status: status, httpVersion: .http11,
            headers: Headers(fields + (headers.isEmpty ? [fresh] : [])),
            url: "http://127.0.0.1/", body: Body(Array(body.utf8)))
        if let saved { answer.bodyPlace = .saved(saved) }
        return answer
    }

    private var fresh: HeaderField { HeaderField(name: "Cache-Control", value: "max-age=1000") }

    /// Returns the ticket of a request that the server has to answer.
    func ticket(
        _ cache: ResponseCache, _ question: CacheQuestion, line: UInt = #line
    ) throws -> any CacheTicket {
        guard case .send(let ticket) = cache.find(question) else {
            XCTFail("the cache answers", line: line)
            throw XCTSkip()
        }
        return ticket
    }

    func store(
        _ cache: ResponseCache, _ question: CacheQuestion, _ body: String, line: UInt = #line
    ) throws {
        let outcome = try ticket(cache, question, line: line).answered(answer(body))
        XCTAssertEqual(outcome.cache?.state, .stored, line: line)
    }

    /// Returns the body that the cache gives; `nil` if the server has to be asked.
    func found(_ cache: ResponseCache, _ question: CacheQuestion) -> String? {
        switch cache.find(question) {
        case .answer(let answer), .staleAnswer(let answer, _): text(answer)
        case .send, .nothing: nil
        }
    }

    func text(_ answer: Answer) -> String {
        guard let file = answer.keptFile else {
            return answer.body.withBytes { String(decoding: $0, as: UTF8.self) }
        }
        let data = FileManager.default.contents(atPath: file.path) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }

    // MARK: Processes

    /// Starts a process that runs one test of this target, in the folder of this test.
    func start(_ test: String) throws -> pid_t {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        var values = ProcessInfo.processInfo.environment
        values[Self.variable] = folder
        return try spawn(
            [program, "RestwayCacheTests." + test], values.map { "\($0)=\($1)" })
    }

    /// Runs a program, which has to succeed.
    func run(_ command: String...) throws {
        XCTAssertEqual(status(of: try spawn(command, [])), 0, "\(command)")
    }

    private func spawn(_ command: [String], _ values: [String]) throws -> pid_t {
        var arguments = command.map { strdup($0) } + [nil]
        var environment = values.map { strdup($0) } + [nil]
        defer { for text in arguments + environment { free(text) } }
        var process: pid_t = 0
        XCTAssertEqual(
            posix_spawn(&process, command[0], nil, nil, &arguments, &environment), 0)
        return process
    }

    /// Waits for the end of a process, and returns its status.
    func status(of process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }

    /// Runs SQL directly, like a person with a shell.
    func shell(_ sql: String) throws {
        try Connection(path).run(sql)
    }

    func integer(_ sql: String) throws -> Int64? {
        try Connection(path).integer(sql)
    }
}

extension Answer {
    /// The file of the cache that has the body; `nil` if the body is elsewhere.
    var keptFile: CachedBodyFile? {
        if case .kept(let file) = bodyPlace { file } else { nil }
    }
}
