#ifndef ULS_NAMES_PUBLIC_SUFFIX_H
#define ULS_NAMES_PUBLIC_SUFFIX_H

// The public suffix list, by libpsl, which is loaded with its list at the first call: neither building nor starting the program needs it.

/// Whether libpsl and a list are available.
int uls_public_suffixes_available(void);
/// Whether `domain` (lower case, ASCII, no leading dot) is a public suffix; 0 if the library is absent.
int uls_is_public_suffix(const char *domain);

#endif
