#ifndef ULS_NAMES_PUBLIC_SUFFIX_H
#define ULS_NAMES_PUBLIC_SUFFIX_H

// libpsl, looked up at run time: neither building nor starting needs it. The first call loads the library and its list.

/// Whether the library and a list are there.
int uls_public_suffixes_available(void);
/// Whether `domain` (lower case, ASCII, no leading dot) is a public suffix; 0 if the library is absent.
int uls_is_public_suffix(const char *domain);

#endif
