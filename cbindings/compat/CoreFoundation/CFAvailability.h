/* CFAvailability.h - the annotations that say where and since when something exists. Here all of
 * them mean nothing; the enum macros declare plain enumerators. */
#ifndef __COREFOUNDATION_CFAVAILABILITY__
#define __COREFOUNDATION_CFAVAILABILITY__

#define API_AVAILABLE(...)
#define API_UNAVAILABLE(...)
#define API_DEPRECATED(...)
#define API_DEPRECATED_WITH_REPLACEMENT(...)
#define API_TO_BE_DEPRECATED 100000

#define CF_AVAILABLE(...)
#define CF_AVAILABLE_MAC(...)
#define CF_AVAILABLE_IOS(...)
#define CF_AVAILABLE_IPHONE(...)
#define CF_DEPRECATED(...)
#define CF_DEPRECATED_MAC(...)
#define CF_DEPRECATED_IOS(...)
#define CF_DEPRECATED_IPHONE(...)
#define CF_ENUM_AVAILABLE(...)
#define CF_ENUM_AVAILABLE_MAC(...)
#define CF_ENUM_AVAILABLE_IOS(...)
#define CF_ENUM_DEPRECATED(...)
#define CF_ENUM_DEPRECATED_MAC(...)
#define CF_ENUM_DEPRECATED_IOS(...)
#define CF_EXTENSION_UNAVAILABLE(...)
#define CF_EXTENSION_UNAVAILABLE_MAC(...)
#define CF_EXTENSION_UNAVAILABLE_IOS(...)

#define CF_SWIFT_NAME(...)
#define CF_SWIFT_UNAVAILABLE(...)
#define CF_SWIFT_BRIDGED_TYPEDEF
#define CF_REFINED_FOR_SWIFT

/* typedef CF_ENUM(CFIndex, Name) { ... };   or, without a name,   CF_ENUM(CFIndex) { ... }; */
#define GY_CF_ENUM_NAMED(type, name)                                                               \
    type name;                                                                                     \
    enum
#define GY_CF_ENUM_UNNAMED(type) enum
#define GY_CF_ENUM_CHOOSE(first, second, chosen, ...) chosen
#define CF_ENUM(...)                                                                               \
    GY_CF_ENUM_CHOOSE(__VA_ARGS__, GY_CF_ENUM_NAMED, GY_CF_ENUM_UNNAMED, )(__VA_ARGS__)
#define CF_CLOSED_ENUM(...) CF_ENUM(__VA_ARGS__)
#define CF_ERROR_ENUM(...) CF_ENUM(__VA_ARGS__)
#define CF_OPTIONS(type, name) GY_CF_ENUM_NAMED(type, name)

#define CF_TYPED_ENUM
#define CF_TYPED_EXTENSIBLE_ENUM
#define CF_STRING_ENUM
#define CF_EXTENSIBLE_STRING_ENUM

#endif
