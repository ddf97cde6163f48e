import Glibc
import RestwaySupport

/// The plugins of the process: each is loaded once.
package final class PluginRegistry: Sendable {
    package static let shared = PluginRegistry()

    /// A queue of its own: a plugin may do anything while it starts, so no lock is held then.
    private let loading = Monitor<State>(State())

    private struct State {
        var plugins: [Plugin] = []
        var isLoading = false
    }

    package init() {}

    /// In the order in which they were loaded.
    package var plugins: [Plugin] { loading.withLock { $0.plugins } }

    /// The plugin at an absolute path, or of that name where `search` finds it.
    ///
    /// One that is loaded already is given again when its options are the same.
    package func load(
        _ pathOrName: String, options: String?, search: PluginSearch = .standard()
    ) throws(PluginError) -> Plugin {
        let path = try Self.path(pathOrName, search)
        _ = loading.wait { state -> Bool? in
            guard !state.isLoading else { return nil }
            state.isLoading = true
            return true
        }
        defer { loading.update { $0.isLoading = false } }
        if let plugin = loading.withLock({ $0.plugins.first { $0.path == path } }) {
            guard plugin.options == options else {
                throw PluginError(
                    .duplicate,
                    "plugin \"\(plugin.name)\": is loaded already, with other options")
            }
            return plugin
        }
        let plugin = try Plugin(path: path, options: options)
        let other = loading.withLock { $0.plugins.first { $0.name == plugin.name } }
        if let other {
            throw PluginError(
                .duplicate, "plugin \(path): is called \"\(plugin.name)\", as is \(other.path)")
        }
        loading.update { $0.plugins.append(plugin) }
        return plugin
    }

    private static func path(
        _ pathOrName: String, _ search: PluginSearch
    ) throws(PluginError) -> String {
        let path: String
        if pathOrName.hasPrefix("/") {
            path = pathOrName
        } else if PluginText.isName(pathOrName) {
            path = try search.file(pathOrName)
        } else {
            throw PluginError(
                .notFound,
                "plugin \"\(pathOrName)\": neither an absolute path nor a name of letters, digits,"
                    + " - and _")
        }
        guard let real = realpath(path, nil) else {
            throw PluginError(.notFound, "plugin \(path): \(String(cString: strerror(errno)))")
        }
        defer { free(real) }
        return String(cString: real)
    }
}
