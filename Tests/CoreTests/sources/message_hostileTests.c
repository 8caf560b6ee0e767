/* What other processes can do to a port: garbage, floods, silence, other users. */
#define _GNU_SOURCE 1 /* memfd_create */
#include "sources/message_wire.h"
#include "sources/peer.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* ---- packets of one's own ---- */

static gy_wire_header a_request(uint32_t length) {
    return (gy_wire_header){.magic = GY_WIRE_MAGIC,
                            .kind = GY_WIRE_REQUEST,
                            .flags = GY_WIRE_HAS_DATA,
                            .id = PEER_ECHOES,
                            .length = length};
}

static void send_with(int fd, const void *bytes, size_t size, const int *descriptors,
                      unsigned count) {
    char control[CMSG_SPACE(253 * sizeof(int))] = {0};
    struct iovec part = {(void *)(uintptr_t)bytes, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *c = CMSG_FIRSTHDR(&message);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(c), descriptors, count * sizeof(int));
    }
    EXPECT(sendmsg(fd, &message, MSG_NOSIGNAL) == (ssize_t)size);
}

static void expect_closed(int fd) {
    char byte;
    EXPECT(recv(fd, &byte, 1, 0) <= 0);
    close(fd);
}

/* The port closes the connection of whoever sends that, says why, and still serves others. */
static void expect_refusal(port_server *server, GYMessagePortRef other, const void *bytes,
                           size_t size, const int *descriptors, unsigned count) {
    GYStringRef name = GYMessagePortGetName(server->local);
    int fd = peer_socket(name, false);
    send_with(fd, bytes, size, descriptors, count);
    expect_closed(fd);
    const char *line = test_log();
    EXPECT(strncmp(line, "gyre: GYMessagePort: ", 21) == 0 && strstr(line, "(R269)") != NULL);
    EXPECT(strchr(line, '\n') == NULL);
    EXPECT_STR(port_ask(other, 1, "x", 10), "1:x");
}

static void expect_packet_refused(port_server *server, GYMessagePortRef other, gy_wire_header h,
                                  size_t body_size) {
    static uint8_t packet[100000];
    memcpy(packet, &h, sizeof h);
    expect_refusal(server, other, packet, sizeof h + body_size, NULL, 0);
}

/* R269 */
TEST(garbage_closes_its_connection_and_harms_nobody_else) {
    test_capture_log();
    GYStringRef name = port_name("garbage");
    port_server server;
    port_server_start(&server, name, port_echoes, NULL);
    GYMessagePortRef other = port_remote(name);
    expect_refusal(&server, other, "garbage", 7, NULL, 0);
    expect_packet_refused(&server, other, a_request(10), 9);
    expect_packet_refused(&server, other, a_request(10), 11);
    expect_packet_refused(&server, other, a_request(10), 90000);
    expect_packet_refused(&server, other, a_request(GY_WIRE_LENGTH_MAX + 1), GY_WIRE_BODY_MAX);
    gy_wire_header reply = a_request(0);
    reply.kind = GY_WIRE_REPLY;
    expect_packet_refused(&server, other, reply, 0);
    gy_wire_header part = a_request(40000);
    part.kind = GY_WIRE_PART;
    part.offset = GY_WIRE_BODY_MAX;
    expect_packet_refused(&server, other, part, 40000 - GY_WIRE_BODY_MAX);
    GYRelease(other);
    port_server_end(&server);
    GYRelease(name);
}

/* R269 */
TEST(descriptors_that_were_not_announced_are_closed) {
    test_capture_log();
    GYStringRef name = port_name("descriptors");
    port_server server;
    port_server_start(&server, name, port_echoes, NULL);
    GYMessagePortRef other = port_remote(name);
    int many[253];
    for (int i = 0; i < 253; i++) many[i] = 0;
    gy_wire_header h = a_request(0);
    EXPECT_STR(port_ask(other, 1, "x", 10), "1:x");
    int before = test_descriptor_count();
    expect_refusal(&server, other, &h, sizeof h, many, 253);
    expect_refusal(&server, other, &h, sizeof h, many, 1);
    expect_refusal(&server, other, "x", 1, many, 253);
    TEST_WAIT_UNTIL(test_descriptor_count() == before);
    GYRelease(other);
    port_server_end(&server);
    GYRelease(name);
}

static int memory_file(size_t size, int seals) {
    int fd = memfd_create("test", MFD_ALLOW_SEALING | MFD_CLOEXEC);
    REQUIRE(fd >= 0 && ftruncate(fd, (off_t)size) == 0);
    if (seals != 0) REQUIRE(fcntl(fd, F_ADD_SEALS, seals) == 0);
    return fd;
}

/* R269 */
TEST(a_memory_file_that_its_sender_can_change_is_refused) {
    test_capture_log();
    GYStringRef name = port_name("unsealed");
    port_server server;
    port_server_start(&server, name, port_echoes, NULL);
    GYMessagePortRef other = port_remote(name);
    gy_wire_header h = a_request(100000);
    h.flags |= GY_WIRE_IN_FILE;
    const int sealed = F_SEAL_SHRINK | F_SEAL_WRITE;
    const int files[] = {memory_file(100000, 0), memory_file(100000, F_SEAL_SHRINK),
                         memory_file(99999, sealed), 0};
    for (int i = 0; i < 4; i++) {
        expect_refusal(&server, other, &h, sizeof h, &files[i], 1);
        if (i < 3) close(files[i]);
    }
    GYRelease(other);
    port_server_end(&server);
    GYRelease(name);
}

/* R264, R269 */
TEST(messages_that_are_never_finished_take_bounded_memory) {
    enum { PEERS = 8 };
    test_capture_log();
    GYStringRef name = port_name("unfinished");
    port_server server;
    port_server_start(&server, name, port_echoes, NULL);
    GYMessagePortRef other = port_remote(name);
    uint8_t *packet = calloc(1, sizeof(gy_wire_header) + GY_WIRE_BODY_MAX);
    gy_wire_header h = a_request(GY_WIRE_LENGTH_MAX);
    memcpy(packet, &h, sizeof h);
    int fds[PEERS], closed = 0;
    for (int i = 0; i < PEERS; i++) {
        fds[i] = peer_socket(name, false);
        send_with(fds[i], packet, sizeof h + GY_WIRE_BODY_MAX, NULL, 0);
        EXPECT_STR(port_ask(other, 1, "x", 10), "1:x");
    }
    for (int i = 0; i < PEERS; i++) {
        struct pollfd p = {.fd = fds[i], .events = POLLIN};
        closed += poll(&p, 1, i < 4 ? 0 : 10000) == 1;
    }
    for (int i = 0; i < PEERS; i++) close(fds[i]);
    EXPECT_INT(closed, PEERS - 4);
    EXPECT(strstr(test_log(), "too much that is not finished") != NULL);
    free(packet);
    GYRelease(other);
    port_server_end(&server);
    GYRelease(name);
}

/* R264 */
TEST(no_more_than_so_many_connections_are_taken) {
    enum { PEERS = 300 };
    GYStringRef name = port_name("connections");
    port_server server;
    port_server_start(&server, name, port_echoes, NULL);
    int fds[PEERS], closed = 0;
    for (int i = 0; i < PEERS; i++) {
        fds[i] = peer_socket(name, false);
        struct pollfd p = {.fd = fds[i], .events = POLLIN};
        if (i >= 256) closed += poll(&p, 1, 10000) == 1;
    }
    EXPECT_INT(closed, PEERS - 256);
    for (int i = 0; i < PEERS; i++) close(fds[i]);
    port_server_end(&server);
    GYRelease(name);
}

/* R269 */
LOOP_TEST(a_remote_port_ends_where_the_other_side_sends_garbage) {
    test_capture_log();
    GYStringRef name = port_name("false port");
    int listener = peer_socket(name, true);
    for (int i = 0; i < 2; i++) {
        GYMessagePortRef remote = port_remote(name);
        int fd = accept(listener, NULL, NULL);
        gy_wire_header h = a_request(0);
        send_with(fd, i == 0 ? (const void *)"garbage" : &h, i == 0 ? 7 : sizeof h, NULL, 0);
        EXPECT_STR(port_ask(remote, 1, "x", 1e10), "-5");
        EXPECT(strstr(test_log(), "(R269)") != NULL);
        EXPECT(!GYMessagePortIsValid(remote));
        GYRelease(remote);
        close(fd);
    }
    close(listener);
    GYRelease(name);
}

static void be_garbled(void) {
    setenv("GYRE_STRICT", "1", 1);
    test_capture_log();
    GYStringRef name = port_name("strict");
    port_server server;
    port_server_start(&server, name, port_echoes, NULL);
    int fd = peer_socket(name, false);
    EXPECT(send(fd, "garbage", 7, 0) == 7);
    expect_closed(fd);
    port_server_end(&server);
    GYRelease(name);
}

/* R269: it is not this program's mistake. */
TEST(garbage_is_not_fatal_where_misuse_is) { be_garbled(); }

/* ---- what the system refuses ---- */

/* memfd_create is refused from now on, in this process and those it makes. */
static bool refuse_memory_files(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void ask_for_length(GYMessagePortRef remote, size_t length) {
    char digits[32], expected[64];
    GYDataRef data = peer_pattern(length), reply = NULL;
    snprintf(expected, sizeof expected, "%s", peer_sum_text(data));
    EXPECT_INT(
        GYMessagePortSendRequest(remote, PEER_COUNTS_BYTES, data, 10, 10, GYSTR("m"), &reply), 0);
    EXPECT_STR(port_text(reply), expected);
    if (reply != NULL) GYRelease(reply);
    GYRelease(data);
    snprintf(digits, sizeof digits, "%zu", length);
    data = port_data(digits);
    EXPECT_INT(
        GYMessagePortSendRequest(remote, PEER_REPLIES_LENGTH, data, 10, 10, GYSTR("m"), &reply), 0);
    EXPECT_STR(peer_sum_text(reply), expected);
    if (reply != NULL) GYRelease(reply);
    GYRelease(data);
}

/* R268 */
TEST(large_messages_arrive_without_memory_files) {
    GYStringRef name = port_name("no files");
    TEST_SKIP_IF(!refuse_memory_files(), "no filter can be set");
    peer p = peer_start("serve", name);
    GYMessagePortRef remote = port_remote(name);
    static const size_t lengths[] = {32769, 65536, 65537, 1000003, GY_MESSAGE_PORT_LENGTH_MAX};
    for (int i = 0; i < 5; i++) ask_for_length(remote, lengths[i]);
    GYRelease(remote);
    peer_end(&p);
    GYRelease(name);
}

/* R264, R268 */
TEST(a_message_in_parts_that_was_given_up_does_not_stand_in_the_way) {
    GYStringRef name = port_name("given up");
    TEST_SKIP_IF(!refuse_memory_files(), "no filter can be set");
    port_server server = {.local = port_local(name, port_echoes, NULL)};
    pid_t child = fork();
    if (child == 0) {
        GYMessagePortRef remote = port_remote(name);
        GYDataRef data = peer_pattern(1000000);
        EXPECT_INT(GYMessagePortSendRequest(remote, 1, data, 0.01, 0, NULL, NULL),
                   kGYMessagePortSendTimeout);
        EXPECT_INT(GYMessagePortSendRequest(remote, 1, data, 0, 0, NULL, NULL),
                   kGYMessagePortSendTimeout);
        GYRelease(data);
        raise(SIGSTOP);
        EXPECT_STR(port_ask(remote, 2, "x", 10), "2:x");
        GYRelease(remote);
        _exit(test_failures() > 0);
    }
    int status;
    EXPECT(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    loop_worker_start(&server.worker, kGYRunLoopDefaultMode);
    GYRunLoopSourceRef source = GYMessagePortCreateRunLoopSource(NULL, server.local, 0);
    GYRunLoopAddSource(server.worker.rl, source, kGYRunLoopDefaultMode);
    GYRelease(source);
    kill(child, SIGCONT);
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    port_server_end(&server);
    GYRelease(name);
}

static void allow_descriptors(int count) {
    struct rlimit limit;
    REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = (rlim_t)count;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

/* The first number that is free. */
static int next_descriptor(void) {
    int fd = dup(0);
    close(fd);
    return fd;
}

/* R268 */
TEST(a_connection_waits_until_there_is_a_descriptor_for_it) {
    GYStringRef name = port_name("no descriptor");
    port_server server;
    port_server_start(&server, name, port_echoes, NULL);
    pid_t child = fork();
    if (child == 0) {
        raise(SIGSTOP);
        GYMessagePortRef remote = port_remote(name);
        EXPECT_STR(port_ask(remote, 1, "x", 10), "1:x");
        GYRelease(remote);
        _exit(test_failures() > 0);
    }
    int status;
    EXPECT(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    allow_descriptors(next_descriptor());
    kill(child, SIGCONT);
    EXPECT(waitpid(child, &status, WNOHANG) == 0);
    usleep(50000); /* either side may come first: the connection, or the descriptor */
    EXPECT_INT(GYMessagePortCreateLocal(NULL, GYSTR("x"), port_echoes, NULL, NULL) == NULL, true);
    EXPECT_INT(errno, EMFILE);
    allow_descriptors(256);
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    port_server_end(&server);
    GYRelease(name);
}

/* ---- other users ---- */

#define NOBODY 65534

/* Asks the port of user 0, as another user: whether it gets a reply. */
static bool is_served_as_nobody(GYStringRef name) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        REQUIRE(setuid(NOBODY) == 0);
        EXPECT(GYMessagePortCreateRemote(NULL, name) == NULL && errno == ENOENT);
        GYMessagePortRef remote = GYMessagePortCreateRemoteOfUser(NULL, name, 0);
        REQUIRE(remote != NULL);
        const char *reply = port_ask(remote, 1, "x", 10);
        bool is_refused = strcmp(reply, "-5") == 0 || strcmp(reply, "-3") == 0;
        EXPECT(is_refused || strcmp(reply, "1:x") == 0);
        EXPECT(GYMessagePortIsValid(remote) == !is_refused);
        _exit(test_failures() > 0 ? 2 : is_refused);
    }
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) < 2);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* R268 */
TEST(another_user_is_refused_unless_allowed) {
    TEST_SKIP_IF(geteuid() != 0, "another user can be had by the super-user alone");
    GYStringRef name = port_name("users");
    port_server server;
    port_server_start(&server, name, port_echoes, NULL);
    EXPECT(!is_served_as_nobody(name));
    EXPECT(GYMessagePortAllowUser(server.local, 12345));
    EXPECT(!is_served_as_nobody(name));
    EXPECT(GYMessagePortAllowUser(server.local, NOBODY));
    EXPECT(is_served_as_nobody(name));
    GYMessagePortRef remote = GYMessagePortCreateRemoteOfUser(NULL, name, 0);
    EXPECT_STR(port_ask(remote, 1, "x", 10), "1:x");
    GYRelease(remote);
    port_server_end(&server);
    GYRelease(name);
}

/* R268 */
TEST(every_user_can_be_allowed) {
    TEST_SKIP_IF(geteuid() != 0, "another user can be had by the super-user alone");
    GYStringRef name = port_name("everybody");
    port_server server;
    port_server_start(&server, name, port_echoes, NULL);
    EXPECT(GYMessagePortAllowUser(server.local, GY_MESSAGE_PORT_ANY_USER));
    EXPECT(is_served_as_nobody(name));
    port_server_end(&server);
    GYRelease(name);
}

/* R268 */
TEST(a_name_that_another_user_has_taken_is_not_believed) {
    TEST_SKIP_IF(geteuid() != 0, "another user can be had by the super-user alone");
    GYStringRef name = port_name("squatted");
    int ready[2], status;
    char byte;
    REQUIRE(pipe(ready) == 0);
    pid_t child = fork();
    if (child == 0) {
        char address[128];
        struct sockaddr_un where = {.sun_family = AF_UNIX};
        int length = snprintf(address, sizeof address, "gyre.port/0/%s",
                              GYStringGetCStringPtr(name, kGYStringEncodingUTF8));
        memcpy(where.sun_path + 1, address, (size_t)length);
        REQUIRE(setuid(NOBODY) == 0);
        int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
        socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
        REQUIRE(bind(fd, (struct sockaddr *)&where, size) == 0 && listen(fd, 1) == 0);
        REQUIRE(write(ready[1], "r", 1) == 1);
        pause();
    }
    REQUIRE(read(ready[0], &byte, 1) == 1);
    EXPECT(GYMessagePortCreateRemote(NULL, name) == NULL);
    EXPECT_INT(errno, ENOENT);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    close(ready[0]);
    close(ready[1]);
    GYRelease(name);
}

PEER_MAIN()
