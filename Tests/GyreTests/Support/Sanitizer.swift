import Glibc

/// What the tests have been built with.
enum Sanitizer {
  case none, address, thread

  static let current: Sanitizer =
    if dlsym(nil, "__tsan_init") != nil {
      .thread
    } else if dlsym(nil, "__asan_init") != nil {
      .address
    } else {
      .none
    }
}
