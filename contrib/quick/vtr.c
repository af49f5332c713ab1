/*
 * vtr for the most frequent commands, without the start of Node.js: the daemon runs the command, and this program
 * prints what it answers. `vtr quick install` compiles it. With VTR_AS_TMUX, it is the command `tmux`
 * of `vtr shim install`.
 *
 * All that it does not do itself is done by vtr, which it then becomes (exec): other verbs, a daemon that does not run
 * or is older, a socket that it does not trust, and what the daemon refuses.
 *
 * The protocol is described in src/wire/service/command-frames.ts.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* The absolute paths of Node.js and of vtr, set by `vtr quick install`. */
#ifndef VTR_NODE
#define VTR_NODE "/usr/bin/node"
#endif
#ifndef VTR_PROGRAM
#define VTR_PROGRAM "/usr/lib/node_modules/vtr/dist/vtr.cjs"
#endif

#define PREFACE "vtr-command/1\n"
#define MAX_REQUEST (1024 * 1024)
#define MAX_PAYLOAD (64 * 1024)
/* The status of UNAVAILABLE, and that of SIGPIPE in shells. */
#define STATUS_UNAVAILABLE 3
#define STATUS_PIPE (128 + SIGPIPE)
/* As vtr's own, for output that cannot be written. */
#define STATUS_NOT_WRITTEN 10

/* How long the daemon may take to accept and answer, in ms, before it is asked whether it responds. */
#define ANSWER_MS 1000
/* How long it may take to say that it responds, in ms: where vtr can run the command, and where it should not. */
#define HANDOVER_MS 1000
#ifndef PATIENCE_MS
#define PATIENCE_MS 10000
#endif
/* The time between two such questions during a command that takes long, in ms. */
#define ASK_AGAIN_MS 10000

extern char **environ;

/* Tells `vtr quick install` that it may replace this file. */
const char mark[] = "Written by vtr quick install.";

struct verb {
    const char *name;
    /* An id lets vtr repeat it when the daemon was lost, without a second effect. */
    int has_id;
    /* It has an effect, and no id: vtr never repeats it. */
    int is_once;
    /* HANDOVER_MS, or PATIENCE_MS for a wait: a second one does not cover the output since the first began. */
    int patience_ms;
};

static const struct verb verbs[] = {
    {"screen", 0, 0, HANDOVER_MS}, {"ls", 0, 0, HANDOVER_MS},   {"read", 0, 0, HANDOVER_MS},
    {"info", 0, 0, HANDOVER_MS},   {"wait", 0, 0, PATIENCE_MS}, {"idle", 0, 0, PATIENCE_MS},
    {"commands", 0, 0, HANDOVER_MS}, {"send", 1, 0, HANDOVER_MS}, {"key", 1, 0, HANDOVER_MS},
    {"run", 1, 0, HANDOVER_MS},    {"spawn", 1, 0, HANDOVER_MS}, {"rm", 0, 1, PATIENCE_MS},
};

static char **own_words; /* after the name of this program, ended by NULL */
#ifdef VTR_AS_TMUX
static const int is_tmux = 1;
#else
static const int is_tmux = 0;
#endif
static int connection = -1;

/* Whether the words ask for JSON, as asksForJson in src/app/cli/verbs/short-verb-names.ts finds out. */
static int asks_for_json(void) {
    if (is_tmux || own_words == NULL) return 0;
    for (char **word = own_words; *word != NULL && strcmp(*word, "--") != 0; word++) {
        if (strcmp(*word, "--json") == 0) return 1;
    }
    return 0;
}

/* Tells of a failure: "vtr: WHAT DETAIL WHY", or an object of JSON as tellError in src/app/cli/output/messages.ts prints it. */
static void tell(const char *code, int status, const char *what, const char *detail, const char *why) {
    char text[4096];
    snprintf(text, sizeof text, "%s%s%s", what, detail, why);
    if (!asks_for_json()) {
        fprintf(stderr, "vtr: %s\n", text);
        return;
    }
    fprintf(stderr, "{\"error\":{\"code\":\"%s\",\"message\":\"", code);
    for (const char *at = text; *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte == '"' || byte == '\\') fputc('\\', stderr);
        if (byte < 0x20) fprintf(stderr, "\\u%04x", byte);
        else fputc(byte, stderr);
    }
    fprintf(stderr, "\",\"hint\":null,\"session\":null,\"exit_status\":%d,\"details\":{}}}\n", status);
}

/* Becomes vtr with the same words. */
static void become_vtr(void) {
    size_t count = 0;
    while (own_words[count] != NULL) count++;
    char **words = calloc(count + 4, sizeof *words);
    if (words != NULL) {
        size_t at = 0;
        words[at++] = (char *)"node";
        words[at++] = (char *)VTR_PROGRAM;
        if (is_tmux) words[at++] = (char *)"tmux";
        memcpy(words + at, own_words, count * sizeof *words);
        if (connection >= 0) close(connection);
        signal(SIGPIPE, SIG_DFL);
        signal(SIGINT, SIG_DFL);
        execv(VTR_NODE, words);
    }
    int status = errno == ENOENT ? 127 : 126;
    char reason[256];
    snprintf(reason, sizeof reason, ": %s; run vtr quick install again with a vtr that works", strerror(errno));
    tell("PROGRAM_NOT_FOUND", status, "cannot start ", VTR_NODE, reason);
    exit(status);
}

static int is_private_directory(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid() &&
           (about.st_mode & 022) == 0;
}

/* Whether a file may name a socket; then only vtr reads it. */
static int may_name_socket(const char *path) {
    static char text[64 * 1024];
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return errno != ENOENT && errno != ENOTDIR;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length < 0 || (size_t)length == sizeof text - 1) return 1;
    text[length] = '\0';
    return strlen(text) != (size_t)length || strstr(text, "socket") != NULL || strchr(text, '\\') != NULL;
}

/*
 * Finds the socket as vtr does: src/config/socket-paths.ts. Writes its path, and returns 0; or returns -1 where that
 * takes more than this program knows.
 */
static int find_socket(char *path, size_t size) {
    const char *named = getenv("VTR_SOCKET");
    const char *home = getenv("HOME");
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char text[4096];
    int length;
    if (named != NULL && *named != '\0') {
        if (*named != '/' || strstr(named, "//") != NULL || strstr(named, "/.") != NULL) return -1;
        length = snprintf(path, size, "%s", named);
        return length < 0 || (size_t)length >= size ? -1 : 0;
    }
    if (home == NULL || *home != '/' || geteuid() != getuid()) return -1;
    length = config != NULL && *config == '/' ? snprintf(text, sizeof text, "%s/vtr/server.toml", config)
                                              : snprintf(text, sizeof text, "%s/.config/vtr/server.toml", home);
    if (length < 0 || (size_t)length >= sizeof text || may_name_socket(text)) return -1;
    if (runtime != NULL && *runtime == '/') {
        /* vtr says why it does not use one that others can write to. root has another place for its own. */
        if (geteuid() == 0 || !is_private_directory(runtime)) return -1;
        length = snprintf(path, size, "%s/vtr/default.sock", runtime);
    } else if (geteuid() == 0) {
        if (access("/var/run", W_OK) != 0) return -1;
        length = snprintf(path, size, "/var/run/vtr.sock");
    } else {
        snprintf(text, sizeof text, "/run/user/%lu", (unsigned long)geteuid());
        length = is_private_directory(text) ? snprintf(path, size, "%s/vtr/default.sock", text)
                                            : snprintf(path, size, "%s/.vtr/default.sock", home);
    }
    return length < 0 || (size_t)length >= size ? -1 : 0;
}

/*
 * Whether nobody but this user and root can put another socket in this place: it is this user's, and so are the
 * directories above it, or root's, or those where only owners replace files, as in /tmp.
 * The path has no links, and is changed.
 */
static int is_trusted(char *path) {
    struct stat about;
    if (lstat(path, &about) != 0 || !S_ISSOCK(about.st_mode) || about.st_uid != geteuid()) return 0;
    for (char *slash = strrchr(path, '/'); slash != NULL; slash = strrchr(path, '/')) {
        slash[slash == path ? 1 : 0] = '\0';
        if (lstat(path, &about) != 0 || !S_ISDIR(about.st_mode)) return 0;
        if (about.st_uid != geteuid() && about.st_uid != 0) return 0;
        if ((about.st_mode & 022) != 0 && (about.st_mode & S_ISVTX) == 0) return 0;
        if (slash == path) return 1;
    }
    return 0;
}

static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char *real = realpath(path, NULL);
    if (real == NULL || strlen(real) >= sizeof address.sun_path) return -1;
    strcpy(address.sun_path, real);
    if (!is_trusted(real)) return -1;
    int file = socket(AF_UNIX, SOCK_STREAM, 0);
    if (file < 0) return -1;
    fcntl(file, F_SETFD, FD_CLOEXEC);
    /* A daemon that is suspended reads nothing, and accepts only as many connections as the system queues. */
    struct timeval limit = {ANSWER_MS / 1000, ANSWER_MS % 1000 * 1000};
    setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (connect(file, (struct sockaddr *)&address, sizeof address) == 0) return file;
    close(file);
    return -1;
}

/* Writes all; returns -1 if that fails. */
static int write_all(int file, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = write(file, bytes, length);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            struct timespec pause = {0, 1000000};
            nanosleep(&pause, NULL);
            continue;
        }
        if (written < 0) return -1;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

/* Sends all to a daemon; returns -1 if that fails, or if the daemon reads nothing for ANSWER_MS. */
static int send_all(int file, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = write(file, bytes, length);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return -1;
        bytes += sent;
        length -= (size_t)sent;
    }
    return 0;
}

struct request {
    char *bytes;
    size_t length;
    int is_full;
};

static void add_text(struct request *request, const char *text) {
    size_t length = strlen(text) + 1;
    if (request->length + length > MAX_REQUEST) {
        request->is_full = 1;
        return;
    }
    memcpy(request->bytes + request->length, text, length);
    request->length += length;
}

static void put_length(char *at, size_t length) {
    for (int byte = 0; byte < 4; byte++) at[byte] = (char)(length >> (8 * byte) & 0xff);
}

/* Sends the command. Returns -1 if it cannot be sent. */
static int send_request(void) {
    static char bytes[sizeof PREFACE - 1 + 4 + MAX_REQUEST];
    const size_t head = sizeof PREFACE - 1 + 4;
    struct request request = {bytes + head, 0, 0};
    char text[4096];
    struct stat out, err;
    struct winsize size = {0, 0, 0, 0};
    int is_terminal = isatty(1);
    if (is_terminal) ioctl(1, TIOCGWINSZ, &size);
    int is_shared = fstat(1, &out) == 0 && fstat(2, &err) == 0 && out.st_ino == err.st_ino && out.st_dev == err.st_dev;
    snprintf(text, sizeof text, "%d %u %d %ld", is_terminal, (unsigned)size.ws_col, is_shared, (long)getppid());
    add_text(&request, text);
    if (getcwd(text, sizeof text) == NULL) return -1;
    add_text(&request, text);
    size_t count = 0;
    while (own_words[count] != NULL) count++;
    snprintf(text, sizeof text, "%zu", count + (is_tmux ? 1 : 0));
    add_text(&request, text);
    if (is_tmux) add_text(&request, "tmux");
    for (char **word = own_words; *word != NULL; word++) add_text(&request, *word);
    for (char **variable = environ; *variable != NULL; variable++) add_text(&request, *variable);
    if (request.is_full) return -1;
    memcpy(bytes, PREFACE, sizeof PREFACE - 1);
    put_length(bytes + sizeof PREFACE - 1, request.length);
    return send_all(connection, bytes, head + request.length);
}

/* Waits until there is something to read, or the end of the connection. Returns 0 after the time, in ms. */
static int is_readable(int file, int wait_ms) {
    struct pollfd readable = {.fd = file, .events = POLLIN};
    int count;
    do count = poll(&readable, 1, wait_ms);
    while (count < 0 && errno == EINTR);
    return count != 0;
}

/* Whether the daemon answers a command without words, which it refuses, within a time in ms. */
static int responds(const char *path, int wait_ms) {
    static const char words[] = "0 0 0 0\0/\0" "0";
    char bytes[sizeof PREFACE - 1 + 4 + sizeof words];
    int file = connect_to(path);
    if (file < 0) return 0;
    memcpy(bytes, PREFACE, sizeof PREFACE - 1);
    put_length(bytes + sizeof PREFACE - 1, sizeof words);
    memcpy(bytes + sizeof PREFACE - 1 + 4, words, sizeof words);
    int has_answered = send_all(file, bytes, sizeof bytes) == 0 && is_readable(file, wait_ms);
    close(file);
    return has_answered;
}

/* The part of an answer that was received and not used: at most a head and its payload. */
struct answer {
    char bytes[5 + MAX_PAYLOAD];
    size_t length;
};

enum outcome { MORE, ENDED, REFUSED, BROKEN };

/* Uses all complete parts of an answer. `print` returns -1 if nobody reads what it prints. */
static enum outcome use_answer(struct answer *answer, int *status, int (*print)(char, const char *, size_t)) {
    size_t at = 0;
    while (answer->length - at >= 5) {
        const unsigned char *head = (const unsigned char *)answer->bytes + at;
        size_t length = head[1] | (size_t)head[2] << 8 | (size_t)head[3] << 16 | (size_t)head[4] << 24;
        if (length > MAX_PAYLOAD) return BROKEN;
        if (answer->length - at - 5 < length) break;
        const char *payload = answer->bytes + at + 5;
        at += 5 + length;
        if (head[0] == 'n') return length == 0 ? REFUSED : BROKEN;
        if (head[0] == 'x') {
            if (length != 1) return BROKEN;
            *status = (unsigned char)*payload;
            return ENDED;
        }
        if (head[0] != 'o' && head[0] != 'e') return BROKEN;
        if (print(head[0], payload, length) != 0) exit(STATUS_PIPE);
    }
    memmove(answer->bytes, answer->bytes + at, answer->length - at);
    answer->length -= at;
    return MORE;
}

static int has_printed;

static int print_part(char letter, const char *bytes, size_t length) {
    has_printed = 1;
    if (write_all(letter == 'o' ? 1 : 2, bytes, length) == 0 || letter == 'e') return 0;
    if (errno == EPIPE) return -1;
    tell("IO_ERROR", STATUS_NOT_WRITTEN, "cannot write to stdout: ", strerror(errno), "");
    exit(STATUS_NOT_WRITTEN);
}

#ifndef VTR_FUZZ

static void on_interrupt(int number) {
    int before = errno;
    (void)number;
    if (write(connection, "I", 1) < 0) _exit(128 + SIGINT);
    errno = before;
}

/* Gives what is typed an id, so that it may be repeated, unless the caller gave one. */
static void add_id(void) {
    static char id[80];
    size_t count = 0;
    int is_text = 0;
    for (; own_words[count] != NULL; count++) {
        if (strcmp(own_words[count], "--") == 0) is_text = 1;
        if (!is_text && strncmp(own_words[count], "--input-id", 10) == 0) return;
    }
    char **words = calloc(count + 3, sizeof *words);
    struct timeval now;
    if (words == NULL || gettimeofday(&now, NULL) != 0) return;
    snprintf(id, sizeof id, "q%llx-%lx-%lx", (unsigned long long)now.tv_sec, (unsigned long)now.tv_usec,
             (unsigned long)getpid());
    words[0] = own_words[0];
    words[1] = (char *)"--input-id";
    words[2] = id;
    memcpy(words + 3, own_words + 1, (count - 1) * sizeof *words);
    own_words = words;
}

/*
 * Opens those of stdin, stdout and stderr that are closed: the connection would get their numbers. Writing to such a
 * stdout fails, also in Node.js, which would open one that accepts all, and report success.
 */
static void open_standard_files(void) {
    for (int file = 0; file <= 2; file++) {
        if (fcntl(file, F_GETFD) < 0) open("/dev/null", file == 0 ? O_RDWR : O_RDONLY);
    }
}

int main(int argc, char **argv) {
    static struct answer answer;
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
    const struct verb *verb = NULL;
    open_standard_files();
    own_words = argc > 0 ? argv + 1 : argv;
    for (size_t at = 0; at < sizeof verbs / sizeof *verbs && own_words[0] != NULL; at++) {
        if (strcmp(own_words[0], verbs[at].name) == 0) verb = &verbs[at];
    }
    if (!is_tmux && verb == NULL) become_vtr();
    if (find_socket(path, sizeof path) != 0) become_vtr();
    connection = connect_to(path);
    if (connection < 0) become_vtr();
    if (!is_tmux && verb->has_id) add_id();
    int is_once = is_tmux || verb->is_once;
    signal(SIGPIPE, SIG_IGN);
    if (!is_tmux && strcmp(verb->name, "run") == 0) {
        /* The second one ends this program. */
        struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESETHAND};
        sigaction(SIGINT, &action, NULL);
    }
    if (send_request() != 0) become_vtr();
    int wait_ms = ANSWER_MS;
    for (;;) {
        int status = 0;
        if (!is_readable(connection, wait_ms)) {
            wait_ms = ASK_AGAIN_MS;
            if (responds(path, is_tmux ? PATIENCE_MS : verb->patience_ms)) continue;
            if (is_readable(connection, 0)) continue;
            if (!has_printed && !is_once) become_vtr();
            tell("UNAVAILABLE", STATUS_UNAVAILABLE, "the daemon at ", path, " does not respond; see vtr doctor");
            return STATUS_UNAVAILABLE;
        }
        ssize_t length = read(connection, answer.bytes + answer.length, sizeof answer.bytes - answer.length);
        if (length < 0 && errno == EINTR) continue;
        if (length <= 0) break;
        answer.length += (size_t)length;
        enum outcome outcome = use_answer(&answer, &status, print_part);
        if (outcome == ENDED) return status;
        if (outcome == REFUSED) become_vtr();
        if (outcome == BROKEN) {
            /* An older daemon answers with bad HTTP, and has run nothing. */
            if (!has_printed) become_vtr();
            break;
        }
    }
    /* The daemon has ended. A command of tmux and rm may have had their effect; others are repeated. */
    if (!has_printed && !is_once) become_vtr();
    tell("UNAVAILABLE", STATUS_UNAVAILABLE, "the daemon at ", path, " ended before the command did");
    return STATUS_UNAVAILABLE;
}

#endif
