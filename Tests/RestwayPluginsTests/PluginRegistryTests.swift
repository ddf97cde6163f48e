import RestwayPlugins
import XCTest

/// The decisions of the registry, without loading anything. Tests/Plugins tests loading with real
/// shared objects, each in a process of its own.
final class PluginRegistryTests: XCTestCase {
    func testOnlyAbsolutePathsAndNamesAreLookedFor() {
        for text in ["", "a b", "../a", "a/b", "a.so", String(repeating: "a", count: 65)] {
            XCTAssertThrowsError(try PluginRegistry().load(text, options: nil), text) { error in
                XCTAssertEqual((error as? PluginError)?.kind, .notFound, text)
            }
        }
    }

    func testAMissingNameSaysWhereItWasLookedFor() {
        let search = PluginSearch(directories: ["/nowhere", "/elsewhere"])
        XCTAssertThrowsError(
            try PluginRegistry().load("number", options: nil, search: search)
        ) { error in
            let message = (error as? PluginError)?.message ?? ""
            XCTAssertTrue(
                message.contains("/nowhere/number.so, /elsewhere/number.so"), message)
        }
    }

    func testAFailedLoadLeavesNothing() {
        let registry = PluginRegistry()
        XCTAssertThrowsError(try registry.load("/dev/null", options: nil))
        XCTAssertTrue(registry.plugins.isEmpty)
        XCTAssertThrowsError(try registry.load("/nowhere.so", options: nil)) { error in
            XCTAssertTrue("\(error)".contains("No such file"))
        }
    }
}
