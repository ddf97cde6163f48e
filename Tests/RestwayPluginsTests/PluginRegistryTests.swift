import RestwayPlugins
import XCTest

/// What the registry decides without loading anything. Loading itself is tested with real shared
/// objects, each in a process of its own: Tests/Plugins.
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
