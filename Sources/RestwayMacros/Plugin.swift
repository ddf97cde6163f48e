#if Macros
import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The macros of Restway, as the compiler finds them.
@main
struct RestwayMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        EntityMacro.self, NamedMacro.self, UnmappedMacro.self,
    ]
}
#else
/// An empty program: without the trait `Macros`, nothing uses this target.
@main
struct NoMacros {
    static func main() {}
}
#endif
