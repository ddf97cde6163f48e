import Foundation
import Restway

/// An inspector fills in forms where there is no network, and sends them from the office.
///
///     inspection DOCUMENT field     at the site; the requests wait in a file
///     inspection DOCUMENT office    after a restart; the requests are sent
///
/// DOCUMENT is examples/inspection.restway.json. The files are in the folder that INSPECTIONS
/// names, or in the current one. RESTWAY_DEMO_URL is the address of the server.
@main
struct Inspection {
    let client: Client

    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { fail("usage: inspection DOCUMENT field | office") }
        do {
            let inspector = try Inspection(arguments[1], device: "inspector")
            if arguments[2] == "office" {
                let colleague = try Inspection(arguments[1], device: "colleague")
                try await inspector.workInTheOffice(colleague)
            } else {
                try await inspector.workInTheField()
            }
        } catch {
            fail("\(error)")
        }
    }

    /// Opens a client with files of its own. A second client stands for a second device.
    init(_ document: String, device: String) throws(RestwayError) {
        let environment = ProcessInfo.processInfo.environment
        let folder = URL(fileURLWithPath: environment["INSPECTIONS"] ?? ".")
        client = try Client(
            API(file: document),
            options: Client.Options(
                baseURL: environment["RESTWAY_DEMO_URL"],
                store: folder.appendingPathComponent("\(device).db").path,
                outbox: folder.appendingPathComponent("\(device)-outbox.db").path))
    }

    func workInTheField() async throws(RestwayError) {
        // Requests are stored, and sent, in the name of this user.
        try client.cache.setDiscriminator("inspector")
        try await client.get("inspections")  // while there still is a network
        try client.setReachability(.unreachable)
        try await edit(1, ["result": "passed", "remark": "Both doors close."])
        try await edit(2, ["result": "failed"])
        try await delete(3)
        try await create(["place": "Roof ladder", "result": "passed"])
        if let mistake = try await edit(4, ["result": "failed"]) {
            try client.outbox.drop(mistake)  // undoes the edit
        }
        try showForms()
    }

    func workInTheOffice(_ colleague: Inspection) async throws(RestwayError) {
        try showWhatWaits()  // Nothing is sent before the user has signed in.

        try await colleague.client.get("inspections")
        try await colleague.edit(1, ["place": "Fire doors, east", "remark": "Ask for the key."])
        try await client.get("inspections")
        try compare(1)

        try client.cache.setDiscriminator("inspector")
        for item in try await client.outbox.flush() {
            print(item.method, item.path, item.state == .delivered ? "delivered" : "refused")
        }
        try showRefused()
        try await correct()
        try showForms()
    }

    /// Sends values of a form. Returns the number of the stored request if it waits.
    @discardableResult
    func edit(
        _ number: Object.Identity, _ values: [String: String]
    ) async throws(RestwayError) -> Int64? {
        guard let form = try client.store.find("Inspection", number) else { return nil }
        let draft = try client.draft(of: form)
        for (name, value) in values { try draft.set(name, to: value) }
        return try await sendOrStore { () throws(RestwayError) in
            try await client.patch(.draft(draft))
        }
    }

    /// Sends a new form. If its request waits, the store has the form all the same.
    func create(_ values: [String: String]) async throws(RestwayError) {
        let draft = try client.draft("Inspection", values)
        _ = try await sendOrStore { () throws(RestwayError) in
            try await client.post(.draft(draft))
        }
    }

    /// Deletes a form. As long as the request waits, the store hides the form.
    func delete(_ number: Object.Identity) async throws(RestwayError) {
        guard let form = try client.store.find("Inspection", number) else { return }
        _ = try await sendOrStore { () throws(RestwayError) in
            try await client.delete(.object(form))
        }
    }

    /// Returns the number of the stored request if the request waits.
    private func sendOrStore(
        _ send: () async throws(RestwayError) -> Response
    ) async throws(RestwayError) -> Int64? {
        do {
            _ = try await send()
            return nil
        } catch {
            guard error.kind == .queued else { throw error }
            return error.outboxID
        }
    }

    /// Prints all forms as the user sees them, and how many requests wait.
    func showForms() throws(RestwayError) {
        for form in try client.store.all("Inspection") {
            let waits = try client.store.pending(form).isEmpty ? "" : " (waits)"
            print("\(text(form, "place")): \(text(form, "result"))\(waits)")
        }
        print(try client.outbox.items().count, "requests wait")
    }

    /// Prints each value that waits, and the value that it replaces.
    func showWhatWaits() throws(RestwayError) {
        let forms = try client.store.query("Inspection").pending().pendingDeletes(.show).all()
        for form in forms {
            let pending = try client.store.pending(form)
            if pending.deletes { print("\(text(form, "place")): deleted") }
            for name in pending.names {
                let (mine, base) = (text(pending.mine, name), text(pending.base, name))
                print("\(text(form, "place")): \(name) is \(mine), was \(base)")
            }
        }
    }

    /// Prints a form as the user sees it, beside the newest value of the server.
    func compare(_ number: Object.Identity) throws(RestwayError) {
        guard let form = try client.store.find("Inspection", number),
            let theirs = try client.store.confirmed(form)
        else { return }
        print("\(text(form, "place")): \(text(form, "remark"))", terminator: " ")
        print("The server has: \(text(theirs, "remark"))")
    }

    /// Prints the forms with a change that the server has refused, and the reasons.
    func showRefused() throws(RestwayError) {
        for form in try client.store.query("Inspection").rejected().all() {
            print("\(text(form, "place")): \(text(form, "result")) (refused)")
        }
        for item in try client.outbox.items() where item.state == .dead {
            print(item.error?.apiMessage ?? "")
        }
    }

    /// Puts a corrected change in the place of the refused one.
    func correct() async throws(RestwayError) {
        for item in try client.outbox.items() where item.state == .dead {
            try client.outbox.drop(item.id)
        }
        try await edit(2, ["result": "failed", "remark": "The door sticks."])
    }

    private func text(_ form: Object, _ name: String) -> String { form[name] ?? "empty" }

    private static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data("inspection: \(text)\n".utf8))
        exit(1)
    }
}
