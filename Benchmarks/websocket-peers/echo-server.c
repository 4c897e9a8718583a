// The WebSocket server of all clients: sends back each frame as it comes, on one thread, without waiting for the whole of it.
// Prints its port on loopback. No compression, as no client asks for it. Stops reading from a client that doesn't read.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIECE = 256 * 1024, LONGEST_HEAD = 4096, LONGEST_HEADER = 14 };

typedef struct {
  int fd, is_open, is_closing;
  // The request's head, or the header of the frame that is on its way.
  char *head;
  size_t head_length;
  uint8_t header[LONGEST_HEADER], key[4];
  size_t header_length, key_offset;
  uint64_t left;
  // What the client hasn't taken yet.
  uint8_t *rest;
  size_t rest_length;
} client_t;

static uint8_t input[PIECE];
// A header may be put before each byte that comes, not more.
static uint8_t output[PIECE + PIECE / 4 + LONGEST_HEAD];
static size_t output_length;
static int poller;

static void put(const void *bytes, size_t length) {
  memcpy(output + output_length, bytes, length);
  output_length += length;
}

static void drop(client_t *client) {
  close(client->fd);
  free(client->head);
  free(client->rest);
  free(client);
}

static void watch(client_t *client, int operation) {
  struct epoll_event event = {.events = client->rest_length ? EPOLLOUT : EPOLLIN, .data.ptr = client};
  epoll_ctl(poller, operation, client->fd, &event);
}

// Returns 0 when the client has closed.
static int flush(client_t *client, const uint8_t *bytes, size_t length) {
  while (length > 0) {
    ssize_t count = send(client->fd, bytes, length, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno != EAGAIN) return 0;
    if (count < 0) break;
    bytes += count;
    length -= (size_t)count;
  }
  size_t before = client->rest_length;
  uint8_t *rest = length > 0 ? malloc(length) : NULL;
  if (length > 0 && !rest) return 0;
  if (rest) memcpy(rest, bytes, length);
  free(client->rest);
  client->rest = rest;
  client->rest_length = length;
  if ((before > 0) != (length > 0)) watch(client, EPOLL_CTL_MOD);
  return length > 0 || !client->is_closing;
}

// Takes the request's head; returns how many of the bytes belong to it, or -1.
static ssize_t shake_hands(client_t *client, const uint8_t *bytes, size_t length) {
  if (!client->head) client->head = calloc(1, LONGEST_HEAD + 1);
  if (!client->head) return -1;
  for (size_t i = 0; i < length; i++) {
    if (client->head_length == LONGEST_HEAD) return -1;
    client->head[client->head_length++] = (char)bytes[i];
    if (client->head_length < 4 || memcmp(client->head + client->head_length - 4, "\r\n\r\n", 4) != 0) continue;
    const char *field = strcasestr(client->head, "\nSec-WebSocket-Key:");
    if (!field) return -1;
    field += strlen("\nSec-WebSocket-Key:");
    while (*field == ' ') field++;
    char text[128];
    int size = snprintf(text, sizeof text, "%.*s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", (int)strcspn(field, " \r\n"), field);
    if (size < 0 || (size_t)size >= sizeof text) return -1;
    uint8_t digest[SHA_DIGEST_LENGTH];
    char accept[32];
    SHA1((const uint8_t *)text, (size_t)size, digest);
    EVP_EncodeBlock((uint8_t *)accept, digest, sizeof digest);
    output_length += (size_t)sprintf(
        (char *)output + output_length,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", accept);
    free(client->head);
    client->head = NULL;
    client->is_open = 1;
    return (ssize_t)i + 1;
  }
  return (ssize_t)length;
}

// One more byte of a frame's header; returns 0 if that makes no sense.
static int take_header(client_t *client, uint8_t byte) {
  client->header[client->header_length++] = byte;
  if (client->header_length < 2) return 1;
  if (!(client->header[1] & 0x80)) return 0;
  size_t short_length = client->header[1] & 0x7F, width = short_length == 126 ? 2 : short_length == 127 ? 8 : 0;
  if (client->header_length < 2 + width + 4) return 1;
  client->left = width ? 0 : short_length;
  for (size_t i = 0; i < width; i++) client->left = client->left << 8 | client->header[2 + i];
  memcpy(client->key, client->header + 2 + width, 4);
  client->key_offset = 0;
  client->header_length = 0;
  uint8_t opcode = client->header[0] & 0x0F;
  if (opcode == 10 && client->left == 0) return 1;
  client->is_closing = opcode == 8;
  client->header[0] = opcode == 9 ? (client->header[0] & 0xF0) | 10 : client->header[0];
  client->header[1] &= 0x7F;
  put(client->header, 2 + width);
  return 1;
}

// Appends the payload, unmasked.
static void echo(client_t *client, const uint8_t *bytes, size_t length) {
  uint8_t *target = output + output_length;
  uint8_t key[8];
  for (size_t i = 0; i < 8; i++) key[i] = client->key[(client->key_offset + i) & 3];
  uint64_t wide;
  memcpy(&wide, key, 8);
  size_t i = 0;
  for (; i + 8 <= length; i += 8) {
    uint64_t word;
    memcpy(&word, bytes + i, 8);
    word ^= wide;
    memcpy(target + i, &word, 8);
  }
  for (; i < length; i++) target[i] = bytes[i] ^ key[i & 7];
  client->key_offset = (client->key_offset + length) & 3;
  output_length += length;
}

// Returns 0 when the client is to be dropped.
static int receive(client_t *client) {
  ssize_t count = recv(client->fd, input, sizeof input, 0);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (count == 0) return 0;
  size_t index = 0;
  output_length = 0;
  if (!client->is_open) {
    ssize_t taken = shake_hands(client, input, (size_t)count);
    if (taken < 0) return 0;
    index = (size_t)taken;
  }
  while (index < (size_t)count) {
    if (client->left == 0 || client->header_length > 0) {
      if (!take_header(client, input[index++])) return 0;
      continue;
    }
    size_t length = (size_t)count - index < client->left ? (size_t)count - index : (size_t)client->left;
    echo(client, input + index, length);
    client->left -= length;
    index += length;
  }
  if (client->is_closing && (client->left > 0 || client->header_length > 0)) {
    // The rest of a close frame comes soon.
    client->is_closing = 0;
    int is_there = flush(client, output, output_length);
    client->is_closing = 1;
    return is_there;
  }
  return flush(client, output, output_length);
}

int main(void) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 4096)) return 1;
  getsockname(listener, (struct sockaddr *)&address, &size);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  poller = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[256];
  epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
  while (1) {
    int count = epoll_wait(poller, events, 256, -1);
    for (int i = 0; i < count; i++) {
      client_t *client = events[i].data.ptr;
      if (client) {
        int is_there = events[i].events & EPOLLOUT ? flush(client, client->rest, client->rest_length) : receive(client);
        if (!is_there) drop(client);
        continue;
      }
      int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
      if (fd < 0) continue;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
      client = calloc(1, sizeof *client);
      if (!client) return 1;
      client->fd = fd;
      watch(client, EPOLL_CTL_ADD);
    }
  }
}
