import Foundation
import Restway

/// Lists issues, changes one, and shows what is refused: `issues DOCUMENT`.
@main
struct Issues {
    struct Issue: Codable {
        let number: Int
        let title: String
    }

    static func main() async throws(RestwayError) {
        let document = CommandLine.arguments.dropFirst().first ?? "issues.json"
        let url = ProcessInfo.processInfo.environment["RESTWAY_DEMO_URL"]
        let client = try Client(API(file: document), options: Client.Options(baseURL: url))

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
            for detail in error.details { print(detail.path, detail.code ?? detail.message) }
        }
    }
}
