import Foundation

/// How many different companies the server has: companies/1 to companies/32.
public let companyCount = 32
/// How many requests are sent before they are measured, so that every connection is open.
private let warmUpCount = 1_000

/// A program of the benchmarks: its arguments, and its result as one line of JSON.
public struct Program: Sendable {
    public let arguments: [String]

    public init() {
        arguments = Array(CommandLine.arguments.dropFirst())
    }

    public func text(_ index: Int, _ name: String) -> String {
        guard arguments.indices.contains(index) else { fail("\(name) is missing") }
        return arguments[index]
    }

    public func count(_ index: Int, _ name: String) -> Int {
        guard let count = Int(text(index, name)), (1...10_000_000).contains(count) else {
            fail("\(name) is no number from 1 to 10,000,000")
        }
        return count
    }

    public func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(1)
    }
}

/// Measures requests that several tasks send, each one after the other. `request` performs the
/// request of a number. The tasks prefer `executor`.
///
/// Prints the requests and their wall time.
public func measureRequests(
    _ count: Int, tasks: Int, on executor: (any TaskExecutor)? = nil,
    _ request: @escaping @Sendable (Int) async throws -> Void
) async throws {
    try await send(max(warmUpCount, tasks), tasks: tasks, on: executor, request)
    let start = secondsNow()
    try await send(count, tasks: tasks, on: executor, request)
    print("{\"requests\": \(count), \"seconds\": \(secondsNow() - start)}")
}

private func send(
    _ count: Int, tasks: Int, on executor: (any TaskExecutor)?,
    _ request: @escaping @Sendable (Int) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<tasks {
            group.addTask(executorPreference: executor) {
                for number in stride(from: task, to: count, by: tasks) {
                    try await request(number % companyCount + 1)
                }
            }
        }
        try await group.waitForAll()
    }
}

/// Measures `read`, which returns how many values it has read. Prints the wall time.
public func measureReading(
    _ expected: Int, in program: Program, _ read: @Sendable () async throws -> Int
) async throws {
    let start = secondsNow()
    let count = try await read()
    let seconds = secondsNow() - start
    guard count == expected else { program.fail("\(count) companies instead of \(expected)") }
    print("{\"read_seconds\": \(seconds)}")
}

private func secondsNow() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// A company as the server sends it, for JSONDecoder. The date stays a text, which costs
/// JSONDecoder less than a date.
public struct SentCompany: Decodable, Sendable {
    public struct Address: Decodable, Sendable {
        public let street: String
        public let street_number: Int
        public let city: String
        public let country: String
    }

    public struct Owner: Decodable, Sendable {
        public let id: Int
        public let first_name: String
        public let last_name: String
        public let email: String
    }

    public let id: Int
    public let name: String
    public let founded: String
    public let employee_count: Int
    public let revenue: Double
    public let active: Bool
    public let about: String
    public let address: Address
    public let owner: Owner
}

/// The list of all companies.
public struct SentCompanies: Decodable, Sendable {
    public let companies: [SentCompany]
}
