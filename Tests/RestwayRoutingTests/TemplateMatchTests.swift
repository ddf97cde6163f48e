import XCTest

@testable import RestwayRouting

final class TemplateMatchTests: XCTestCase {
    private func match(_ template: String, _ path: String) throws -> [String: String]? {
        let template = try PathTemplate(template)
        let found = template.match(path)
        XCTAssertEqual(template.matches(path), found != nil, "\(template) \(path)")
        return found
    }

    func testLeadingAndTrailingSlashQueryAndFragmentNeverDecide() throws {
        for template in [
            "a/:b", "/a/:b", "a/:b/", "/a/{b}/", "a/:b?x={x}", "a/:b{?q,p}", "a/{b}{#f}", "a/:b?",
            "a/:b#x=1",
        ] {
            for path in ["a/1", "/a/1", "a/1/", "/a/1/", "a/1?b=2", "/a/1/?x#y", "a/1#a/b?c"] {
                XCTAssertEqual(try match(template, path), ["b": "1"], "\(template) \(path)")
            }
        }
    }

    func testTheQueryMustHaveTheFixedParametersOfTheTemplate() throws {
        for template in ["a/:b?x=1&y=%20", "/a/{b}/?y=+{&z}&x=1", "a/:b?x=1&w={w}&y=%20#x=2"] {
            for path in ["a/1?x=1&y=%20", "/a/1/?q&y=+&x=1#f", "a/1?x=1&x=2&y=%20&y=1"] {
                XCTAssertEqual(try match(template, path), ["b": "1"], "\(template) \(path)")
            }
            for path in [
                "a/1", "a/1?x=1", "a/1?x=1&y=", "a/1?X=1&y=+", "a/1#?x=1&y=+", "b?x=1&y=+",
            ] {
                XCTAssertNil(try match(template, path), "\(template) \(path)")
            }
        }
        XCTAssertEqual(try match("a?acl", "a?acl"), [:])
        XCTAssertEqual(try match("a?acl", "a?acl="), [:])
        XCTAssertNil(try match("a?acl", "a?policy"))
    }

    func testTheRootMatchesTheRoot() throws {
        for path in ["", "/", "?a", "/#b"] { XCTAssertEqual(try match("/", path), [:]) }
        XCTAssertNil(try match("", "a"))
        XCTAssertNil(try match("a", ""))
        for path in ["//", "///", "a//", "//a", "/a//"] { XCTAssertNil(try match("a/:b", path)) }
        for path in ["//", "a//", "//a"] { XCTAssertNil(try match("a", path)) }
    }

    func testMatchingIsLiteralAndCaseSensitive() throws {
        XCTAssertNil(try match("A/:b", "a/1"))
        XCTAssertNil(try match("a/:b", "a/1/c"))
        XCTAssertNil(try match("a/:b", "a"))
        XCTAssertNil(try match("a.b", "axb"))
        XCTAssertNil(try match("a", "ab"))
        XCTAssertNil(try match("ab", "a"))
    }

    func testLiteralsAreComparedDecoded() throws {
        XCTAssertEqual(try match("caf%C3%A9/:x", "café/1"), ["x": "1"])
        XCTAssertEqual(try match("café/:x", "caf%c3%a9/1"), ["x": "1"])
        XCTAssertEqual(try match("%41", "A"), [:])
        XCTAssertNil(try match("%2541", "%41"))
        XCTAssertNil(try match("a%2Fb", "a/b"))
    }

    func testValuesAreDecoded() throws {
        XCTAssertEqual(try match(":a/:b", "x%2Fy%20z/%C3%A9"), ["a": "x/y z", "b": "é"])
    }

    func testWhatIsNotEncodedUTF8IsTakenRaw() throws {
        XCTAssertEqual(try match(":a", "50%"), ["a": "50%"])
        XCTAssertEqual(try match(":a", "%zz%41"), ["a": "%zz%41"])
        XCTAssertEqual(try match(":a", "%FF%41"), ["a": "%FF%41"])
        XCTAssertEqual(try match("{a}.json", "%FF.json"), ["a": "%FF"])
        XCTAssertEqual(try match("{a}-{b}", "%41%-%42"), ["a": "%41%", "b": "%42"])
    }

    func testEveryShortPathMatchesWithAndWithoutValues() throws {
        let paths = shortTexts(of: ["a", "b", "/", "?", "#", "%", "%61", "%2F"], upTo: 4)
        // A literal may be a character that no path writes as it is.
        for template in [
            "a", "a/b", "/a/", ":x", "a/:x", ":x/b", ":x/:y", "%61", "a%2Fb", "%3F", "%23/a", "%25",
            "%00", "%00/:x",
        ] {
            for path in paths { _ = try match(template, path) }
        }
        XCTAssertNil(try match("%00", "a"))
        XCTAssertNotNil(try match("%00", "%00"))
        XCTAssertNotNil(try match("a%2Fb", "a%2fb"))
        XCTAssertNil(try match("a%2Fb", "a/b"))
    }

    func testAnEmptySegmentNeverMatchesAVariable() throws {
        XCTAssertNil(try match("a/:b/c", "a//c"))
        XCTAssertNil(try match(":a", ""))
        XCTAssertNil(try match("{a}.json", ".json"))
        XCTAssertNil(try match("{a}-{b}", "x-"))
    }

    func testSimpleExpressionsMatchInsideASegment() throws {
        XCTAssertEqual(try match("{name}.json", "a.json"), ["name": "a"])
        XCTAssertEqual(try match("{name}.json", "a.json.json"), ["name": "a.json"])
        XCTAssertEqual(try match("{a}-{b}", "x-y-z"), ["a": "x", "b": "y-z"])
        XCTAssertEqual(try match("v{a}-{b}.z", "v1-.z.z"), ["a": "1", "b": ".z"])
        XCTAssertEqual(try match("{a}--{b}", "---x"), ["a": "-", "b": "x"])
        XCTAssertEqual(try match("{a}{b}", "éx"), ["a": "é", "b": "x"])
        XCTAssertNil(try match("{a}{b}", "é"))
        XCTAssertNil(try match("v{a}", "w1"))
        XCTAssertNil(try match("{a}-{b}", "xy"))
    }

    func testAVariableThatAppearsTwiceHasOneValue() throws {
        XCTAssertEqual(try match(":a/:a", "1/1"), ["a": "1"])
        XCTAssertNil(try match(":a/:a", "1/2"))
    }

    func testOtherExpressionsInThePathNeverMatch() throws {
        for text in ["a{/b}", "a/{+b}", "a/{b,c}", "a/{b:3}", "a/{b*}", "a{.b}", "a{;b}", "{#a}"] {
            let isFragment = text.hasPrefix("{#")
            XCTAssertEqual(try match(text, "a/1") == nil, true)
            XCTAssertEqual(try match(text, "") != nil, isFragment)
        }
    }

    func testEquivalentTemplatesDifferInNamesOnly() throws {
        func same(_ left: String, _ right: String) throws -> Bool {
            try PathTemplate(left).isEquivalent(to: PathTemplate(right))
        }
        XCTAssertTrue(try same("a/:b", "/a/{c}/"))
        XCTAssertTrue(try same("a/:b{?q}", "a/:b?x={y}"))
        XCTAssertTrue(try same("a?x=1&y", "a?y=&x=%31{&z}"))
        XCTAssertFalse(try same("a/:b{?q}", "a/:b?x=1"))
        XCTAssertTrue(try same("%41/:b", "A/:c"))
        XCTAssertTrue(try same("a{/b}", "a{/b}"))
        XCTAssertFalse(try same("a/:b", "a/b"))
        XCTAssertFalse(try same("a/:b/:b", "a/:b/:c"))
        XCTAssertFalse(try same("a/:b", "a{/b}"))
        XCTAssertFalse(try same("a/:b", "a/{b}.json"))
    }
}
