import RestwayMapping
import XCTest

final class ISO8601Tests: XCTestCase {
    func testWellFormedTextIsTheInstantItSays() {
        let cases: [(String, Int64)] = [
            ("1970-01-01", 0),
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-01t00:00:00z", 0),
            ("1970-01-01 00:00:00", 0),
            ("1970-01-01T00:00:00", 0),
            ("1970-01-01T00", 0),
            ("1970-01-01T00:01", 60_000_000),
            ("19700101", 0),
            ("19700101T000001Z", 1_000_000),
            ("19700101T0001", 60_000_000),
            ("1970-01-01T00:00:00.5Z", 500_000),
            ("1970-01-01T00:00:00,25Z", 250_000),
            ("1970-01-01T00:00:00.123456789Z", 123_456),
            ("1970-01-01T01:00:00+01:00", 0),
            ("1970-01-01T01:00:00+0100", 0),
            ("1970-01-01T01:00:00+01", 0),
            ("1969-12-31T23:30:00-00:30", 0),
            ("2013-01-01 00:00:00 +0000", 1_356_998_400_000_000),
            ("1969-12-31T23:59:59Z", -1_000_000),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000_000),
            ("1969-12-31T24:00:00Z", 0),
            ("19691231T24", 0),
            ("1969-12-31T24:00:00.000+00:00", 0),
            ("2000-02-29", 951_782_400_000_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000_000),
            ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
        ]
        for (text, microseconds) in cases {
            XCTAssertEqual(DateFormat.iso8601.parse(text: text), microseconds, text)
        }
    }

    func testEverythingElseIsRefused() {
        let cases = [
            "", " ", "Z", "T", "1970", "1970-01", "197001", "1970-1-1", "70-01-01", "1970-13-01",
            "1970-00-10", "1970-01-00", "1970-01-32", "2023-02-29", "1900-02-29", "1970-04-31",
            "1970-01-01T", "1970-01-01T24:00:01Z", "1970-01-01T00:60:00Z",
            "1970-01-01T00:00:61Z",
            "1970-01-01T00:00:00.Z", "1970-01-01T0:00:00Z", "1970-01-01T00:00:00ZZ",
            "1970-01-01T00:00:00+1", "1970-01-01T00:00:00+24:00", "1970-01-01T00:00:00+01:60",
            "1970-01-01T00:00:00+01:", "1970-01-01Z", " 1970-01-01", "1970-01-01 ",
            "1970-01-01X00:00:00", "1970/01/01", "1970-0101", "197001-01", "-1970-01-01",
            "+1970-01-01", "1970-01-01T00:00:00 ", "1970-01-01T00:0000", "not a date",
            "١٩٧٠-٠١-٠١", "1970-01-01T00:00:00\u{0}",
            "1970-01-01T24:01Z", "1970-01-01T24:00:00.1Z", "1970-01-01T25", "1970-001",
            "1970-W01-1", "1970-01-01T00.5Z", "1970-01-01T00:00:00Z[UTC]",
        ]
        for text in cases {
            XCTAssertNil(DateFormat.iso8601.parse(text: text), text)
        }
    }

    func testFormattingGivesTextThatReadsBack() {
        var generator = Seeded(7)
        let range: ClosedRange<Int64> = -62_167_219_200_000_000...253_402_300_799_999_999
        for _ in 0..<20_000 {
            let date = Int64.random(in: range, using: &generator)
            let text = DateFormat.iso8601.format(date)
            XCTAssertEqual(DateFormat.iso8601.parse(text: text), date, text)
        }
        XCTAssertEqual(DateFormat.iso8601.format(0), "1970-01-01T00:00:00Z")
        XCTAssertEqual(DateFormat.iso8601.format(1_500), "1970-01-01T00:00:00.001500Z")
        XCTAssertEqual(DateFormat.iso8601.format(-1_000), "1969-12-31T23:59:59.999Z")
    }

    func testEveryDayOfFourCenturiesIsOneDayAfterTheOneBefore() {
        var expected = DateFormat.iso8601.parse(text: "1800-01-01")!
        for year in 1_800..<2_200 {
            for month in 1...12 {
                for day in 1...31 {
                    let text = "\(year)-\(padded(month))-\(padded(day))"
                    guard let date = DateFormat.iso8601.parse(text: text) else {
                        XCTAssertGreaterThan(day, 28, text)
                        continue
                    }
                    guard date == expected else { return XCTFail(text) }
                    expected += 86_400_000_000
                }
            }
        }
    }

    func testAnyInstantCanBeFormatted() {
        for date in [Int64.min, .min + 1, .max, -62_167_219_200_000_001, 253_402_300_800_000_000] {
            XCTAssertFalse(DateFormat.iso8601.format(date).isEmpty)
        }
        XCTAssertEqual(
            DateFormat.iso8601.format(-62_167_219_200_000_001), "-0001-12-31T23:59:59.999999Z")
    }

    func testADateNearTheYears1To9999IsWrittenWithAnOffsetThatLeadsThere() {
        let cases = [
            ("9999-12-31T23:59:59-05:00", 253_402_318_799_000_000),
            ("9999-12-31T23:00:00.001-01:00", 253_402_300_800_001_000),
            ("9999-12-31T23:59:59.999999-23:00", 253_402_383_599_999_999),
            ("0001-01-01T00:00:00+01:00", -62_135_600_400_000_000),
            ("0001-01-01T00:59:59.999999+01:00", -62_135_596_800_000_001),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000_000),
        ] as [(String, Int64)]
        for (text, date) in cases {
            XCTAssertEqual(DateFormat.iso8601.format(date), text)
            XCTAssertEqual(DateFormat.iso8601.parse(text: text), date, text)
        }
        var generator = Seeded(11)
        for _ in 0..<5_000 {
            let date = Int64.random(in: DateFormat.dates, using: &generator)
            let text = DateFormat.iso8601.format(date)
            XCTAssertEqual(DateFormat.iso8601.parse(text: text), date, text)
        }
    }

    func testADateThatNoFourDigitsWriteIsNotRead() throws {
        XCTAssertNil(DateFormat.iso8601.parse(text: "0000-01-01T00:00:00+01:00"))
        XCTAssertNil(DateFormat.iso8601.parse(text: "9999-12-31T23:59:59-23:59"))
        let epoch = try DateFormat("epoch")
        XCTAssertEqual(epoch.date(Int64(253_402_300_799)), 253_402_300_799_000_000)
        XCTAssertNil(epoch.date(Int64(1_700_000_000_000)))
        XCTAssertNil(epoch.date(1.7e12))
        XCTAssertNil(epoch.parse(text: "1700000000000"))
    }

    private func padded(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
