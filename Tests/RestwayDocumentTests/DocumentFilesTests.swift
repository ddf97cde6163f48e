import Glibc
import XCTest

@testable import RestwayDocument
@testable import RestwayOutcome

/// Variables of the environment in documents, and documents that include other files.
final class DocumentFilesTests: XCTestCase {
    private var folder = ""

    override func setUp() {
        var template = Array("/tmp/restway-documents-XXXXXX".utf8CString)
        folder = String(cString: mkdtemp(&template))
        setenv("RESTWAY_TEST_HOST", "a.test", 1)
        setenv("RESTWAY_TEST_SECRET", "s3cr:et", 1)
        unsetenv("RESTWAY_TEST_MISSING")
    }

    override func tearDown() {
        for name in ["api.json", "a.json", "b.json", "more/c.json"] { unlink("\(folder)/\(name)") }
        rmdir("\(folder)/more")
        rmdir(folder)
    }

    private func write(_ name: String, _ text: String) {
        mkdir("\(folder)/more", 0o700)
        let file = fopen("\(folder)/\(name)", "w")
        fputs(text, file)
        fclose(file)
    }

    private func load(_ text: String) throws(Failure) -> APIDefinition {
        write("api.json", text)
        return try API(file: "\(folder)/api.json").definition
    }

    /// Returns the problems of a document as "path: message".
    private func problems(_ text: String) -> [String] {
        do {
            _ = try load(text)
            return []
        } catch {
            return error.details.map { "\($0.path): \($0.message)" }
        }
    }

    // MARK: The names of files

    func testAProblemNamesTheFileOfTheDocument() {
        func message(_ text: String) -> String? {
            do {
                _ = try load(text)
                return nil
            } catch {
                return error.message
            }
        }
        let file = "\(folder)/api.json"
        XCTAssertEqual(
            message(#"{"restway": 1, "baseurl": 1}"#),
            "\(file): $.baseurl: unknown key \"baseurl\"")
        XCTAssertTrue(
            message(#"{"restway": 1,"#)?.hasPrefix("\(file): $: not valid JSON: ") ?? false)
        // The place of a problem in an included file has the name of that file.
        write("a.json", #"{"restway": 1, "x": 1}"#)
        XCTAssertEqual(
            message(#"{"restway": 1, "include": "a.json"}"#), "a.json: $.x: unknown key \"x\"")
        // The places of the details stay places in the document.
        XCTAssertEqual(problems(#"{"restway": 2}"#), ["$.restway: must be 1, the format's version"])
    }

    // MARK: Variables

    func testVariablesStandInEnvironmentsHeadersAuthAndPaths() throws {
        let definition = try load(
            """
            {"restway": 1,
             "environments": {"e": {"host": "${RESTWAY_TEST_HOST}", "port": 8443,
                "headers": {"X-A": "$${RESTWAY_TEST_HOST} $1 $$ ${RESTWAY_TEST_HOST}$"}}},
             "auth": {"scheme": "bearer", "token": "${RESTWAY_TEST_SECRET}"},
             "store": {"kind": "sqlite", "path": "${RESTWAY_TEST_HOST}.db"},
             "routes": {"r": {"path": "a/{b}", "headers": {"X-R": "${RESTWAY_TEST_HOST}"}}}}
            """)
        let environment = try XCTUnwrap(definition.environments["e"])
        XCTAssertEqual(environment.baseURL.text, "https://a.test:8443")
        XCTAssertEqual(environment.headers.map(\.value), ["${RESTWAY_TEST_HOST} $1 $$ a.test$"])
        XCTAssertEqual(definition.auth.credential.token?.revealed, "s3cr:et")
        XCTAssertEqual(definition.storage.store.path, "\(folder)/a.test.db")
        let route = try definition.routes.route(named: "r")
        XCTAssertEqual(definition.settings(of: route).headers.map(\.value), ["a.test"])
    }

    func testAMissingVariableIsAProblemThatNamesItAndItsPlace() {
        XCTAssertEqual(
            problems(#"{"restway": 1, "headers": {"X-A": "${RESTWAY_TEST_MISSING}"}}"#),
            [
                "$.headers.X-A: the environment variable \"RESTWAY_TEST_MISSING\" is not set"
            ])
    }

    func testAProblemNeverShowsTheValueOfAVariable() {
        let found = problems(
            """
            {"restway": 1, "environments": {
                "a": {"host": "${RESTWAY_TEST_SECRET}"}, "b": {"baseURL": "${RESTWAY_TEST_SECRET}"},
                "c": {"host": "a", "port": "${RESTWAY_TEST_SECRET}"},
                "d": {"host": "a", "protocol": "${RESTWAY_TEST_SECRET}"},
                "e": {"host": "a", "proxy": "http://x:${RESTWAY_TEST_SECRET}"}},
             "auth": {"scheme": "${RESTWAY_TEST_SECRET}", "user": "${RESTWAY_TEST_SECRET}"}}
            """)
        XCTAssertEqual(found.count, 6)
        for problem in found { XCTAssertFalse(problem.contains("s3cr"), problem) }
    }

    func testTheOwnPortOfAProtocolIsLeftOut() throws {
        for (parts, url) in [
            (#""host": "a""#, "https://a"), (#""host": "a", "port": 443"#, "https://a"),
            (#""host": "a", "port": 80"#, "https://a:80"),
            (#""protocol": "http", "host": "a", "port": 80"#, "http://a"),
            (#""protocol": "http", "host": "a", "port": "0""#, "http://a"),
            (#""protocol": "http", "host": "::1", "port": "8080""#, "http://[::1]:8080"),
            (#""host": "a", "path": "/p/", "version": "v1""#, "https://a/p/v1"),
        ] {
            let definition = try load(
                "{\"restway\": 1, \"environments\": {\"e\": {\(parts)}}}")
            XCTAssertEqual(definition.environments["e"]?.baseURL.text, url)
        }
    }

    // MARK: Files

    func testFilesAreJoinedAndMayNameEachOthersParts() throws {
        write(
            "a.json",
            """
            {"restway": 1, "include": "more/c.json", "headers": {"X-A": "1"},
             "routes": {"child": {"parent": "base", "path": "child",
                                  "response": {"entity": "Thing"}}}}
            """)
        write(
            "more/c.json",
            """
            {"restway": 1, "entities": {"Thing": {"attributes": {"x": "x"}}},
             "store": {"kind": "sqlite", "path": "objects.db"}, "x-note": 1}
            """)
        let definition = try load(
            """
            {"restway": 1, "include": ["a.json", "more/c.json"], "headers": {"X-B": "2"},
             "routes": {"base": {"path": "base"}}}
            """)
        XCTAssertEqual(definition.environments.headers.map(\.name), ["X-A", "X-B"])
        XCTAssertEqual(definition.entities.map(\.name), ["Thing"])
        XCTAssertEqual(definition.routes.all.compactMap(\.name), ["child", "base"])
        XCTAssertEqual(definition.storage.store.path, "\(folder)/more/objects.db")
    }

    func testAProblemNamesTheFileAndThePlace() {
        write("a.json", #"{"restway": 1, "include": "more/c.json", "routes": {"r": {"path": 7}}}"#)
        write("more/c.json", #"{"restway": 1, "bogus": 1}"#)
        XCTAssertEqual(
            problems(#"{"restway": 1, "include": "a.json"}"#),
            [
                "more/c.json: $.bogus: unknown key \"bogus\"",
                "a.json: $.routes.r.path: must be a string, is a whole number",
            ])
        write("more/c.json", "{")
        let found = problems(#"{"restway": 1, "include": "more/c.json"}"#)
        XCTAssertEqual(found.map { $0.hasPrefix("more/c.json: $: ") }, [true])
    }

    func testWhatStandsTwiceIsAProblem() {
        write(
            "a.json",
            #"{"restway": 1, "routes": {"r": {"path": "a"}}, "forms": {}, "headers": {"X": "1"}}"#)
        XCTAssertEqual(
            problems(
                """
                {"restway": 1, "include": "a.json", "routes": {"r": {"path": "b"}}, "forms": {},
                 "headers": {"X": "2"}}
                """
            ).sorted(),
            [
                "$.forms: \"forms\" stands in \"a.json\" already",
                "$.headers.X: \"X\" stands in \"a.json\" already",
                "$.routes.r: \"r\" stands in \"a.json\" already",
            ])
    }

    func testAFileThatIncludesItselfIsRefusedWithTheChain() {
        write("a.json", #"{"restway": 1, "include": "more/c.json"}"#)
        write("more/c.json", #"{"restway": 1, "include": ["../b.json", "../a.json"]}"#)
        write("b.json", #"{"restway": 1, "include": "./api.json"}"#)
        XCTAssertEqual(
            problems(#"{"restway": 1, "include": "a.json"}"#),
            [
                "more/../b.json: $.include: the file includes itself: "
                    + "api.json -> a.json -> more/c.json -> more/../b.json -> api.json",
                "more/c.json: $.include[1]: the file includes itself: "
                    + "a.json -> more/c.json -> a.json",
            ])
    }

    func testAMissingFileAndAURLAreProblems() {
        let found = problems(
            #"{"restway": 1, "include": ["none.json", "https://a.test/b.json", "file:///a"]}"#)
        XCTAssertEqual(
            found[0],
            "$.include[0]: cannot read \"\(folder)/none.json\": No such file or directory")
        XCTAssertEqual(found.count, 3)
        XCTAssertTrue(found[1].hasSuffix("is a path on this machine, not a URL"), found[1])
    }
}
