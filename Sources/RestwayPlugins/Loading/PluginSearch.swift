import CLinux
import Glibc

/// The directories in which plugins are looked for.
package struct PluginSearch: Sendable {
    /// The directories in the order of the search.
    package let directories: [String]

    package init(directories: [String]) {
        self.directories = directories
    }

    /// The directories in `RESTWAY_PLUGIN_PATH`, separated by colons, then the plugin directory
    /// beside the library itself. Relative directories are skipped, because their meaning depends
    /// on how the program was started.
    package static func standard() -> PluginSearch {
        var directories: [String] = []
        if let path = getenv("RESTWAY_PLUGIN_PATH") {
            directories = String(cString: path).split(separator: ":").map(String.init)
                .filter { $0.hasPrefix("/") }
        }
        if let own = ownDirectory() { directories.append("\(own)/restway/plugins") }
        return PluginSearch(directories: directories)
    }

    /// The file of the plugin called `name`. If there is no file, the error names every file that
    /// was tried.
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
