import RestwayText
import XCTest

@testable import RestwayRouting

/// The examples of RFC 6570, section 3.2. An undefined `{undef}` alone is an error in Restway.
final class RFC6570Tests: XCTestCase {
    private let values: [String: VariableValue] = [
        "count": .list(["one", "two", "three"]),
        "dom": .list(["example", "com"]),
        "dub": .string("me/too"),
        "hello": .string("Hello World!"),
        "half": .string("50%"),
        "var": .string("value"),
        "who": .string("fred"),
        "base": .string("http://example.com/home/"),
        "path": .string("/foo/bar"),
        "list": .list(["red", "green", "blue"]),
        "keys": .map([
            Pair(name: "semi", value: ";"), Pair(name: "dot", value: "."),
            Pair(name: "comma", value: ","),
        ]),
        "v": .string("6"),
        "x": .string("1024"),
        "y": .string("768"),
        "empty": .string(""),
        "empty_keys": .map([]),
    ]

    private func check(_ examples: [(String, String)], line: UInt = #line) throws {
        for (text, expected) in examples {
            let expansion = try PathTemplate(text).expand(with: values)
            XCTAssertEqual(expansion, expected, text, line: line)
        }
    }

    func testVariableExpansionAsInSection321() throws {
        try check([
            ("{count}", "one,two,three"), ("{count*}", "one,two,three"),
            ("{/count}", "/one,two,three"), ("{/count*}", "/one/two/three"),
            ("{;count}", ";count=one,two,three"),
            ("{;count*}", ";count=one;count=two;count=three"),
            ("{?count}", "?count=one,two,three"),
            ("{?count*}", "?count=one&count=two&count=three"),
            ("{&count*}", "&count=one&count=two&count=three"),
        ])
    }

    func testSimpleExpansionAsInSection322() throws {
        try check([
            ("{var}", "value"), ("{hello}", "Hello%20World%21"), ("{half}", "50%25"),
            ("O{empty}X", "OX"), ("{x,y}", "1024,768"),
            ("{x,hello,y}", "1024,Hello%20World%21,768"),
            ("?{x,empty}", "?1024,"), ("?{x,undef}", "?1024"), ("?{undef,y}", "?768"),
            ("{var:3}", "val"), ("{var:30}", "value"), ("{list}", "red,green,blue"),
            ("{list*}", "red,green,blue"), ("{keys}", "semi,%3B,dot,.,comma,%2C"),
            ("{keys*}", "semi=%3B,dot=.,comma=%2C"),
        ])
    }

    func testReservedExpansionAsInSection323() throws {
        try check([
            ("{+var}", "value"), ("{+hello}", "Hello%20World!"), ("{+half}", "50%25"),
            ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
            ("{+base}index", "http://example.com/home/index"), ("O{+empty}X", "OX"),
            ("O{+undef}X", "OX"), ("{+path}/here", "/foo/bar/here"),
            ("here?ref={+path}", "here?ref=/foo/bar"),
            ("up{+path}{var}/here", "up/foo/barvalue/here"),
            ("{+x,hello,y}", "1024,Hello%20World!,768"), ("{+path,x}/here", "/foo/bar,1024/here"),
            ("{+path:6}/here", "/foo/b/here"), ("{+list}", "red,green,blue"),
            ("{+list*}", "red,green,blue"), ("{+keys}", "semi,;,dot,.,comma,,"),
            ("{+keys*}", "semi=;,dot=.,comma=,"),
        ])
    }

    func testFragmentExpansionAsInSection324() throws {
        try check([
            ("{#var}", "#value"), ("{#hello}", "#Hello%20World!"), ("{#half}", "#50%25"),
            ("foo{#empty}", "foo#"), ("foo{#undef}", "foo"),
            ("{#x,hello,y}", "#1024,Hello%20World!,768"), ("{#path,x}/here", "#/foo/bar,1024/here"),
            ("{#path:6}/here", "#/foo/b/here"), ("{#list}", "#red,green,blue"),
            ("{#list*}", "#red,green,blue"), ("{#keys}", "#semi,;,dot,.,comma,,"),
            ("{#keys*}", "#semi=;,dot=.,comma=,"),
        ])
    }

    func testLabelExpansionAsInSection325() throws {
        try check([
            ("{.who}", ".fred"), ("{.who,who}", ".fred.fred"), ("{.half,who}", ".50%25.fred"),
            ("www{.dom*}", "www.example.com"), ("X{.var}", "X.value"), ("X{.empty}", "X."),
            ("X{.undef}", "X"), ("X{.var:3}", "X.val"), ("X{.list}", "X.red,green,blue"),
            ("X{.list*}", "X.red.green.blue"), ("X{.keys}", "X.semi,%3B,dot,.,comma,%2C"),
            ("X{.keys*}", "X.semi=%3B.dot=..comma=%2C"), ("X{.empty_keys}", "X"),
            ("X{.empty_keys*}", "X"),
        ])
    }

    func testPathSegmentExpansionAsInSection326() throws {
        try check([
            ("{/who}", "/fred"), ("{/who,who}", "/fred/fred"), ("{/half,who}", "/50%25/fred"),
            ("{/who,dub}", "/fred/me%2Ftoo"), ("{/var}", "/value"), ("{/var,empty}", "/value/"),
            ("{/var,undef}", "/value"), ("{/var,x}/here", "/value/1024/here"),
            ("{/var:1,var}", "/v/value"), ("{/list}", "/red,green,blue"),
            ("{/list*}", "/red/green/blue"), ("{/list*,path:4}", "/red/green/blue/%2Ffoo"),
            ("{/keys}", "/semi,%3B,dot,.,comma,%2C"), ("{/keys*}", "/semi=%3B/dot=./comma=%2C"),
        ])
    }

    func testParameterExpansionAsInSection327() throws {
        try check([
            ("{;who}", ";who=fred"), ("{;half}", ";half=50%25"), ("{;empty}", ";empty"),
            ("{;v,empty,who}", ";v=6;empty;who=fred"), ("{;v,bar,who}", ";v=6;who=fred"),
            ("{;x,y}", ";x=1024;y=768"), ("{;x,y,empty}", ";x=1024;y=768;empty"),
            ("{;x,y,undef}", ";x=1024;y=768"), ("{;hello:5}", ";hello=Hello"),
            ("{;list}", ";list=red,green,blue"), ("{;list*}", ";list=red;list=green;list=blue"),
            ("{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"),
            ("{;keys*}", ";semi=%3B;dot=.;comma=%2C"),
        ])
    }

    func testQueryExpansionAsInSections328And329() throws {
        try check([
            ("{?who}", "?who=fred"), ("{?half}", "?half=50%25"), ("{?x,y}", "?x=1024&y=768"),
            ("{?x,y,empty}", "?x=1024&y=768&empty="), ("{?x,y,undef}", "?x=1024&y=768"),
            ("{?var:3}", "?var=val"), ("{?list}", "?list=red,green,blue"),
            ("{?list*}", "?list=red&list=green&list=blue"),
            ("{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"),
            ("{?keys*}", "?semi=%3B&dot=.&comma=%2C"), ("{&who}", "&who=fred"),
            ("{&half}", "&half=50%25"), ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
            ("{&x,y,empty}", "&x=1024&y=768&empty="), ("{&var:3}", "&var=val"),
            ("{&list}", "&list=red,green,blue"), ("{&list*}", "&list=red&list=green&list=blue"),
            ("{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"),
            ("{&keys*}", "&semi=%3B&dot=.&comma=%2C"),
        ])
    }

    func testPrefixCountsCharactersAndKeepsTripletsWhole() throws {
        let values: [String: VariableValue] = ["a": .string("größe"), "b": .string("%C3%B6x")]
        XCTAssertEqual(try PathTemplate("{a:3}").expand(with: values), "gr%C3%B6")
        XCTAssertEqual(try PathTemplate("{+b:2}").expand(with: values), "%C3%B6")
        XCTAssertEqual(try PathTemplate("{a:9999}").expand(with: values), "gr%C3%B6%C3%9Fe")
    }

    func testAPrefixOfAListIsAnError() throws {
        XCTAssertEqual(
            failure(try PathTemplate("{?list:2}").expand(with: values)),
            .unusableVariable(
                name: "list", template: "{?list:2}", reason: "a list or an object has no prefix"))
    }
}
