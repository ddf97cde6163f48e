/// Stands for the function of the standard library that knows the names of Unicode's scalars
/// ("LATIN SMALL LETTER A"): none has one.
///
/// Nothing here asks for such names, but their tables, half a MiB, would be linked with everything
/// else of the standard library. The release library is linked with this in that function's place
/// (`--wrap` in the Makefile), and the linker leaves the tables out.
@_cdecl("__wrap__swift_stdlib_getScalarName")
func noScalarName(
    _ scalar: UInt32, _ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int
) -> Int { 0 }
