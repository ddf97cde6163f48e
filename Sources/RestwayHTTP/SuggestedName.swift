import RestwayText

/// The name under which a server suggests to save a body (RFC 6266, RFC 8187), made safe for any
/// folder: it has no path, no control character, no leading dot and at most 200 bytes, and it is
/// no name of a device.
package enum SuggestedName {
    private static let bytesMax = 200
    /// Names that Windows takes for devices, whatever their extension is.
    private static let devices: Set<String> = Set(
        ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"]
            + ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"].flatMap {
                ["com\($0)", "lpt\($0)"]
            })

    /// Returns the name from `Content-Disposition` or, without one, from the end of the URL's path.
    ///
    /// - Returns: `nil` if neither has a name.
    package static func find(_ headers: Headers, url: String) -> String? {
        headers[first: "Content-Disposition"].flatMap(disposition).flatMap(safe)
            ?? fromPath(url).flatMap(safe)
    }

    private static func fromPath(_ url: String) -> String? {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        guard let colon = path.firstIndex(of: ":"), path[colon...].hasPrefix("://") else {
            return nil
        }
        let parts = path[colon...].dropFirst(3).split(
            separator: "/", omittingEmptySubsequences: false)
        return parts.count > 1 ? parts.last.map { URLText.decoded(String($0)) } : nil
    }

    // MARK: Content-Disposition

    /// Returns the file name of a field value. The extended form counts before the plain form.
    private static func disposition(_ value: String) -> String? {
        let parameters = HeaderParameters.read(value)
        return parameters["filename*"].flatMap(extended) ?? parameters["filename"]
    }

    /// Decodes the extended form: charset'language'percent-encoded (RFC 8187, section 3.2).
    private static func extended(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let decoded = PercentEncoding.decode(Array(parts[2].utf8)[...])
        guard decoded.isWellFormed else { return nil }
        let bytes = decoded.bytes
        switch parts[0].lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }

    // MARK: Safety

    /// Makes a name safe; `nil` if nothing is left of it.
    static func safe(_ name: String) -> String? {
        let last = name.split(
            omittingEmptySubsequences: false, whereSeparator: { $0 == "/" || $0 == "\\" }
        ).last ?? ""
        let scalars = last.unicodeScalars.filter { isVisible($0) }
        var text = String(String.UnicodeScalarView(scalars))
        text = String(text.drop { $0 == "." || $0 == " " })
        while let end = text.last, end == "." || end == " " { text.removeLast() }
        if isDevice(text) { text = "_" + text }
        return text.isEmpty ? nil : shortened(text)
    }

    /// Whether Windows takes a name for a device: it reads the name to its first dot or colon, and
    /// ignores spaces at the end of that.
    private static func isDevice(_ name: String) -> Bool {
        var stem = name.prefix { $0 != "." && $0 != ":" }
        while stem.last == " " { stem.removeLast() }
        return devices.contains(stem.lowercased())
    }

    /// Whether a scalar is shown as it is: no control character, and none that changes the
    /// direction of a text, which can hide the extension of a name.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    /// Cuts the middle of a long name, so that its extension stays.
    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > bytesMax else { return name }
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        var ending = name[dot...]
        if ending.utf8.count > bytesMax / 4 { ending = "" }
        var stem = name[..<(ending.isEmpty ? name.endIndex : dot)]
        while stem.utf8.count + ending.utf8.count > bytesMax { stem.removeLast() }
        return String(stem + ending)
    }
}
