import Glibc
import RestwayThreads

/// The plugins of the process. Each plugin is loaded once.
package final class PluginRegistry: Sendable {
    package static let shared = PluginRegistry()

    /// Makes loads wait for each other without a lock, because a starting plugin may do anything.
    private let loading: Monitor<State>

    private struct State {
        var plugins: [Plugin] = []
        /// The generation of the process in which a plugin is being loaded. A forked child lacks
        /// the thread that loads it.
        var loadingGeneration: Int?
    }

    package init() {
        loading = ForkBarrier.guarded(Monitor<State>(State()))
    }

    /// The plugins in the order in which they were loaded.
    package var plugins: [Plugin] { loading.withLock { $0.plugins } }

    /// Loads the plugin at an absolute path, or the plugin of this name that `search` finds.
    ///
    /// A plugin that is already loaded is returned again if its options are the same.
    package func load(
        _ pathOrName: String, options: String?, search: PluginSearch = .standard()
    ) throws(PluginError) -> Plugin {
        let path = try Self.path(pathOrName, search)
        _ = loading.wait { state -> Bool? in
            let generation = ProcessGeneration.current
            guard state.loadingGeneration != generation else { return nil }
            state.loadingGeneration = generation
            return true
        }
        defer { loading.update { $0.loadingGeneration = nil } }
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
                .duplicate,
                "plugin \(path): is called \"\(plugin.name)\", like plugin \(other.path)")
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

/// Why a plugin cannot be loaded, or how it broke its contract.
package struct PluginError: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// The file does not exist, or it is not a plugin.
        case notFound
        /// The plugin refused to start, or the library refused it.
        case refused
        /// The options of the plugin are wrong.
        case options
        /// A plugin of the same name is already loaded.
        case duplicate
    }

    package let kind: Kind
    /// The message, which names the plugin.
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}
