/// A document in JSON, as far as the tools of the toolchain write it.
enum JSON {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  /// Nil where the text is no document.
  init?(_ text: String) {
    var parser = JSONParser(text)
    guard let value = parser.value() else { return nil }
    self = value
  }

  /// A member of an object; nil where there is none.
  subscript(_ name: String) -> JSON? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The elements of an array; none where it is something else.
  var elements: [JSON] {
    if case .array(let elements) = self { elements } else { [] }
  }

  var string: String? {
    if case .string(let string) = self { string } else { nil }
  }
}

private struct JSONParser {
  private let bytes: [UInt8]
  private var place = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || (0x09...0x0D).contains(byte) { place += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  mutating func value() -> JSON? {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return object()
    case UInt8(ascii: "["): return array()
    case UInt8(ascii: "\""): return string().map { .string($0) }
    default: return word()
    }
  }

  private mutating func object() -> JSON? {
    var members: [String: JSON] = [:]
    guard take("{") else { return nil }
    if take("}") { return .object(members) }
    repeat {
      skipSpace()
      guard let name = string(), take(":"), let value = value() else { return nil }
      members[name] = value
    } while take(",")
    return take("}") ? .object(members) : nil
  }

  private mutating func array() -> JSON? {
    var elements: [JSON] = []
    guard take("[") else { return nil }
    if take("]") { return .array(elements) }
    repeat {
      guard let value = value() else { return nil }
      elements.append(value)
    } while take(",")
    return take("]") ? .array(elements) : nil
  }

  /// Escapes of characters outside of ASCII stay as they are: no tool here writes them.
  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    var text: [UInt8] = []
    while let byte = next, byte != UInt8(ascii: "\"") {
      place += 1
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      guard let escaped = next else { return nil }
      place += 1
      switch escaped {
      case UInt8(ascii: "n"): text.append(0x0A)
      case UInt8(ascii: "t"): text.append(0x09)
      case UInt8(ascii: "u"): text += [byte, escaped]
      default: text.append(escaped)
      }
    }
    return take("\"") ? String(decoding: text, as: UTF8.self) : nil
  }

  private mutating func word() -> JSON? {
    let start = place
    while let byte = next, !",]} \n".utf8.contains(byte) { place += 1 }
    switch String(decoding: bytes[start..<place], as: UTF8.self) {
    case "": return nil
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    case let number: return .number(number)
    }
  }
}
