import Restway

/// The view of a program.
func show(_ issues: [Object]) {}
