import CRestwayPlugin
import RestwayHTTP

/// Reads header lines from a plugin.
enum ForeignHeaders {
    private static let countMax = 2_000

    /// The headers; `nil` if the lines are not valid header lines.
    static func read(
        _ pointer: UnsafePointer<restway_plugin_header>?, _ count: Int
    ) -> Headers? {
        guard count > 0 else { return Headers() }
        guard let pointer, count <= countMax else { return nil }
        var fields: [HeaderField] = []
        fields.reserveCapacity(count)
        for index in 0..<count {
            guard let name = pointer[index].name, let value = pointer[index].value,
                let field = HeaderField(name: name, value: value)
            else { return nil }
            fields.append(field)
        }
        return Headers(fields)
    }

    static func problem(_ what: String) -> String {
        "gives \(what) with a line that is no header"
    }
}
