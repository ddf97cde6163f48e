import Glibc
import RestwayCurl
import XCTest

/// The search for the system's trusted certificates, in a folder in place of the file system.
final class SystemAuthoritiesTests: XCTestCase {
    private var root = ""

    override func setUp() {
        var name = Array("/tmp/restway-authorities-XXXXXX".utf8CString)
        root = String(cString: mkdtemp(&name))
    }

    override func tearDown() {
        for file in SystemAuthorities.knownFiles {
            remove(root + file)
            for folder in folders(of: file).reversed() { rmdir(root + folder) }
        }
        XCTAssertEqual(rmdir(root), 0)
    }

    /// Returns the folders above a file, the outermost folder first.
    private func folders(of file: String) -> [String] {
        let names = file.split(separator: "/").dropLast()
        return names.indices.map { "/" + names[...$0].joined(separator: "/") }
    }

    private func make(_ file: String) {
        for folder in folders(of: file) { mkdir(root + folder, 0o700) }
        let made = fopen(root + file, "w")
        XCTAssertNotNil(made, file)
        if let made { fclose(made) }
    }

    private func find(_ variables: [String: String] = [:]) -> SystemAuthorities {
        SystemAuthorities.find(below: root) { variables[$0] }
    }

    func testTheFileOfEachDistributionIsFound() {
        for file in SystemAuthorities.knownFiles {
            make(file)
            XCTAssertEqual(find(), SystemAuthorities(file: root + file, folder: nil))
            remove(root + file)
        }
    }

    func testTheFirstFileThatExistsIsTaken() {
        for file in SystemAuthorities.knownFiles { make(file) }
        XCTAssertEqual(find().file, root + SystemAuthorities.knownFiles[0])
    }

    func testASystemWithoutCertificatesHasNoPlaces() {
        XCTAssertTrue(find().areUnknown)
    }

    func testTheVariablesReplaceThePlacesOfTheSystem() {
        make(SystemAuthorities.knownFiles[0])
        XCTAssertEqual(
            find(["SSL_CERT_FILE": "/my/file.pem"]),
            SystemAuthorities(file: "/my/file.pem", folder: nil))
        XCTAssertEqual(
            find(["SSL_CERT_DIR": "/my/folder"]),
            SystemAuthorities(file: nil, folder: "/my/folder"))
        XCTAssertEqual(
            find(["SSL_CERT_FILE": "/my/file.pem", "SSL_CERT_DIR": "/my/folder"]),
            SystemAuthorities(file: "/my/file.pem", folder: "/my/folder"))
    }

    func testAnEmptyVariableNamesNoPlace() {
        let names = ["SSL_CERT_FILE", "SSL_CERT_DIR"]
        let before = names.map { getenv($0).map { String(cString: $0) } }
        defer {
            for (name, value) in zip(names, before) {
                unsetenv(name)
                if let value { setenv(name, value, 1) }
            }
        }
        make(SystemAuthorities.knownFiles[0])
        for name in names { setenv(name, "", 1) }
        XCTAssertEqual(
            SystemAuthorities.find(below: root).file, root + SystemAuthorities.knownFiles[0])
    }
}
