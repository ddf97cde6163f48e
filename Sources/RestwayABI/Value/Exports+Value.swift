import Glibc

public import CRestway

// value.h

@_cdecl("restway_value_null") @implementation
public func restway_value_null() -> restway_value {
    restway_value()
}

@_cdecl("restway_value_bool") @implementation
public func restway_value_bool(_ truth: Int32) -> restway_value {
    var value = restway_value(kind: .RESTWAY_VALUE_BOOL)
    value.as.integer = truth == 0 ? 0 : 1
    return value
}

@_cdecl("restway_value_int64") @implementation
public func restway_value_int64(_ integer: Int64) -> restway_value {
    var value = restway_value(kind: .RESTWAY_VALUE_INT64)
    value.as.integer = integer
    return value
}

@_cdecl("restway_value_double") @implementation
public func restway_value_double(_ real: Double) -> restway_value {
    var value = restway_value(kind: .RESTWAY_VALUE_DOUBLE)
    value.as.real = real
    return value
}

@_cdecl("restway_value_date") @implementation
public func restway_value_date(_ microseconds: Int64) -> restway_value {
    var value = restway_value(kind: .RESTWAY_VALUE_DATE)
    value.as.integer = microseconds
    return value
}

@_cdecl("restway_value_string") @implementation
public func restway_value_string(_ text: UnsafePointer<CChar>?) -> restway_value {
    guard let text else { return restway_value() }
    var value = restway_value(kind: .RESTWAY_VALUE_STRING)
    // A longer text does not fit into a value, and cutting it would make different texts equal.
    guard let length = UInt32(exactly: strlen(text)) else { return restway_value() }
    value.length = length
    value.as.text = text
    return value
}

extension restway_value {
    init(kind: restway_value_kind) {
        self.init()
        self.kind = kind.rawValue
    }
}
