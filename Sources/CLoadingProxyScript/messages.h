#ifndef ULS_PROXY_SCRIPT_MESSAGES_H
#define ULS_PROXY_SCRIPT_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

// Messages between this process and the child: a letter, a length of four bytes, and as many bytes of text.
//   to the child: 'U' url NUL host (a question), 'A' address (an answer to 'D' or 'M')
//   from the child: 'R' result, 'E' error, 'D' name to look up, 'M' own address wanted

enum { ULS_SCRIPT_TEXT_LIMIT = 64 * 1024 };

int64_t uls_script_now_ms(void);

// Sends a message. Returns 0, or -1 if the other process has ended.
int uls_script_send(int fd, char kind, const char *text, size_t length);

// Receives one message before `deadline` (negative: no deadline). A text that is longer than `capacity - 1` bytes is cut; it always ends with NUL.
// Returns ULS_SCRIPT_OK, or the reason why no message was received.
int uls_script_receive(int fd, char *kind, char *text, size_t capacity, int64_t deadline);

// Answers the child's look-ups of names until it sends the result of its question, or the time is over. Returns ULS_SCRIPT_OK, or the reason why
// there is no result.
int uls_script_await_answer(int socket, int timeout_ms, char *answer, size_t capacity);

// Runs the child process until its end: loads the script, then answers the questions that it receives over `socket`.
void uls_script_run_child(int socket, size_t memory_limit, const char *script, size_t length, int seconds);

#endif
