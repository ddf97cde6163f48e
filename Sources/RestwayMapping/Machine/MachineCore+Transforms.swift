import RestwayObjects
import RestwayRouting
import RestwayText

/// Handles attributes with a transform, apart from the fast paths.
extension MachineCore {
    /// Takes a value other than null if the fast paths do not know its conversion or refuse it.
    @inline(never)
    mutating func putTransformed(_ scalar: Scalar, _ target: PlanTarget, _ row: Int) {
        switch (target.conversion, scalar) {
        case (.custom, _):
            putCustom(scalar, target, row)
        case (.boolWords, .bool(let value)):
            put(target, row, .bool(value))
        case (.boolWords, .int64(let number)):
            guard let value = words(target, row)?.read(number) else {
                return refuse(target, row, "another integer")
            }
            put(target, row, .bool(value))
        case (.boolWords, .string(let text)):
            guard let value = words(target, row)?.read(text) else {
                return refuse(target, row, "a string of another form")
            }
            put(target, row, .bool(value))
        case (.intText, _), (.doubleText, _), (.numberAsText, _):
            putNumberText(scalar, target, row)
        case (.url, .string(let text)):
            guard AbsoluteURL.isValid(text) else {
                return refuse(target, row, "a string of another form")
            }
            putString(text, target.as(.string), row)
        case (.base64Text, .string(let text)):
            putBase64Text(text, target, row)
        case (.int, _) where target.isIdentity, (.string, _) where target.isIdentity:
            putDeclaredIdentity(scalar, target, row)
        default:
            refuse(target, row, scalar.found)
        }
    }

    /// Applies the declared type before identities are compared, so that 7 and "7" are equal.
    private mutating func putDeclaredIdentity(
        _ scalar: Scalar, _ target: PlanTarget, _ row: Int
    ) {
        switch (target.conversion, scalar) {
        case (.int, .string(let text)):
            guard let value = NumberText.integer(text) else {
                return refuse(target, row, "a string of another form")
            }
            put(target, row, .int64(value))
        case (.string, .int64(let value)):
            putText(String(value), target, row, .string)
        case (.string, .double(let value)):
            guard let whole = Int64(exactly: value) else {
                return refuse(target, row, scalar.found)
            }
            putText(String(whole), target, row, .string)
        default:
            refuse(target, row, scalar.found)
        }
    }

    private func words(_ target: PlanTarget, _ row: Int) -> BoolWords? {
        guard case .boolWords(let words) = transforms[rows[row].mapping][target.detail] else {
            return nil
        }
        return words
    }

    private mutating func putNumberText(_ scalar: Scalar, _ target: PlanTarget, _ row: Int) {
        switch (target.conversion, scalar) {
        case (.intText, .int64(let value)):
            put(target, row, .int64(value))
        case (.intText, .double(let value)):
            putDouble(value, target.as(.int), row)
        case (.doubleText, .int64(let value)):
            put(target, row, .double(Double(value)))
        case (.doubleText, .double(let value)):
            put(target, row, .double(value))
        case (.intText, .string(let text)):
            guard let value = NumberText.integer(text) else {
                return refuse(target, row, "a string of another form")
            }
            put(target, row, .int64(value))
        case (.doubleText, .string(let text)):
            guard let value = NumberText.double(text) else {
                return refuse(target, row, "a string of another form")
            }
            put(target, row, .double(value))
        case (.numberAsText, .string(let text)), (.numberAsText, .unrepresentable(let text)):
            putString(text, target.as(.string), row)
        case (.numberAsText, .int64(let value)):
            putText(String(value), target, row, .string)
        case (.numberAsText, .double(let value)) where value.isFinite:
            putText(value.description, target, row, .string)
        default:
            refuse(target, row, scalar.found)
        }
    }

    private mutating func putBase64Text(
        _ text: UnsafeRawBufferPointer, _ target: PlanTarget, _ row: Int
    ) {
        let start = bytes.count
        bytes.reserve(Base64.byteCountMax(text.count))
        let count = Base64.decode(text, into: bytes.base + start)
        let content = UnsafeRawBufferPointer(start: bytes.base + start, count: count ?? 0)
        guard let count, String(validating: content, as: UTF8.self) != nil else {
            return refuse(target, row, "a string of another form")
        }
        bytes.grew(by: count)
        putText(target, row, .string, from: start)
    }

    mutating func putText(
        _ text: String, _ target: PlanTarget, _ row: Int, _ kind: Cell.Kind
    ) {
        let start = bytes.count
        bytes.append(text)
        putText(target, row, kind, from: start)
    }

    // MARK: The host's transforms

    private mutating func putCustom(_ scalar: Scalar, _ target: PlanTarget, _ row: Int) {
        guard let (name, type) = custom(target, row) else { return }
        guard plan.customTransforms[name]?.decode != nil else {
            return put(scalar, target.as(PlanTarget.Conversion(type)), row)
        }
        switch scalar {
        case .null: put(target, row, .null)
        case .bool(let value): ask(.bool(value), target, row)
        case .int64(let value): ask(.int64(value), target, row)
        case .double(let value): ask(.double(value), target, row)
        case .string(let text):
            ask(.string(String(decoding: text, as: UTF8.self)), target, row)
        case .unrepresentable(let digits):
            ask(.json(String(decoding: digits, as: UTF8.self)), target, row)
        case .bytes(let content): ask(.bytes(Array(content)), target, row)
        case .date(let date): ask(.date(date), target, row)
        }
    }

    /// Calls the host's transform. Without a transform, only the types `any` and `json` take the
    /// value.
    mutating func ask(_ value: Value, _ target: PlanTarget, _ row: Int) {
        guard let (name, type) = custom(target, row) else { return }
        guard let decode = plan.customTransforms[name]?.decode else {
            guard type == .any || type == .json else {
                return refuse(target.as(PlanTarget.Conversion(type)), row, "an object or a list")
            }
            return putDecoded(value, target, row)
        }
        do throws(TransformError) {
            let answer = try decode(value)
            guard answer != .absent else { return }
            guard let fitting = type.fit(answer) else {
                return issue("transform \"\(name)\" made something else than \(type.withArticle)")
            }
            putDecoded(fitting, target, row)
        } catch {
            issue("transform \"\(name)\": \(error.reason)")
        }
    }

    private func custom(_ target: PlanTarget, _ row: Int) -> (name: String, type: AttributeType)? {
        guard case .custom(let name, let type) = transforms[rows[row].mapping][target.detail] else {
            return nil
        }
        return (name, type)
    }

    private mutating func putDecoded(_ value: Value, _ target: PlanTarget, _ row: Int) {
        switch value {
        case .absent, .link, .links: break
        case .null: put(target, row, .null)
        case .bool(let value): put(target, row, .bool(value))
        case .int64(let value): put(target, row, .int64(value))
        case .double(let value): put(target, row, .double(value))
        case .date(let value): put(target, row, .date(value))
        case .string(let text): putText(text, target, row, .string)
        case .json(let text): putText(text, target, row, .json)
        case .bytes(let content):
            let start = bytes.count
            content.withUnsafeBytes { bytes.append($0) }
            putText(target, row, .bytes, from: start)
        }
    }
}

extension PlanTarget {
    /// The same attribute with a conversion that needs no further data.
    func `as`(_ conversion: Conversion) -> PlanTarget {
        PlanTarget(
            attribute: attribute, conversion: conversion, isIdentity: isIdentity, detail: -1)
    }
}
