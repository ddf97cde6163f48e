import Foundation
import Restway

/// Lists the issues of the demo API, changes one, and shows what the server refuses.
@main
struct Issues {
    struct Issue: Codable {
        let number: Int
        let title: String
    }

    static func main() async throws(RestwayError) {
        let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../issues.json")
        let url = ProcessInfo.processInfo.environment["RESTWAY_DEMO_URL"]
        let client = try Client(API(file: file.path), options: Client.Options(baseURL: url))

        for try await page in try client.pages(.route("issues"), parameters: ["per_page": 5]) {
            for issue: Issue in try page.response.decode([Issue].self) {
                print("\(issue.number): \(issue.title)")
            }
        }
        let draft = try client.draft(of: client.store.find("Issue", 3)!)
        try draft.set("title", to: "The disk is full, and nobody says so")
        let changed: Issue = try await client.patch(.draft(draft))
        print(changed.title)

        try draft.set("title", to: "")
        do {
            try await client.patch(.draft(draft))
        } catch {
            print(error.httpStatus ?? 0, error.apiMessage ?? error.message)
            for detail in error.details { print("\(detail.path): \(detail.message)") }
        }
    }
}
