import Foundation
import Restway

let api: API = try! API(file: "tracker.json")
let client: Client = try! Client(api)
let token = ""
let password = ""

struct Company: Decodable {}
struct Unsigned: Error {}

struct Fault: Error {
    init(_ fault: JSON) {}
}

func signature(of body: Data?) -> String { "" }
func signature(of url: String, _ body: Data?) -> String { "" }
func rows(of body: Data) -> [JSON] { [] }
func csv(_ values: JSON) -> String { "" }
func total(_ lines: JSON?) -> Double { 0 }
func count(_ event: CallEvent) {}
func export(_ span: CallSpan) {}

actor Tokens {
    func next() -> String { "" }
}

let tokens = Tokens()

actor Session {
    func newToken() throws -> String? { nil }
}

let session = Session()

struct Keychain {
    func write(_ credential: Credential) {}
}

let keychain = Keychain()
