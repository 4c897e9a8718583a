#ifndef ULS_PROCESS_INSPECTOR_HOOK_H
#define ULS_PROCESS_INSPECTOR_HOOK_H

/// Hands the value of URL_LOADING_INSPECT to the product URLLoadingInspector. Returns 0 where it isn't linked, or is empty.
int uls_inspect(const char *value);

/// Gives a local socket to URLLoadingInspector, which answers on it with a line of JSON, records and serves its page until the other side closes
/// it, and closes it then. Returns 0 where it isn't linked, or is empty: the socket stays the caller's.
int uls_inspect_for(int connection);

#endif
