package import RestwayDocument
import RestwayJSON
package import RestwayOutcome

/// Loads plugins for programs and for clients.
package enum PluginLoading {
    /// Returns the plugins of a client: the plugins that its API document asks for, and the plugins
    /// that the program has loaded before.
    package static func plugins(
        of definition: APIDefinition, isLoadingAllowed: Bool
    ) throws(Failure) -> [Plugin] {
        var plugins: [Plugin] = []
        for reference in definition.plugins.plugins {
            guard isLoadingAllowed else {
                throw Failure(
                    .plugin,
                    "\(reference.documentPath): the document asks for plugins, which the client's "
                        + "options do not allow",
                    field: reference.documentPath)
            }
            do throws(PluginError) {
                plugins.append(
                    try PluginRegistry.shared.load(
                        reference.pathOrName, options: Self.options(reference.options)))
            } catch {
                throw Failure(
                    .plugin, "\(reference.documentPath): \(error.message)",
                    field: reference.documentPath)
            }
        }
        return plugins + PluginRegistry.shared.plugins.filter { loaded in
            !plugins.contains { $0 === loaded }
        }
    }

    /// Loads a plugin because the program asks for it.
    package static func load(_ pathOrName: String, options: String?) throws(Failure) {
        if let options {
            let value = try? JSONValue.parse(options)
            guard value?.kind == .object else {
                throw Failure(
                    .invalidArgument, "options is no JSON object", field: "options")
            }
        }
        do throws(PluginError) {
            _ = try PluginRegistry.shared.load(pathOrName, options: Self.options(options))
        } catch {
            throw Failure(.plugin, error.message)
        }
    }

    /// Returns options in the form in which they are compared, so that their spelling does not
    /// matter. An object without members counts as no options.
    private static func options(_ text: String?) -> String? {
        guard let text, let value = try? JSONValue.parse(text) else { return text }
        let sorted = String(decoding: value.text(sortsKeys: true), as: UTF8.self)
        return sorted == "{}" ? nil : sorted
    }
}
