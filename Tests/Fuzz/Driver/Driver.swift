import MappingFuzz

/// libFuzzer calls this function for every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: count)
    if let complaint = FuzzedMapping.complaint(about: input) { fatalError(complaint) }
    if let complaint = FuzzedShortWays.complaint(about: input) { fatalError(complaint) }
    return 0
}
