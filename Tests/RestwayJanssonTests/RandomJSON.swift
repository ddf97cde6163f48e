/// Random JSON, mostly with keys that the tests' mapping knows.
enum RandomJSON {
    private static let keys = [
        "id", "any", "bool", "int", "double", "string", "date", "day", "stamp", "bytes", "json",
        "address", "street", "at", "lat", "a", "b", "x",
    ]
    private static let scalars = [
        "null", "true", "false", "0", "1", "2", "-7", "1.5", "3.0", "1e300", "99999999999999999999",
        "1e999", #""""#, #""1""#, #""x\n\"y\"""#, #""2013-02-03""#, #""03/02/2013""#, #""AP8=""#,
    ]

    static func text(_ generator: inout Seeded, _ depth: Int = 0) -> String {
        switch depth > 5 ? 0 : Int.random(in: 0..<10, using: &generator) {
        case 0...3:
            return Self.scalars.randomElement(using: &generator)!
        case 4...5:
            let elements = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                text(&generator, depth + 1)
            }
            return "[" + elements.joined(separator: ",") + "]"
        default:
            let members = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                let key = Self.keys.randomElement(using: &generator)!
                return "\"\(key)\":\(text(&generator, depth + 1))"
            }
            return "{" + members.joined(separator: ",") + "}"
        }
    }
}
