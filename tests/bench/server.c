/* Serves the bench site from answers that `compiled_server.py` made beforehand: what `server.py` says, for less CPU.

   A request costs one recv and one send; the poll is told of a connection once, and again only while an answer does not
   fit into the socket. Kept in memory are packed answers alone: who takes no gzip gets his unpacked when he asks.

       server ANSWERS-DESCRIPTOR PORT ADDRESS... */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define LONGEST_REQUEST_BYTES 65536
#define EVENTS 256
#define GZIP 31

static const char NOT_FOUND[] = "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nNot found";

/* As `compiled_server.py` lays it out: these numbers, then path, ETag, the 304, and the 200 of which `head` bytes come
   before Content-Encoding and `body` bytes are packed. An answer for everybody (robots.txt) has no ETag. */
typedef struct {
    uint32_t server, generation, path, etag, not_modified, whole, head, body;
} Lengths;

typedef struct {
    Lengths lengths;
    const char *path, *etag, *not_modified, *whole;
} Answer;

typedef struct {
    const Answer *generations[2];
} Page;

typedef struct {
    int socket, is_listening, is_full;
    uint32_t server;
    char *asked, *owned; /* a request of which the rest is to come; an answer that was made for this one */
    size_t asked_bytes, left_bytes;
    const char *left;
} Connection;

static Page *pages;
static size_t places; /* a power of two */
static int poll_socket;
static volatile sig_atomic_t generation;

static void
give_up(const char *what)
{
    perror(what);
    exit(1);
}

static void
turn(int sent)
{
    generation = sent == SIGUSR1;
}

static Page *
place_of(uint32_t server, const char *path, size_t length)
{
    uint64_t hash = 14695981039346656037u ^ server;
    for (size_t at = 0; at < length; at++) hash = (hash ^ (unsigned char)path[at]) * 1099511628211u;
    for (size_t place = (hash ^ hash >> 32) & (places - 1);; place = (place + 1) & (places - 1)) {
        const Answer *first = pages[place].generations[0];
        if (first == NULL) return &pages[place];
        if (first->lengths.server == server && first->lengths.path == length && !memcmp(first->path, path, length))
            return &pages[place];
    }
}

static const char *
laid_out(Answer *answer, const char *at)
{
    const Lengths *lengths = &answer->lengths;
    memcpy(&answer->lengths, at, sizeof(Lengths));
    answer->path = at + sizeof(Lengths);
    answer->etag = answer->path + lengths->path;
    answer->not_modified = answer->etag + lengths->etag;
    answer->whole = answer->not_modified + lengths->not_modified;
    return answer->whole + lengths->whole;
}

/* First generations come first; a page that has no second keeps its first. */
static void
read_answers(int descriptor)
{
    struct stat file;
    if (fstat(descriptor, &file)) give_up("answers");
    const char *at = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_SHARED, descriptor, 0), *end = at + file.st_size;
    if (at == MAP_FAILED) give_up("answers");
    uint32_t count;
    memcpy(&count, at, sizeof(count));
    for (places = 1; places < 2 * (size_t)count + 1;) places *= 2;
    Answer *answer = calloc(count + 1, sizeof(Answer));
    pages = calloc(places, sizeof(Page));
    if (answer == NULL || pages == NULL) give_up("answers");
    for (at += sizeof(count); at < end; answer++) {
        at = laid_out(answer, at);
        Page *page = place_of(answer->lengths.server, answer->path, answer->lengths.path);
        if (!answer->lengths.generation) page->generations[0] = answer;
        page->generations[1] = answer;
    }
}

static int
is_in(const char *text, size_t length, const char *part, size_t part_length)
{
    return part_length && memmem(text, length, part, part_length) != NULL;
}

/* The answer unpacked, with a head of its own; NULL where there is no memory for it. */
static char *
unpacked(const Answer *answer, size_t *bytes)
{
    const Lengths *lengths = &answer->lengths;
    const char *body = answer->whole + lengths->whole - lengths->body;
    uint32_t size;
    memcpy(&size, body + lengths->body - sizeof(size), sizeof(size)); /* gzip's last word, in this machine's order */
    size_t head = lengths->head;
    char *made = malloc(head + 64 + size);
    if (made == NULL) return NULL;
    memcpy(made, answer->whole, head);
    head += (size_t)sprintf(made + head, "Content-Length: %u\r\n\r\n", size);
    z_stream stream = {.next_in = (Bytef *)body, .avail_in = lengths->body, .next_out = (Bytef *)made + head, .avail_out = size};
    int done = inflateInit2(&stream, GZIP) == Z_OK ? inflate(&stream, Z_FINISH) : Z_MEM_ERROR;
    inflateEnd(&stream);
    if (done != Z_STREAM_END) give_up("a body that does not unpack");
    *bytes = head + size;
    return made;
}

static void
choose(Connection *connection, const char *request, size_t length)
{
    const char *path = request + 4, *end = length > 4 ? memchr(path, ' ', length - 4) : NULL;
    const Answer *answer = end == NULL ? NULL : place_of(connection->server, path, (size_t)(end - path))->generations[generation];
    if (answer == NULL) {
        connection->left = NOT_FOUND, connection->left_bytes = sizeof(NOT_FOUND) - 1;
    } else if (is_in(request, length, answer->etag, answer->lengths.etag)) {
        connection->left = answer->not_modified, connection->left_bytes = answer->lengths.not_modified;
    } else if (!answer->lengths.body || is_in(request, length, "gzip", 4)) {
        connection->left = answer->whole, connection->left_bytes = answer->lengths.whole;
    } else {
        connection->left = connection->owned = unpacked(answer, &connection->left_bytes);
    }
}

static void
watch(Connection *connection, int how, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = connection};
    if (epoll_ctl(poll_socket, how, connection->socket, &event)) give_up("epoll_ctl");
}

static void
let_go(Connection *connection)
{
    close(connection->socket);
    free(connection->asked);
    free(connection->owned);
    free(connection);
}

/* 1: all of it is sent. 0: the rest waits for room. -1: nobody is there. */
static int
send_left(Connection *connection)
{
    ssize_t sent = send(connection->socket, connection->left, connection->left_bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return -1;
    if (sent > 0) connection->left += sent, connection->left_bytes -= (size_t)sent;
    int is_full = connection->left_bytes > 0;
    if (is_full != connection->is_full) watch(connection, EPOLL_CTL_MOD, is_full ? EPOLLOUT : EPOLLIN);
    connection->is_full = is_full;
    if (is_full) return 0;
    free(connection->owned);
    connection->owned = NULL;
    return 1;
}

/* Keeps what was not answered: half a request, or whole ones behind an answer that did not fit. */
static int
answer_all(Connection *connection, const char *asked, size_t bytes)
{
    int sent = 1;
    for (const char *end; sent == 1 && (end = memmem(asked, bytes, "\r\n\r\n", 4)) != NULL;) {
        choose(connection, asked, (size_t)(end - asked) + 2);
        if (connection->left == NULL) return -1;
        bytes -= (size_t)(end + 4 - asked), asked = end + 4;
        sent = send_left(connection);
    }
    char *kept = bytes ? malloc(bytes) : NULL;
    if (kept != NULL) memcpy(kept, asked, bytes);
    free(connection->asked);
    connection->asked = kept, connection->asked_bytes = bytes;
    return sent < 0 || (bytes && kept == NULL) ? -1 : 0;
}

static int
hear(Connection *connection)
{
    static char buffer[LONGEST_REQUEST_BYTES];
    size_t before = connection->asked_bytes;
    if (before) memcpy(buffer, connection->asked, before);
    ssize_t got = recv(connection->socket, buffer + before, sizeof(buffer) - before, 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
    return got ? answer_all(connection, buffer, before + (size_t)got) : -1; /* nothing: closed, or a request too long */
}

static int
go_on(Connection *connection)
{
    int sent = send_left(connection);
    if (sent < 1 || !connection->asked_bytes) return sent;
    return answer_all(connection, connection->asked, connection->asked_bytes);
}

static Connection *
connection_of(int socket, uint32_t server, int is_listening)
{
    Connection *connection = calloc(1, sizeof(Connection));
    if (connection == NULL) give_up("connection");
    *connection = (Connection){.socket = socket, .server = server, .is_listening = is_listening};
    watch(connection, EPOLL_CTL_ADD, EPOLLIN);
    return connection;
}

static void
welcome(const Connection *listening)
{
    int one = 1, socket = accept4(listening->socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    connection_of(socket, listening->server, 0);
}

static void
listen_at(const char *address, uint16_t port, uint32_t server)
{
    int one = 1, listening = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(port)};
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (!inet_aton(address, &place.sin_addr) || bind(listening, (struct sockaddr *)&place, sizeof(place)) || listen(listening, 1024))
        give_up(address);
    connection_of(listening, server, 1);
}

static void
serve(void)
{
    static struct epoll_event events[EVENTS];
    for (;;) {
        int ready = epoll_wait(poll_socket, events, EVENTS, -1);
        for (int at = 0; at < ready; at++) {
            Connection *connection = events[at].data.ptr;
            if (connection->is_listening) {
                welcome(connection);
            } else if ((connection->is_full ? go_on(connection) : hear(connection)) < 0) {
                let_go(connection);
            }
        }
    }
}

int
main(int count, char **words)
{
    struct rlimit files;
    struct sigaction turning = {.sa_handler = turn};
    if (count < 4) return 2;
    if (!getrlimit(RLIMIT_NOFILE, &files)) files.rlim_cur = files.rlim_max, setrlimit(RLIMIT_NOFILE, &files);
    sigaction(SIGUSR1, &turning, NULL);
    sigaction(SIGUSR2, &turning, NULL);
    read_answers(atoi(words[1]));
    poll_socket = epoll_create1(EPOLL_CLOEXEC);
    for (int at = 3; at < count; at++) listen_at(words[at], (uint16_t)atoi(words[2]), (uint32_t)(at - 3));
    puts("ready");
    fflush(stdout);
    serve();
}
