#ifndef ULS_COMPRESSION_REQUIREMENTS_H
#define ULS_COMPRESSION_REQUIREMENTS_H

#ifndef __linux__
#error "URLLoadingSystem is for Linux; elsewhere Foundation has URLSession: depend on it with condition: .when(platforms: [.linux])"
#endif

#if !__has_include(<zlib.h>)
#error "URLLoadingSystem is built with zlib.h, which is missing: install zlib1g-dev (Debian, Ubuntu) or zlib-devel (Fedora, Amazon Linux)"
#endif
// Included after the check above, so that the compiler's message about a missing zlib.h is the one that explains what to install.
#include <zlib.h>

#endif
