import AsyncHTTPClient
import Foundation
import Measuring

/// Measures AsyncHTTPClient with JSONDecoder.
///
///     other-clients requests BASE-URL TASKS REQUESTS
///     other-clients structs BASE-URL PATH COMPANIES
@main
struct Main {
    /// More than any body has: the list of all companies has about 37 MB.
    private static let bodyBytesMax = 256 << 20

    static func main() async throws {
        let program = Program()
        let base = program.text(1, "BASE-URL")
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        switch program.text(0, "requests or structs") {
        case "requests":
            let tasks = program.count(2, "TASKS")
            try await measureRequests(program.count(3, "REQUESTS"), tasks: tasks) { number in
                let body = try await get("\(base)/companies/\(number)", client)
                let company = try JSONDecoder().decode(SentCompany.self, from: body)
                guard company.id == number else { program.fail("no company \(number)") }
            }
        case "structs":
            let path = program.text(2, "PATH")
            try await measureReading(program.count(3, "COMPANIES"), in: program) {
                let body = try await get("\(base)/\(path)", client)
                return try JSONDecoder().decode(SentCompanies.self, from: body).companies.count
            }
        case let other: program.fail("there is no measurement \"\(other)\"")
        }
        try await client.shutdown()
    }

    private static func get(_ url: String, _ client: HTTPClient) async throws -> Data {
        let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
        return Data(try await response.body.collect(upTo: bodyBytesMax).readableBytesView)
    }
}
