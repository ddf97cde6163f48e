/// The version of the library. A test compares it with `restway/version.h`.
package enum Version {
    package static let major: Int32 = 0
    package static let minor: Int32 = 1
    package static let patch: Int32 = 0
    package static let text = "\(major).\(minor).\(patch)"
    package static let number = major * 1_000_000 + minor * 1_000 + patch
}
