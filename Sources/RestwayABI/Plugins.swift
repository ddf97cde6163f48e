public import CRestway
import RestwayOutcome
import RestwayPlugins

// plugins.h

@_cdecl("restway_plugin_load") @implementation
public func restway_plugin_load(
    _ pathOrName: CString?, _ options: CString?, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let pathOrName = try Argument.nonEmptyString(pathOrName, "path_or_name")
        let options = try Argument.optionalString(options, "options")
        try PluginLoading.load(pathOrName, options: options)
    }
}

@_cdecl("restway_plugin_count") @implementation
public func restway_plugin_count() -> Int { PluginRegistry.shared.plugins.count }

@_cdecl("restway_plugin_name") @implementation
public func restway_plugin_name(_ index: Int) -> CString! {
    PluginTexts.pointer(index, "name", \.name)
}

@_cdecl("restway_plugin_version") @implementation
public func restway_plugin_version(_ index: Int) -> CString! {
    PluginTexts.pointer(index, "version", \.version)
}

@_cdecl("restway_plugin_licence") @implementation
public func restway_plugin_licence(_ index: Int) -> CString! {
    PluginTexts.pointer(index, "licence", \.licence)
}

@_cdecl("restway_plugin_description") @implementation
public func restway_plugin_description(_ index: Int) -> CString! {
    PluginTexts.pointer(index, "description", \.description)
}

@_cdecl("restway_plugin_path") @implementation
public func restway_plugin_path(_ index: Int) -> CString! {
    PluginTexts.pointer(index, "path", \.path)
}

/// The texts of plugins. Plugins are never unloaded, so the texts stay too.
private enum PluginTexts {
    private static let texts = LentTexts(isForProcess: true)

    static func pointer(_ index: Int, _ what: String, _ text: (Plugin) -> String) -> CString? {
        guard let plugin = PluginRegistry.shared.plugins.at(index) else { return nil }
        return texts.pointer("\(index) \(what)") { text(plugin) }
    }
}
