#ifndef ULS_PROCESS_INSPECTOR_HOOK_H
#define ULS_PROCESS_INSPECTOR_HOOK_H

/// Hands the value of URL_LOADING_INSPECT to the product URLLoadingInspector. Returns 0 where it isn't linked, or is empty.
int uls_inspect(const char *value);

#endif
