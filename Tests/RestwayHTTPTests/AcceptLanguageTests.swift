import XCTest

@testable import RestwayHTTP

final class AcceptLanguageTests: XCTestCase {
    func testEachLanguageHasLessWeightThanTheOneBefore() {
        XCTAssertEqual(AcceptLanguage.value(["de-CH", "de", "en"]), "de-CH, de;q=0.9, en;q=0.8")
        let most = (0..<AcceptLanguage.languagesMax).map { "a\($0)" }
        XCTAssertTrue(AcceptLanguage.value(most).hasSuffix(", a9;q=0.1"))
    }

    func testOnlyLanguageRangesAreTaken() {
        for text in ["de", "de-CH", "zh-Hant-CN", "x-klingon", "en-001", "*"] {
            XCTAssertTrue(AcceptLanguage.isRange(text), text)
        }
        for text in ["", "-", "de-", "-de", "de_CH", "12", "ninechars", "de--CH", "de;q=1", "dé"] {
            XCTAssertFalse(AcceptLanguage.isRange(text), text)
        }
    }
}
