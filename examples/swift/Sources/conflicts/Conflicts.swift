import Foundation
import Restway

/// An inspector without a network, and the office, change the same forms.
///
///     conflicts DOCUMENT
///
/// DOCUMENT is examples/conflicts.restway.json. The files are in the folder that INSPECTIONS
/// names, or in the current one. RESTWAY_DEMO_URL is the address of the server.
@main
struct Conflicts {
    let client: Client

    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 2 else { fail("usage: conflicts DOCUMENT") }
        do {
            let inspector = try Conflicts(arguments[1], device: "inspector")
            try await inspector.work(beside: Conflicts(arguments[1], device: "office"))
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

    func work(beside office: Conflicts) async throws(RestwayError) {
        try setRule()
        try await client.get("inspections")
        try await office.client.get("inspections")

        try client.setReachability(.unreachable)
        try await edit(
            1, ["place": "Fire doors, west", "result": "passed", "remark": "Both doors close."])
        try await edit(2, ["result": "failed", "remark": "The door sticks."])
        try await delete(3)
        try await edit(4, ["remark": "Needs paint."])

        try await office.edit(1, ["place": "Fire doors, east", "remark": "Ask for the key."])
        try await office.edit(2, ["result": "passed"])
        try await office.edit(3, ["remark": "Keep this form."])
        try await office.delete(4)
        // An answer about one form has its version.
        try await office.client.get(.object(office.form(1)))

        try client.setReachability(.unknown)
        try await send()
        try showConflicts()
        try decide()
        try await send()
        try showForms()

        try await office.save(1, ["remark": "The key is under the mat."])
    }

    /// Sends values of a form. Without a network, they wait in a file.
    func edit(_ number: Object.Identity, _ values: [String: String]) async throws(RestwayError) {
        let draft = try client.draft(of: form(number))
        for (name, value) in values { try draft.set(name, to: value) }
        try await sendOrStore { () throws(RestwayError) in try await client.patch(.draft(draft)) }
    }

    /// Deletes a form. Without a network, the request waits in a file.
    func delete(_ number: Object.Identity) async throws(RestwayError) {
        let form = try form(number)
        try await sendOrStore { () throws(RestwayError) in try await client.delete(.object(form)) }
    }

    /// Prints both sides of each conflict.
    func showConflicts() throws(RestwayError) {
        for conflict in try client.outbox.conflicts() {
            let place = text(conflict.mine, "place")
            if conflict.kind == .theyDeleted {
                print("\(place): you have changed it, and somebody else has deleted it")
            }
            for name in conflict.names {
                print("\(place): \(name) was \(text(conflict.base, name))")
                print("  yours:  \(text(conflict.mine, name))")
                print("  theirs: \(text(conflict.theirs, name))")
            }
        }
    }

    /// Resolves each conflict, as the user might do it.
    func decide() throws(RestwayError) {
        for conflict in try client.outbox.conflicts() {
            guard let theirs = conflict.theirs else {
                try conflict.resolve(.theirs)  // the form stays deleted
                continue
            }
            let both = "\(text(theirs, "remark")) \(text(conflict.mine, "remark"))"
            try conflict.choose("remark", value: both)
            try conflict.resolve(.mine)
        }
    }

    /// Lets a form stay failed if it is failed on one side.
    func setRule() throws(RestwayError) {
        try client.setResolver("Inspection") { conflict in
            let isFailed = [conflict.mine, conflict.theirs].contains { $0?["result"] == "failed" }
            if isFailed {
                try conflict.choose("result", value: "failed")
            } else {
                try conflict.choose(.mine)
            }
        }
    }

    /// Sends values of a form to a server that can be reached, or says why it is impossible.
    func save(_ number: Object.Identity, _ values: [String: String]) async throws(RestwayError) {
        do {
            try await edit(number, values)
        } catch {
            guard let conflict = error.conflict else { throw error }
            for name in conflict.names {
                print("Not saved: \(name) is \(text(conflict.theirs, name)) by now")
            }
        }
    }

    /// Sends what waits, and prints how many changes are parked.
    func send() async throws(RestwayError) {
        try await client.outbox.flush()
        print(try client.outbox.counts().parked, "conflicts")
    }

    /// Prints all forms as the user sees them.
    func showForms() throws(RestwayError) {
        for form in try client.store.all("Inspection") {
            let remark: String = form["remark"] ?? "no remark"
            print("\(text(form, "place")): \(text(form, "result")), \(remark)")
        }
    }

    private func sendOrStore(
        _ send: () async throws(RestwayError) -> Response
    ) async throws(RestwayError) {
        do {
            _ = try await send()
        } catch {
            guard error.kind == .queued else { throw error }
        }
    }

    private func form(_ number: Object.Identity) throws(RestwayError) -> Object {
        guard let form = try client.store.find("Inspection", number) else {
            Self.fail("there is no form \(number)")
        }
        return form
    }

    private func text(_ form: Object?, _ name: String) -> String { form?[name] ?? "empty" }

    private static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data("conflicts: \(text)\n".utf8))
        exit(1)
    }
}
