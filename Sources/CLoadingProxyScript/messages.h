#ifndef ULS_PROXY_SCRIPT_MESSAGES_H
#define ULS_PROXY_SCRIPT_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

// Messages between the two processes: a letter, a length of four bytes, and as many bytes of text.
//   to the child: 'S' script, 'U' url NUL host, 'A' address
//   from it: 'R' result, 'E' error, 'D' name to look up, 'M' own address wanted

enum { ULS_SCRIPT_TEXT_LIMIT = 64 * 1024 };

int64_t uls_script_now_ms(void);

// 0, or -1 if the other process is gone.
int uls_script_send(int fd, char kind, const char *text, size_t length);

// One message, before `deadline` (negative: none). The text is cut to `capacity` and ends with NUL; the rest of it is read and dropped. 0, or
// the reason why there is none.
int uls_script_receive(int fd, char *kind, char *text, size_t capacity, int64_t deadline);

// Serves the child until it has answered the question that it was sent, or the time is over: looks names up for it. The reason why there is no
// answer, or 0.
int uls_script_await_answer(int socket, int timeout_ms, char *answer, size_t capacity);

// The whole life of the child process: reads the script, then answers questions that come over `socket`.
void uls_script_run_child(int socket, size_t memory_limit, const char *script, size_t length, int seconds);

#endif
