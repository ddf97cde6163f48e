import CLinux
import Glibc

/// Where plugins are looked for.
package struct PluginSearch: Sendable {
    /// In this order.
    package let directories: [String]

    package init(directories: [String]) {
        self.directories = directories
    }

    /// Those of `RESTWAY_PLUGIN_PATH`, between colons, then the one that was installed beside the
    /// library itself. Relative ones are passed over: what they mean depends on who starts the
    /// program, and where.
    package static func standard() -> PluginSearch {
        var directories: [String] = []
        if let path = getenv("RESTWAY_PLUGIN_PATH") {
            directories = String(cString: path).split(separator: ":").map(String.init)
                .filter { $0.hasPrefix("/") }
        }
        if let own = ownDirectory() { directories.append("\(own)/restway/plugins") }
        return PluginSearch(directories: directories)
    }

    /// The file of the plugin called `name`; the names of all that were tried when there is none.
    func file(_ name: String) throws(PluginError) -> String {
        var tried: [String] = []
        for directory in directories {
            let path = "\(directory)/\(name).so"
            if access(path, R_OK) == 0 { return path }
            tried.append(path)
        }
        let list = tried.joined(separator: ", ")
        let places = tried.isEmpty ? "nowhere to look" : "looked for \(list)"
        throw PluginError(.notFound, "plugin \"\(name)\": not found (\(places))")
    }

    /// The directory of the library that this code is part of.
    private static func ownDirectory() -> String? {
        let here: @convention(c) () -> Void = {}
        guard let name = rw_library_of(unsafeBitCast(here, to: UnsafeRawPointer.self)),
            let real = realpath(name, nil)
        else { return nil }
        defer { free(real) }
        let path = String(cString: real)
        return path.lastIndex(of: "/").map { String(path[..<$0]) }
    }
}
