import CRestway
import RestwayABI
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome

/// Calls the header from a Swift program. The C harness covers every function.
final class BoundaryTests: XCTestCase {
    func testTheVersionIsThatOfTheHeader() {
        XCTAssertEqual(Version.major, RESTWAY_VERSION_MAJOR)
        XCTAssertEqual(Version.minor, RESTWAY_VERSION_MINOR)
        XCTAssertEqual(Version.patch, RESTWAY_VERSION_PATCH)
        XCTAssertEqual(String(cString: CRestway.restway_version_string()), "0.1.0")
        XCTAssertEqual(CRestway.restway_version_number(), 1_000)
        XCTAssertEqual(CRestway.restway_abi_version(), RESTWAY_ABI_VERSION)
    }

    func testAFailureIsAStatusAndAnErrorThatTheCallerOwns() {
        var api = OpaquePointer(bitPattern: 1)
        var error: OpaquePointer?
        let document = #"{"restway": 2, "x": 1}"#
        XCTAssertEqual(
            CRestway.restway_api_load(document, document.utf8.count, &api, &error),
            .RESTWAY_E_CONFIG)
        XCTAssertNil(api)
        XCTAssertEqual(CRestway.restway_error_status(error), .RESTWAY_E_CONFIG)
        XCTAssertEqual(CRestway.restway_error_domain(error), .RESTWAY_DOMAIN_CONFIG)
        XCTAssertEqual(CRestway.restway_error_detail_count(error), 2)
        XCTAssertEqual(String(cString: CRestway.restway_error_detail_path(error, 1)), "$.restway")
        XCTAssertNil(CRestway.restway_error_detail_path(error, 2))
        XCTAssertEqual(CRestway.restway_debug_live_handles(), 1)
        CRestway.restway_error_release(error)
        XCTAssertEqual(CRestway.restway_debug_live_handles(), 0)
    }

    func testOptionsOfOtherVersionsAreReadWithCare() throws {
        var api: OpaquePointer?
        let document = #"{"restway": 1}"#
        XCTAssertEqual(
            CRestway.restway_api_load(document, document.utf8.count, &api, nil), .RESTWAY_OK)
        defer { CRestway.restway_api_release(api) }

        func create(_ size: Int, dirtyTail: Bool = false) -> restway_status {
            let storage = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 16)
            defer { storage.deallocate() }
            storage.initializeMemory(as: UInt8.self, repeating: 0, count: 256)
            let options = storage.assumingMemoryBound(to: restway_client_options.self)
            options.pointee.struct_size = size
            let baseURL = strdup("http://127.0.0.1:1")
            options.pointee.base_url = UnsafePointer(baseURL)
            defer { free(baseURL) }
            if dirtyTail { storage.storeBytes(of: 1, toByteOffset: size - 1, as: UInt8.self) }
            var client: OpaquePointer?
            let status = CRestway.restway_client_create(api, options, &client, nil)
            CRestway.restway_client_release(client)
            return status
        }
        let size = MemoryLayout<restway_client_options>.size
        XCTAssertEqual(create(size), .RESTWAY_OK)
        XCTAssertEqual(create(size + 8), .RESTWAY_OK)
        XCTAssertEqual(create(size + 8, dirtyTail: true), .RESTWAY_E_INVALID_ARGUMENT)
        XCTAssertEqual(create(0), .RESTWAY_E_INVALID_ARGUMENT)
        XCTAssertEqual(create(104), .RESTWAY_OK, "of the first version")
        XCTAssertEqual(create(104 - 8), .RESTWAY_E_INVALID_ARGUMENT)
        XCTAssertEqual(create(size + 1), .RESTWAY_E_INVALID_ARGUMENT)
        XCTAssertEqual(create(.max - 7), .RESTWAY_E_INVALID_ARGUMENT)
    }
}
