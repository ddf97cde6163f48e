import Foundation
import Measuring
import Restway

/// Measures Restway.
///
///     restway-clients requests DOCUMENT BASE-URL TASKS REQUESTS workers|global
///     restway-clients structs DOCUMENT BASE-URL PATH COMPANIES
///     restway-clients json DOCUMENT BASE-URL PATH COMPANIES
///
/// `requests` gets one company after the other in each of some tasks, which prefer the workers of
/// the library or run on Swift's global executor. `structs` gets a list of
/// companies as structs, and `json` gets the same list with JSONDecoder from the bytes of the body.
@main
struct Main {
    /// A company as the document describes it.
    struct Company: Decodable {
        let itemID: Int
        let name: String
        let founded: Date
        let employeeCount: Int
        let revenue: Double
        let active: Bool
        let about: String
        let street: String
        let streetNumber: Int
        let city: String
        let country: String
        let ownerID: Int
        let ownerFirstName: String
        let ownerLastName: String
        let ownerEmail: String
    }

    static func main() async throws {
        let program = Program()
        var options = Client.Options(baseURL: program.text(2, "BASE-URL"))
        options.plugins.areLoaded = true
        let client = try Client(API(file: program.text(1, "DOCUMENT")), options: options)
        switch program.text(0, "requests, structs or json") {
        case "requests":
            let tasks = program.count(3, "TASKS")
            let executor: (any TaskExecutor)? =
                switch program.text(5, "workers or global") {
                case "workers": Client.workers
                case "global": nil
                case let other: program.fail("there is no executor \"\(other)\"")
                }
            try await measureRequests(
                program.count(4, "REQUESTS"), tasks: tasks, on: executor
            ) { number in
                let response = try await client.get("companies/\(number)")
                guard response.objects.count == 1 else { program.fail("no company \(number)") }
            }
        case "structs":
            let path = program.text(3, "PATH")
            try await measureReading(program.count(4, "COMPANIES"), in: program) {
                let companies: [Company] = try await client.get(.path(path))
                return companies.count
            }
        case "json":
            let path = program.text(3, "PATH")
            try await measureReading(program.count(4, "COMPANIES"), in: program) {
                let body = try await client.get(.path(path)).body
                return try JSONDecoder().decode(SentCompanies.self, from: body).companies.count
            }
        case let other: program.fail("there is no measurement \"\(other)\"")
        }
    }
}
