import RestwayMapping
import XCTest

final class DatePatternTests: XCTestCase {
    /// 2013-02-03T04:05:06.789Z, a Sunday.
    private let instant: Int64 = 1_359_864_306_789_000

    func testPatternsReadAndWriteTheirText() throws {
        let day = instant - instant % 86_400_000_000
        let cases: [(String, String, Int64)] = [
            ("yyyy-MM-dd", "2013-02-03", day),
            ("dd/MM/yyyy HH:mm:ss", "03/02/2013 04:05:06", instant - 789_000),
            ("d.M.y", "3.2.2013", day),
            ("yyyyMMdd", "20130203", day),
            ("yyyyMMddHHmmssSSS", "20130203040506789", instant),
            ("yy-MM-dd", "13-02-03", day),
            ("yyyy-MM-dd'T'HH:mm:ss.SSSSSS", "2013-02-03T04:05:06.789000", instant),
            ("yyyy-MM-dd'T'HH:mm:ss.SXXX", "2013-02-03T04:05:06.7Z", instant - 89_000),
            ("yyyy-MM-dd'T'HH:mm:ssxxx", "2013-02-03T04:05:06+00:00", instant - 789_000),
            ("yyyy-MM-dd HH:mm:ss Z", "2013-02-03 04:05:06 +0000", instant - 789_000),
            ("yyyy-MM-dd HH:mm:ss ZZZZ", "2013-02-03 04:05:06 GMT", instant - 789_000),
            ("EEE, dd MMM yyyy HH:mm:ss z", "Sun, 03 Feb 2013 04:05:06 GMT", instant - 789_000),
            ("EEEE d MMMM yyyy", "Sunday 3 February 2013", day),
            ("hh:mm a dd-MM-yyyy", "04:05 AM 03-02-2013", instant - 6_789_000),
            ("K:mm a dd-MM-yyyy", "4:05 AM 03-02-2013", instant - 6_789_000),
            ("k:mm dd-MM-yyyy", "4:05 03-02-2013", instant - 6_789_000),
            ("yyyy 'o''clock' HH", "2013 o'clock 00", 1_356_998_400_000_000),
            ("''yyyy", "'2013", 1_356_998_400_000_000),
            ("yyyy年MM月", "2013年02月", 1_359_676_800_000_000),
        ]
        for (pattern, text, microseconds) in cases {
            let format = try DateFormat(pattern)
            XCTAssertEqual(format.parse(text: text), microseconds, pattern)
            XCTAssertEqual(format.format(microseconds), text, pattern)
        }
    }

    func testReadingTakesOffsetsHalvesOfTheDayAndNamesInAnyCase() throws {
        let cases: [(String, String, String)] = [
            ("yyyy-MM-dd HH:mm Z", "2013-02-03 06:05 +0200", "2013-02-03T04:05Z"),
            ("yyyy-MM-dd HH:mmXXX", "2013-02-03 01:35-02:30", "2013-02-03T04:05Z"),
            ("yyyy-MM-dd HH:mm X", "2013-02-03 06:05 +02", "2013-02-03T04:05Z"),
            ("yyyy-MM-dd HH:mm x", "2013-02-03 06:35 +0230", "2013-02-03T04:05Z"),
            ("yyyy-MM-dd HH:mm z", "2013-02-03 06:05 GMT+2:00", ""),
            ("yyyy-MM-dd HH:mm z", "2013-02-03 06:05 GMT+02:00", "2013-02-03T04:05Z"),
            ("yyyy-MM-dd HH:mm z", "2013-02-03 06:05 CET", ""),
            ("yyyy-MM-dd hh:mm a", "2013-02-03 12:05 am", "2013-02-03T00:05Z"),
            ("yyyy-MM-dd hh:mm a", "2013-02-03 12:05 PM", "2013-02-03T12:05Z"),
            ("yyyy-MM-dd kk:mm", "2013-02-03 24:05", "2013-02-03T00:05Z"),
            ("dd MMM yyyy", "03 FEB 2013", "2013-02-03"),
            ("yy", "69", "1969-01-01"),
            ("yy", "68", "2068-01-01"),
        ]
        for (pattern, text, instant) in cases {
            XCTAssertEqual(
                try DateFormat(pattern).parse(text: text), DateFormat.iso8601.parse(text: instant),
                "\(pattern): \(text)")
        }
    }

    func testTextThatDoesNotFitIsRefused() throws {
        let cases = [
            ("yyyy-MM-dd", ""), ("yyyy-MM-dd", "2013-2-3"), ("yyyy-MM-dd", "2013-02-30"),
            ("yyyy-MM-dd", "2013-02-03 "), ("yyyy-MM-dd", "2013-02-03T00:00"),
            ("yyyy-MM-dd", "13-02-03"), ("yyyy-MM-dd", "2013-02"), ("yyyy-MM-dd", "2013/02/03"),
            ("HH:mm", "24:00"), ("HH:mm", "23:60"), ("hh:mm a", "13:00 PM"),
            ("hh:mm a", "00:10 AM"), ("hh:mm a", "10:10 XM"), ("KK:mm a", "12:00 AM"),
            ("kk:mm", "00:10"), ("HH:mm:ss", "00:00:61"), ("ss.SSS", "00.12"),
            ("EEE dd MMM yyyy", "Mon 03 Feb 2013"), ("dd MMM yyyy", "03 Fev 2013"),
            ("yyyyXXX", "2013+0100"), ("yyyy XX", "2013 +01"), ("yyyy Z", "2013 Z"),
        ]
        for (pattern, text) in cases {
            XCTAssertNil(try DateFormat(pattern).parse(text: text), "\(pattern): \(text)")
        }
    }

    func testBadPatternsAreErrors() {
        let cases: [(String, DateFormatError)] = [
            ("", .noField), ("--", .noField), ("'yyyy'", .noField), ("'yyyy", .unterminatedQuote),
            ("yyyy-'", .unterminatedQuote), ("iso", .unknownLetter("i")),
            ("YYYY-MM-dd", .unknownLetter("Y")), ("yyyy-MM-DD", .unknownLetter("D")),
            ("ddd", .unsupportedWidth("ddd")), ("MMMMM", .unsupportedWidth("MMMMM")),
            ("yyyyy", .unsupportedWidth("yyyyy")), ("SSSSSSSSSS", .unsupportedWidth("SSSSSSSSSS")),
            ("EEEEEE", .unsupportedWidth("EEEEEE")), ("ZZZZZZ", .unsupportedWidth("ZZZZZZ")),
        ]
        for (pattern, error) in cases {
            XCTAssertThrowsError(try DateFormat(pattern), pattern) {
                XCTAssertEqual($0 as? DateFormatError, error)
                XCTAssertFalse((($0 as? DateFormatError)?.message ?? "").isEmpty)
            }
        }
    }

    func testEpochsAreNumbers() throws {
        let (seconds, milliseconds) = (try DateFormat("epoch"), try DateFormat("epochMilliseconds"))
        XCTAssertEqual(seconds.date(Int64(1_700_000_000)), 1_700_000_000_000_000)
        XCTAssertEqual(milliseconds.date(Int64(1_700_000_000_123)), 1_700_000_000_123_000)
        XCTAssertEqual(seconds.date(1.5), 1_500_000)
        XCTAssertEqual(seconds.date(-0.000_001), -1)
        XCTAssertEqual(milliseconds.date(0.5), 500)
        XCTAssertNil(seconds.date(Int64.max))
        XCTAssertNil(seconds.date(1e30))
        XCTAssertNil(seconds.date(Double.nan))
        XCTAssertNil(DateFormat.iso8601.date(Int64(1)))
    }

    func testEpochsFormatAndReadBack() throws {
        for name in ["epoch", "epochMilliseconds"] {
            let format = try DateFormat(name)
            let (first, last) = (DateFormat.dates.lowerBound, DateFormat.dates.upperBound)
            for date in [0, 1, -1, 1_500, -1_500_000, 1_700_000_000_000_000, first, last] {
                let text = format.format(date)
                XCTAssertEqual(format.parse(text: text), date, text)
            }
            for date in [first - 1, last + 1, .min, .max] {
                XCTAssertNil(format.parse(text: format.format(date)))
            }
        }
        XCTAssertEqual(try DateFormat("epoch").format(-1_500_000), "-1.5")
        for text in ["", "-", "1.", ".5", "1e3", "0x1", "999999999999999999", "1 "] {
            XCTAssertNil(try DateFormat("epoch").parse(text: text), text)
        }
    }

    func testNoTextAndNoPatternTraps() {
        var generator = Seeded(3)
        let alphabet = Array("yMdHhKkmsSaEZXxz'-: .T0123456789+GMTUCJanFebé".unicodeScalars)
        func random(_ count: Int) -> String {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...count, using: &generator) {
                text.append(alphabet.randomElement(using: &generator)!)
            }
            return String(text)
        }
        for _ in 0..<5_000 {
            guard let format = try? DateFormat(random(12)) else { continue }
            for _ in 0..<10 { _ = format.parse(text: random(16)) }
            let date = Int64.random(in: .min ... .max, using: &generator)
            _ = format.format(date)
        }
    }
}
