import Foundation
import LoopbackServer
import Restway
import XCTest

/// A plugin in C, which is compiled from the template in `examples` and loaded by a Swift program.
final class PluginTests: DemoTestCase {
    /// The plugin, which stays loaded until the process ends; `nil` if it could not be compiled.
    private static let path: String? = {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("restway-plugin-\(UUID().uuidString)")
        let path = folder.appendingPathComponent("template.so").path
        let sources = ["plugin.c", "mapper.c", "transport.c"].map {
            DemoAPI.path("examples/plugin-template/c/\($0)")
        }
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let flags = ["-std=gnu11", "-fPIC", "-shared", "-pthread", "-I", DemoAPI.path("Include")]
        return PeerProcess.run(["cc"] + flags + sources + ["-o", path]) ? path : nil
    }()

    private func load() throws {
        let path = try XCTUnwrap(Self.path, "the plugin could not be compiled")
        guard !Plugin.loaded.contains(where: { $0.path == path }) else { return }
        try Plugin.load(path, options: ["separator": ";"])
    }

    private let document: JSON = [
        "restway": 1,
        "environments": ["here": ["baseURL": "http://api.example/v2"]],
        "entities": [
            "Company": ["identity": "id", "attributes": ["id": ["type": "int"], "name": "name"]]
        ],
        "routes": ["companies": ["path": "companies", "response": ["entity": "Company"]]],
    ]

    func testALoadedPluginIsDescribed() throws {
        try load()
        let plugin = try XCTUnwrap(Plugin.loaded.first { $0.path == Self.path })
        XCTAssertEqual(plugin.name, "template")
        XCTAssertEqual(plugin.version, "1.0")
        XCTAssertEqual(plugin.licence, "MIT")
        XCTAssertTrue(plugin.description.contains("CSV"), plugin.description)
        let path = plugin.path
        XCTAssertThrowsError(try Plugin.load(path, options: ["colour": "red"])) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .plugin)
        }
    }

    func testAMapperOfAPluginReadsAnswers() async throws {
        try load()
        // The option of the plugin says that fields are separated by semicolons.
        let server = try TestServer { connection in
            while connection.readRequest() != nil {
                let type = "Content-Type: text/csv"
                connection.answer("id;name\n7;Acme\n8;\"a;b\"\n", headers: [type])
            }
        }
        let client = try client(of: server, document)
        let companies = try await client.get(.route("companies")).objects
        XCTAssertEqual(companies.map { $0["name"] }, ["Acme", "a;b"])
        let rules = MappingRules.entity("Company").reading(mapper: "csv")
        let mapped = try await client.map(Array("id;name\n9;C\n".utf8), by: rules).objects
        XCTAssertEqual(mapped.map(\.identity), [9])
    }

    func testATransportOfAPluginPerformsExchanges() async throws {
        try load()
        var options = Client.Options()
        options.plugins.transport = "mirror"
        let client = try ending(Client(API(document: document), options: options))
        // It answers with the body of the request, or else with its URL.
        let url = try await client.get("thing").text()
        XCTAssertEqual(url, "http://api.example/v2/thing")
        let body = try await client.post("thing", body: .text("abc")).text()
        XCTAssertEqual(body, "abc")
    }

    func testOptionsReachTheTransport() throws {
        try load()
        var options = Client.Options()
        options.plugins.transport = "mirror"
        options.plugins.transportOptions = ["colour": "red"]
        let api = try API(document: document)
        XCTAssertThrowsError(try Client(api, options: options)) { error in
            let message = (error as? RestwayError)?.message ?? ""
            XCTAssertTrue(message.contains("colour"), message)
        }
        options.plugins.transportOptions = ["separator": ";"]
        XCTAssertNoThrow(try Client(api, options: options))
    }

    func testThePluginsOfADocumentAreLoadedOnlyIfTheProgramSaysSo() async throws {
        try load()
        guard case .object(var document) = document else { return XCTFail("no object") }
        let plugin: JSON = ["path": JSON(try XCTUnwrap(Self.path)), "options": ["separator": ";"]]
        document["plugins"] = [plugin]
        document["dataMapper"] = "csv"
        var options = Client.Options()
        let api = try API(document: .object(document))
        XCTAssertThrowsError(try Client(api, options: options)) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .plugin)
            XCTAssertEqual((error as? RestwayError)?.field, "$.plugins[0]")
        }
        options.plugins.areLoaded = true
        let client = try ending(Client(api, options: options))
        let rules = MappingRules.entity("Company").reading(mediaType: "text/csv")
        let mapped = try await client.map(Array("id;name\n9;C\n".utf8), by: rules).objects
        XCTAssertEqual(mapped.map(\.identity), [9])
    }
}
