import RestwayJSON
import RestwayPlugins

/// Loading plugins, for hosts and for clients.
package enum PluginLoading {
    /// Loads a plugin because the host says so.
    ///
    /// - Parameter options: A JSON object as text.
    package static func load(_ pathOrName: String, options: String?) throws(Failure) {
        if let options {
            let value = try? JSONValue.parse(options)
            guard value?.kind == .object else {
                throw Failure(
                    .invalidArgument, "options is no JSON object", field: "options")
            }
        }
        do throws(PluginError) {
            _ = try PluginRegistry.shared.load(pathOrName, options: options)
        } catch {
            throw Failure(.plugin, error.message)
        }
    }
}
